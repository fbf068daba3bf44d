"""Owns the entry of builds: scikit-build-core, behind a check of the public address.

Named by pyproject.toml. Where MINITORCH_RELEASE is 1, nothing is built as long as that
address is a placeholder.
"""

from __future__ import annotations

import project_urls
from scikit_build_core import build
from scikit_build_core.build import (
    build_editable,
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


def build_wheel(
    folder: str,
    settings: dict[str, str | list[str]] | None = None,
    metadata: str | None = None,
) -> str:
    """Make the wheel; give its name."""
    project_urls.refuse_placeholder()
    return build.build_wheel(folder, settings, metadata)
