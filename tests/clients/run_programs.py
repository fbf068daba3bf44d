"""The running of our own programs of the driver API on the emulator.

    python tests/clients/run_programs.py --python ENV/bin/python [c] [cuda.core]

runs by a Python that has minitorch; ENV has cuda.core, or cuda.h in the wheel
nvidia-cuda-runtime, against which the C program is compiled. It is linked with the
emulator's libcuda.so.1 and, where there is a toolkit, with the toolkit's stub.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EMULATE = [sys.executable, "-m", "minitorch", "emulate", "--"]


TOOLKIT = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


def header_folder(python):
    """Where cuda.h is: in a wheel of that Python, or in a toolkit."""
    code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = subprocess.check_output([python, "-c", code], text=True).strip()
    folders = [*Path(site, "nvidia").glob("*/include"), TOOLKIT / "include"]
    for folder in folders:
        if (folder / "cuda.h").exists():
            return folder
    sys.exit(
        f"got no cuda.h in {site} or {TOOLKIT}; need it: pip install "
        "nvidia-cuda-runtime, or CUDA_HOME=... for a toolkit."
    )


def library_flags():
    """How the C program may be linked, by the case's name."""
    from minitorch.tools import emulate

    stubs = TOOLKIT / "lib64" / "stubs"
    own = emulate.linked_library()
    ways = {"C": [f"-L{own.parent}", f"-l:{own.name}"]}
    if (stubs / "libcuda.so").exists():
        ways["C, linked with a toolkit's stub"] = [f"-L{stubs}", "-lcuda"]
    return ways


def compiled(folder, headers, links):
    """The C program and the PTX it reads, made by NVRTC."""
    from minitorch import cuda

    kernel = cuda.RawKernel((HERE / "vector_add.cu").read_text(), "vector_add")
    ptx, program = folder / "vector_add.ptx", folder / "vector_add"
    ptx.write_text(kernel.ptx)
    flags = ["-Wall", "-Wextra", "-Werror", f"-isystem{headers}"]
    source = str(HERE / "vector_add.c")
    command = ["cc", *flags, source, "-o", str(program), *links, "-lm"]
    subprocess.run(command, check=True)
    return [str(program), str(ptx)]


def run(name, command, launches, **environment):
    """Run on the emulator; right when it ends well after `launches` launches."""
    process = subprocess.run(
        [*EMULATE, *command],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )
    seen = f"saw {launches} launches" in process.stderr
    right = process.returncode == 0 and "all results are right" in process.stdout
    print(f"{'passed' if right and seen else 'failed'} {name}", flush=True)
    print(process.stderr.strip().rpartition("\n")[2], file=sys.stderr)  # the launches
    if not (right and seen):
        print(f"exit status {process.returncode}", process.stdout, process.stderr)
    return right and seen


def run_c(python):
    """The C program, linked in each way."""
    headers = header_folder(python)
    outcomes = []
    for name, links in library_flags().items():
        with tempfile.TemporaryDirectory() as folder:
            outcomes.append(run(name, compiled(Path(folder), headers, links), 2))
    return outcomes


def run_cuda_core(python):
    """The program of cuda.core, with either default stream."""
    core = [python, "-W", "ignore", str(HERE / "cuda_core_program.py")]
    own_stream = {"CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM": "1"}
    return [
        run("cuda.core", core, 8),
        run("cuda.core, per-thread default stream", core, 8, **own_stream),
    ]


PROGRAMS = {"c": run_c, "cuda.core": run_cuda_core}


def main():
    parser = argparse.ArgumentParser(description="Our driver-API programs, emulated")
    parser.add_argument("--python", required=True, help="that has cuda.core")
    parser.add_argument("programs", nargs="*", help="c, cuda.core (both)")
    options = parser.parse_args()
    names = options.programs or list(PROGRAMS)
    outcomes = [each for name in names for each in PROGRAMS[name](options.python)]
    print(f"cases {len(outcomes)}")
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
