"""Time limits: the seconds of a task, shared by its rows.

Only what its own processes take counts: the solution's time and the judge's are no
student's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .rows import Ended

_AFTER = 4  # once a row ran out, each later one has this part of the task's seconds
_LEAST = 1.0


class TaskClock:
    """The seconds of one task.

    A row may use what its task has left. When one has used it all, each later row gets
    a quarter of the task's seconds: an endless loop costs its own row alone.

    Example:
        >>> clock = TaskClock(60.0)
        >>> clock.begin_row()
        >>> clock.left > 59
        True
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._spent = 0.0  # by the task
        self._row = 0.0  # by the row
        self._allowed = seconds
        self._ran_out = False

    def begin_row(self) -> None:
        """Start a row."""
        self._row = 0.0
        left = self._seconds - self._spent
        share = self._seconds / _AFTER if self._ran_out else left
        self._allowed = max(_LEAST, share)

    @property
    def left(self) -> float:
        """Return the seconds left for the row."""
        return max(0.0, self._allowed - self._row)

    def spend(self, seconds: float) -> None:
        """Add time used by the submission's processes."""
        self._row += seconds
        self._spent += seconds

    @contextmanager
    def running(self, taken: Callable[[], float]) -> Iterator[float]:
        """Measure the time of a block; yield the seconds that it may take.

        Args:
            taken: Seconds that the submission's process has taken so far.

        Raises:
            Ended: There are none left.
        """
        if self.left <= 0:
            raise self.out()
        begin = taken()
        try:
            yield self.left
        finally:
            self.spend(taken() - begin)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Run a block whose time counts for no task, such as a picture. It has the
        limit of a row after an endless loop.
        """
        kept = self._allowed, self._row, self._spent, self._ran_out
        share = max(_LEAST, self._seconds / _AFTER)
        self._allowed = self._row + min(self.left, share)
        try:
            yield
        finally:
            self._allowed, self._row, self._spent, self._ran_out = kept

    def out(self) -> Ended:
        """Return the timeout of the row."""
        self._ran_out = True
        return Ended(
            "timeout",
            f"Your program did not end within {self._allowed:g} seconds",
            f"It was stopped after {self._row:.0f} s.",
        )
