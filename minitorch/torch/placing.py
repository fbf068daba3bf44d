"""Owns the functions that pick elements by an index tensor or a mask, and place them.

Each has PyTorch's meaning: an index is int64 and counts from 0, a mask is bool. What
`x[...]` means is `indexing`'s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, functional
from .arguments import as_dim, numpys_names, place_of, require_torch
from .indexing import as_row, getitem, index_put, setitem
from .on_host import to_device
from .reduce import called
from .tensor import Tensor

_base: Any = _core.Tensor


def _require_index(where: str, index: Any, kinds: tuple[str, ...] = ("int64",)) -> None:
    require_torch(where, index)
    if index.dtype.name not in kinds:
        raise RuntimeError(
            f"[{where}] got an index of {index.dtype}; need torch.int64. Try .long()."
        )


def _require_from_zero(where: str, index: Any, size: int) -> None:
    """RuntimeError for an index that counts from the end; on `cuda` nobody waits."""
    if place_of(index) != "cpu" or not index.numel():
        return
    array = _core.to_numpy(index.detach())
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= size:
        raise RuntimeError(
            f"[{where}] got indices {low} to {high} for size {size}; need 0 to "
            f"{size - 1}."
        )


@numpys_names
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False
) -> Tensor:
    """out[i] = input[i with index[i] as its coordinate along `dim`].

    Args:
        input: Any shape.
        dim: The dimension that the indices stand for.
        index: int64, of as many dimensions as `input`, no longer along the others.

    Raises:
        RuntimeError: The index is of another dtype or shape, or out of range.
        IndexError: There is no such dimension.

    Kernel:
        `gather.cu`, a thread per element; back by `scatter.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([[1, 2], [3, 4]])
        >>> torch.gather(x, 1, torch.tensor([[1], [0]]))
        tensor([[2],
                [3]])
    """
    require_torch("gather", input)
    at = as_dim("gather", dim, input.ndim)
    _require_index("gather", index)
    row, places = as_row(input), as_row(index)
    if places.ndim != row.ndim and index.numel():
        raise RuntimeError(
            f"[gather] got an index of {index.ndim} dimensions for {input.ndim}; need "
            "as many."
        )
    _require_from_zero("gather", index, row.shape[at])
    made = _base.gather(row, at, places)
    return called(_base._reshape(made, index.shape), "GatherBackward0")


@numpys_names
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of the numbers `index` (n,) along `dim`.

    Raises:
        IndexError: An index is out of range, or has several dimensions.

    Kernel:
        `gather.cu`, a thread per element; back by `scatter.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.index_select(torch.tensor([1, 2, 3]), 0, torch.tensor([2, 0]))
        tensor([3, 1])
    """
    require_torch("index_select", input)
    at = as_dim("index_select", dim, input.ndim)
    _require_index("index_select", index, ("int64", "int32"))
    if index.ndim > 1:
        raise IndexError(
            f"[index_select] got an index of shape {tuple(index.shape)}; need (n,)."
        )
    row = as_row(input)
    _require_from_zero("index_select", index, row.shape[at])
    made = _base.index_select(row, at, as_row(index)._cast(_core.int64))
    if input.ndim == 0:
        made = _base._reshape(made, ())
    return called(made, "IndexSelectBackward0")


def _source(where: str, input: Tensor, index: Any, src: Any) -> Any:
    """The values for a scatter, of the shape of the index."""
    if not isinstance(src, _core.Tensor):
        return input._beside(src)._expand(index.shape)
    require_torch(where, src)
    if src.dtype != input.dtype:
        raise RuntimeError(
            f"[{where}] got src of {src.dtype} for {input.dtype}; need the same."
        )
    if src.ndim != index.ndim or any(
        n > m for n, m in zip(index.shape, src.shape, strict=True)
    ):
        raise RuntimeError(
            f"[{where}] got an index of shape {tuple(index.shape)} and src of shape "
            f"{tuple(src.shape)}; need src as large as the index."
        )
    for d, size in enumerate(index.shape):
        if src.shape[d] > size:
            src = src._slice(d, 0, size, 1)
    return src


def _scattered(
    where: str, put: Any, input: Tensor, dim: int, index: Any, src: Any
) -> Any:
    require_torch(where, input)
    at = as_dim(where, dim, input.ndim)
    _require_index(where, index)
    row, places = as_row(input), as_row(index)
    _require_from_zero(where, index, row.shape[at])
    values = _source(where, input, places, as_row(src) if hasattr(src, "ndim") else src)
    return _base._reshape(put(row, at, places, values), input.shape)


_WAYS = {"add": "sum", "multiply": "prod"}


@numpys_names
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """A copy with src[i], or a number, at [i with index[i] along `dim`].

    Of equal indices the last stays on `cpu`, any of them on `cuda`.

    Args:
        input: Any shape.
        dim: The dimension that the indices stand for.
        index: int64, of as many dimensions.
        src: A tensor at least as large as the index, or a number; also as `value`.
        reduce: "add" or "multiply" to what is there.

    Raises:
        RuntimeError: Dtypes or shapes do not fit, or an index is out of range.

    Kernel:
        `scatter.cu`, a thread per element of `src`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(3).scatter(0, torch.tensor([2]), 5.0)
        tensor([0., 0., 5.])
    """
    given = value if src is None else src
    if given is None:
        raise TypeError("[scatter] got no src; need a tensor or a number.")
    if reduce is not None:
        if reduce not in _WAYS:
            raise RuntimeError(
                f"[scatter] got reduce {reduce!r}; need add or multiply."
            )
        require_torch("scatter", input, index)
        spread = _source("scatter", input, index, given).as_torch()
        return scatter_reduce(input, dim, index, spread, _WAYS[reduce])
    made = _scattered("scatter", _base.scatter, input, dim, index, given)
    return called(made, f"ScatterBackward{int(not isinstance(given, _core.Tensor))}")


@numpys_names
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with src[i] added at [i with index[i] along `dim`].

    Kernel:
        `scatter.cu`, a thread per element of `src`, with atomic additions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2).scatter_add(0, torch.tensor([1, 1]), torch.ones(2))
        tensor([0., 2.])
    """
    require_torch("scatter_add", src)
    made = _scattered("scatter_add", _base.scatter_add, input, dim, index, src)
    return called(made, "ScatterAddBackward0")


