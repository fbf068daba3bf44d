"""What holds of all assignments together: files, twins, kinds, pictures."""

from __future__ import annotations

import importlib.util
from functools import cache
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest

from minitorch.cuda.errors import KINDS
from minitorch_grading.course.source_checks import problems_of
from minitorch_grading.course.sources import read_source
from minitorch_grading.course.trees import student_tree
from minitorch_grading.course.twins import twins_of

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
NAMES = ("m0", "m1", "m2", "m3", "m4")
NAMES += ("clinic", "reductions", "matmul", "tensorcores", "attention")
PICTURES = {"m1": ["1.4"], "m2": ["2.1", "2.2"], "m3": ["3.3", "3.4"], "m4": ["4.2"]}


def test_these_are_all():
    assert {path.parent.name for path in ASSIGNMENTS.glob("*/assignment.toml")} == set(
        NAMES
    )


@pytest.mark.parametrize("name", NAMES)
def test_files_are_right(name: str):
    """Marks, totals, tests, a twin for each row; nothing hidden in the starter."""
    assert [str(each) for each in problems_of(ASSIGNMENTS / name)] == []


def test_there_are_many_twins_of_many_kinds():
    twins = [twin for name in NAMES for twin in twins_of(ASSIGNMENTS / name)]
    assert len(twins) >= 60
    found = {kind for twin in twins for kind in twin.kinds} & set(KINDS)
    assert len(found) >= 10, found


@pytest.mark.parametrize("name", NAMES)
def test_each_says_why_it_is_worth_doing(name: str):
    words = (ASSIGNMENTS / name / "INTRO.md").read_text("utf-8")
    readme = student_tree(read_source(ASSIGNMENTS / name), "starter")["README.md"]
    assert words.strip() in readme.decode()
    assert not words.startswith("#")


@cache
def _make_pictures() -> ModuleType:
    path = ASSIGNMENTS / "make_pictures.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pictures_of_modules():
    drawn = [(name, task) for name, tasks in PICTURES.items() for task in tasks]
    assert list(_make_pictures().DRAWN) == drawn


@pytest.mark.parametrize(
    ("name", "task"), [(name, task) for name in PICTURES for task in PICTURES[name]]
)
def test_a_picture_is_what_is_drawn_today(name: str, task: str):
    """Else: `python assignments/make_pictures.py`."""
    figure = _make_pictures().DRAWN[name, task]()
    tree = student_tree(read_source(ASSIGNMENTS / name), "starter")
    picture = tree[f"pictures/{task}.svg"].decode()
    assert figure.answer in unescape(picture)
    assert f"](pictures/{task}.svg)" in tree["README.md"].decode()
    assert f"![{figure.alt}](" in tree["README.md"].decode()
