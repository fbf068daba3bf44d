"""Which thread of a library's kernel writes which cell of its output.

The files of the kernels say it, and a test holds it against traces; of other kernels
only the explanation can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

# Thread number i of the launch writes cell i.
_ALONG = {
    "adam", "arange", "avg_pool2d", "avg_pool2d_grad", "check_index", "clamp", "conv2d",
    "conv2d_grad_input", "copy", "embedding", "fill", "gather", "map", "max_pool2d",
    "max_pool2d_grad", "pick", "sgd", "where", "where_number", "zip", "zip_number",
}  # fmt: skip
_TILES = {"matmul_tiled", "matmul_naive"}  # a block of threads, a block of cells
_BY_CHANNEL = {"normalise"}  # blocks (channel, part) go over a channel's cells
_FIRST_IN_ROW = {"conv2d_grad_weight"}  # a row of threads for each cell


def is_librarys(name: str, file: str) -> bool:
    """Whether a kernel is the library's own: other programs may have its name."""
    return file == f"{name}.cu"


def _is_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether cells lie row by row; where strides are not known, the library's do."""
    steps = [prod(shape[at + 1 :]) for at in range(len(shape))]
    pairs = zip(shape, strides, steps, strict=True) if strides else ()
    return all(long == 1 or own == step for long, own, step in pairs)


def goes_along(
    name: str, shape: Sequence[int], strides: Sequence[int], blocks: int, threads: int
) -> bool:
    """Whether thread number i of a library's launch writes cell i.

    Args:
        name: The kernel.
        shape: Of its first output.
        strides: Of that, in elements; () where they are not known.
        blocks, threads: Of the launch, and of a block.
    """
    fits = (blocks - 1) * threads < prod(shape) <= blocks * threads
    return name in _ALONG and fits and _is_dense(shape, strides)


def _of_tiles(
    shape: Sequence[int], grid: Sequence[int], block: Sequence[int]
) -> list[int]:
    rows, columns = shape[-2:]
    (wide, high), found = block[:2], []
    for cell in range(prod(shape)):
        row, column = cell // columns % rows, cell % columns
        tile = column // wide + grid[0] * (row // high)
        number = tile + grid[0] * grid[1] * (cell // (rows * columns))
        place = row % high * wide + column % wide
        found.append(number * prod(block) + place)
    return found


def _of_channels(
    shape: Sequence[int], grid: Sequence[int], block: Sequence[int]
) -> list[int]:
    groups, inner = shape[1], prod(shape[2:])
    found = []
    for cell in range(prod(shape)):
        group = cell // inner % groups
        at = cell // (inner * groups) * inner + cell % inner  # among the channel's
        part, thread = divmod(at % (grid[1] * block[0]), block[0])
        found.append((group + part * grid[0]) * block[0] + thread)
    return found


def owners_of(
    name: str, shape: Sequence[int], grid: Sequence[int], block: Sequence[int]
) -> tuple[int, ...]:
    """The thread of a library's launch that writes each cell of its first output.

    Args:
        name: The kernel.
        shape: Of its first output.
        grid, block: Of the launch, (x, y, z).

    Returns:
        Numbers of threads by cell; () where they are not known.
    """
    cells = prod(shape)
    if name in _TILES and len(shape) >= 2 and block[2] == 1:
        return tuple(_of_tiles(shape, grid, block))
    if name in _BY_CHANNEL and len(shape) >= 2 and grid[0] == shape[1]:
        return tuple(_of_channels(shape, grid, block))
    if name in _FIRST_IN_ROW and prod(grid) == -(-cells // block[1]):
        return tuple(range(0, cells * block[0], block[0]))
    return ()