def _by_order(
    input: Any, at: int, index: Any, src: Any, reduce: str, include_self: bool
) -> Any:
    """Products and extremes, one source after the other, on the host."""
    join = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[reduce]
    start = {"prod": 1, "amax": -np.inf, "amin": np.inf}[reduce]
    array = np.array(_core.to_numpy(input.detach()))
    places, values = _core.to_numpy(index), _core.to_numpy(src.detach())
    coordinates = list(np.indices(places.shape))
    coordinates[at] = places
    where = tuple(coordinates)
    if not include_self:
        array[where] = (
            start
            if array.dtype.kind == "f"
            else (
                1
                if reduce == "prod"
                else np.iinfo(array.dtype).min
                if reduce == "amax"
                else np.iinfo(array.dtype).max
            )
        )
    join.at(array, where, values)
    return to_device(array, input)


@numpys_names
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """A copy in which src[i] joins what is at [i with index[i] along `dim`].

    Args:
        input: Any shape.
        dim: The dimension that the indices stand for.
        index: int64, of as many dimensions.
        src: At least as large as the index.
        reduce: "sum", "mean", "prod", "amax" or "amin". Gradients go through the first
            two.
        include_self: Do the elements of `input` take part?

    Raises:
        RuntimeError: Another way to join, or one without a gradient that is to have
            one.
    """
    if reduce not in ("sum", "mean", "prod", "amax", "amin"):
        raise RuntimeError(
            f"[scatter_reduce] got reduce {reduce!r}; need sum, mean, prod, amax or "
            "amin."
        )
    require_torch("scatter_reduce", input, index, src)
    at = as_dim("scatter_reduce", dim, input.ndim)
    if reduce in ("sum", "mean"):
        return _scatter_mean(input, at, index, src, reduce == "mean", include_self)
    if input.requires_grad or src.requires_grad:
        raise RuntimeError(
            f"[scatter_reduce] got reduce {reduce!r} and tensors that require a "
            "gradient; need sum or mean, or .detach()."
        )

    def put(row: Any, at: int, places: Any, values: Any) -> Any:
        return _by_order(row, at, places, values, reduce, include_self)

    return _scattered("scatter_reduce", put, input, dim, index, src)


def _scatter_mean(
    input: Any, at: int, index: Any, src: Any, mean: bool, include_self: bool
) -> Any:
    base: Any = input
    if not include_self:
        base = _scattered("scatter_reduce", _base.scatter, base, at, index, 0)
    total = _scattered("scatter_reduce", _base.scatter_add, base, at, index, src)
    if not mean:
        return called(total, "ScatterReduceBackward0")
    zeros: Any = _core.full(input.shape, 0, input.dtype, place_of(input)).as_torch()
    ones = _core.full(src.shape, 1, input.dtype, place_of(input)).as_torch()
    hits = _scattered("scatter_reduce", _base.scatter_add, zeros, at, index, ones)
    count = hits + 1 if include_self else _base.maximum(hits, 1)
    made = total / count if input.dtype.is_floating_point else total // count
    return called(made, "ScatterReduceBackward0")


