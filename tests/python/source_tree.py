"""The list of this checkout's source files, for tests that read them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = (
    "cpp",
    "bindings",
    "minitorch",
    "minitorch_cuda",
    "minitorch_cuda_pytest",
    "grading",
    "tests",
    "benchmarks",
    "notebooks",
    ".ci",
)


def source_files(*suffixes):
    """Files with one of the suffixes, in a fixed order."""
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            hidden = any(part.startswith(".ipynb") for part in path.parts)
            if path.suffix in suffixes and path.is_file() and not hidden:
                yield path


def name_of(path):
    """The path as people write it: `cpp/base/error.h`."""
    return path.relative_to(ROOT).as_posix()
