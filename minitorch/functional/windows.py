"""Owns pooling by a list of each window's cells, where no kernel of its own fits.

Of windows that differ in size (adaptive pooling, ceil_mode), of the places of maxima,
and of signals and volumes. Windows are separable: each dimension has its own list.
Must not know how pooling's arguments are given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import _core
from .._core import Tensor
from ..tensors.create import tensor


@dataclass(frozen=True)
class Windows:
    """The windows along one dimension.

    Attributes:
        size: cells of the dimension.
        places: (windows, taps), the cells of each window; -1 for none.
        counts: (windows,), the cells that count for a mean, padding perhaps included.
    """

    size: int
    places: np.ndarray
    counts: np.ndarray


def fixed(
    size: int,
    kernel: int,
    stride: int,
    padding: int,
    dilation: int = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Windows:
    """Windows of `kernel` cells, `stride` apart; with ceil_mode a last one in part.

    The last window begins within the input or the padding before it.
    """
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    steps = -(-span // stride) if ceil_mode else span // stride
    if ceil_mode and steps * stride >= size + padding:
        steps -= 1
    starts = np.arange(steps + 1)[:, None] * stride - padding
    places = starts + dilation * np.arange(kernel)
    inside = (places >= 0) & (places < size)
    reached = inside if not count_include_pad else places < size + padding
    return Windows(size, np.where(inside, places, -1), reached.sum(axis=1))


def adaptive(size: int, count: int) -> Windows:
    """`count` windows that share `size` cells out evenly, overlapping where they must.

    Window i holds cells floor(i size / count) up to ceil((i + 1) size / count).
    """
    at = np.arange(count)
    starts, ends = at * size // count, -(-(at + 1) * size // count)
    widths = ends - starts
    places = starts[:, None] + np.arange(widths.max(initial=0))
    return Windows(size, np.where(places < ends[:, None], places, -1), widths)


def means(input: Tensor, windows: list[Windows], divisor: int | None = None) -> Tensor:
    """The mean of each window of the last dimensions, or the sum over `divisor`.

    A product with the windows' shares along each dimension.
    """
    out = input
    for i, each in enumerate(windows):
        at = len(input.shape) - len(windows) + i
        shares = np.zeros((len(each.places), each.size + 1))
        np.put_along_axis(shares, each.places, 1, axis=1)  # none: the last column
        if divisor is None:
            shares /= np.maximum(each.counts, 1)[:, None]
        # (…, cells) @ (cells, windows) -> (…, windows)
        right = numbers_like(shares[:, :-1].T.copy(), input)
        out = _along(out, at, right)
    return out if divisor is None else out / divisor


def numbers_like(array: np.ndarray, like: Tensor) -> Tensor:
    """An array's numbers in the dtype and on the device of floats, else as float64."""
    kind = like.dtype if like.dtype.is_floating_point else _core.float64
    if kind != _core.bfloat16:  # which NumPy has not
        array = array.astype(kind.name)
    return in_dialect(tensor(array, dtype=kind, device=like.device), like)


def places_like(array: np.ndarray, like: Tensor) -> Tensor:
    """An array's integers as int64, on the device of a tensor."""
    made = tensor(array, dtype="int64", device=like.device)
    return in_dialect(made, like)


def in_dialect(made: Tensor, like: Tensor) -> Tensor:
    """A tensor made here, in the dialect of those that it meets."""
    return made.as_torch() if like._dialect == "torch" else made


def _along(x: Tensor, at: int, matrix: Tensor) -> Tensor:
    """The product of a dimension with a matrix."""
    last = len(x.shape) - 1
    if at == last:
        return x @ matrix
    order = list(range(last + 1))
    order[at], order[last] = last, at
    return (x._permute(order) @ matrix)._permute(order)


def maxima(input: Tensor, windows: list[Windows]) -> tuple[Tensor, Tensor]:
    """The largest cell of each window, and its place in the last dimensions.

    Of equal cells the first; a NaN is the largest. The gradient goes to that cell.

    Returns:
        Both (…, *counts of windows); the places of int64, counted row by row.
    """
    lead = tuple(input.shape)[: -len(windows)]
    cells = math.prod(each.size for each in windows)
    flat = input._reshape([*lead, cells])
    places, outs = _joined(windows)
    if 0 in lead or 0 in outs:  # no windows, no cells to look at
        empty = _core.full((*lead, *outs), 0, _core.int64, input.device)
        return empty._cast(input.dtype), empty
    at = len(lead)
    still, reach = flat.detach(), len(places[0])
    index = places_like(np.maximum(places, 0).ravel(), input)
    # (…, cells) -> (…, windows, taps)
    taps = still.index_select(at, index)._reshape([*lead, -1, reach])
    if (places < 0).any():
        gone = tensor(places < 0, dtype="bool", device=input.device)
        gone = in_dialect(gone, input)
        taps = gone._where(_lowest(input), taps)
    best = _core.Tensor.argmax(taps, at + 1, True)
    rows = places_like(np.maximum(places, 0), input)
    wide = rows._expand([*lead, *rows.shape])
    found = wide.contiguous().gather(at + 1, best).squeeze(at + 1)
    return flat.gather(at, found)._reshape([*lead, *outs]), found._reshape(
        [*lead, *outs]
    )


def _joined(windows: list[Windows]) -> tuple[np.ndarray, list[int]]:
    """(windows of all dimensions, taps): places row by row, -1 for none."""
    places = np.zeros((1, 1), np.int64)
    for each in windows:
        inner = each.places[None, :, None, :]
        outer = places[:, None, :, None]
        both = outer * each.size + inner
        both = np.where((outer < 0) | (inner < 0), -1, both)
        places = both.reshape(len(places) * len(each.places), -1)
    return places, [len(each.places) for each in windows]


def _lowest(like: Tensor) -> float:
    if like.dtype.is_floating_point:
        return -math.inf
    return int(np.iinfo(like.dtype.name).min)


def unpooled(input: Tensor, indices: Tensor, sizes: list[int]) -> Tensor:
    """Zeros (…, *sizes) with the input's numbers at their places, as `maxima` tells."""
    lead = tuple(input.shape)[: -len(sizes)]
    rows = [*lead, math.prod(input.shape[len(lead) :])]
    zero = _core.full((*lead, math.prod(sizes)), 0, input.dtype, input.device)
    at = indices._reshape(rows)
    return (
        in_dialect(zero, input)
        .scatter(len(lead), at, input._reshape(rows))
        ._reshape([*lead, *sizes])
    )