def _slices(where: str, input: Tensor, dim: int, index: Any, source: Any) -> Any:
    """The index (n,) as one for each element of `source`, which has n slices."""
    require_torch(where, input, source)
    at = as_dim(where, dim, input.ndim)
    _require_index(where, index, ("int64", "int32"))
    row, places = as_row(input), as_row(index)._cast(_core.int64)
    values = as_row(source)
    if values.dtype != input.dtype:
        raise RuntimeError(
            f"[{where}] got a source of {values.dtype} for {input.dtype}; need the "
            "same."
        )
    wanted = (*row.shape[:at], places.shape[0], *row.shape[at + 1 :])
    if places.ndim != 1 or tuple(values.shape) != wanted:
        raise RuntimeError(
            f"[{where}] got an index of shape {tuple(index.shape)} and a source of "
            f"shape {tuple(source.shape)}; need (n,) and {wanted}."
        )
    _require_from_zero(where, places, row.shape[at])
    apart = [1] * row.ndim
    apart[at] = places.shape[0]
    return row, at, _base._reshape(places, apart)._expand(wanted), values


@numpys_names
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """A copy with the slices of `source`, times alpha, added at `index` (n,).

    Kernel:
        `scatter.cu`, a thread per element of `source`, with atomic additions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2).index_add(0, torch.tensor([1, 1]), torch.ones(2))
        tensor([0., 2.])
    """
    row, at, places, values = _slices("index_add", input, dim, index, source)
    made = _base.scatter_add(row, at, places, values if alpha == 1 else values * alpha)
    return called(_base._reshape(made, input.shape), "IndexAddBackward0")


@numpys_names
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy with the slices of `source` at `index` (n,).

    Example:
        >>> import minitorch.torch as torch
        >>> source = torch.tensor([7.0])
        >>> torch.zeros(3).index_copy(0, torch.tensor([1]), source)
        tensor([0., 7., 0.])
    """
    row, at, places, values = _slices("index_copy", input, dim, index, source)
    made = _base.scatter(row, at, places, values)
    return called(_base._reshape(made, input.shape), "IndexCopyBackward0")


@numpys_names
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy with one value in the slices `index` (n,).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(3).index_fill(0, torch.tensor([0, 2]), 5.0)
        tensor([5., 0., 5.])
    """
    require_torch("index_fill", input)
    at = as_dim("index_fill", dim, input.ndim)
    _require_index("index_fill", index)
    number = value.item() if isinstance(value, _core.Tensor) else value
    shape = list(as_row(input).shape)
    shape[at] = index.numel()
    source = input._beside(number)._expand(shape)
    row, at, places, values = _slices(
        "index_fill", input, dim, index, source.as_torch()
    )
    made = _base.scatter(row, at, places, values)
    return called(_base._reshape(made, input.shape), "IndexFillBackward0")


def _require_mask(where: str, mask: Any) -> None:
    require_torch(where, mask)
    if mask.dtype != "bool":
        raise RuntimeError(
            f"[{where}] got a mask of {mask.dtype}; need torch.bool. Try .bool()."
        )


def _together(where: str, a: Any, b: Any) -> Any:
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise RuntimeError(
            f"[{where}] got shapes {tuple(a.shape)} and {tuple(b.shape)}; need shapes "
            "that broadcast."
        ) from None
    return a._expand(shape), b._expand(shape)


@numpys_names
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is true, (n,); both broadcast.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1, 5, 2])
        >>> torch.masked_select(x, x.gt(1))
        tensor([5, 2])
    """
    require_torch("masked_select", input)
    _require_mask("masked_select", mask)
    values, truths = _together("masked_select", input, mask)
    made = getitem(as_row(values), as_row(truths))
    return called(made, "MaskedSelectBackward0")


def _number_for(where: str, input: Tensor, value: Any) -> Any:
    """A number, or a tensor without dimensions, in the dtype of a tensor."""
    if isinstance(value, _core.Tensor):
        require_torch(where, value)
        if value.ndim:
            raise RuntimeError(
                f"[{where}] got a value of shape {tuple(value.shape)}; need a number "
                "or a tensor without dimensions."
            )
        return value._cast(input.dtype)._to_device(place_of(input))
    if isinstance(value, float) and not input.dtype.is_floating_point:
        if not np.isfinite(value):
            raise RuntimeError(
                f"[{where}] got {value} for {input.dtype}; need what it can hold."
            )
        value = int(value)
    return value if isinstance(value, int | float) else float(value)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where the mask is true, else `input`; both broadcast.

    Kernel:
        `where.cu`, a thread per element.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> x.masked_fill(x.gt(1), 0)
        tensor([1., 0.])
    """
    require_torch("masked_fill", input)
    _require_mask("masked_fill", mask)
    filling = _number_for("masked_fill", input, value)
    made = functional.masked_fill(input, mask, filling)
    return called(made._cast(input.dtype), "MaskedFillBackward0")


