"""The entry of builds: scikit-build-core, behind checks that say in one sentence what a
build lacks.

Named by pyproject.toml. Where MINITORCH_RELEASE is 1, nothing is built as long as the
public address is a placeholder.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

import project_urls
from scikit_build_core import build
from scikit_build_core.build import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def build_sdist(folder: str, settings: dict[str, str | list[str]] | None = None) -> str:
    """Make the archive of sources; give its name."""
    project_urls.refuse_placeholder()
    return build.build_sdist(folder, settings)


def _refuse_what_cannot_compile() -> None:
    """End the build where CMake would end it with a screen of text.

    Raises:
        SystemExit: there is no C++ compiler, or the Python has no headers.
    """
    names = [os.environ.get("CXX", "").split(" ")[0], "c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in names if name):
        sys.exit(
            "[build] got no C++ compiler; need GCC 12 or clang 14, or newer (Debian "
            "and Ubuntu: apt-get install g++). A wheel needs none: pip install "
            "minitorch-cuda."
        )
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        sys.exit(
            f"[build] got no Python.h for {sys.executable}; need the headers of this "
            "Python (Debian and Ubuntu: apt-get install python3-dev)."
        )


def build_editable(
    folder: str,
    settings: dict[str, str | list[str]] | None = None,
    metadata: str | None = None,
) -> str:
    """Make the wheel that points at this checkout; give its name."""
    _refuse_what_cannot_compile()
    return build.build_editable(folder, settings, metadata)


def build_wheel(
    folder: str,
    settings: dict[str, str | list[str]] | None = None,
    metadata: str | None = None,
) -> str:
    """Make the wheel; give its name."""
    project_urls.refuse_placeholder()
    _refuse_what_cannot_compile()
    return build.build_wheel(folder, settings, metadata)
