"""`gather`, `scatter`, `index_select`, `masked_fill` and other index functions.

Each has PyTorch's meaning: an index is int64 and counts from 0, a mask is bool. What
`x[...]` means is `indexing`'s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core, functional
from .arguments import as_dim, device_name_of, require_torch, tensor_function
from .indexing import as_row
from .reduce import name_step
from .tensor import METHODS, Tensor

__all__ = [
    "gather", "index_select", "masked_fill", "scatter",
    "scatter_add",
]  # fmt: skip

_base: Any = _core.Tensor


def _require_index(where: str, index: Any, kinds: tuple[str, ...] = ("int64",)) -> None:
    require_torch(where, index)
    if index.dtype.name not in kinds:
        raise RuntimeError(
            f"[{where}] got an index of {index.dtype}; need torch.int64. Try .long()."
        )


def _require_from_zero(where: str, index: Any, size: int) -> None:
    """Raise RuntimeError for an index out of range; not checked on `cuda`."""
    if device_name_of(index) != "cpu" or not index.numel():
        return
    array = _core.to_numpy(index.detach())
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= size:
        raise RuntimeError(
            f"[{where}] got indices from {low} to {high}, but the dimension has size "
            f"{size}; need 0 to {size - 1}."
        )


@tensor_function
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False
) -> Tensor:
    """Return elements at `index` along `dim`: out[i, j] = input[index[i, j], j].

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
    axis = as_dim("gather", dim, input.ndim)
    _require_index("gather", index)
    row, indices = as_row(input), as_row(index)
    if indices.ndim != row.ndim and index.numel():
        raise RuntimeError(
            "[gather] index and input must have the same number of dimensions, got "
            f"{index.ndim} and {input.ndim}."
        )
    _require_from_zero("gather", index, row.shape[axis])
    result = _base.gather(row, axis, indices)
    return name_step(_base._reshape(result, index.shape), "GatherBackward0")


@tensor_function
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices at `index` (n,) along `dim`.

    Raises:
        IndexError: An index is out of range, or has several dimensions.

    Kernel:
        `gather.cu`, a thread per element; back by `scatter.cu`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.index_select(torch.tensor([1, 2, 3]), 0, torch.tensor([2, 0]))
        tensor([3, 1])
    """
    axis = as_dim("index_select", dim, input.ndim)
    _require_index("index_select", index, ("int64", "int32"))
    if index.ndim > 1:
        raise IndexError(
            f"[index_select] got an index of shape {tuple(index.shape)}; need one "
            "dimension."
        )
    row = as_row(input)
    _require_from_zero("index_select", index, row.shape[axis])
    result = _base.index_select(row, axis, as_row(index)._cast(_core.int64))
    if input.ndim == 0:
        result = _base._reshape(result, ())
    return name_step(result, "IndexSelectBackward0")


def _source(where: str, input: Tensor, index: Any, src: Any) -> Any:
    """Return the values for a scatter, in the shape of the index."""
    if not isinstance(src, _core.Tensor):
        return input._beside(src)._expand(index.shape)
    require_torch(where, src)
    if src.dtype != input.dtype:
        raise RuntimeError(
            f"[{where}] got src of {src.dtype} and input of {input.dtype}; they must "
            "have the same dtype."
        )
    if src.ndim != index.ndim or any(
        n > m for n, m in zip(index.shape, src.shape, strict=True)
    ):
        raise RuntimeError(
            f"[{where}] got src of shape {tuple(src.shape)} and an index of shape "
            f"{tuple(index.shape)}; src must have the same number of dimensions, and "
            "be at least as large in each."
        )
    for d, size in enumerate(index.shape):
        if src.shape[d] > size:
            src = src._slice(d, 0, size, 1)
    return src


def _scattered(
    where: str, put: Any, input: Tensor, dim: int, index: Any, src: Any
) -> Any:
    axis = as_dim(where, dim, input.ndim)
    _require_index(where, index)
    row, indices = as_row(input), as_row(index)
    _require_from_zero(where, index, row.shape[axis])
    values = _source(
        where, input, indices, as_row(src) if hasattr(src, "ndim") else src
    )
    return _base._reshape(put(row, axis, indices, values), input.shape)


@tensor_function
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
) -> Tensor:
    """Return a copy with `src`, or a number, written at `index` along `dim`.

    Of equal indices the last stays on `cpu`, any of them on `cuda`.

    Args:
        input: Any shape.
        dim: The dimension that the indices stand for.
        index: int64, of as many dimensions.
        src: A tensor at least as large as the index, or a number; also as `value`.

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
    result = _scattered("scatter", _base.scatter, input, dim, index, given)
    return name_step(
        result, f"ScatterBackward{int(not isinstance(given, _core.Tensor))}"
    )


@tensor_function
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return a copy with `src` added at `index` along `dim`.

    Kernel:
        `scatter.cu`, a thread per element of `src`, with atomic additions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2).scatter_add(0, torch.tensor([1, 1]), torch.ones(2))
        tensor([0., 2.])
    """
    require_torch("scatter_add", src)
    result = _scattered("scatter_add", _base.scatter_add, input, dim, index, src)
    return name_step(result, "ScatterAddBackward0")


def _require_mask(where: str, mask: Any) -> None:
    require_torch(where, mask)
    if mask.dtype != "bool":
        raise RuntimeError(
            f"[{where}] got a mask of {mask.dtype}; need torch.bool. Try .bool()."
        )


def _number_for(where: str, input: Tensor, value: Any) -> Any:
    """Convert a number or 0-d tensor to the dtype of `input`."""
    if isinstance(value, _core.Tensor):
        require_torch(where, value)
        if value.ndim:
            raise RuntimeError(
                f"[{where}] got a value of shape {tuple(value.shape)}; need a number "
                "or a 0-dimensional tensor."
            )
        return value._cast(input.dtype)._to_device(device_name_of(input))
    if isinstance(value, float) and not input.dtype.is_floating_point:
        if not np.isfinite(value):
            raise RuntimeError(
                f"[{where}] {value} cannot be represented in {input.dtype}."
            )
        value = int(value)
    return value if isinstance(value, int | float) else float(value)


@tensor_function
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return `value` where the mask is true, else `input`; both broadcast.

    Kernel:
        `where.cu`, a thread per element.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> x.masked_fill(x.gt(1), 0)
        tensor([1., 0.])
    """
    _require_mask("masked_fill", mask)
    filling = _number_for("masked_fill", input, value)
    result = functional.masked_fill(input, mask, filling)
    return name_step(result._cast(input.dtype), "MaskedFillBackward0")


def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Apply `masked_fill` in place."""
    return _base.copy_(input, masked_fill(input, mask, value))


METHODS |= {
    "masked_fill": masked_fill,
    "masked_fill_": masked_fill_,
}
