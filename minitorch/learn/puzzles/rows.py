"""A check as the rows of a graded report. The course's judge says what they are.

A kernel's values are judged, then whether it is clean; a row that is lost leaves those
behind it unjudged.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...cuda import KernelError
from ...grading.judge.cost import Costs, Limit
from ...grading.judge.rows import Ended, Record, rows_of
from ...grading.report.report import RowReport
from ...grading.rubric.assignment import Item
from ...grading.runner.finding_data import finding_data

#: Where a kernel was judged: in the Python that asked, which it could have changed. So
#: a check is for oneself; marks need a level that a report of the course names.
LEVEL = "process"


def judged_rows(
    label: str,
    title: str,
    wrong: Sequence[str],
    findings: Sequence[KernelError],
    costs: Sequence[tuple[str, int, int]] = (),
) -> list[RowReport]:
    """The rows `values`, `clean` and, where it has one, `cost` of a kernel.

    Args:
        label: what is asked, such as "Puzzle 3".
        title: its title.
        wrong: for each input with wrong values what differs; () where all are right.
        findings: what the checks found on all inputs.
        costs: a counter, what was counted, the most that is allowed.

    Returns:
        rows as a report of the course has them (`minitorch.grade/1`).

    Example:
        >>> rows = judged_rows("Puzzle 3", "Guard", ["2 of 4 cells differ"], [])
        >>> [row["outcome"] for row in rows]
        ['failed', 'not_yet']
    """
    stages = ("values", "clean", "cost") if costs else ("values", "clean")
    record = Record(
        Item(label, label, title, dict.fromkeys(stages, 1)),
        limits=tuple(Limit(name, most, False) for name, _, most in costs),
        costs=Costs({name: taken for name, taken, _ in costs}),
        findings=[finding_data(each) for each in findings],  # type: ignore[misc]
    )
    ended = Ended("failed", "Values differ.", wrong[0]) if wrong else None
    return rows_of(record, ended, lambda file, line: (file, line))
