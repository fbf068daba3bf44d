"""What the panels of the network view compute with: lists by kernel, and formulas.

A thread's cell comes from the owners that the explanation has, or that the library's
kernels are known to have; where there are none, threads have no cell, and the words
claim none.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...scene.formulas import (
    Formula,
    chosen,
    column,
    cut,
    in_words,
    item,
    row,
    same,
    text,
)
from .nets import LANES, Array, Kernel, Net

OWNS, NONE, UNKNOWN, BEYOND = "o", "n", "u", " "
MOST_TOLD = 20_000  # cells of all kernels whose threads are told one by one
MOST_PRODUCTS = 64  # of a thread: each has a mark
_MOST_THREADS = 16_384  # of a launch
_MOST_DIMS = 5


def told(net: Net) -> list[Kernel]:
    """The kernels whose cells are sent, each with the thread that writes it."""
    found, room = [], MOST_TOLD
    for kernel in net.kernels:
        small = kernel.along or kernel.blocks * kernel.threads <= _MOST_THREADS
        if kernel.owners and small and len(kernel.owners) <= room:
            room -= len(kernel.owners)
            found.append(kernel)
    return found


def cells_of(kernel: Kernel) -> list[int]:
    """The first cell that each thread of the launch stores; -1 for none."""
    found = [-1] * (kernel.blocks * kernel.threads)
    for cell, owner in enumerate(kernel.owners):
        if owner >= 0 and found[owner] < 0:
            found[owner] = cell
    return found


def _along_kinds(kernel: Kernel) -> list[str]:
    """The patterns of all blocks but the last, and of that one."""
    rest = kernel.cells - (kernel.blocks - 1) * kernel.threads
    count = max(min(rest, kernel.threads), 0)
    both = (OWNS * kernel.threads, (OWNS * count).ljust(kernel.threads, NONE))
    return [each.ljust(kernel.warps * LANES, BEYOND) for each in both]


def _kinds(kernel: Kernel, known: bool) -> tuple[list[str], list[int]]:
    """Patterns of a block's threads, and the pattern of each block."""
    room = kernel.warps * LANES
    if kernel.along:
        return _along_kinds(kernel), []
    if not known:
        return [(UNKNOWN * kernel.threads).ljust(room, BEYOND)], []
    cells, at = cells_of(kernel), []
    patterns: dict[str, int] = {}
    for block in range(kernel.blocks):
        own = cells[block * kernel.threads : (block + 1) * kernel.threads]
        letters = "".join(OWNS if each >= 0 else NONE for each in own).ljust(room)
        at.append(patterns.setdefault(letters, len(patterns)))
    return list(patterns), at


def across_of(kernel: Kernel) -> int:
    """Threads in a row of the picture, so that a warp is a rectangle."""
    wide = kernel.block[0]
    return wide if LANES % wide == 0 and kernel.threads > LANES else LANES


def _dims(shape: tuple[int, ...]) -> int:
    kept = [*shape]
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return len(kept)


def _warps(kernel: Kernel) -> list[int]:
    """The warp of the launch that stores each cell."""
    return [
        each // kernel.threads * kernel.warps + each % kernel.threads // LANES
        if each >= 0
        else -1
        for each in kernel.owners
    ]


def _steps(shape: tuple[int, ...]) -> list[int]:
    return [prod(shape[at + 1 :]) for at in range(len(shape))]


def _of_owners(net: Net) -> dict[str, Any]:
    """Which thread writes which cell, and the reverse; () where it is not told."""
    found: dict[str, list[Any]] = {"cellOf": [], "owners": [], "warpOf": []}
    known = {each.index for each in told(net)}
    for each in net.kernels:
        own, listed = each.index in known, each.index in known and not each.along
        found["cellOf"].append(cells_of(each) if listed else [])
        found["owners"].append(list(each.owners) if listed else [])
        found["warpOf"].append(_warps(each) if own else [])
    return found


def _counts(patterns: list[str]) -> list[list[int]]:
    """How many threads of each warp write a cell, by pattern."""
    starts = [range(0, len(each), LANES) for each in patterns]
    return [
        [letters[at : at + LANES].count(OWNS) for at in every]
        for letters, every in zip(patterns, starts, strict=True)
    ]


