"""Tests that no attack gets a point, and that whoever comes next gets all of theirs.

Each attack is one submission, judged by a judge of its own; those of a group run beside
each other, as submissions of a class do. Then an honest one is judged.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from minitorch_grading.report.report import load_report
from minitorch_grading.sandbox import process

from ..graded import Desk, for_students
from ..trees import at_levels, children
from .on_kernels import CPP, CUDA_OPS, PYTHON, SCALE, python_file
from .on_values import FILES, LARGE, OPERATORS, SLOW, STUDENTS_TESTS, WRONG

pytestmark = pytest.mark.slow
CLIP = ("1.1-clip", "1.1-secret")
MAP = ("1.2-map",)
OPERATORS_FILE = "minitorch/operators.py"
LIBRARY = str(Path(process.__file__).parents[3])
M0 = Path(__file__).parents[3] / "assignments" / "m0"

Files = Mapping[str, str | bytes]


def points(report, rows):
    judged = [row for row in report["rows"] if row["id"].startswith(rows)]
    assert judged
    assert all(row["outcome"] != "not_run" for row in judged)
    return (
        sum(row["points"] for row in judged),
        sum(row["max_points"] for row in judged),
    )


def litter(folder):
    """What lies where attacks could leave something."""
    places = [folder, Path("/dev/shm"), Path("/var/tmp")]
    found = {
        str(path) for place in places if place.exists() for path in place.rglob("*")
    }
    # Semaphores of multiprocessing belong to other programs of this machine.
    known = ("/report", "/cache", "/sem.mp-", "/sem.loky-")
    return {path for path in found if not any(each in path for each in known)}


class Stage:
    """Where attacks of a group are handed in and judged."""

    def __init__(self, assignment, place, cache):
        self.assignment, self.place, self.cache = assignment, place, cache

    def desk(self, title):
        return Desk(self.assignment, self.place / title.replace(" ", "_"), self.cache)

    def hand_in(self, title, files):
        """The attack's files among the solution's; it knows where things lie."""
        desk = self.desk(title)
        names = {
            "{tiny}": str(self.assignment),
            "{report}": str(desk.report_folder),
            "{library}": LIBRARY,
        }
        placed = {}
        for file, text in files.items():
            for name, path in names.items():
                text = text.replace(name, path) if isinstance(text, str) else text
            placed[file] = text
        return desk, desk.hand_in(**placed)

    def attack(self, rows, level, attacks):
        """No point for an attack; all for the honest one behind; nothing is left."""
        handed_in = {title: self.hand_in(title, attacks[title]) for title in attacks}
        before, alive = litter(self.place), children()

        def judged(title):
            desk, folder = handed_in[title]
            return desk.grade_folder(folder, *rows, level=level)

        with ThreadPoolExecutor(2) as pool:
            reports = dict(zip(attacks, pool.map(judged, attacks), strict=True))
        for title, report in reports.items():
            assert report["isolation"] == level
            assert points(report, rows)[0] == 0, (title, report["rows"])
            assert "Secret words" not in for_students(report), title
        assert children() == alive
        assert litter(self.place) == before
        got, most = points(self.desk("honest").grade(*rows, level=level), rows)
        assert got == most > 0


@pytest.fixture
def stage(tiny, tmp_path, solution_cache):
    return Stage(tiny, tmp_path, solution_cache)


def groups(attacks):
    titles = tuple(attacks)
    return [titles[n : n + 10] for n in range(0, len(titles), 10)]


@at_levels("confined", "uid")
@pytest.mark.parametrize("titles", groups(OPERATORS))
def test_attacks_on_values_get_nothing(stage, level, titles):
    texts = {title: OPERATORS[title] for title in titles}
    stage.attack(
        CLIP,
        level,
        {
            title: {OPERATORS_FILE: text if "def clip" in text else text + WRONG}
            for title, text in texts.items()
        },
    )


@at_levels("confined", "uid")
def test_attacks_that_take_time_get_nothing(tiny_copy, tmp_path, level):
    rubric = tiny_copy / "assignment.toml"
    text = rubric.read_text()
    assert "seconds = 20" in text
    rubric.write_text(text.replace("seconds = 20", "seconds = 5"))
    stage = Stage(tiny_copy, tmp_path, tmp_path / "cache")
    attacks = {title: {OPERATORS_FILE: SLOW[title]} for title in SLOW}
    stage.attack(CLIP, level, attacks)


@at_levels("confined", "uid")
def test_other_files_are_not_read(stage, level):
    attacks = {title: {OPERATORS_FILE: WRONG, **FILES[title]} for title in FILES}
    stage.attack(CLIP, level, attacks)


@at_levels("confined", "uid")
def test_attacks_of_kernels_get_nothing(stage, level):
    attacks = {title: {CUDA_OPS: python_file(PYTHON[title])} for title in PYTHON}
    stage.attack(MAP, level, attacks)


@at_levels("confined", "uid")
def test_attacks_in_cuda_get_nothing(stage, level):
    attacks = {title: {SCALE: CPP[title]} for title in CPP}
    stage.attack(("1.3-scale",), level, attacks)


@at_levels("confined", "uid")
def test_tests_that_read_in_place_of_testing_find_nothing(
    level, tmp_path, solution_cache
):
    stage = Stage(M0, tmp_path, solution_cache)
    file = "tests/test_operators_mine.py"
    attacks = {title: {file: STUDENTS_TESTS[title]} for title in STUDENTS_TESTS}
    stage.attack(("0.2-caught",), level, attacks)


GRADE = """
import resource, sys
from pathlib import Path
from minitorch_grading.judge.grade import grade_one
places, level = map(Path, sys.argv[1:4]), sys.argv[4]
grade_one(*places, b"s" * 32, level, rows=("1.1-clip", "1.1-secret"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
"""


@at_levels("confined", "uid")
def test_no_answer_fills_the_judge(desk, level):
    folder = desk.hand_in(**{OPERATORS_FILE: LARGE})
    command = [sys.executable, "-c", GRADE, desk.tiny, folder, desk.report_folder]
    done = subprocess.run([*command, level], capture_output=True, check=True)
    report = load_report(desk.report_folder)
    assert points(report, CLIP)[0] == 0
    assert 20 < int(done.stdout) < 300  # MB, of the judge and of all that it starts


@at_levels("confined", "uid")
def test_a_link_is_not_followed(desk, level):
    folder = desk.hand_in()
    file = folder / OPERATORS_FILE
    file.unlink()
    os.symlink(desk.tiny / "source" / OPERATORS_FILE, file)
    report = desk.grade_folder(folder, *CLIP, level=level)
    assert sum(row["points"] for row in report["rows"]) == 0


def test_there_are_enough():
    kinds = (OPERATORS, SLOW, FILES, PYTHON, CPP, STUDENTS_TESTS)
    assert sum(map(len, kinds)) >= 60
