"""Which of Numba's own CUDA tests run on the emulator, and which are left out.

Works for Numba with its built-in CUDA target and for numba-cuda; the tests come inside
their wheels. Run it by Python of any environment; the client's environment is named:

    python tests/clients/run_numba.py --python ENV/bin/python --cuda-home NVCC \
        [--suite cudadrv] [--suite cudapy] [--only test_atomics] [--minimum 0.95]

This Python is one that has minitorch.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from run_unittests import run_modules

NEEDS_IPC = "shares memory between processes (IPC)"
NEEDS_DEBUGGER = "needs a debugger or a disassembler"
NEEDS_GPUS = "needs a second GPU"

# By the start of a test's name behind `<package>.<suite>.`.
LEFT_OUT = {
    "test_ipc": NEEDS_IPC,
    "test_multigpu": NEEDS_GPUS,
    "test_inspect.TestInspect.test_inspect_lto_asm": NEEDS_DEBUGGER,
}


def package_of(python):
    """numba.cuda.tests: of the built-in target or of numba-cuda, which replaces it."""
    code = "import numba.cuda, os; print(os.path.dirname(numba.cuda.__file__))"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{python} cannot import numba.cuda:\n{found.stderr}")
    return found.stdout.strip()


def arguments():
    parser = argparse.ArgumentParser(description="Numba's CUDA tests on the emulator")
    parser.add_argument("--python", required=True, help="of the client's environment")
    parser.add_argument("--cuda-home", help="folder that has nvvm/ (Numba 0.60)")
    parser.add_argument("--suite", action="append", help="cudadrv, cudapy (both)")
    parser.add_argument("--only", action="append", default=[], help="test module")
    parser.add_argument("--limit", type=float, default=600, help="seconds a module")
    parser.add_argument("--minimum", type=float, default=0, help="share that must pass")
    parser.add_argument("--output", type=Path, help="results, one line of JSON a test")
    parser.add_argument("--show", action="store_true", help="print why tests failed")
    return parser.parse_args()


def chosen(options):
    """The test modules to run, and the reasons to leave tests out."""
    folder = Path(package_of(options.python), "tests")
    modules, left_out = [], {}
    for suite in options.suite or ["cudadrv", "cudapy"]:
        package = f"numba.cuda.tests.{suite}"
        for path in sorted(Path(folder, suite).glob("test_*.py")):
            if not options.only or path.stem in options.only:
                modules.append(f"{package}.{path.stem}")
        left_out |= {f"{package}.{name}": why for name, why in LEFT_OUT.items()}
    return modules, left_out


def told(results, show):
    """Print what did not pass and the sum; the share that passed."""
    for test, outcome in results.outcome.items():
        if outcome in ("failed", "crashed", "hung"):
            print(f"{outcome}: {test}")
            if show:
                print(results.reason.get(test, ""))
    count = results.count()
    ran = count["passed"] + count["failed"] + count["crashed"] + count["hung"]
    share = count["passed"] / ran if ran else 0.0
    print(f"{dict(count)}: {count['passed']} of {ran} passed ({share:.1%})")
    return share


def use_toolkit(given, home):
    """Make `home` look like a toolkit with the compiler of `given`.

    Numba wants to see libcudadevrt.a; the emulator knows its functions, so that the
    file may be an archive of nothing.
    """
    for part in given.iterdir():
        (home / part.name).symlink_to(part.resolve())
    (home / "lib64").mkdir()
    (home / "lib64" / "libcudadevrt.a").write_bytes(b"!<arch>\n")
    os.environ["CUDA_HOME"] = str(home)
    before = os.environ.get("LD_LIBRARY_PATH", "")
    os.environ["LD_LIBRARY_PATH"] = f"{home / 'nvvm' / 'lib64'}:{before}"


def main():
    options = arguments()
    modules, left_out = chosen(options)
    command = [sys.executable, "-m", "minitorch", "emulate", "--", options.python]
    with tempfile.TemporaryDirectory() as home:
        if options.cuda_home:
            use_toolkit(Path(options.cuda_home), Path(home))
        results = run_modules(command, modules, options.limit, left_out, options.output)
    return 0 if told(results, options.show) >= options.minimum else 1


if __name__ == "__main__":
    sys.exit(main())
