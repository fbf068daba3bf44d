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
from collections.abc import Sequence
from pathlib import Path

from .place import ROOT, WORK

WHEELS = ROOT / "wheels"  # in the archive; a checkout has none
SITE = WORK / "site"
_OLDEST = (3, 11)

#: What the build, the library and its tests import.
NEEDED = (
    "numpy>=1.26",
    "pybind11>=3.0",
    "cuda-pathfinder>=1.3",
    "scipy-openblas32>=0.3.27",
    "pytest>=8.4",
    "pluggy>=1.5",
    "iniconfig>=2",
    "packaging>=22",
    "pygments>=2.7",
    "hypothesis>=6.100",
    "sortedcontainers>=2.1",
    "pyelftools>=0.32",
)
TOOLS = ("cmake", "ninja")

# Prints those of its arguments `name>=version` that are not there.
_ASK = """
import sys
from importlib.metadata import PackageNotFoundError, version
def number(text):
    return [int(part) for part in text.split(".")[:2] if part.isdigit()]
for wanted in sys.argv[1:]:
    name, least = wanted.split(">=")
    try:
        if number(version(name)) >= number(least):
            continue
    except PackageNotFoundError:
        pass
    print(wanted)
"""
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


def _run(words: list[str], log: Path) -> None:
    with log.open("ab") as output:
        done = subprocess.run(
            words,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(),
            cwd=ROOT,
            check=False,
        )
    if done.returncode != 0:
        tail = log.read_text("utf-8", "replace")[-_TAIL:]
        raise BuildError(f"[build] {' '.join(words[:6])} failed:\n{tail}")


def environment() -> dict[str, str]:
    """That of this process, with the library, and the packages beside it, to import."""
    kept = os.environ.get("PYTHONPATH")
    paths = [str(ROOT), str(SITE), *([kept] if kept else [])]
    tools = f"{SITE / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PATH": tools}


def _missing(requirements: Sequence[str]) -> list[str]:
    """Those that this interpreter does not have, or not new enough."""
    words = [sys.executable, "-c", _ASK, *requirements]
    done = subprocess.run(words, capture_output=True, text=True, env=environment())
    return done.stdout.split() if done.returncode == 0 else list(requirements)


def _install(log: Path) -> None:
    """Put what the machine lacks beside its own packages, which stay as they are."""
    missing = _missing(NEEDED)
    missing += [tool for tool in TOOLS if not shutil.which(tool)]
    if not missing:
        return
    pip = [sys.executable, "-m", "pip", "install", "-q", "--upgrade"]
    pip += ["--disable-pip-version-check", "--no-deps", "--target", str(SITE)]
    if WHEELS.is_dir():
        pip += ["--no-index", "--find-links", str(WHEELS)]
    _run([*pip, *missing], log)


def build(log: Path) -> str:
    """Build the library in this tree; the interpreter that has it.

    Args:
        log: gets what the steps print.

    Raises:
        BuildError: something is missing or does not build.
    """
    _check()
    WORK.mkdir(parents=True, exist_ok=True)
    _install(log)
    objects = str(ROOT / "build" / "in-tree")
    found = f"-DPython_EXECUTABLE={sys.executable}"
    wanted = ["-DMINITORCH_IN_TREE=ON", "-DMINITORCH_BUILD_TESTS=OFF", found]
    _run(["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", objects, *wanted], log)
    processors = str(len(os.sched_getaffinity(0)))
    _run(["cmake", "--build", objects, "--parallel", processors], log)
    return sys.executable
