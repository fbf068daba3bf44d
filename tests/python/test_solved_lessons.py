"""Lessons run to their end with every exercise solved, and every check says right."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from minitorch import course, cuda

from .course_answers import ANSWERS
from .course_solutions import SOLUTIONS
from .source_tree import ROOT

pytestmark = pytest.mark.cuda

LESSONS = ["00_start", "01_threads_blocks_grid", "04_shared_memory_and_barriers"]


def solved(cell: str) -> str:
    """The cell with what a reader fills in, where it checks an exercise."""
    tree = ast.parse(cell)
    for call in [each for each in ast.walk(tree) if isinstance(each, ast.Call)]:
        if ast.unparse(call.func) != "course.check":
            continue
        name, answer = call.args[0].value, call.args[1].id
        if name in ANSWERS:
            cell = cell.replace(f"{answer} = None", f"{answer} = {ANSWERS[name]!r}")
            continue
        (kernel,) = (each for each in tree.body if getattr(each, "name", "") == answer)
        lines = cell.splitlines()
        solution = inspect.getsource(SOLUTIONS[name])
        own = solution.replace(f"def {SOLUTIONS[name].__name__}(", f"def {answer}(", 1)
        lines[kernel.lineno - 1 : kernel.end_lineno] = [own]
        cell = "\n".join(lines)
    return cell


def run(lesson: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a lesson with all exercises solved.

    Returns:
        The names that it leaves, and what was said of each exercise.
    """
    text = (ROOT / "notebooks" / f"{lesson}.ipynb").read_text("utf-8")
    cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    said: dict[str, Any] = {}

    def check(name: str, answer: object) -> Any:
        said[name] = course.check(name, answer)
        return said[name]

    names: dict[str, Any] = {"__name__": "__main__", "told": check}
    for number, each in enumerate(cells):
        # A real file, so that inspect finds the source of kernels.
        place = folder / f"cell_{number}.py"
        text = solved("".join(each["source"])).replace("course.check(", "told(")
        place.write_text(text, "utf-8")
        exec(compile(text, str(place), "exec"), names)
    return names, said


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_solved_lesson_has_every_exercise_of_its_number_right(lesson, tmp_path):
    if not cuda.is_emulated():
        pytest.skip("looks at threads, which only the emulator tells")
    _, said = run(lesson, tmp_path)
    assert [each for each in said.values() if not each] == []
    own = [name for name in course.EXERCISES if name.startswith(lesson[:2])]
    assert list(said) == own
