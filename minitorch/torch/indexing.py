"""Indexing with PyTorch's meaning: `x[...]`, nonzero.

`x[...]` makes views of integers, slices, None and Ellipsis: of integers alone a tensor
without dimensions. What an index means is `tensors.tensor_index`'s, with PyTorch's rule
that integers beside tensors take their slice first.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _core
from ..tensors import tensor_index
from .arguments import device_name_of, require_torch
from .reduce import name_step
from .tensor import METHODS, Tensor

__all__ = ["argwhere", "nonzero"]

_base: Any = _core.Tensor
_LIST_IS_TUPLE = 32  # PyTorch's rule, as NumPy's once was
_SIMPLE = frozenset({int, slice, type(None), type(Ellipsis)})


def _part(part: Any) -> Any:
    """Convert one part of an index to a form that the core takes."""
    if type(part) in _SIMPLE:
        return part
    if isinstance(part, _core.Tensor):
        return _tensor_part(part)
    if isinstance(part, bool | np.bool_):
        raise IndexError(
            f"[index] {part} cannot be combined with other indices; use it alone, or "
            "use a tensor of bools."
        )
    if isinstance(part, list | tuple | range):
        return _list_part(part)
    if isinstance(part, float | str):
        raise IndexError(
            f"[index] got {part!r}; need integers, slices, None, Ellipsis or tensors "
            "of integers or bools."
        )
    return part


def _tensor_part(part: Any) -> Any:
    require_torch("index", part)
    if part.dtype.is_floating_point:
        raise IndexError(
            f"[index] got a tensor of {part.dtype}; need integers or bools. Try "
            ".long()."
        )
    if part.dtype.name == "uint8":
        return part._cast(_core.bool_)
    is_integer = part.dtype.name != "bool"
    return int(part.item()) if is_integer and part.ndim == 0 else part


def _list_part(part: Any) -> Any:
    rows = [
        element.tolist() if isinstance(element, Tensor) else element for element in part
    ]
    try:
        array = np.array(rows)
    except ValueError:
        raise ValueError(
            "[index] the index lists have different lengths; need equal lengths."
        ) from None
    if array.dtype.kind not in "biu" and array.size:
        raise TypeError(f"[index] got a list of {array.dtype}; need integers or bools.")
    return array if array.size else array.astype(np.int64)


def _single_truth(index: Any) -> bool | None:
    """Return the truth value if it is the whole index, else None."""
    if isinstance(index, bool | np.bool_):
        return bool(index)
    if isinstance(index, _core.Tensor) and index.ndim == 0 and index.dtype == "bool":
        require_torch("index", index)
        return bool(index._item())
    return None


def _masked_view(input: Any, truth: bool) -> Any:
    """Return `x[True]` (a new dimension of size 1) or `x[False]` (of size 0)."""
    return _base.unsqueeze(input, 0)._slice(0, 0, int(truth), 1)


def _parts(index: Any) -> tuple[Any, ...]:
    """Return the parts of an index; a short list with non-numbers counts as a tuple."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and len(index) < _LIST_IS_TUPLE:
        kinds = (list, tuple, slice, type(None), type(Ellipsis), _core.Tensor)
        if any(isinstance(part, kinds) for part in index):
            return tuple(index)
    return (index,)


def _planned(input: Tensor, index: Any) -> tensor_index.Plan:
    key = _parts(index)
    for part in key:
        if isinstance(part, slice) and part.step is not None:
            step = operator.index(part.step) if hasattr(part.step, "__index__") else 1
            if step <= 0:
                raise ValueError(
                    f"[index] got step {step}; need at least 1. Try .flip(...)."
                )
    plain = tuple(map(_part, key))
    return tensor_index.plan_of(input, plain, integers_select=True)


def _picked(view: Any, plan: tensor_index.Plan) -> tensor_index.Picked:
    try:
        return tensor_index.Picked(view, plan)
    except ValueError as error:
        shapes = [tuple(array.shape) for array in plan.arrays]
        raise IndexError(
            f"[index] index shapes {shapes} cannot be broadcast."
        ) from error


def getitem(input: Tensor, index: Any) -> Any:
    """Return elements or views: `x[0]`, `x[1:, None]`, `x[x > 0]`, `x[[0, 2]]`.

    Integers, slices, Ellipsis and None make a view; of integers for all dimensions it
    is a tensor of shape (). Tensors, arrays and lists of integers or bools pick
    elements. Gradients go back to where the elements came from.

    Raises:
        IndexError: An index lies outside its dimension, there are too many, a mask has
            another shape, or an index is of another kind.
        ValueError: A slice has a step below 1.

    Kernel:
        `gather.cu` for tensors, a thread per element.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x[1, 2]
        tensor(6)
        >>> x[:, [0, 2]]
        tensor([[1, 3],
                [4, 6]])
        >>> x[x.gt(4)]
        tensor([5, 6])
    """
    view: Any = input._plain_view(index, True, False)  # the common case, planned in C++
    if view is not None:
        return name_step(view, _name_of_view(index)) if view.requires_grad else view
    truth = _single_truth(index)
    if truth is not None:
        return _masked_view(input, truth)
    plan = _planned(input, index)
    view = input._index(plan.parts)
    if plan.arrays:
        return name_step(_picked(view, plan).read(), "IndexBackward0")
    return name_step(view, _name_of_view(index)) if view.requires_grad else view


