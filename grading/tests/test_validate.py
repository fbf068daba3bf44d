"""The tests of an assignment's validation: what is wrong is named with its place.

Judged by a stand-in, whose reports say what a test wants them to.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minitorch_grading.course.source_checks import problems_of
from minitorch_grading.course.validate import Verdict, validate

from .small_course import change, write_course, write_files

ROWS = ("6.1-sum.values", "6.1-sum.clean", "6.1-sum.cost")
POINTS = dict(zip(ROWS, (2, 1, 1), strict=True))


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    return write_course(tmp_path)


def told(folder: Path) -> list[str]:
    return [str(problem) for problem in problems_of(folder)]


def test_small_assignments_have_no_problem(sums: Path):
    assert told(sums) == []
    assert told(sums.parent / "numbers") == []
    assert (
        str(Verdict("sums", problems_of(sums)))
        == "sums: its files are right; nothing was judged"
    )


# What a teacher may break: file, old words, new ones, and what the problem says.
BROKEN = {
    "a total": (
        "assignment.toml",
        "points = 4",
        "points = 5",
        "sums/assignment.toml: points = 5, but the rows without extra ones sum up to 4",
    ),
    "a mark": (
        "source/minitorch/sums.py",
        "### END SOLUTION",
        "### END SOLUTON",
        "sums/source/minitorch/sums.py:9: got BEGIN SOLUTION without its end",
    ),
    "a starter's line": (
        "source/minitorch/sums.py",
        "# out[0] += a[i]",
        "# out[0] = = a[i]",
        "sums/source/minitorch/sums.py: got what students get that is no Python",
    ),
    "a file": (
        "assignment.toml",
        'files = ["minitorch/sums.py"]',
        'files = ["minitorch/some.py"]',
        "got files = ['minitorch/some.py']; need that file",
    ),
    "a public test": (
        "tests/test_sums.py",
        "def test_total",
        "def test_sum",
        "public = ['test_sums.py::test_total']; need a test in tests/",
    ),
    "a marker": (
        "tests/test_sums.py",
        "task6_1",
        "task6_2",
        "got no public test of task 6.1; need one in tests/ with @pytest.mark.test6_1",
    ),
    "a twin's row": (
        "twins/dear.py",
        "6.1-sum.cost",
        "6.1-sum.costs",
        "sums/twins/dear.py:1: got the row 6.1-sum.costs; need rows of",
    ),
    "a twin's kind": (
        "twins/all.py",
        "race_global",
        "race_globel",
        "sums/twins/all.py:1: got the kind race_globel; need a kind of docs/checks.md "
        "or an outcome, such as race_global.",
    ),
    "a twin's file": (
        "twins/all.py",
        "minitorch/sums.py",
        "minitorch/sum.py",
        "sums/twins/all.py:1: got the file minitorch/sum.py; need one of",
    ),
    "a twin's fault": (
        "twins/all.py",
        "# wrong: all",
        "# right",
        "sums/twins/all.py:1: got no faulty line; need one or more that end in",
    ),
    "a need": (
        "assignment.toml",
        'needs = ["numbers"]',
        'needs = ["letters"]',
        "got needs = ['letters']; need a folder of that name",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_named_with_its_place(sums: Path, what: str):
    name, old, new, words = BROKEN[what]
    change(sums / name, old, new)
    found = told(sums)
    assert any(words in each for each in found), found
    verdict = validate(sums, grade=judge({}))  # nothing is judged
    assert verdict.solution is None
    assert str(verdict) == f"sums: {len(found)} problem{'s' * (len(found) > 1)}"


def test_each_row_wants_a_twin_that_fails_it_first(sums: Path):
    (sums / "twins" / "dear.py").unlink()
    words = "got no twin that fails 6.1-sum.cost and nothing of its item before it"
    assert told(sums) == [f"sums/assignment.toml: {words}; need one in twins/."]


def test_a_solutions_line_in_the_starter_is_a_leak(sums: Path):
    change(sums / "source" / "minitorch" / "sums.py", "sum_so_far +=", "so_far +=")
    line = "sum_so_far = 0.0; so_far = 0.0  # a start"
    change(sums / "source" / "minitorch" / "sums.py", "sum_so_far = 0.0", line)
    write_files(sums, {"tests/samples.py": f"import numpy as np\n\n{line}\n"})
    (found,) = told(sums)
    assert found.startswith("starter/tests/samples.py:3: got a line of sums/source/")
    assert "minitorch/sums.py:16 in the starter" in found


def test_a_hidden_files_line_in_the_starter_is_a_leak(sums: Path):
    line = 'kernel = submission.kernel("minitorch.sums", "total", types=())'
    write_files(sums, {"source/notes.txt": f"  {line}\n"})
    (found,) = told(sums)
    assert found.startswith("starter/notes.txt:1: got a line of sums/graded/")


def test_lines_that_students_have_anyway_are_no_leak(sums: Path):
    numbers = sums.parent / "numbers" / "source" / "minitorch" / "operators.py"
    line = "return 1.0 / x if x != 0 else 0.0"
    assert line in numbers.read_text()
    change(
        sums / "source" / "minitorch" / "sums.py", "i = cuda.threadIdx.x\n    if", line
    )
    assert not [each for each in told(sums) if "operators.py" in each]
    change(sums / "source" / "minitorch" / "sums.py", "# i = cuda", "# j = 3; i = cuda")
    change(
        sums / "twins" / "one.py",
        "out[0] =",
        "j = 3; i = cuda.threadIdx.x\n    out[0] =",
    )
    assert not [each for each in told(sums) if "in the starter" in each]


def test_marks_where_nothing_strips_them_are_refused(sums: Path):
    write_files(sums, {"source/notes.md": "a\n### BEGIN SOLUTION\nb\n"})
    write_files(sums, {"tests/test_more.py": "### BEGIN SOLUTION\n"})
    found = told(sums)
    assert len(found) == 2
    assert found[0].startswith("starter/notes.md:2: got a mark in a file that is")
    assert found[1].startswith("starter/tests/test_more.py:1: got a mark")


# What a judge would say, by the folder that it is given.
Report = dict[str, Any]


def row(name: str, points: float, outcome: str, kind: str = "") -> dict[str, Any]:
    finding = {
        "kind": kind,
        "severity": "error",
        "file": "minitorch/sums.py",
        "line": 7,
    }
    return {
        "id": name,
        "points": points,
        "max_points": POINTS[name],
        "outcome": outcome,
        "message": "",
        "staff_message": f"why {name}.",
        "findings": [finding] if kind else [],
    }


def report(lost: dict[str, tuple[str, str]]) -> Report:
    rows = [
        row(name, POINTS[name] * (outcome == "passed"), outcome, kind)
        for name in ROWS
        for outcome, kind in [lost.get(name, ("passed", ""))]
    ]
    manual = {"id": "6.1-words", "points": 0, "max_points": 3, "outcome": "manual"}
    return {"rows": [*rows, manual], "message": ""}


LATER = ("not_yet", "")
RIGHT = {
    "solution": {},
    "starter": dict.fromkeys(ROWS, ("failed", "")),
    "one": {ROWS[0]: ("failed", ""), ROWS[1]: LATER, ROWS[2]: LATER},
    "all": {ROWS[1]: ("reported", "race_global"), ROWS[2]: LATER},
    "dear": {ROWS[2]: ("too_costly", "")},
}


def judge(answers: dict[str, Any]) -> Callable[..., Report]:
    """A judge that knows the folders by their texts."""

    def grade(
        assignment: Path, submission: Path, to: Path, secret: bytes, *, cache: Path
    ) -> Report:
        assert cache.is_dir()
        text = (submission / "minitorch" / "sums.py").read_text()
        named = [
            name for name in ("one", "all", "dear", "noted") if f"wrong: {name}" in text
        ]
        solved = "solution" if "sum_so_far" in text else "starter"
        assert assignment.name == "sums"
        assert not to.exists()
        assert len(secret) >= 16
        assert (submission / "minitorch" / "operators.py").is_file()
        return report(answers[named[0] if named else solved])

    return grade


def test_a_whole_assignment_is_told_in_a_line(sums: Path):
    seen: list[tuple[int, int]] = []
    verdict = validate(
        sums, grade=judge(RIGHT), progress=lambda *each: seen.append(each), jobs=2
    )
    assert verdict.problems == []
    line = "sums: solution 4/4, starter 0/4, 3 twins fail as they should"
    assert str(verdict) == line
    assert sorted(seen) == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


WRONG = {
    "the solution": (
        {"solution": {ROWS[2]: ("too_costly", "")}},
        "sums/graded, row 6.1-sum.cost: the solution gets 0 of 1 points (too_costly: "
        "why 6.1-sum.cost); it must get all.",
    ),
    "the starter": (
        {"starter": {}},
        "sums/graded, row 6.1-sum.values: the starter gets 2 of 2 points (passed: ",
    ),
    "a twin that passes": (
        {"dear": {}},
        "sums/twins/dear.py:1: got all points of 6.1-sum.cost; need it to fail.",
    ),
    "a twin that fails more": (
        {"dear": {ROWS[1]: ("reported", "oob_global"), ROWS[2]: LATER}},
        "sums/twins/dear.py:1: got 6.1-sum.clean failed, too (reported at "
        "minitorch/sums.py:7: why 6.1-sum.clean); need it to pass",
    ),
    "another kind": (
        {"all": {ROWS[1]: ("reported", "oob_global"), ROWS[2]: LATER}},
        "sums/twins/all.py:1: got oob_global; need race_global. 6.1-sum.clean: re",
    ),
    "another outcome": (
        {"one": {ROWS[0]: ("timeout", ""), ROWS[1]: LATER, ROWS[2]: LATER}},
        "sums/twins/one.py:1: got timeout; need failed.",
    ),
    "our fault": (
        {"one": dict.fromkeys(ROWS, ("not_run", ""))},
        "sums/graded: got 6.1-sum.values, 6.1-sum.clean, 6.1-sum.cost not judged "
        "(one.py): why 6.1-sum.values",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_the_judge_finds_wrong_is_named(sums: Path, what: str):
    answers, words = WRONG[what]
    verdict = validate(sums, grade=judge(RIGHT | answers))
    found = [str(each) for each in verdict.problems]
    assert any(each.startswith(words) for each in found), found
    assert "problem" in str(verdict)


def test_a_twin_of_a_note_loses_nothing_and_has_the_note(sums: Path):
    text = (
        (sums / "twins" / "dear.py").read_text().replace("wrong: dear", "wrong: noted")
    )
    first, _, rest = text.partition("\n")
    (sums / "twins" / "noted.py").write_text(
        f"{first.partition('fails')[0]}fails nothing: race_benign\n{rest}"
    )
    noted = RIGHT | {"noted": {ROWS[1]: ("passed", "race_benign")}}
    assert validate(sums, grade=judge(noted)).problems == []
    for answers, words in (
        ({}, "got passed; need race_benign."),
        ({ROWS[2]: ("too_costly", "")}, "got 6.1-sum.cost failed, too"),
    ):
        found = validate(sums, grade=judge(RIGHT | {"noted": answers})).problems
        assert str(found[0]).startswith(f"sums/twins/noted.py:1: {words}")


def test_beside_a_wrong_solution_nothing_else_is_judged(sums: Path):
    answers = RIGHT | {"solution": {ROWS[2]: ("too_costly", "")}, "one": {}}
    verdict = validate(sums, grade=judge(answers))
    line = "sums: solution 3/4, starter and twins not judged; 1 problem"
    assert str(verdict) == line


def test_a_judge_that_breaks_is_not_the_assignments_fault(sums: Path):
    def broken(*_: object, **__: object) -> Report:
        raise RuntimeError("the judge")

    with pytest.raises(RuntimeError, match="the judge"):
        validate(sums, grade=broken)
