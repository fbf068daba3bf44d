"""What views read from a launch: its accesses as plain columns, and refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...cuda import Launch, Trace
from ...cuda.inspecting.accesses import ATOMIC, READ, WRITE
from ...cuda.tracebacks import display_name
from ..scene.drawing import shortened

VERBS = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}
NOUNS = {READ: "load", WRITE: "store", ATOMIC: "atomic"}

Place = tuple[int, int, int]


def require_launch(launch: Any, view: str) -> Launch:
    """Refuse what is no launch.

    Raises:
        TypeError: something else, such as a kernel or a whole run.
    """
    if isinstance(launch, Launch):
        return launch
    raise TypeError(
        f"[viz.{view}] got {type(launch).__name__}; need a launch: with "
        "cuda.inspect(trace=True) as run: ...; then run.launches[0]."
    )


def require_trace(launch: Any, view: str) -> Trace:
    """The trace of a launch.

    Raises:
        TypeError: not a launch.
        ValueError: it has no trace, or ran no step.
    """
    name = shortened(require_launch(launch, view).kernel)
    try:
        trace: Trace = launch.trace
    except ValueError as error:
        raise ValueError(
            f"[viz.{view}] the launch of {name} has no trace. Run it again within "
            "`with cuda.inspect(trace=True) as run:`, or with viz.trace(kernel, grid, "
            "block, *args), also from a GPU."
        ) from error
    if len(trace) == 0:
        raise ValueError(
            f"[viz.{view}] the trace of {name} has no steps. To record more, increase "
            "trace_bytes."
        )
    return trace


def place_of(number: Any, extent: Place) -> Any:
    """(x, y, z) of a number that counts x first, or of an array of them."""
    x, y, _ = extent
    return number % x, number // x % y, number // (x * y)


def number_at(place: Place, extent: Place) -> int:
    """The number of a place, x first: what `place_of` takes apart."""
    return place[0] + extent[0] * (place[1] + extent[1] * place[2])


def hue_of(block: Any, grid: Place) -> Any:
    """The hue of blocks by their numbers, such that neighbours along x and y differ.

    Example:
        >>> [hue_of(block, (4, 2, 1)) for block in range(8)]
        [0, 1, 2, 3, 2, 3, 0, 1]
        >>> [hue_of(block, (1, 4, 1)) for block in range(4)]
        [0, 1, 2, 3]
    """
    x, y, z = place_of(block, grid)
    return (x + min(grid[0], 2) * y + z) % 4


def number_of(place: Any, extent: Place, what: str, view: str) -> int:
    """The number of a thread in its block, or of a block in its grid.

    Args:
        place: The number, or (x,), (x, y) or (x, y, z).
        extent: How many there are along x, y and z.
        what: "thread" or "block".
        view: For the message.

    Raises:
        IndexError: There is none at this place.
        TypeError: Neither a number nor a tuple of up to three.
    """
    parts = place if isinstance(place, tuple | list) else [place]
    try:
        known = [each.__index__() for each in parts]
        x, y, z = known + [0] * (3 - len(known))
    except (AttributeError, ValueError):
        raise TypeError(
            f"[viz.{view}] got {what} {place!r}; need a number or an index (x, y, z)."
        ) from None
    if parts is place:
        inside = all(0 <= at < n for at, n in zip((x, y, z), extent, strict=True))
        x = number_at((x, y, z), extent)
    else:
        inside = 0 <= x < math.prod(extent)
    if not inside:
        raise IndexError(
            f"[viz.{view}] got {what} {place!r}; need one within {extent}, (x, y, z)."
        )
    return int(x)


def spelled(at: int | Place, extent: Place) -> str:
    """A thread or block as people write it: without trailing dimensions of size 1.

    Args:
        at: Its place, or its number.
        extent: How many there are along x, y and z.

    Example:
        >>> spelled((3, 2, 0), (8, 8, 1)), spelled(5, (64, 1, 1))
        ('(3, 2)', '5')
    """
    place = at if isinstance(at, tuple) else place_of(at, extent)
    used = 3 if extent[2] > 1 else 2 if extent[1] > 1 else 1
    return f"({', '.join(map(str, place[:used]))})" if used > 1 else str(place[0])


def thread_words(
    block: int | Place, thread: int | Place, grid: Place, of: Place
) -> str:
    """A thread as sentences name it, with its block where the grid has several."""
    name = f"thread {spelled(thread, of)}"
    return name + f" of block {spelled(block, grid)}" * (math.prod(grid) > 1)


def extent_words(extent: tuple[int, ...]) -> str:
    """A grid's or a block's sizes, without those of 1 at the end.

    Example:
        >>> extent_words((16, 16, 1)), extent_words((256, 1, 1))
        ('16 × 16', '256')
    """
    last = max((at for at, size in enumerate(extent) if size > 1), default=0)
    return " × ".join(f"{size:,}" for size in extent[: last + 1])


def cell_words(name: str, shape: tuple[int, ...], cell: int) -> str:
    """A cell of an array as people index it, by its number in row order.

    Example:
        >>> cell_words("a", (4, 8), 11), cell_words("a", (), 0)
        ('a[1, 3]', 'a')
    """
    index = np.unravel_index(cell, shape)
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def short_file(file: str) -> str:
    """The last part of a path, or the number of a notebook's cell."""
    name = display_name(file)
    return shortened("notebook " * name.startswith("cell [") + name, 30)


def cut_note(trace: Trace) -> str:
    """What a view says of a trace that was cut; "" for a whole one."""
    if not trace.truncated:
        return ""
    return f"The trace was cut at its limit: only its first {len(trace):,} steps count."


def short_card(name: str) -> str:
    """A card's name without its maker, its family, and that it is emulated."""
    name = name.partition(" (")[0]
    for word in ("NVIDIA ", "GeForce ", "Tesla "):
        name = name.replace(word, "")
    return name
