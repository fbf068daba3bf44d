"""An exercise: its text, its launches and their expected values."""

from __future__ import annotations

import re
import textwrap
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pair = tuple[int, int]
Sizes = tuple[int, ...]
Arrange = Callable[[Sizes, tuple[Array, ...]], tuple[Array, ...]]

# Inputs are quarters of small integers: float32 holds their sums and products exactly,
# so that values are compared without a tolerance.
_LARGEST, _PART = 32, 4


@dataclass(frozen=True)
class Counts:
    """Reads and writes of one thread; the most that any thread makes of each.

    Attributes:
        global_reads, global_writes, shared_reads, shared_writes: elements. An atomic
            operation is a read and a write. None: does not matter, or is not known.
    """

    global_reads: int | None
    global_writes: int | None
    shared_reads: int | None = 0
    shared_writes: int | None = 0

    def rows(self) -> tuple[int | None, ...]:
        """Return the four counts, in the order of the attributes."""
        return (
            self.global_reads,
            self.global_writes,
            self.shared_reads,
            self.shared_writes,
        )

    def within(self, limit: Counts) -> bool:
        """Return whether none of these numbers exceeds that of `limit`.

        Example:
            >>> Counts(1, 1).within(Counts(2, 1)), Counts(3, 1).within(Counts(2, 1))
            (True, False)
        """
        pairs = zip(self.rows(), limit.rows(), strict=True)
        return all(a is None or b is None or a <= b for a, b in pairs)


@dataclass(frozen=True)
class Setup:
    """How an exercise of given sizes is launched.

    Attributes:
        shapes: of the input arrays.
        grid, block: (x, y).
        scalars: the integer arguments after the arrays.
    """

    shapes: tuple[tuple[int, ...], ...]
    grid: Pair
    block: Pair
    scalars: tuple[int, ...] = ()


def covering(
    block: Pair,
    *shapes: Sizes,
    scalars: tuple[int, ...] = (),
    cells: Sizes | None = None,
) -> Setup:
    """Return a setup of as many blocks as give each element of a shape a thread.

    Args:
        block: threads of a block (x, y); x counts the last dimension.
        shapes: of the input arrays; scalars: the arguments after them.
        cells: the shape to cover; None: the first of `shapes`.

    Example:
        >>> covering((4, 2), (5, 6)).grid
        (2, 3)
    """
    *_, rows, columns = (1, *(cells or shapes[0]))
    grid = (-(-columns // block[0]), -(-rows // block[1]))
    return Setup(shapes, grid, block, scalars)


@dataclass(frozen=True)
class Case:
    """One launch of an exercise: inputs and expected output.

    Attributes:
        sizes: of the exercise.
        setup: how it is launched.
        inputs: the arrays before the numbers.
        expected: what `out` must be.
        before: what every cell of `out` is before the launch.
    """

    sizes: Sizes
    setup: Setup
    inputs: tuple[Array, ...]
    expected: Array
    before: float = 0.0


def as_drawn(sizes: Sizes, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return the inputs unchanged: any numbers distinguish right from wrong."""
    return inputs


def with_zeros(sizes: Sizes, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Set a quarter of the elements to 0, so that `>` and `>=` differ."""
    result = []
    for number, array in enumerate(inputs):
        cells = np.arange(array.size).reshape(array.shape)
        result.append(np.where(cells % 4 == (number + 1) % 4, np.float32(0), array))
    return tuple(result)


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


@dataclass(frozen=True)
class Exercise:
    """A kernel to write, all but the judge.

    Attributes:
        number: 1 to 14 of a puzzle.
        title: a few words.
        task: what the kernel must do.
        specification: a NumPy function of the inputs that gives `out`.
        setup: sizes -> how it is launched.
        sizes: the sizes that are checked; reads and writes are counted for the first.
        aim: reads and writes of a thread in a good solution. It cannot have fewer of
            global memory.
        template: Python source to complete.
        hints: texts, each of which reveals more than the one before.
        arrange: changes the inputs that were drawn, so that common mistakes show.
        before: the value of every cell of `out` before a launch. If 0 can be a right
            value, choose another number, or a cell that no thread writes looks right.
        name: of an exercise of a lesson, such as "01.2"; "" of a puzzle.
        limits: the most that each launch may take.
        without: a function of `cuda` that must not be used: "grid"; instead: what to
            use in its place.
    """

    number: int
    title: str
    task: str
    specification: Callable[..., Array]
    setup: Callable[..., Setup]
    sizes: tuple[tuple[int, ...], ...]
    aim: Counts
    template: str
    hints: tuple[str, ...]
    arrange: Arrange = field(default=as_drawn, kw_only=True)
    before: float = field(default=0.0, kw_only=True)
    name: str = field(default="", kw_only=True)
    limits: tuple[Limit, ...] = field(default=(), kw_only=True)
    without: str = field(default="", kw_only=True)
    instead: str = field(default="", kw_only=True)

    @property
    def label(self) -> str:
        """Name in texts, without the title."""
        return f"Exercise {self.name}" if self.name else f"Puzzle {self.number}"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the kernel's parameters, `out` first."""
        (names,) = re.findall(r"^def \w+\((.*)\):", self.template, re.MULTILINE)
        return tuple(names.split(", "))

    def case(self, *sizes: int) -> Case:
        """Return the launch for these sizes, always with the same inputs."""
        setup = self.setup(*sizes)
        seed = zlib.crc32(repr((self.number, sizes)).encode())
        generator = np.random.default_rng(seed)
        drawn = tuple(_drawn(generator, shape) for shape in setup.shapes)
        inputs = self.arrange(sizes, drawn)
        exact = self.specification(*(array.astype(np.float64) for array in inputs))
        expected = np.atleast_1d(exact).astype(np.float32)
        return Case(sizes, setup, inputs, expected, self.before)

    def cases(self) -> list[Case]:
        """Return all launches that are checked."""
        return [self.case(*sizes) for sizes in self.sizes]

    def __str__(self) -> str:
        setup = self.setup(*self.sizes[0])
        shapes = ", ".join(map(str, setup.shapes))
        return (
            f"{self.label}: {self.title}\n\n{textwrap.fill(self.task, 80)}\n\n"
            f"For example: inputs {shapes}, grid {setup.grid}, block {setup.block}.\n\n"
            f"{self.template}"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.number}, {self.title!r})"


def _drawn(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return random quarters from -8 to 8, not 0, so that omitted terms show."""
    magnitudes = generator.integers(1, _LARGEST + 1, shape)
    signs = generator.choice((-1, 1), shape)
    drawn: Array = (magnitudes * signs / _PART).astype(np.float32)
    return drawn
