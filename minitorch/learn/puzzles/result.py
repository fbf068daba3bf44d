"""Result of a check, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...cuda import Counters, KernelError
from .exercise import Array, Case, Counts, Exercise, Limit

State = Literal[
    "solved",
    "not yet",
    "wrong values",
    "reported",
    "does not run",
    "too costly",
    "not as asked",
]

_SHOWN = 4
_HEADS = ("global reads", "global writes", "shared reads", "shared writes")
_FIRST = "most of any thread"


@dataclass(frozen=True)
class CaseResult:
    """What became of one launch.

    Attributes:
        case: the launch.
        got: `out` afterwards.
        findings: errors that the checks found.
        notes: what else they noticed.
        counters: what the launch cost; None on a real GPU, which does not count.
    """

    case: Case
    got: Array
    findings: list[KernelError]
    notes: list[KernelError] = field(default_factory=list)
    counters: Counters | None = None

    @property
    def wrong(self) -> list[tuple[int, ...]]:
        """Indices of the elements of `out` that differ; NaN differs from everything."""
        cells = np.argwhere(~(self.got == self.case.expected))
        return [tuple(int(i) for i in cell) for cell in cells]

    def describe(self) -> str:
        """Describe the first elements that differ, one a line."""
        expected, setup = self.case.expected, self.case.setup
        shapes = ", ".join(map(str, setup.shapes))
        lines = [
            f"inputs {shapes}, grid {setup.grid}, block {setup.block}: "
            f"{len(self.wrong)} of {expected.size} cells of out differ"
        ]
        for cell in self.wrong[:_SHOWN]:
            index = ", ".join(map(str, cell))
            lines.append(f"  out[{index}] is {self.got[cell]}; need {expected[cell]}")
        if len(self.wrong) > _SHOWN:
            lines.append("  ...")
        before = self.case.before
        if before and any(self.got[cell] == before for cell in self.wrong):
            lines.append(f"  {before} was in every cell before the launch.")
        return "\n".join(lines)


@dataclass(frozen=True)
class Cost:
    """What one launch took of one thing.

    Attributes:
        taken: what was counted.
        enough: for a launch of these sizes.
        limit: of what.
        case: the launch.
    """

    taken: int
    enough: int
    limit: Limit
    case: Case

    @property
    def beyond(self) -> bool:
        """Whether the cost is more than the exercise allows."""
        return self.taken > self.enough

    def describe(self) -> list[str]:
        """Return the cost and, if it is too high, advice as lines of text."""
        lines = [f"{self.taken:,} {self.limit.unit}; {self.enough:,} are enough"]
        if self.beyond:
            shapes = ", ".join(map(str, self.case.setup.shapes))
            lines += [f"  with inputs {shapes}", f"  {self.limit.advice}"]
        return lines


@dataclass(frozen=True)
class Result:
    """What a check found; true where the puzzle is solved.

    Attributes:
        puzzle: which one.
        state: "solved"; "not yet": there is no kernel, or it writes nothing; "wrong
            values"; "reported": the checks found an error, so right values are only
            luck; "does not run"; in lessons also "too costly": right, but above the
            cost that the exercise allows, and "not as asked": right, but not done in
            the way that the exercise asks for.
        cases: one for each launch.
        counts: reads and writes of a thread in the first launch; None if it did not
            run, or on a real GPU, which does not count.
        error: why it does not run.
        rebound: the name of the output, if the kernel only rebinds that name.
        costs: for each limit the first launch that is beyond it, or else the first.
    """

    puzzle: Exercise
    state: State
    cases: list[CaseResult]
    counts: Counts | None = None
    error: Exception | None = None
    rebound: str = ""
    costs: tuple[Cost, ...] = ()

    @property
    def solved(self) -> bool:
        """Whether all values are right and nothing is reported."""
        return self.state == "solved"

    @property
    def reaches_aim(self) -> bool:
        """Whether it is solved with as few reads and writes as a good solution."""
        known = self.counts is not None and self.counts.within(self.puzzle.aim)
        return self.solved and known

    @property
    def findings(self) -> list[KernelError]:
        """Errors that the checks found, once for each kind and line."""
        unique: dict[object, KernelError] = {}
        for result in self.cases:
            for finding in result.findings:
                unique.setdefault((finding.kind, finding.file, finding.line), finding)
        return list(unique.values())

    def __bool__(self) -> bool:
        return self.solved

    def __str__(self) -> str:
        lines = [f"{self.puzzle.label}, {self.puzzle.title}: {self.state}"]
        lines += [_indented(part) for part in self._explanation()]
        if self.counts is not None and self._all_right():
            lines.append(_indented(_table(self.counts, self.puzzle.aim)))
        if self.state == "too costly":
            lines.append(
                "  Values are right on all inputs, but the kernel costs too much:"
            )
        lines += [f"  {line}" for cost in self.costs for line in cost.describe()]
        return "\n".join(lines)

    __repr__ = __str__

    def _explanation(self) -> list[str]:
        if self.state == "does not run":
            return [str(self.error)]
        if self.state == "not as asked":
            return [
                "Values are right on all inputs, but the kernel uses "
                f"cuda.{self.puzzle.without}, which this puzzle does not allow. "
                f"{self.puzzle.instead}"
            ]
        if self.state == "not yet":
            return [f"{self._nothing_written()} A hint:", self.puzzle.hints[0]]
        parts = [str(entry) for entry in self.findings]
        if parts and self._all_right():
            parts.insert(0, "All values are right this time, but only by luck:")
        # A launch with a finding may have been stopped before it wrote all cells.
        wrong = [entry for entry in self.cases if entry.wrong and not entry.findings]
        if wrong:
            parts.append(wrong[0].describe())
        if len(wrong) > 1:
            others = len(wrong) - 1
            parts.append(f"and {others} other input{'s' * (others > 1)}")
        if self.solved:
            count = len(self.cases)
            inputs = f"{count} input{'s' * (count > 1)}"
            parts.append(f"{inputs}: values right, nothing reported")
            parts.append("level process: judged in this Python, for yourself")
        return parts

    def _nothing_written(self) -> str:
        if not self.cases:
            return "There is no kernel yet. Write it, and pass it instead of None."
        out = self.rebound
        if out:
            return (
                f"The kernel writes nothing to {out}: {out} = ... only rebinds the "
                f"name. Write an element: {out}[...] = ..."
            )
        return "The kernel writes nothing to out. Complete the template."

    def _all_right(self) -> bool:
        return bool(self.cases) and not any(result.wrong for result in self.cases)


def _table(counts: Counts, aim: Counts) -> str:
    lines = [" " * len(_FIRST) + "".join(f"  {head}" for head in _HEADS)]
    for name, row in ((_FIRST, counts), ("a good solution", aim)):
        cells = zip(row.rows(), _HEADS, strict=True)
        columns = [
            f"  {'-' if count is None else count:>{len(head)}}" for count, head in cells
        ]
        lines.append(f"{name:<{len(_FIRST)}}{''.join(columns)}")
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else line for line in text.splitlines())
