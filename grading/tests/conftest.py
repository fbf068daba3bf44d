"""Holds what tests of grading share: the tiny assignment, and a way to change it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .graded import Desk

DATA = Path(__file__).parent / "data"
collect_ignore = ["data"]  # assignments: their tests are run by the judge


@pytest.fixture
def tiny() -> Path:
    """The tiny assignment's folder. Not to be written to."""
    return DATA / "tiny"


@pytest.fixture
def tiny_copy(tmp_path: Path) -> Path:
    """A copy of the tiny assignment, to be changed."""
    return Path(shutil.copytree(DATA / "tiny", tmp_path / "assignments" / "tiny"))


@pytest.fixture(scope="session")
def solution_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the solution gave, kept for all tests of a run."""
    return tmp_path_factory.mktemp("solution")


@pytest.fixture
def desk(tiny: Path, tmp_path: Path, solution_cache: Path) -> Desk:
    """Hands in the tiny assignment and has it graded."""
    return Desk(tiny, tmp_path / "desk", solution_cache)
