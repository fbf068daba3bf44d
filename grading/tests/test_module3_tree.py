"""The tests of module 3 as students run it: which tests a mark selects, that the
solution passes them, and that a student's own line is named.

MiniTorch's own tests of the solutions: tests/upstream/run.py PATH --package FOLDER.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source

MODULE3 = Path(__file__).parents[2] / "assignments" / "m3"


def students_run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A student's run of pytest in a folder, on the emulator."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "MINITORCH_CUDA": "emulator"}
    return subprocess.run(
        command, cwd=folder, env=environment, text=True, capture_output=True
    )


def made(kind: trees.Kind, to: Path) -> Path:
    trees.write_tree(trees.student_tree(read_source(MODULE3), kind), to)
    return to


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("solution", tmp_path_factory.mktemp("module3") / "solution")


@pytest.mark.slow
def test_both_marks_select_the_same_tests(solution):
    names = [
        re.findall(r"^tests/\S+::.*$", run.stdout, re.MULTILINE)
        for run in (
            students_run(solution, "--collect-only", "-m", mark)
            for mark in ("task3_3", "test3_3")
        )
    ]
    assert names[0] == names[1]
    assert len(names[0]) >= 57
    assert "tests/test_tensor_general.py::test_one_args[cuda-fn3]" in names[0]


@pytest.mark.slow
def test_the_solution_passes_task_3_3(solution):
    run = students_run(solution, "-m", "test3_3")
    assert run.returncode == 0, run.stdout[-2000:]


def test_the_starter_says_which_task_is_missing(tmp_path):
    starter = made("starter", tmp_path / "starter")
    run = students_run(starter, "-m", "task3_3", "-k", "test_sum_practice2")
    assert run.returncode == 1
    assert 'raise NotImplementedError("Task 3.3")' in run.stdout
    assert "cuda_ops.py" in run.stdout
