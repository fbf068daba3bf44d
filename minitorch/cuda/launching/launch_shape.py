"""Launch configuration: grid, block, shared memory, stream."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NamedTuple, SupportsIndex

from ... import _core
from ..argument_checks import as_integer
from ..device.stream import Stream, StreamLike, named_stream
from ..errors import Coordinates, LaunchError

Extent = SupportsIndex | Iterable[SupportsIndex]

_LARGEST = 2**31 - 1  # the largest grid of any card


class Configuration(NamedTuple):
    """Launch configuration of a kernel.

    Attributes:
        grid: Blocks, (x, y, z).
        block: Threads of a block, (x, y, z).
        shared_mem: Bytes of dynamic shared memory of a block.
        stream: A `cuda.Stream`, or None for the current one.
        core: The same for the core.
    """

    grid: Coordinates
    block: Coordinates
    shared_mem: int
    stream: Stream | None
    core: _core.LaunchConfig


def configuration(
    grid: Extent,
    block: Extent,
    shared_mem: SupportsIndex = 0,
    stream: StreamLike = None,
) -> Configuration:
    """Return a validated launch configuration.

    Raises:
        LaunchError: sizes that no launch can have.
        TypeError: shared memory that is no int, a stream that is none.
    """
    blocks, threads = extent(grid, "grid"), extent(block, "block")
    shared, queue = shared_bytes(shared_mem), named_stream(stream, "launch")
    core = _core.LaunchConfig(blocks, threads, shared, queue._core if queue else None)
    return Configuration(blocks, threads, shared, queue, core)


def extent(value: Extent, what: str) -> Coordinates:
    """Return a grid or block as three sizes.

    Raises:
        LaunchError: not 1 to 3 ints of 1 or more.

    Example:
        >>> extent((4, 2), "grid")
        (4, 2, 1)
    """
    try:
        sizes = [operator.index(part) for part in _as_tuple(value)]
    except TypeError:
        raise LaunchError(
            f"[launch] got {what} {value!r}; need an int or a tuple of 1 to 3 ints."
            + _integer_hint(value)
        ) from None
    if not 1 <= len(sizes) <= 3:
        raise LaunchError(
            f"[launch] got {what} {value!r} with {len(sizes)} sizes; need 1 to 3."
        )
    if any(size < 1 for size in sizes):
        hint = (
            " If n // threads is 0, round up: (n + threads - 1) // threads."
            if what == "grid" and 0 in sizes
            else ""
        )
        raise LaunchError(
            f"[launch] got {what} {value!r}; every size must be at least 1.{hint}"
        )
    if any(size > _LARGEST for size in sizes):
        raise LaunchError(
            f"[launch] got {what} {value!r}; every size must be at most {_LARGEST}."
        )
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _as_tuple(value: Any) -> tuple[Any, ...]:
    """Return the sizes as a tuple; an int is one size."""
    try:
        return (operator.index(value),)
    except TypeError:
        return tuple(value)


def _integer_hint(value: object) -> str:
    parts = value if isinstance(value, (tuple, list)) else (value,)
    if any(isinstance(part, float) for part in parts):
        return (
            " Divide with // instead of / (to round up: (n + threads - 1) // "
            "threads), or convert with int()."
        )
    return ""


def number_within(block: Any, grid: tuple[int, int, int], where: str) -> int:
    """Return the number of a block: x + grid.x * (y + grid.y * z).

    Args:
        block: Its number, or (x, y, z).
        grid: Blocks in each direction.
        where: Name of the calling function, for messages.

    Raises:
        IndexError: There is none.
        TypeError: Neither a number nor a tuple of them.

    Example:
        >>> number_within((1, 2, 0), (4, 3, 1), "trace")
        9
    """
    width, height, depth = grid
    try:
        if isinstance(block, tuple):
            x, y, z = (operator.index(coordinate) for coordinate in block)
        else:
            number = operator.index(block)
            x, y, z = (
                number % width,
                number // width % height,
                number // width // height,
            )
    except (TypeError, ValueError):
        raise TypeError(
            f"[{where}] got block {block!r}; need a block number or index (x, y, z)."
        ) from None
    if not (0 <= x < width and 0 <= y < height and 0 <= z < depth):
        raise IndexError(
            f"[{where}] got block {block!r}, which is outside the grid {grid}."
        )
    return x + width * (y + height * z)


def shared_bytes(value: SupportsIndex) -> int:
    """Return a valid number of bytes of dynamic shared memory."""
    size = as_integer(value, "launch", "shared_mem")
    if not 0 <= size <= _LARGEST:
        raise LaunchError(
            f"[launch] got shared_mem {size}; need 0 to {_LARGEST} bytes."
        )
    return size


def argument_list(value: object) -> tuple[Any, ...] | list[Any]:
    """Return the launch arguments; TypeError unless they are a tuple or list."""
    if isinstance(value, (tuple, list)):
        return value
    raise TypeError(
        f"[launch] args must be a tuple, got {type(value).__name__}. For one argument "
        "write (y,)."
    )


def bracketed(value: object) -> tuple[Any, ...]:
    """Parse the brackets of `kernel[grid, block, stream, shared_mem]`.

    Returns:
        What `configuration` takes, in its order, as it was given.

    Raises:
        LaunchError: Not 2 to 4 parts.
    """
    if not isinstance(value, tuple) or not 2 <= len(value) <= 4:
        text = repr(value)[1:-1] if isinstance(value, tuple) and value else repr(value)
        raise LaunchError(
            f"[launch] got kernel[{text}]; need kernel[grid, block] or kernel[grid, "
            "block, stream, shared_mem]."
        )
    grid, block, *rest = value
    stream = rest[0] if rest else None
    return grid, block, rest[1] if len(rest) == 2 else 0, stream
