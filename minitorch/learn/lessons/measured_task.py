"""A kernel that must be right and cheap: an exercise with limits on counters.

What is counted is the emulator's business; a real GPU tells only values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..puzzles import Case, Result
from .task import Task


@dataclass(frozen=True)
class Limit:
    """The most that a launch may take of one thing.

    Attributes:
        counter: its name, as in `launch.counters`.
        most: sizes of the exercise -> what is enough for that launch.
        unit: what a reader calls it.
        advice: what to look at where it is too much.
    """

    counter: str
    most: Callable[..., int]
    unit: str
    advice: str


@dataclass(frozen=True, repr=False)
class MeasuredTask(Task):
    """A kernel to write in a lesson, whose cost is counted once its values are right.

    Attributes:
        limits: the most that each launch may take.
    """

    limits: tuple[Limit, ...]

    def check(self, kernel: object, *, tolerate: Iterable[str] = ()) -> MeasuredResult:
        """Run a kernel on all launches; see `minitorch.learn.puzzles.check`."""
        result = super().check(kernel, tolerate=tolerate)
        costs = _costs(result, self.limits) if result.solved else ()
        measured = MeasuredResult(
            result.puzzle,
            result.state,
            result.cases,
            result.counts,
            result.error,
            result.rebound,
            costs=costs,
        )
        if any(cost.beyond for cost in costs):
            return replace(measured, state="too costly")
        return measured


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
        unit, advice = self.limit.unit, self.limit.advice
        lines = [f"{self.taken:,} {unit}; {self.enough:,} are enough"]
        if self.beyond:
            shapes = ", ".join(map(str, self.case.setup.shapes))
            lines += [f"  with inputs {shapes}", f"  {advice}"]
        return lines


_Costs = tuple[Cost, ...]


def _costs(result: Result, limits: tuple[Limit, ...]) -> _Costs:
    """Return for each limit the first launch beyond it, or else the first."""
    selected = []
    for limit in limits:
        costs = [
            Cost(
                int(case_result.counters[limit.counter]),
                enough,
                limit,
                case_result.case,
            )
            for case_result in result.cases
            if case_result.counters is not None
            for enough in [limit.most(*case_result.case.sizes)]
        ]
        selected += sorted(costs, key=lambda cost: not cost.beyond)[:1]
    return tuple(selected)


@dataclass(frozen=True, repr=False)
class MeasuredResult(Result):
    """Result of a check, with the costs of the launches.

    Attributes:
        costs: for each limit the first launch that is beyond it, or else the first.
    """

    costs: _Costs = ()

    def __str__(self) -> str:
        lines = [super().__str__()]
        if self.state == "too costly":
            lines.append("  Values are right on all inputs, but it takes too much:")
        lines += [f"  {line}" for cost in self.costs for line in cost.describe()]
        return "\n".join(lines)

    __repr__ = __str__
