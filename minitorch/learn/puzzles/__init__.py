"""The GPU puzzles as a reader meets them: fourteen kernels to write.

The idea, the order and the launches are those of Sasha Rush's GPU-Puzzles; the words,
the inputs and the checks are our own.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import SupportsIndex

from . import maps, sharing, sums
from .checking import Puzzle
from .exercise import Case, Counts, Limit, Setup, covering
from .learner import NotAKernel
from .result import CaseResult, Result

__all__ = [
    "PUZZLES",
    "Case",
    "CaseResult",
    "Counts",
    "Limit",
    "NotAKernel",
    "Puzzle",
    "Result",
    "Setup",
    "check",
    "covering",
    "puzzle",
]


def __dir__() -> list[str]:
    return sorted(__all__)


#: All puzzles, in their order: number 1 is the first.
PUZZLES: tuple[Puzzle, ...] = tuple(
    value
    for module in (maps, sharing, sums)
    for value in vars(module).values()
    if isinstance(value, Puzzle)
)


def puzzle(number: SupportsIndex) -> Puzzle:
    """Give the puzzle of a number, to print and to read.

    Args:
        number: 1 to 14.

    Raises:
        ValueError: there is no such puzzle.

    Example:
        >>> puzzle(3)
        Puzzle(3, 'Guard')
        >>> puzzle(3).arguments
        ('out', 'a', 'size')
    """
    index = operator.index(number)
    if not 1 <= index <= len(PUZZLES):
        raise ValueError(f"[puzzles] got puzzle {index}; need 1 to {len(PUZZLES)}.")
    return PUZZLES[index - 1]


def check(
    number: SupportsIndex, kernel: object, *, tolerate: Iterable[str] = ()
) -> Result:
    """Run a kernel on several inputs of a puzzle, and report what is right and wrong.

    On the emulator the kernel runs under all checks, and the reads and writes of each
    thread are counted. A real GPU does neither, so there only values are compared.

    Args:
        number: 1 to 14.
        kernel: a Python function, a `cuda.jit` kernel, a `cuda.RawKernel`, or, as in
            GPU-Puzzles, a function of `cuda` that returns the kernel.
        tolerate: kinds of findings, such as "barrier_divergence", that become notes.

    Returns:
        A `Result`: true if solved; its text explains the rest.

    Raises:
        ValueError: there is no such puzzle.
        TypeError: the object cannot be a kernel.

    Example:
        >>> from minitorch import cuda
        >>> @cuda.jit
        ... def add_ten(out, a, size):
        ...     i = cuda.threadIdx.x
        ...     if i < size:
        ...         out[i] = a[i] + 10
        >>> check(3, add_ten)
        Puzzle 3, Guard: solved
          4 inputs: values right, nothing reported
          level process: judged in this Python, for yourself
                              global reads  global writes  shared reads  shared writes
          most of any thread             1              1             0              0
          a good solution                1              1             0              0
    """
    return puzzle(number).check(kernel, tolerate=tolerate)
