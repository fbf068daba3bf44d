"""Tests that no attack gets a point, and that whoever comes next gets all of theirs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from minitorch_cuda.grading.sandbox import process

from ..trees import at_levels, children
from .on_kernels import CPP, CUDA_OPS, PYTHON, SCALE, python_file
from .on_values import FILES, OPERATORS, SLOW, WRONG

pytestmark = pytest.mark.slow
CLIP = ("1.1-clip", "1.1-secret")
MAP = ("1.2-map",)
OPERATORS_FILE = "minitorch/operators.py"
LIBRARY = str(Path(process.__file__).parents[3])


def points(report, rows) -> tuple[float, float]:
    judged = [row for row in report["rows"] if row["id"].startswith(rows)]
    assert judged
    assert all(row["outcome"] != "not_run" for row in judged)
    return (
        sum(row["points"] for row in judged),
        sum(row["max_points"] for row in judged),
    )


def litter(folder: Path) -> set[str]:
    """What lies where attacks could leave something."""
    places = [folder, Path("/dev/shm"), Path("/var/tmp")]
    found = {
        str(path) for place in places if place.exists() for path in place.rglob("*")
    }
    return {path for path in found if "/report/" not in path and "/cache" not in path}


def attack(desk, rows, level, files):
    """No point for the attack; all points for the honest one; nothing is left."""
    names = {
        "{tiny}": str(desk.tiny),
        "{report}": str(desk.report_folder),
        "{library}": LIBRARY,
    }
    placed = {}
    for file, text in files.items():
        for name, path in names.items():
            text = text.replace(name, path) if isinstance(text, str) else text
        placed[file] = text
    folder = desk.hand_in(**placed)
    before, alive = litter(folder), children()
    report = desk.grade_folder(folder, *rows, level=level)
    assert report["isolation"] == level
    assert points(report, rows)[0] == 0, report["rows"]
    assert children() == alive
    assert litter(folder) == before
    got, most = points(desk.grade(*rows, level=level), rows)
    assert got == most > 0


@at_levels("confined", "uid")
@pytest.mark.parametrize("title", OPERATORS)
def test_attacks_on_values_get_nothing(desk, level, title):
    text = OPERATORS[title]
    whole = text if "def clip" in text else text + WRONG
    attack(desk, CLIP, level, {OPERATORS_FILE: whole})


@at_levels("confined", "uid")
@pytest.mark.parametrize("title", SLOW)
def test_attacks_that_take_time_get_nothing(desk, level, title):
    attack(desk, CLIP, level, {OPERATORS_FILE: SLOW[title]})


@at_levels("confined", "uid")
@pytest.mark.parametrize("title", FILES)
def test_other_files_are_not_read(desk, level, title):
    attack(desk, CLIP, level, {OPERATORS_FILE: WRONG, **FILES[title]})


@at_levels("confined", "uid")
@pytest.mark.parametrize("title", PYTHON)
def test_attacks_of_kernels_get_nothing(desk, level, title):
    attack(desk, MAP, level, {CUDA_OPS: python_file(PYTHON[title])})


@at_levels("confined", "uid")
@pytest.mark.parametrize("title", CPP)
def test_attacks_in_cuda_get_nothing(desk, level, title):
    attack(desk, ("1.3-scale",), level, {SCALE: CPP[title]})


@at_levels("confined", "uid")
def test_a_link_is_not_followed(desk, level):
    folder = desk.hand_in()
    file = folder / OPERATORS_FILE
    file.unlink()
    os.symlink(desk.tiny / "source" / OPERATORS_FILE, file)
    report = desk.grade_folder(folder, *CLIP, level=level)
    assert sum(row["points"] for row in report["rows"]) == 0


def test_there_are_enough():
    assert len(OPERATORS) + len(SLOW) + len(FILES) + len(PYTHON) + len(CPP) >= 30
