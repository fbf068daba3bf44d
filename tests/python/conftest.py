"""Owns what every Python test gets: a kernel cache of its own, and a clean end."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .source_tree import ROOT

# Kept between runs: entries are found by content, so an old one cannot be wrong.
os.environ.setdefault("MINITORCH_CACHE_DIR", str(ROOT / "build" / "kernel-cache"))


@pytest.fixture(autouse=True)
def _end_with_a_synchronisation(request: pytest.FixtureRequest) -> Iterator[None]:
    """A fault that a test did not fetch fails that test, not the next one."""
    yield
    if request.node.get_closest_marker("cuda"):
        from minitorch import cuda

        cuda.synchronize()
