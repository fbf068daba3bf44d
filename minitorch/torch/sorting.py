"""Owns order: sorting, the largest elements, the places of numbers among sorted ones.

Must not know equal elements' meaning (counting does). Which element goes where is found
on the host by NumPy; the values are then gathered, so that gradients go back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import Tensor as Base
from . import return_types
from .arguments import as_dim, as_integer, numpys_names, require_torch
from .arithmetic import Operand, beside, require_operand
from .on_host import to_device, to_host
from .tensor import Tensor


def _order(array: Any, axis: int, descending: bool) -> Any:
    """Stable, with NaN as the largest of all."""
    if not descending:
        return np.argsort(array, axis, kind="stable")
    back = np.argsort(np.flip(array, axis), axis, kind="stable")
    return array.shape[axis] - 1 - np.flip(back, axis)


def _picked(input: Any, places: Any, dim: int) -> tuple[Any, Any]:
    indices = to_device(places.astype(np.int64, copy=False), input)
    return Base.gather(input, dim, indices), indices


def _sorted(where: str, input: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    at = as_dim(where, dim, len(input.shape))
    if not input.shape:
        return Base.clone(input), to_device(np.zeros((), np.int64), input)
    return _picked(input, _order(to_host(input), at, descending), at)


@numpys_names
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False
) -> Any:
    """The elements along `dim` in order, and where each was.

    Args:
        input: Any shape; NaN counts as the largest.
        dim: Along which.
        descending: The largest first.
        stable: Accepted: equal elements always keep their order.

    Returns:
        (values, indices), the indices in int64.

    Raises:
        IndexError: There is no such dimension.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sort(torch.tensor([3, 1, 2])).indices
        tensor([1, 2, 0])
    """
    require_torch("sort", input)
    if isinstance(dim, bool):  # sort(stable, dim)
        raise TypeError(f"[sort] got dim {dim}; need an integer.")
    return return_types.sort(*_sorted("sort", input, dim, descending))


@numpys_names
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False
) -> Tensor:
    """Where the elements along `dim` are, in order; see `sort`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.argsort(torch.tensor([3, 1, 2]), descending=True)
        tensor([0, 2, 1])
    """
    require_torch("argsort", input)
    return _sorted("argsort", input, dim, descending)[1]  # type: ignore[no-any-return]


@numpys_names
def msort(input: Tensor) -> Tensor:
    """The elements along dimension 0 in order.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.msort(torch.tensor([3, 1, 2]))
        tensor([1, 2, 3])
    """
    require_torch("msort", input)
    return _sorted("msort", input, 0, False)[0]  # type: ignore[no-any-return]


@numpys_names
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Any:
    """The k largest elements along `dim`, in order, and where they are.

    Args:
        input: Any shape; NaN counts as the largest.
        k: From 0 to the size of the dimension.
        dim: Along which.
        largest: Or the smallest.
        sorted: Accepted: they are in order.

    Returns:
        (values, indices) with k cells along `dim`.

    Raises:
        RuntimeError: There are fewer elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.topk(torch.tensor([3, 1, 2]), 2).values
        tensor([3, 2])
    """
    require_torch("topk", input)
    at = as_dim("topk", dim, len(input.shape))
    size = input.shape[at] if input.shape else 1
    k = as_integer("topk", "k", k)
    if not 0 <= k <= size:
        raise RuntimeError(
            f"[topk] got k {k} for {size} elements of dim {dim}; need 0 to {size}."
        )
    if not input.shape:
        found = _sorted("topk", input, dim, largest)
        if k == 0:
            none: Any = [Base._reshape(t, (1,)) for t in found]
            found = tuple(Base._slice(t, 0, 0, 0, 1) for t in none)  # type: ignore
        return return_types.topk(*found)
    places = _order(to_host(input), at, largest).take(range(k), axis=at)
    return return_types.topk(*_picked(input, places, at))


@numpys_names
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along `dim`, counted from 1, and where it is.

    Raises:
        RuntimeError: There are fewer elements.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.kthvalue(torch.tensor([3, 1, 2]), 2).values
        tensor(2)
    """
    require_torch("kthvalue", input)
    at = as_dim("kthvalue", dim, len(input.shape))
    size = input.shape[at] if input.shape else 1
    k = as_integer("kthvalue", "k", k)
    if not 1 <= k <= size:
        raise RuntimeError(
            f"[kthvalue] got k {k} for {size} elements of dim {dim}; need 1 to {size}."
        )
    if not input.shape:
        return return_types.kthvalue(*_sorted("kthvalue", input, dim, False))
    places = _order(to_host(input), at, False).take([k - 1], axis=at)
    found = _picked(input, places, at)
    if not keepdim:
        shape = tuple(size for d, size in enumerate(input.shape) if d != at)
        found = (Base._reshape(found[0], shape), Base._reshape(found[1], shape))
    return return_types.kthvalue(*found)


