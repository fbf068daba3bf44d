"""Owns a kernel that must be right and cheap: an exercise with limits on counters.

What is counted is the emulator's business; a real GPU tells only values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..puzzles import Result
from .task import Task


@dataclass(frozen=True)
class Limit:
    """The most that a launch may take of one thing.

    Attributes:
        counter: its name, as in `launch.counters`.
        most: of the first launch of the exercise.
        unit: what a reader calls it.
        advice: what to look at where it is too much.
    """

    counter: str
    most: int
    unit: str
    advice: str


@dataclass(frozen=True, repr=False)
class MeasuredTask(Task):
    """A kernel to write in a lesson, whose cost is counted once its values are right.

    Attributes:
        limits: the most that the first launch may take.
    """

    limits: tuple[Limit, ...]

    def check(self, kernel: object, *, tolerate: Iterable[str] = ()) -> MeasuredResult:
        """Run a kernel on all launches; see `minitorch.puzzles.check`."""
        found = super().check(kernel, tolerate=tolerate)
        costs = _costs(found, self.limits) if found.solved else ()
        beyond = any(cost > limit.most for cost, limit in costs)
        return MeasuredResult(
            found.puzzle,
            "too costly" if beyond else found.state,
            found.cases,
            found.counts,
            found.error,
            found.rebound,
            costs,
        )


_Costs = tuple[tuple[int, Limit], ...]


def _costs(result: Result, limits: tuple[Limit, ...]) -> _Costs:
    """What the first launch took of each; nothing on a real GPU."""
    counters = result.cases[0].counters
    if counters is None:
        return ()
    return tuple((int(counters[limit.counter]), limit) for limit in limits)


@dataclass(frozen=True, repr=False)
class MeasuredResult(Result):
    """What a check found, and what the first launch took.

    Attributes:
        costs: for each limit what was counted.
    """

    costs: _Costs = ()

    def __str__(self) -> str:
        lines = [super().__str__()]
        if self.state == "too costly":
            lines.append("  Values are right on all inputs, but it takes too much:")
        for cost, limit in self.costs:
            lines.append(f"  {cost:,} {limit.unit}; {limit.most:,} are enough")
            if cost > limit.most:
                lines.append(f"    {limit.advice}")
        return "\n".join(lines)

    __repr__ = __str__
