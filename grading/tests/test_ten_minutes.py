"""A newcomer's first ten minutes: the commands of the course's page, in order.

A course is made, validated, released, handed in, graded twice and compared, by the
command line alone and with the judge itself. Slow: it judges eight submissions.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source
from minitorch_grading.course.twins import twins_of

from .small_course import write_files

pytest.importorskip("minitorch_grading.judge.grade")
pytest.importorskip("distributed")


# What tiny lacks of a course: a public test of its last task.
SCALE = """
    import pytest


    @pytest.mark.task1_3
    def test_scale_is_written():
        assert "if" in open("kernels/scale.cu").read()
"""


def course(*words: object, folder: Path, status: int = 0) -> str:
    """Run a verb in a process of its own; what it printed."""
    command = [sys.executable, "-m", "minitorch_cuda", "course", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.cuda
def test_a_newcomer_goes_from_a_course_to_a_comparison(tiny: Path, tmp_path: Path):
    words = ("new", "gpu101", "--assignments", "tiny", "--from", tiny.parent)
    said = course(*words, folder=tmp_path)
    assert said == "course.toml, 1 assignment, secret (inputs follow from it)\n"
    here = tmp_path / "gpu101"
    write_files(here / "assignments" / "tiny", {"tests/test_scale.py": SCALE})
    said = course("validate", "--jobs", 2, folder=here)
    whole = r"tiny: solution 10/10, starter 0/10, \d+ twins fail as they should\n"
    assert re.fullmatch(whole, said), said
    said = course("release", "tiny", "--for", "gradescope", folder=here)
    names = [f"dist/tiny-{kind}.zip" for kind in ("starter", "solution", "gradescope")]
    assert said.split() == names
    hand_in(here)
    grade = ("grade", "tiny", "handed-in", "--workers", 2)
    said = course(*grade, "--to", "results", folder=here)
    assert "3 of 3" in said
    assert (here / "results" / "scores.csv").is_file()
    hand_in_better(here)
    course(*grade, "--to", "results-2", folder=here)
    said = course("compare", "results", "results-2", folder=here)
    assert said.startswith("1 of 3 changed:"), said
    said = course("report", "no_guard", "--results", "results", folder=here)
    assert Path(here, said.strip()).is_file()


def hand_in(here: Path) -> None:
    """Three students: one is right, one has begun, one forgot a guard."""
    to = here / "handed-in"
    for name, archive in (("right", "solution"), ("begun", "starter")):
        with zipfile.ZipFile(here / "dist" / f"tiny-{archive}.zip") as opened:
            opened.extractall(to / name)
    source = read_source(here / "assignments" / "tiny")
    (twin,) = (each for each in twins_of(source.folder) if "scale_without" in str(each))
    trees.write_tree(trees.twin_tree(source, twin), to / "no_guard")


def hand_in_better(here: Path) -> None:
    """Who had begun hands in a kernel of the solution."""
    kernel = Path("kernels", "scale.cu")
    right = (here / "handed-in" / "right" / kernel).read_bytes()
    (here / "handed-in" / "begun" / kernel).write_bytes(right)
