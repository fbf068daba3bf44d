"""Cost limits of kernels: parse `max_metric`, add up counters, compare.

Counters are added over all launches of a test: the first alone could be made cheap.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import AssignmentError
from ..rubric.assignment import plain_number

_TIMES = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*[x×]")


@dataclass(frozen=True)
class Limit:
    """Upper limit of a counter: a number, or a multiple of the solution's count."""

    counter: str
    number: float
    relative: bool

    def bound(self, solution: float | None) -> float:
        """Return the bound as a number; `solution` is the solution's count."""
        if not self.relative:
            return self.number
        # Whole counts: 1.1 times 10 sectors is 11, whatever floats say.
        return math.floor(self.number * (solution or 0) + 1e-9)


def limits_from(given: Mapping[str, object], test: str) -> tuple[Limit, ...]:
    """Return the limits in the marker's arguments: `global_sectors="1.1x",
    shared_bank_conflicts=0`.

    Raises:
        AssignmentError: A limit that is neither a number nor such a text.

    Example:
        >>> limits_from({"global_sectors": "1.1x"}, "test_zip")[0].bound(10)
        11
    """
    limits = []
    for counter, value in given.items():
        text = _TIMES.fullmatch(value.strip()) if isinstance(value, str) else None
        plain = value if isinstance(value, int | float) else -1
        if text is None and (value is True or not 0 <= plain < math.inf):
            raise AssignmentError(
                f"[{test}] got max_metric({counter}={value!r}); need a number of at "
                "least 0, or a multiple of the solution's, such as '1.1x'."
            )
        number = float(text[1]) if text else float(plain)
        limits.append(Limit(counter, number, text is not None))
    return tuple(limits)


@dataclass
class Costs:
    """Counters of a test's launches, and those of the solution's."""

    got: dict[str, float] = field(default_factory=dict)
    solution: dict[str, float] = field(default_factory=dict)

    def add(self, counters: Mapping[str, float], solution: bool = False) -> None:
        """Add the counters of one launch."""
        sums = self.solution if solution else self.got
        for name, count in counters.items():
            sums[name] = sums.get(name, 0) + count

    def metrics(self, limits: tuple[Limit, ...]) -> dict[str, list[int | float | None]]:
        """Return for each counter the count, the bound, the solution's count (or null).

        Raises:
            AssignmentError: A counter that launches do not have.
        """
        rows: dict[str, list[int | float | None]] = {}
        for limit in limits:
            if limit.counter not in self.got:
                known = ", ".join(sorted(self.got))
                raise AssignmentError(
                    f"[max_metric] got the counter {limit.counter!r}; need one of "
                    f"{known}."
                )
            reference = self.solution.get(limit.counter)
            bound = limit.bound(reference)
            rows[limit.counter] = [
                plain_number(self.got[limit.counter]),
                plain_number(bound),
                None if reference is None else plain_number(reference),
            ]
        return rows

    def exceeded(self, limits: tuple[Limit, ...], exact: bool = True) -> list[str]:
        """Return sentences on the counters above their bounds, worst first; if
        `exact` is False, without numbers.
        """
        above = []
        for name, (got, bound, reference) in self.metrics(limits).items():
            if got is not None and bound is not None and got > bound:
                text = f"{name} is {got}; need at most {bound}"
                text += (
                    f" (the solution: {reference})." if reference is not None else "."
                )
                ratio = got / max(bound, 1)
                text = text if exact else f"{name} is {_how_far(ratio)} its limit."
                above.append((ratio, text))
        return [text for _, text in sorted(above, reverse=True)]


def _how_far(ratio: float) -> str:
    """Say roughly how far a count exceeds its bound; precise words would reveal it."""
    words = {1.25: "a little above", 2.0: "well above", 10.0: "several times"}
    return next((word for most, word in words.items() if ratio <= most), "many times")
