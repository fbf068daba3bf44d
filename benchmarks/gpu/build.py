"""Owns building the library on a machine without a network. Must not know what runs.

What the machine has is used (compiler, CMake, Ninja, NumPy, PyTorch); what it lacks
comes from the wheels that `pack` put beside the sources.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from .place import ROOT, WORK

WHEELS = ROOT / "wheels"  # in the archive; a checkout has none
_OLDEST = (3, 11)

#: Installed before the build and beside the library, where the machine lacks them.
NEEDED = (
    "scikit-build-core>=0.11",
    "pybind11>=3.0",
    "numpy>=1.26",
    "cuda-pathfinder>=1.3",
    "scipy-openblas32>=0.3.27",
    "pytest>=8.4",
    "hypothesis>=6.100",
)
_TOOLS = ("cmake", "ninja")
_TAIL = 1500


class BuildError(Exception):
    """The build ended; the message says at what."""


def _check() -> None:
    if sys.version_info < _OLDEST:
        raise BuildError(
            f"[build] got Python {sys.version.split()[0]}; need 3.11 or newer. Name "
            "another one: python3.12 benchmarks/gpu/run"
        )
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        raise BuildError(
            "[build] got no Python.h; need Python's headers (Debian and Ubuntu: "
            "python3-dev). Or build elsewhere and give --python."
        )
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        raise BuildError("[build] got no C++ compiler; need GCC 12 or clang 14.")


def _run(words: list[str], log: Path, environment: dict[str, str]) -> None:
    with log.open("ab") as output:
        done = subprocess.run(
            words,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=ROOT,
            check=False,
        )
    if done.returncode != 0:
        tail = log.read_text("utf-8", "replace")[-_TAIL:]
        raise BuildError(f"[build] {' '.join(words[:6])} failed:\n{tail}")


def _environment(log: Path) -> Path:
    """Make a virtual environment that sees the machine's own packages."""
    place = WORK / "env"
    python = place / "bin" / "python"
    if not python.exists():
        words = [sys.executable, "-m", "venv", "--system-site-packages"]
        try:
            _run([*words, str(place)], log, dict(os.environ))
        except BuildError:  # no ensurepip: the machine's pip is seen from within
            _run(
                [*words, "--clear", "--without-pip", str(place)], log, dict(os.environ)
            )
    return python


def build(log: Path) -> Path:
    """Build and install the library; the interpreter that has it.

    Args:
        log: gets what the steps print.

    Raises:
        BuildError: something is missing or does not build.
    """
    _check()
    python = _environment(log)
    environment = os.environ | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "CMAKE_BUILD_PARALLEL_LEVEL": str(len(os.sched_getaffinity(0))),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    pip = [str(python), "-m", "pip", "install", "-q"]
    if WHEELS.is_dir():
        pip += ["--no-index", "--find-links", str(WHEELS)]
    tools = [tool for tool in _TOOLS if not shutil.which(tool)]
    _run([*pip, *NEEDED, *tools], log, environment)
    _run(
        [
            *pip,
            "--no-build-isolation",
            "--no-deps",
            "-C",
            f"build-dir={WORK / 'objects'}",
            "-C",
            "cmake.define.MINITORCH_BUILD_TESTS=OFF",
            "-e",
            str(ROOT),
        ],
        log,
        environment,
    )
    return python
