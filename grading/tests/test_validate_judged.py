"""The test of a validation with the judge itself: what is broken is found.

`test_validate` has a stand-in for the judge, and what only files say.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from minitorch_grading.course.validate import validate
from minitorch_grading.judge.grade import grade_one

from .graded import CONFINED, NEEDS_CONFINED
from .small_course import change

pytestmark = pytest.mark.skipif(not CONFINED, reason=NEEDS_CONFINED)


@pytest.mark.slow  # nine submissions
def test_a_whole_assignment_passes(tiny_copy: Path):
    """Solution, starter and twins of the tiny assignment, judged as submissions are."""
    verdict = validate(tiny_copy, grade=grade_one)
    assert [str(each) for each in verdict.problems] == []
    line = "tiny: solution 10/10, starter 0/10, 7 twins fail as they should"
    assert str(verdict) == line


def test_a_broken_line_of_the_solution_is_found(tiny_copy: Path):
    """Nothing else is judged then; the row that lost points is named."""
    change(
        tiny_copy / "source" / "minitorch" / "operators.py",
        "    return np.minimum(np.maximum(values, low), high)",
        "    low, high = high, low\n"
        "    return np.minimum(np.maximum(values, low), high)",
    )
    verdict = validate(tiny_copy, grade=grade_one)
    found = [str(each) for each in verdict.problems]
    assert len(found) == 2, found
    for row, words in zip(("1.1-clip", "1.1-secret"), found, strict=True):
        assert words.startswith(f"tiny/graded, row {row}: the solution gets 0 of ")
        assert words.endswith("; it must get all.")
    line = "tiny: solution 7/10, starter and twins not judged; 2 problems"
    assert str(verdict) == line


@pytest.mark.slow
def test_a_twin_without_its_fault_is_found(tiny_copy: Path):
    """Of one item alone, which is quicker."""
    toml = tiny_copy / "assignment.toml"
    head, *items = toml.read_text().split("[[item]]")
    kept = [each for each in items if '"1.1-' in each]
    tasks = head.split("[[task]]")
    toml.write_text("[[task]]".join(tasks[:2]) + "[[item]]" + "[[item]]".join(kept))
    change(toml, "points = 10", "points = 3")
    (tiny_copy / "graded" / "test_kernels.py").unlink()
    for name in ("test_cuda_ops.py", "test_scale.py"):
        (tiny_copy / "tests" / name).unlink()
    for path in (tiny_copy / "twins").glob("*.cu"):
        path.unlink()
    change(toml, '"minitorch/cuda_ops.py", "kernels/scale.cu"', "")
    edits = tiny_copy / "twins" / "edits.txt"
    text = edits.read_text().partition("== map")[0]
    right = "np.minimum(np.maximum(values, low), high)"
    edits.write_text(text.replace("np.minimum(values, high)", right))
    verdict = validate(tiny_copy, grade=grade_one)
    place = "tiny/twins/edits.txt:3"
    assert [str(each) for each in verdict.problems] == [
        f"{place}: got all points of 1.1-clip; need it to fail.",
        f"{place}: got all points of 1.1-secret; need it to fail.",
    ]
    assert verdict.twins == 1


def test_a_broken_total_is_found(tiny_copy: Path):
    """Before anything is judged."""
    change(tiny_copy / "assignment.toml", "points = 10", "points = 11")
    verdict = validate(tiny_copy, grade=grade_one)
    (found,) = map(str, verdict.problems)
    assert found.startswith("tiny/assignment.toml: points = 11, but the rows")
    assert verdict.solution is None