def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`masked_fill` in place."""
    return _base.copy_(input, masked_fill(input, mask, value))


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy with the first elements of `source`, in order, where the mask is true."""
    require_torch("masked_scatter", input, source)
    _require_mask("masked_scatter", mask)
    made, truths = _together("masked_scatter", input, mask)
    row = _base._reshape(source, (source.numel(),))
    count = int(_base.sum(truths._cast(_core.int64), None, False).item())
    if count > row.shape[0]:
        raise RuntimeError(
            f"[masked_scatter] got {row.shape[0]} elements for {count} places; need "
            "one for each."
        )
    copy: Any = _base.clone(made)
    setitem(copy, truths, row._slice(0, 0, count, 1))
    return copy


@numpys_names
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at the places `index` of the tensor as a row.

    Raises:
        IndexError: An index is out of range.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, 3]))
        tensor([1, 4])
    """
    require_torch("take", input)
    _require_index("take", index)
    row = _base._reshape(input, (input.numel(),))
    made = getitem(row, as_row(index))
    return called(_base._reshape(made, index.shape), "TakeBackward0")


@numpys_names
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather` whose tensors broadcast along the other dimensions; a row without dim.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([[3, 1], [2, 4]])
        >>> torch.take_along_dim(x, torch.tensor([[0]]), dim=1)
        tensor([[3],
                [2]])
    """
    require_torch("take_along_dim", input)
    _require_index("take_along_dim", indices)
    if dim is None:
        flat = _base._reshape(input, (input.numel(),))
        return gather(flat, 0, _base._reshape(indices, (indices.numel(),)))
    at = as_dim("take_along_dim", dim, input.ndim)
    if indices.ndim != input.ndim:
        raise RuntimeError(
            f"[take_along_dim] got {indices.ndim} dimensions of indices for "
            f"{input.ndim}; need as many."
        )
    one_input, one_index = list(input.shape), list(indices.shape)
    one_input[at] = one_index[at] = 1
    shape = list(np.broadcast_shapes(tuple(one_input), tuple(one_index)))
    wide, places = list(shape), list(shape)
    wide[at], places[at] = input.shape[at], indices.shape[at]
    wider: Any = input._expand(wide)
    return gather(wider, at, indices._expand(places))


def put_(
    input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False
) -> Tensor:
    """Writes to, or adds at, the places `index` of the tensor as a row; in place."""
    require_torch("put_", input, source)
    _require_index("put_", index)
    row = _base._reshape(input, (input.numel(),))
    places = _base._reshape(index, (index.numel(),))
    values = _base._reshape(source, (source.numel(),))
    made = index_put(row, (places,), values, accumulate)
    return _base.copy_(input, _base._reshape(made, input.shape))


def _in_place(function: Any) -> Any:
    """The function, whose result is written over the tensor."""

    def changing(input: Tensor, *args: Any, **options: Any) -> Tensor:
        return _base.copy_(input, function(input, *args, **options))

    changing.__name__ = f"{function.__name__}_"
    changing.__doc__ = f"`{function.__name__}` in place."
    return changing


METHODS: dict[str, Any] = {
    "gather": gather,
    "index_add": index_add,
    "index_add_": _in_place(index_add),
    "index_copy": index_copy,
    "index_copy_": _in_place(index_copy),
    "index_fill": index_fill,
    "index_fill_": _in_place(index_fill),
    "index_select": index_select,
    "masked_fill": masked_fill,
    "masked_fill_": masked_fill_,
    "masked_scatter": masked_scatter,
    "masked_scatter_": _in_place(masked_scatter),
    "masked_select": masked_select,
    "put_": put_,
    "scatter": scatter,
    "scatter_": _in_place(scatter),
    "scatter_add": scatter_add,
    "scatter_add_": _in_place(scatter_add),
    "scatter_reduce": scatter_reduce,
    "scatter_reduce_": _in_place(scatter_reduce),
    "take": take,
    "take_along_dim": take_along_dim,
}
