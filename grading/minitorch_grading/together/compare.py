"""Compare two results of a class: points that changed, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..report.words import amount, sentence
from .results import Result, read_results


@dataclass(frozen=True)
class Comparison:
    """Two results of one class.

    Attributes:
        count: submissions that are in both.
        changes: a line for each that changed: "a81f +2 (3.3 zip: values: ...)".
        notes: sentences about the assignment, missing submissions and overrides.
    """

    count: int
    changes: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def says(self) -> str:
        """All changes as text: "4 of 200 changed: ..."."""
        head = f"{len(self.changes)} of {self.count} changed" + ":" * any(self.changes)
        return "\n".join(
            [head, *(f"  {change}" for change in self.changes), *self.notes]
        )


def compare(first: Path, second: Path) -> Comparison:
    """Compare two results folders, including a teacher's overrides.

    Args:
        first: the older results.
        second: the newer ones.

    Raises:
        UsageError: what is wrong with a folder or its overrides.
        UsageError: results of two assignments.

    Example:
        >>> print(compare(Path("results"), Path("results-2")).says)  # doctest: +SKIP
        1 of 200 changed:
          a81f +2 (3.3 zip on the GPU: clean: reported -> passed)
    """
    before = {result.name: result for result in read_results(first)}
    after = {result.name: result for result in read_results(second)}
    titles = {
        result.report["assignment"] for result in (*before.values(), *after.values())
    }
    if len(titles) > 1:
        raise UsageError(
            f"[compare] the results are of {' and '.join(sorted(titles))}; both must "
            "be of one assignment."
        )
    both = sorted(before.keys() & after.keys())
    changes = [_change(before[name], after[name]) for name in both]
    return Comparison(
        len(both),
        tuple(change for change in changes if change),
        tuple(_notes(before, after)),
    )


def _notes(before: Mapping[str, Result], after: Mapping[str, Result]) -> Iterable[str]:
    first, second = _bundles(before.values()), _bundles(after.values())
    if first != second:
        yield f"The assignment changed: bundle {first}, then {second}."
    for names, side in (
        (sorted(before.keys() - after.keys()), "first"),
        (sorted(after.keys() - before.keys()), "second"),
    ):
        if names:
            yield f"{len(names)} only in the {side}: {', '.join(names)}"
    overrides = [
        f"  {result.sha256[:4]} {row['id']}: {amount(row['override']['before'])} -> "
        f"{amount(row['points'])}. {sentence(row['override']['reason'])}"
        for _, result in sorted(after.items())
        for row in result.report["rows"]
        if "override" in row
    ]
    if overrides:
        yield f"{len(overrides)} by a teacher:"
        yield from overrides


def _bundles(results: Iterable[Result]) -> str:
    hashes = {str(result.report["grader"]["bundle_sha256"])[:8] for result in results}
    return ", ".join(sorted(hashes))


def _change(before: Result, after: Result) -> str:
    """Return a line for a submission, such as "a81f +2 (...)", or ""."""
    rows = list(_row_changes(before.report["rows"], after.report["rows"]))
    points = after.report["score"] - before.report["score"]
    if not (before.counts and after.counts):
        score_change = "no score"
    else:
        sign = "+" if points > 0 else "-" if points < 0 else "±"
        score_change = f"{sign}{amount(abs(points))}"
    if not (
        rows or (points and score_change != "no score") or before.counts != after.counts
    ):
        return ""
    new = "handed in again; " if before.sha256 != after.sha256 else ""
    return f"{after.sha256[:4]} {score_change} ({new}{'; '.join(rows) or 'rows agree'})"


def _row_changes(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> Iterable[str]:
    old = {row["id"]: row for row in before}
    for row in after:
        was = old.get(row["id"], row)
        title = f"{row['task']} {row['title']}"
        if was["outcome"] != row["outcome"]:
            yield f"{title}: {was['outcome']} -> {row['outcome']}"
        elif was["points"] != row["points"]:
            yield f"{title}: {amount(was['points'])} -> {amount(row['points'])}"