def _side(where: str, right: bool, side: str | None) -> str:
    if side not in (None, "left", "right"):
        raise RuntimeError(f"[{where}] got side {side!r}; need 'left' or 'right'.")
    if side == "left" and right:
        raise RuntimeError(f"[{where}] got side 'left' and right=True; need one.")
    return side or ("right" if right else "left")


def _found(where: str, rows: Any, values: Any, side: str, out_int32: bool) -> Any:
    require_operand(where, values)
    given = beside(rows, values)
    wanted, sorted_rows = to_host(given), to_host(rows)
    search: Any = np.searchsorted
    if sorted_rows.ndim > 1:
        lead = wanted.shape[:-1]
        if sorted_rows.shape[:-1] != lead:
            raise RuntimeError(
                f"[{where}] got shapes {sorted_rows.shape} and {wanted.shape}; need "
                "equal sizes but for the last, or one row."
            )
        places = np.empty(wanted.shape, np.int64)
        for at in np.ndindex(lead):
            places[at] = search(sorted_rows[at], wanted[at], side)
    elif sorted_rows.ndim == 1:
        places = np.asarray(search(sorted_rows, wanted, side))
    else:
        raise RuntimeError(f"[{where}] got a number as the sorted row; need a row.")
    return to_device(places.astype(np.int32 if out_int32 else np.int64), rows)


@numpys_names
def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where numbers would be put into a sorted row so that it stays sorted.

    Args:
        sorted_sequence: (…, n), each row in order.
        input: Numbers: any shape for one row, (…, m) for several.
        out_int32: The places in int32, else int64.
        right: Behind equal elements, not before them; `side="right"` says the same.
        sorter: The order of rows that are not sorted, as `argsort` gives it.

    Raises:
        RuntimeError: Shapes or sides do not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([2, 5]))
        tensor([1, 2])
    """
    require_torch("searchsorted", sorted_sequence)
    rows: Any = sorted_sequence
    if sorter is not None:
        require_torch("searchsorted", sorter)
        rows = Base.gather(rows, len(rows.shape) - 1, sorter)
    where = _side("searchsorted", right, side)
    return _found("searchsorted", rows, input, where, out_int32)  # type: ignore


@numpys_names
def bucketize(
    input: Operand,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
) -> Tensor:
    """Between which boundaries numbers lie, counted from 0.

    Args:
        input: Numbers of any shape.
        boundaries: (n,), in order.
        out_int32: The places in int32, else int64.
        right: A number on a boundary belongs above it.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.bucketize(torch.tensor([1, 2, 3]), torch.tensor([1.5, 2.5]))
        tensor([0, 1, 2])
    """
    require_torch("bucketize", boundaries)
    if len(boundaries.shape) != 1:
        raise RuntimeError(
            f"[bucketize] got boundaries of shape {tuple(boundaries.shape)}; need (n,)."
        )
    side = _side("bucketize", right, None)
    return _found("bucketize", boundaries, input, side, out_int32)  # type: ignore


_METHODS = "argsort kthvalue msort sort topk"

#: Those that are methods of tensors, too.
METHODS: dict[str, Any] = {name: globals()[name] for name in _METHODS.split()}
