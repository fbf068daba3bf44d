"""Owns the comparison of two results of a class: whose points changed, where, and why.

Must not know how results are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..report.words import amount, sentence
from .scores import Result, class_results, counts


@dataclass(frozen=True)
class Change:
    """What changed for one submission.

    Attributes:
        name: the platform's.
        short: how the hash of what was handed in begins, in the second results.
        points: second score less the first; None where one of them does not count.
        rows: sentences, one for each row that changed.
        resubmitted: whether other files were handed in.
    """

    name: str
    short: str
    points: float | None
    rows: tuple[str, ...]
    resubmitted: bool = False

    @property
    def says(self) -> str:
        """One line: "a81f +2 (3.3 zip on the GPU: clean: reported -> passed)"."""
        if self.points is None:
            points = "no score"
        else:
            sign = "+" if self.points > 0 else "-" if self.points < 0 else "±"
            points = f"{sign}{amount(abs(self.points))}"
        new = "handed in again; " if self.resubmitted else ""
        return f"{self.short} {points} ({new}{'; '.join(self.rows) or 'rows agree'})"


@dataclass(frozen=True)
class Comparison:
    """Two results of one class.

    Attributes:
        count: submissions that are in both.
        changes: of those, by name; rows without a change are left out.
        only_first: names that the second results lack.
        only_second: names that the first results lack.
        overridden: sentences about points that a teacher changed, in the second.
        bundles: how the hashes of the assignment begin that graded the first, and the
            second.
    """

    count: int
    changes: tuple[Change, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    overridden: tuple[str, ...]
    bundles: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def says(self) -> str:
        """All of it as text: "4 of 200 changed: ..."."""
        lines = [f"{len(self.changes)} of {self.count} changed"]
        if self.changes:
            lines[0] += ":"
            lines += [f"  {change.says}" for change in self.changes]
        first, second = (", ".join(each) or "none" for each in self.bundles)
        if first != second:
            lines.append(f"The assignment changed: bundle {first}, then {second}.")
        for names, where in (
            (self.only_first, "only in the first"),
            (self.only_second, "only in the second"),
        ):
            if names:
                lines.append(f"{len(names)} {where}: {', '.join(names)}")
        if self.overridden:
            lines.append(f"{len(self.overridden)} by a teacher:")
            lines += [f"  {each}" for each in self.overridden]
        return "\n".join(lines)


def compare(
    first: Path,
    second: Path,
    overrides_first: Path | None = None,
    overrides_second: Path | None = None,
) -> Comparison:
    """Compare two results folders, with a teacher's overrides in place.

    Args:
        first: the older results.
        second: the newer ones.
        overrides_first: the teacher's file of the first; None: the one in the folder.
        overrides_second: the same of the second.

    Raises:
        LedgerError, OverrideError: what is wrong with a folder or its overrides.
        ValueError: results of two assignments.

    Example:
        >>> print(compare(Path("results"), Path("results-2")).says)  # doctest: +SKIP
        1 of 200 changed:
          a81f +2 (3.3 zip on the GPU: clean: reported -> passed)
    """
    before = {each.name: each for each in class_results(first, overrides_first)}
    after = {each.name: each for each in class_results(second, overrides_second)}
    titles = {each.report["assignment"] for each in (*before.values(), *after.values())}
    if len(titles) > 1:
        raise ValueError(
            f"[compare] got results of {' and '.join(sorted(titles))}; need two "
            "results of one assignment."
        )
    both = sorted(before.keys() & after.keys())
    changes = [_change(before[name], after[name]) for name in both]
    overridden = [
        f"{each.short} {row['id']}: {amount(row['override']['before'])} -> "
        f"{amount(row['points'])}. {sentence(row['override']['reason'])}"
        for _, each in sorted(after.items())
        for row in each.report["rows"]
        if "override" in row
    ]
    return Comparison(
        count=len(both),
        changes=tuple(change for change in changes if change is not None),
        only_first=tuple(sorted(before.keys() - after.keys())),
        only_second=tuple(sorted(after.keys() - before.keys())),
        overridden=tuple(overridden),
        bundles=(_bundles(before.values()), _bundles(after.values())),
    )


def _bundles(results: Iterable[Result]) -> tuple[str, ...]:
    hashes = {str(each.report["grader"]["bundle_sha256"])[:8] for each in results}
    return tuple(sorted(hashes))


def _change(before: Result, after: Result) -> Change | None:
    rows = _row_changes(before.report, after.report)
    both_count = counts(before) and counts(after)
    points = after.report["score"] - before.report["score"] if both_count else None
    resubmitted = before.line.submission != after.line.submission
    if not (rows or points or counts(before) != counts(after)):
        return None
    return Change(after.name, after.short, points, tuple(rows), resubmitted)


def _row_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    old = {row["id"]: row for row in before["rows"]}
    new = {row["id"]: row for row in after["rows"]}
    said = []
    for name, row in new.items():
        was = old.get(name)
        title = f"{row['task']} {row['title']}"
        if was is None:
            said.append(f"{title}: new row, {row['outcome']}")
        elif was["outcome"] != row["outcome"]:
            said.append(f"{title}: {was['outcome']} -> {row['outcome']}")
        elif was["points"] != row["points"]:
            said.append(f"{title}: {amount(was['points'])} -> {amount(row['points'])}")
        if was is not None and was["max_points"] != row["max_points"]:
            most = f"{amount(was['max_points'])} -> {amount(row['max_points'])}"
            said.append(f"{title}: worth {most}")
    gone = [row for name, row in old.items() if name not in new]
    said += [f"{row['task']} {row['title']}: row is gone" for row in gone]
    return said
