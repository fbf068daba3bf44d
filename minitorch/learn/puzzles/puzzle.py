"""The puzzle as a reader meets it: an exercise with its judge."""

from __future__ import annotations

from collections.abc import Iterable

from . import checking
from .exercise import Exercise
from .result import Result


class Puzzle(Exercise):
    """One puzzle: `print(puzzle)`, write the kernel, `puzzle.check(kernel)`.

    Attributes:
        number: 1 to 14.
        title: a few words.
        task: what the kernel must do.
        arguments: names of the kernel's parameters, `out` first.
        specification: a NumPy function of the inputs that gives `out`.
        setup: sizes -> how it is launched.
        sizes: the sizes that are checked; reads and writes are counted for the first.
        aim: reads and writes of a thread in a good solution.
        template: Python source to complete.
        hints: texts, each of which reveals more than the one before.
        arrange: changes the inputs that were drawn, so that common mistakes show.
        before: what every cell of `out` is before a launch.
    """

    def check(self, kernel: object, *, tolerate: Iterable[str] = ()) -> Result:
        """Run a kernel on all launches; see `minitorch.learn.puzzles.check`."""
        return checking.check(self, kernel, tolerate=tolerate)
