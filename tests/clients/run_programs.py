"""Owns the running of our own programs of the driver API on the emulator.

    python tests/clients/run_programs.py --python ENV/bin/python

runs by a Python that has minitorch; ENV has cuda.core (requirements.txt). The C program
is compiled against cuda.h of the wheel nvidia-cuda-runtime or of a toolkit.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EMULATE = [sys.executable, "-m", "minitorch", "emulate", "--"]


def header_folder() -> Path | None:
    """Where cuda.h is, if anywhere."""
    spec = importlib.util.find_spec("nvidia")
    wheels = spec.submodule_search_locations if spec else None
    found = [path for each in wheels or [] for path in Path(each).glob("*/include")]
    found += [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include")]
    return next((path for path in found if (path / "cuda.h").exists()), None)


def stub_library(object_file: Path, folder: Path) -> None:
    """A libcuda to link with, as toolkits have one: names without code."""
    names = subprocess.run(
        ["nm", "-u", object_file], check=True, capture_output=True, text=True
    ).stdout.split()
    lines = [
        f"int {name}(void) {{ return 999; }}" for name in names if name[:2] == "cu"
    ]
    source = folder / "stub.c"
    source.write_text("\n".join(lines))
    flags = ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    subprocess.run(["cc", *flags, source, "-o", folder / "libcuda.so"], check=True)


def compiled(folder: Path, headers: Path) -> list[str]:
    """The C program and the PTX it reads, made by NVRTC."""
    from minitorch import cuda

    kernel = cuda.RawKernel((HERE / "vector_add.cu").read_text(), "vector_add")
    ptx, program = folder / "vector_add.ptx", folder / "vector_add"
    ptx.write_text(kernel.ptx)
    made = folder / "vector_add.o"
    flags = ["-Wall", "-Wextra", "-Werror", f"-isystem{headers}"]
    subprocess.run(["cc", *flags, "-c", HERE / "vector_add.c", "-o", made], check=True)
    stub_library(made, folder)
    links = [f"-L{folder}", "-lcuda", "-lm"]
    subprocess.run(["cc", made, "-o", program, *links], check=True)
    return [str(program), str(ptx)]


def run(name: str, command: list[str], launches: int, **environment: str) -> bool:
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
    print(f"{name}: {'ok' if right and seen else 'FAILED'}")
    if not (right and seen):
        print(f"exit status {process.returncode}", process.stdout, process.stderr)
    return right and seen


def main() -> int:
    parser = argparse.ArgumentParser(description="Our driver-API programs, emulated")
    parser.add_argument("--python", required=True, help="that has cuda.core")
    python = parser.parse_args().python
    core = [python, "-W", "ignore", str(HERE / "cuda_core_program.py")]
    outcomes = [
        run("cuda.core", core, 8),
        run(
            "cuda.core, per-thread default stream",
            core,
            8,
            CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM="1",
        ),
    ]
    headers = header_folder()
    if headers is None:
        print("C: left out, cuda.h was not found")
    else:
        with tempfile.TemporaryDirectory() as folder:
            outcomes.append(run("C", compiled(Path(folder), headers), 2))
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
