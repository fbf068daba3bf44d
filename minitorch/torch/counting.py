"""Owns which elements there are and how often: unique, counts of integers, histograms.

Elements are looked at on the host by NumPy; results are no functions of them that have
a gradient. Must not know sums.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from . import return_types
from .arguments import as_dim, as_integer, numpys_names, require_torch
from .extremes import host_array, positions
from .on_host import to_device
from .tensor import Tensor

_base: Any = _core.Tensor


def _several(first: Any, *rest: tuple[bool, Any]) -> Any:
    """The first alone, or with those that were asked for."""
    wanted = [value for asked, value in rest if asked]
    return (first, *wanted) if wanted else first


def _slices(where: str, input: Any, dim: int) -> Any:
    """The slices along `dim` as rows (n, cells).

    Raises:
        RuntimeError: They have no cells, so that nothing tells them apart.
    """
    rest = [size for at, size in enumerate(input.shape) if at != dim]
    if 0 in rest and input.shape[dim]:
        raise RuntimeError(
            f"[{where}] got shape {tuple(input.shape)} and dim {dim}; need slices that "
            "have elements."
        )
    rows = np.moveaxis(host_array(input), dim, 0)
    return rows.reshape(rows.shape[0], math.prod(rest))


@numpys_names
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Each element once, in rising order, or each slice along `dim`.

    Args:
        input: Any shape.
        sorted: Accepted; the order rises anyway.
        return_inverse: Also for each element its place in the result.
        return_counts: Also how often each is there.
        dim: Compares slices along it; by default single elements.

    Returns:
        (n,), or `input` with fewer slices along `dim`; with what else was asked for a
        tuple.

    Raises:
        IndexError: There is no such dimension.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3, 1, 3]).unique(return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
    """
    require_torch("unique", input)
    at = None if dim is None else as_dim("unique", dim, input.ndim)
    array = host_array(input) if at is None else _slices("unique", input, at)
    _, first, inverse, counts = np.unique(
        array,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        equal_nan=False,
        axis=None if at is None else 0,
    )
    shape = input.shape if at is None else (len(array),)
    places = positions(inverse.reshape(shape), input)
    row = _base.detach(input)
    if at is None:
        row, at = _base._reshape(row, (input.numel(),)), 0
    values = _base.index_select(row, at, positions(first, input))
    return _several(
        values, (return_inverse, places), (return_counts, positions(counts, input))
    )


def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The elements, or slices along `dim`, without those equal to the one before.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])
    """
    require_torch("unique_consecutive", input)
    row = _base.detach(input)
    at = 0 if dim is None else as_dim("unique_consecutive", dim, input.ndim)
    shape: Any = (input.shape[at],) if dim is not None else input.shape
    if dim is None:
        row = _base._reshape(row, (input.numel(),))
    rows = _slices("unique_consecutive", row, at)
    new = np.ones(len(rows), dtype=bool)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=1)
    first = np.flatnonzero(new)
    values = _base.index_select(row, at, positions(first, input))
    inverse = np.cumsum(new).reshape(shape) - 1
    counts = np.diff(np.append(first, len(rows)))
    return _several(
        values,
        (return_inverse, positions(inverse, input)),
        (return_counts, positions(counts, input)),
    )


def bincount(
    input: Tensor, weights: Tensor | None = None, minlength: int = 0
) -> Tensor:
    """How often each of 0, 1, … is there, as int64; or the sum of their weights.

    Args:
        input: (n,) of integers from 0.
        weights: (n,), by default 1 each.
        minlength: The fewest cells of the result.

    Returns:
        (max(input) + 1,) or (minlength,) where that is more.

    Raises:
        RuntimeError: Not of this kind.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.bincount(torch.tensor([0, 2, 2]))
        tensor([1, 0, 2])
    """
    require_torch("bincount", input, *([] if weights is None else [weights]))
    if input.dtype.is_floating_point:
        raise NotImplementedError(f"[bincount] got {input.dtype}; need integers.")
    array = host_array(input)
    if array.ndim != 1 or array.dtype.kind == "b" or (array.size and array.min() < 0):
        raise RuntimeError(
            f"[bincount] got shape {tuple(input.shape)} of {input.dtype}; need (n,) of "
            "integers from 0."
        )
    minlength = as_integer("bincount", "minlength", minlength)
    if minlength < 0:
        raise RuntimeError(f"[bincount] got minlength {minlength}; need 0 or more.")
    if weights is None:
        return positions(np.bincount(array, minlength=minlength), input)
    if weights.shape != input.shape:
        raise RuntimeError(
            f"[bincount] got weights of shape {tuple(weights.shape)} for input of "
            f"{tuple(input.shape)}; need the same."
        )
    total = np.bincount(array, weights=host_array(weights), minlength=minlength)
    kept = weights.dtype if weights.dtype.name == "float32" else _core.float64
    return to_device(total, input)._cast(kept)  # type: ignore[no-any-return]


def _limits(where: str, array: Any, low: Any, high: Any) -> tuple[float, float]:
    if low == 0 and high == 0 and array.size:
        low, high = float(array.min()), float(array.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise RuntimeError(f"[{where}] got limits {low} to {high}; need finite ones.")
    return low, high


def _counted(where: str, input: Tensor, bins: Any, low: Any, high: Any) -> Any:
    require_torch(where, input)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"[{where}] got {input.dtype}; need floats.")
    bins = as_integer(where, "bins", bins)
    if bins < 1:
        raise RuntimeError(f"[{where}] got bins {bins}; need 1 or more.")
    array = host_array(input).ravel()
    return np.histogram(array, bins, _limits(where, array, low, high))


def _as_input(array: Any, input: Tensor) -> Tensor:
    made = to_device(array.astype("float64"), input)
    return made._cast(input.dtype)  # type: ignore[no-any-return]


@numpys_names
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of `bins` equal cells from `min` to `max`.

    Where both are 0 they are those of the elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.histc(torch.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])
    """
    return _as_input(_counted("histc", input, bins, min, max)[0], input)


def histogram(
    input: Tensor, bins: int, *, range: Any = None, density: bool = False
) -> Any:
    """(hist, bin_edges): counts in `bins` equal cells, and their edges."""
    low, high = (0, 0) if range is None else range
    counts, edges = _counted("histogram", input, bins, low, high)
    if density:
        counts = counts / (counts.sum() * np.diff(edges))
    return return_types.histogram(_as_input(counts, input), _as_input(edges, input))


METHODS: dict[str, Any] = {
    "bincount": bincount,
    "histc": histc,
    "histogram": histogram,
    "unique": unique,
    "unique_consecutive": unique_consecutive,
}