def columns_of(net: Net) -> dict[str, Any]:
    """The lists that formulas name: a value for each kernel."""
    known, every = {each.index for each in told(net)}, net.kernels
    kinds = [_kinds(each, each.index in known) for each in every]
    return {
        "known": [int(each.index in known or each.along) for each in every],
        "along": [int(each.along) for each in every],
        "threads": [each.threads for each in every],
        "blocks": [each.blocks for each in every],
        "warps": [each.warps for each in every],
        "across": [across_of(each) for each in every],
        "blockX": [each.block[0] for each in every],
        "blockY": [each.block[1] for each in every],
        "gridX": [each.grid[0] for each in every],
        "gridY": [each.grid[1] for each in every],
        "blockDims": [_dims(each.block) for each in every],
        "gridDims": [_dims(each.grid) for each in every],
        "kinds": [patterns for patterns, _ in kinds],
        "kindOf": [at for _, at in kinds],
        "counts": [_counts(patterns) for patterns, _ in kinds],
        "places": [list(each.places or ()) for each in every],
        **_of_owners(net),
    }


KERNEL, BLOCK, WARP, LANE = (row(each) for each in ("kernel", "block", "warp", "lane"))
AXES = ["kernel", "block", "warp", "lane"]


def own(name: str) -> Formula:
    """A value of the kernel in focus."""
    return item(column(name), KERNEL)


THREAD = WARP * LANES + LANE
FLAT = BLOCK * own("threads") + THREAD
_LISTED = chosen(own("known"), item(own("kindOf"), BLOCK), 0)
_IS_LAST = chosen(own("blocks") > BLOCK + 1, 0, 1)
PATTERN = chosen(own("along"), _IS_LAST, _LISTED)
KINDS = item(own("kinds"), PATTERN)
KIND = cut(KINDS, THREAD, 1)
_OWNED = chosen(own("along"), FLAT, item(own("cellOf"), FLAT))
CELL = chosen(own("known"), chosen(same(KIND, OWNS), _OWNED, -1), -1)
COUNT = item(item(own("counts"), PATTERN), WARP)


def _place(number: Formula, dims: str, x: str, y: str) -> Formula:
    wide, high = own(x), own(y)
    two = text("(", number % wide, ", ", number // wide, ")")
    three = text("(", number % wide, ", ", number // wide % high, ", ",
                 number // wide // high, ")")  # fmt: skip
    many = chosen(same(own(dims), 2), two, three)
    return chosen(same(own(dims), 1), in_words(number), many)


BLOCK_NAME = _place(BLOCK, "gridDims", "gridX", "gridY")
THREAD_NAME = _place(THREAD, "blockDims", "blockX", "blockY")


def sm_of(net: Net) -> Formula:
    """The multiprocessor of the block in focus: measured, or its number mod theirs."""
    if all(each.places is None for each in net.kernels):
        return BLOCK % net.card.sms
    measured = [int(each.places is not None) for each in net.kernels]
    place = item(own("places"), BLOCK)
    return chosen(item(measured, KERNEL), place, BLOCK % net.card.sms)


def named(prefix: str, cell: Formula) -> Formula:
    """An element by its indices, such as "out[37, 3]"; the array's columns say how."""
    dims, name = own(f"{prefix}Dims"), own(f"{prefix}Name")

    def spelled(count: int) -> Formula:
        parts: list[Any] = []
        for at in range(count):
            step = item(own(f"{prefix}Steps"), at)
            long = item(own(f"{prefix}Shape"), at)
            parts += [", " if parts else "", cell // step % long]
        return text(name, "[", *parts, "]")

    found = spelled(_MOST_DIMS)
    for count in range(_MOST_DIMS - 1, 0, -1):
        found = chosen(same(dims, count), spelled(count), found)
    return found


def _flat(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape of 1 to `_MOST_DIMS` dimensions; of more, the first ones are one."""
    if len(shape) > _MOST_DIMS:
        first = prod(shape[: len(shape) - _MOST_DIMS + 1])
        return (first, *shape[len(shape) - _MOST_DIMS + 1 :])
    return shape or (1,)


def _distinct(array: Array, shape: tuple[int, ...]) -> list[int]:
    """Extents of a flat shape, 1 where the array repeats the same elements."""
    if len(array.strides) != len(shape):
        return list(shape)
    return [
        long if step else 1 for long, step in zip(shape, array.strides, strict=True)
    ]


def array_columns(prefix: str, arrays: list[Array | None]) -> dict[str, Any]:
    """The lists by which `named` names an element; None where a kernel has no array."""
    shapes = [_flat(each.shape) if each else (1,) for each in arrays]
    longs = [
        _distinct(each, shape) if each else [1]
        for each, shape in zip(arrays, shapes, strict=True)
    ]
    return {
        f"{prefix}Name": [each.name if each else "" for each in arrays],
        f"{prefix}Dims": [len(shape) for shape in shapes],
        f"{prefix}Shape": longs,
        f"{prefix}Steps": [_steps(shape) for shape in shapes],
        f"{prefix}Size": [prod(shape) for shape in shapes],
        f"{prefix}Item": [each.item if each else 1 for each in arrays],
    }
