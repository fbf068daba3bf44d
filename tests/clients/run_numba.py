"""Owns which of Numba's own CUDA tests run on the emulator, and which are left out.

Works for Numba with its built-in CUDA target and for numba-cuda; the tests come inside
their wheels. Run it by Python of any environment; the client's environment is named:

    python tests/clients/run_numba.py --python ENV/bin/python --cuda-home NVCC \
        [--suite cudadrv] [--suite cudapy] [--only test_atomics] [--minimum 0.95]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from run_unittests import run_modules, write

NEEDS_IPC = "shares memory between processes (IPC)"
NEEDS_DEBUGGER = "needs a debugger or a disassembler"
NEEDS_GPUS = "needs a second GPU"

# By the start of a test's name behind `<package>.<suite>.`.
LEFT_OUT = {
    "test_ipc": NEEDS_IPC,
    "test_multigpu": NEEDS_GPUS,
    "test_inspect.TestInspect.test_inspect_lto_asm": NEEDS_DEBUGGER,
}


def package_of(python: str) -> str:
    """numba.cuda.tests: of the built-in target or of numba-cuda, which replaces it."""
    code = "import numba.cuda, os; print(os.path.dirname(numba.cuda.__file__))"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{python} cannot import numba.cuda:\n{found.stderr}")
    return found.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Numba's CUDA tests on the emulator")
    parser.add_argument("--python", required=True, help="of the client's environment")
    parser.add_argument("--cuda-home", help="folder that has nvvm/ (Numba 0.60)")
    parser.add_argument("--library", required=True, help="libminitorch_emulator.so")
    parser.add_argument("--suite", action="append", help="cudadrv, cudapy (both)")
    parser.add_argument("--only", action="append", default=[], help="test module")
    parser.add_argument("--limit", type=float, default=600, help="seconds a module")
    parser.add_argument("--minimum", type=float, default=0, help="share that must pass")
    parser.add_argument("--output", type=Path, help="results, one line of JSON a test")
    parser.add_argument("--show", action="store_true", help="print why tests failed")
    options = parser.parse_args()

    folder = Path(package_of(options.python), "tests")
    modules, left_out = [], {}
    for suite in options.suite or ["cudadrv", "cudapy"]:
        package = f"numba.cuda.tests.{suite}"
        for path in sorted(Path(folder, suite).glob("test_*.py")):
            if not options.only or path.stem in options.only:
                modules.append(f"{package}.{path.stem}")
        left_out |= {f"{package}.{name}": why for name, why in LEFT_OUT.items()}

    with tempfile.TemporaryDirectory() as driver:
        for name in ("libcuda.so.1", "libcuda.so"):
            Path(driver, name).symlink_to(Path(options.library).resolve())
        places = [driver, os.environ.get("LD_LIBRARY_PATH", "")]
        if options.cuda_home:
            os.environ["CUDA_HOME"] = options.cuda_home
            places.insert(1, str(Path(options.cuda_home, "nvvm", "lib64")))
        os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, places))
        results = run_modules(
            [options.python], modules, options.limit, left_out, options.output
        )

    if options.output:
        write(results, options.output)
    count = results.count()
    ran = count["passed"] + count["failed"] + count["crashed"] + count["hung"]
    share = count["passed"] / ran if ran else 0.0
    for test, outcome in results.outcome.items():
        if outcome in ("failed", "crashed", "hung"):
            print(f"{outcome}: {test}")
            if options.show:
                print(results.reason.get(test, ""))
    print(f"{dict(count)}: {count['passed']} of {ran} passed ({share:.1%})")
    return 0 if ran and share >= options.minimum else 1


if __name__ == "__main__":
    sys.exit(main())
