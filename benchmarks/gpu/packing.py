"""Owns the archive for a machine with a card: the sources, and wheels for any Python.

Must not know what is measured there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .place import ROOT, WORK

LIMIT = 60_000_000  # bytes
NAME = "minitorch-gpu"

#: Of one platform, but of any Python. Tools that the machine may lack, and our BLAS.
PLATFORM_WHEELS = ("cmake", "ninja", "scipy-openblas32>=0.3.27")

#: Of any machine: what the build and the tests need. NumPy comes with PyTorch, NVRTC
#: with PyTorch or the toolkit.
PURE_WHEELS = (
    "packaging",
    "pybind11==3.1.0",
    "cuda-pathfinder>=1.3",
    "pytest>=8.4",
    "pluggy",
    "iniconfig",
    "pygments",
    "hypothesis>=6.100",
    "sortedcontainers",
    "pyelftools>=0.32",
)


class PackError(Exception):
    """The archive is not what it has to be; the message says why."""


def fetch_wheels(folder: Path) -> None:
    """Download the wheels into a folder; those that are there stay."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    pip += ["--only-binary=:all:", "--disable-pip-version-check", "-d", str(folder)]
    subprocess.run([*pip, *PLATFORM_WHEELS], check=True)
    # So named, only wheels of any machine and any Python are found.
    subprocess.run([*pip, "--platform", "any", *PURE_WHEELS], check=True)


def check_wheels(wheels: Sequence[Path]) -> None:
    """See that each wheel suits every Python.

    Raises:
        PackError: one does not.
    """
    bound = [each.name for each in wheels if "-none-" not in each.name]
    if bound:
        raise PackError(
            f"[pack] got {', '.join(bound)}; need wheels of any Python: who knows "
            "which one the machine has."
        )


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def _commit() -> str:
    changed = ", with changes" if _git("status", "--porcelain", "-uno") else ""
    return _git("rev-parse", "HEAD").strip() + changed + "\n"


def pack(archive: Path, wheels: Path) -> int:
    """Write the archive: tracked files as they are now, the wheels, and the commit.

    Returns:
        Its size in bytes.

    Raises:
        PackError: a wheel is bound to a Python, or the archive is too large.
    """
    packed = sorted(wheels.glob("*.whl"))
    check_wheels(packed)
    archive.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        tarfile.open(archive, "w:gz", compresslevel=6) as tar,
    ):
        for name in _git("ls-files", "-z").split("\0")[:-1]:
            if (ROOT / name).exists():
                tar.add(ROOT / name, f"{NAME}/{name}")
        for wheel in packed:
            tar.add(wheel, f"{NAME}/wheels/{wheel.name}")
        commit = Path(folder, "COMMIT")
        commit.write_text(_commit(), "utf-8")
        tar.add(commit, f"{NAME}/COMMIT")
    size = archive.stat().st_size
    if size > LIMIT:
        raise PackError(
            f"[pack] got {archive} of {size / 1e6:.1f} MB; need at most "
            f"{LIMIT / 1e6:.0f} MB. Leave wheels out that a machine with PyTorch has."
        )
    return size


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/gpu/pack", description=__doc__)
    parser.add_argument(
        "archive", nargs="?", type=Path, default=WORK / f"{NAME}.tar.gz"
    )
    parser.add_argument("--wheels", type=Path, help="a folder with them: no network")
    given = parser.parse_args(words)
    wheels = given.wheels or WORK / "wheels"
    try:
        if given.wheels is None:
            wheels.mkdir(parents=True, exist_ok=True)
            fetch_wheels(wheels)
        size = pack(given.archive, wheels)
    except PackError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{given.archive}: {size / 1e6:.1f} MB")
    return 0