def _name_of_view(index: Any) -> str:
    """Return the name of PyTorch's last step for a view."""
    last = index[-1] if isinstance(index, tuple) and index else index
    if last is None:
        return "UnsqueezeBackward0"
    return "SelectBackward0" if isinstance(last, int) else "SliceBackward0"


def _value(input: Tensor, value: Any) -> Any:
    """Convert the value to write to a tensor that the core takes."""
    if isinstance(value, _core.Tensor):  # the core refuses one of another dialect
        if value.ndim == 0 and value.device != input.device:
            return value._to_device(device_name_of(input))
        return value
    if isinstance(value, bool | int | float | np.generic):
        number = value.item() if isinstance(value, np.generic) else value
        if isinstance(number, float) and not input.dtype.is_floating_point:
            number = int(number) if np.isfinite(number) else 0
        return input._beside(number)
    raise TypeError(
        f"[setitem] got a {type(value).__name__}; need a number or a torch.Tensor. Try "
        "torch.tensor(...)."
    )


def _trim_dims(value: Any, ndim: int) -> Any:
    """Drop leading dimensions of size 1 beyond `ndim`."""
    while value.ndim > ndim and value.shape[0] == 1:
        value = _base.squeeze(value, 0)
    return value


def setitem(input: Tensor, index: Any, value: Any) -> None:
    """Write a number or a tensor to `x[index]`, in place.

    The value is broadcast and converted. Of equal indices the last value stays on
    `cpu`; on `cuda` any of them.

    Raises:
        IndexError, ValueError: As for reading.
        TypeError: The value is neither a number nor a tensor.
        RuntimeError: It does not broadcast, or the tensor is a leaf that collects a
            gradient.

    Kernel:
        `copy.cu` for views, `scatter.cu` for tensors.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.zeros(2, 3)
        >>> x[:, 1] = 5
        >>> x
        tensor([[0., 5., 0.],
                [0., 5., 0.]])
    """
    given = _value(input, value)
    truth = _single_truth(index)
    if truth is not None:
        if truth:
            input._assign_view(_trim_dims(given, input.ndim))
        return
    if _is_whole_mask(input, index) and given.ndim == 0:
        input._assign_view(index._where(given._cast(input.dtype), input))
        return
    plan = _planned(input, index)
    view: Any = input._index(plan.parts)
    if not plan.arrays:
        view._assign_view(_trim_dims(given, view.ndim))
        return
    selection = _picked(view, plan)
    view._assign_view(selection.write(_require_broadcast(given, selection)))


def _is_whole_mask(input: Tensor, index: Any) -> bool:
    return (
        isinstance(index, Tensor)
        and index.dtype == "bool"
        and index.shape == input.shape
        and index.device == input.device
    )


def _require_broadcast(value: Any, selection: tensor_index.Picked) -> Any:
    """Check that a value broadcasts to the picked elements; return it."""
    value = _trim_dims(value, len(selection.picked_shape))
    shape = tuple(selection.picked_shape[d] for d in selection.to_result)
    try:
        np.broadcast_to(np.empty(value.shape, np.bool_), shape)
    except ValueError:
        raise RuntimeError(
            f"[setitem] a value of shape {tuple(value.shape)} cannot be broadcast to "
            f"the selected elements of shape {shape}."
        ) from None
    return value


def as_row(input: Any) -> Any:
    """Return a 0-d tensor as a 1-d tensor with one element."""
    return input if input.ndim else _base._reshape(input, (1,))


def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """Return the coordinates of nonzero elements: (count, dims) of int64.

    Args:
        input: Any shape.
        as_tuple: One tensor (count,) a dimension instead.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nonzero(torch.tensor([0, 3, 4]))
        tensor([[1],
                [2]])
    """
    require_torch("nonzero", input)
    if not as_tuple:
        return _base.nonzero(input)
    coordinates = _base.nonzero(as_row(input))
    return tuple(
        coordinates._index([(1, 0, coordinates.shape[0], 1), (0, d, 1, 1)])
        for d in range(coordinates.shape[1])
    )


def argwhere(input: Tensor) -> Tensor:
    """Return `nonzero` as one tensor (count, dims).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([0, 5, 6]).argwhere()
        tensor([[1],
                [2]])
    """
    return nonzero(input)


METHODS |= {
    "__getitem__": getitem,
    "__setitem__": setitem,
    "argwhere": argwhere,
    "nonzero": nonzero,
}
