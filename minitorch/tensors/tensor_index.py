"""Indexing: `tensor[...]` and `tensor[...] = ...`.

NumPy's rules: integers, slices, Ellipsis and None make views; arrays of integers and of
truth values pick elements. `minitorch.tensors.tensor_methods` lists these functions.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor

Index = (
    Any  # int | slice | None | Ellipsis | array of integers or bools | tuple of them
)

_AT, _RANGE, _NEW = 0, 1, 2
_Part = tuple[int, int, int, int]
_INTEGERS = frozenset({int})  # not bool


@dataclass
class Plan:
    """A view, and the index arrays for some of its dimensions."""

    parts: list[_Part] = field(default_factory=list)
    dims: list[int] = field(default_factory=list)  # of the view, one for each array
    arrays: list[Tensor] = field(default_factory=list)
    integers: bool = True  # nothing but integers
    view_dims: int = 0


def _array_of(part: Any, t: Tensor) -> Tensor | None:
    """Return the part as a tensor of indices or truth values, or None."""
    if isinstance(part, np.ndarray | list | np.bool_):
        array = np.asarray(part)
        if array.size == 0 and array.dtype == np.float64:
            array = array.astype(np.int64)  # NumPy takes an empty list so, too
        if array.dtype.kind not in "iub":
            raise TypeError(
                f"[index] got an array of {array.dtype}; need integers or bools."
            )
        wanted = array if array.dtype.kind == "b" else array.astype(np.int64)
        part = _core.from_numpy(wanted)
    if not isinstance(part, Tensor):
        return None
    if part.dtype.is_floating_point:
        raise TypeError(
            f"[index] got a tensor of {part.dtype.name}; need integers or bools. For a "
            "mask, use the method of a comparison, as x.gt(0)."
        )
    return part if part.device == t.device else part._to_device(t.device)


def _uses(part: Any, array: Tensor | None) -> int:
    if part is None or part is Ellipsis:
        return 0
    return array.dims if array is not None and array.dtype == _core.bool_ else 1


def _position(part: Any, dim: int, size: int) -> int:
    if isinstance(part, bool):
        raise TypeError(
            f"[index] got {part}; need integers, slices, None, Ellipsis or arrays."
        )
    try:
        position = operator.index(part)
    except TypeError:
        raise TypeError(f"[index] got {part!r}; need an integer.") from None
    if not -size <= position < size:
        raise IndexError(
            f"[index] index {position} is out of range for dimension {dim} of size "
            f"{size}; need {-size} to {size - 1}."
        )
    return position % size


def _range(part: slice, size: int) -> _Part:
    for end in (part.start, part.stop, part.step):
        if end is not None and not hasattr(end, "__index__"):
            raise TypeError(f"[index] got {end!r}; need an integer.")
    if part.step is not None and operator.index(part.step) == 0:
        raise ValueError("[index] step must not be 0.")
    positions = range(size)[part]
    count = len(positions)
    # Steps are only walked where there are two elements, and may be huge otherwise.
    return (
        _RANGE,
        positions.start if count else 0,
        count,
        positions.step if count > 1 else 1,
    )


def plan_of(t: Tensor, index: Index, integers_select: bool = False) -> Plan:
    """Return the plan of an index.

    Args:
        t: The tensor.
        index: A part for each dimension, in a tuple if they are several.
        integers_select: Beside arrays an integer takes its slice first, as in PyTorch;
            else it is one of the arrays, as in NumPy.
    """
    key = index if isinstance(index, tuple) else (index,)
    if not any(isinstance(part, list | np.ndarray | np.bool_ | Tensor) for part in key):
        arrays: list[Tensor | None] = [None] * len(key)
    else:
        arrays = [_array_of(part, t) for part in key]
    used = sum(map(_uses, key, arrays))
    if used > t.dims:
        hint = " Try .item()." * (t.dims == 0)
        raise IndexError(
            f"[index] too many indices: got {used} for a tensor of shape "
            f"{tuple(t.shape)}; need at most {t.dims}.{hint}"
        )
    if sum(part is Ellipsis for part in key) > 1:
        raise IndexError("[index] got more than one Ellipsis; need at most one.")
    fancy = any(array is not None for array in arrays)
    plan, dim = Plan(integers=not fancy), 0
    for part, array in zip(key, arrays, strict=True):
        if array is not None:
            dim += _add_array(plan, t, dim, array)
        elif part is Ellipsis:
            for size in t.shape[dim : dim + t.dims - used]:
                _add_range(plan, (_RANGE, 0, size, 1))
            dim += t.dims - used
        elif part is None:
            _add_range(plan, (_NEW, 0, 1, 1))
        elif isinstance(part, slice):
            _add_range(plan, _range(part, t.shape[dim]))
            dim += 1
        else:
            position = _position(part, dim, t.shape[dim])
            if fancy and not integers_select:
                _pick(
                    plan, t.shape[dim], _core.full((), position, _core.int64, t.device)
                )
            else:
                plan.parts.append((_AT, position, 1, 1))
            dim += 1
    plan.view_dims += t.dims - dim
    return plan


def _add_range(plan: Plan, part: _Part) -> None:
    plan.parts.append(part)
    plan.integers = False
    plan.view_dims += 1


def _pick(plan: Plan, size: int, array: Tensor) -> None:
    plan.dims.append(plan.view_dims)
    plan.arrays.append(array)
    _add_range(plan, (_RANGE, 0, size, 1))


def _add_array(plan: Plan, t: Tensor, dim: int, array: Tensor) -> int:
    """Add an index array for `dim`, or a mask for as many dimensions as it has."""
    if array.dtype != _core.bool_:
        _pick(plan, t.shape[dim], array)
        return 1
    covered = t.shape[dim : dim + array.dims]
    if array.shape != covered:
        raise IndexError(
            f"[index] got a mask of shape {tuple(array.shape)} for dimensions of sizes "
            f"{covered}; they must be the same."
        )
    if array.dims == 0:
        raise IndexError(
            "[index] got a 0-dimensional mask; need at least one dimension."
        )
    indices = Tensor.nonzero(array)
    for i, size in enumerate(covered):
        _pick(
            plan,
            size,
            indices._index([(_RANGE, 0, indices.shape[0], 1), (_AT, i, 1, 1)]),
        )
    return array.dims


class Picked:
    """The view with the indexed dimensions joined in front, and the way back."""

    def __init__(self, view: Tensor, plan: Plan) -> None:
        sizes = [view.shape[d] for d in plan.dims]
        shape = np.broadcast_shapes(*(array.shape for array in plan.arrays))
        rest = [d for d in range(view.dims) if d not in plan.dims]
        self.order = plan.dims + rest
        self.moved_shape = tuple(view.shape[d] for d in self.order)
        rest_shape = tuple(view.shape[d] for d in rest)
        self.flat = view._permute(self.order)._reshape((math.prod(sizes), *rest_shape))
        self.at = self._linear(plan, sizes, shape)
        self.picked_shape = (*shape, *rest_shape)  # with the indices in front
        adjacent = plan.dims == list(range(plan.dims[0], plan.dims[-1] + 1))
        first = plan.dims[0] if adjacent else 0
        k = len(shape)
        front, back = range(k, k + first), range(k + first, k + len(rest))
        self.to_result = [*front, *range(k), *back]

    @staticmethod
    def _linear(plan: Plan, sizes: list[int], shape: tuple[int, ...]) -> Tensor:
        """Return the indices into the joined dimensions."""
        total: Any = None
        for array, size in zip(plan.arrays, sizes, strict=True):
            checked = array.detach()._checked_index(size)
            wrapped = checked + Tensor.lt(checked, 0)._cast(checked.dtype) * size
            total = wrapped if total is None else total * size + wrapped
        linear: Tensor = total._expand(shape)._reshape((math.prod(shape),))
        return linear

    def read(self) -> Tensor:
        rows = Tensor.index_select(self.flat, 0, self.at)
        return rows._reshape(self.picked_shape)._permute(self.to_result)

    def write(self, value: Tensor, adds: bool = False) -> Tensor:
        """Return the view with `value` written or added at the indices."""
        result_shape = tuple(self.picked_shape[d] for d in self.to_result)
        there = value._expand(result_shape)._permute(
            np.argsort(self.to_result).tolist()
        )
        n, rest = self.at.shape[0], self.flat.shape[1:]
        index = self.at._reshape((n, *[1] * len(rest)))._expand((n, *rest))
        put = Tensor.scatter_add if adds else Tensor.scatter
        new = put(self.flat, 0, index, there._reshape((n, *rest)))
        back = np.argsort(self.order).tolist()
        return new._reshape(self.moved_shape)._permute(back)


def _number(t: Tensor, parts: list[_Part]) -> Tensor | float:
    """Return an element: a tensor if its gradient is recorded, else a number."""
    element = t._element(parts)
    return t._index(parts).item() if element is None else element


def getitem(self: Tensor, index: Index) -> Tensor | float:
    """Return elements or parts, by NumPy's rules.

    Integers, slices with steps of either sign, Ellipsis and None make a view. Arrays of
    integers (tensors, NumPy arrays, lists; negative ones count from the end) and of
    truth values pick elements into a new tensor. Gradients go back to where the
    elements came from.

    Returns:
        A tensor; where every dimension has an integer, a number: a Python number, or,
        if a gradient is recorded, a tensor of shape () with memory of its own, which
        compares, formats and converts as a number does.

    Raises:
        IndexError: An index lies outside its dimension, there are too many, or a mask
            has another shape.
        TypeError: An index is of another kind, e.g. a tensor of floats.

    Kernel:
        `gather.cu` for arrays, a thread per element.

    Example:
        >>> import minitorch
        >>> t = minitorch.tensor([[1, 2, 3], [4, 5, 6]])
        >>> t[1, 2]
        6.0
        >>> x = minitorch.tensor([1.0, 3.0], requires_grad=True)
        >>> (x[1] * x[1]).backward()
        >>> x.grad.numpy()
        array([0., 6.])
        >>> t[:, ::-1].numpy()
        array([[3., 2., 1.],
               [6., 5., 4.]])
        >>> t[t.gt(4)].numpy()
        array([5., 6.])
    """
    plain = self._plain_view(index, False, True)  # the common case, without a plan
    if plain is not None:
        return plain
    if type(index) is int and self.ndim == 1:
        position = _position(index, 0, self.shape[0])
        return _number(self, [(_AT, position, 1, 1)])
    if (
        type(index) is tuple
        and len(index) == self.dims
        and _INTEGERS.issuperset(map(type, index))
    ):
        places = enumerate(zip(index, self.shape, strict=True))
        at_all = [(_AT, _position(i, d, size), 1, 1) for d, (i, size) in places]
        return _number(self, at_all)
    plan = plan_of(self, index)
    if plan.integers and plan.view_dims == 0 and not plan.arrays:
        return _number(self, plan.parts)
    view = self._index(plan.parts)
    return Picked(view, plan).read() if plan.arrays else view


def setitem(self: Tensor, index: Index, value: Any) -> None:
    """Writes numbers, arrays or tensors to what `self[index]` names, in place.

    The value is broadcast and converted. Of equal indices the last value stays on
    `cpu`; on `cuda` any of them.

    Raises:
        IndexError, TypeError: As for reading.
        ValueError: The value does not broadcast, or lives on another device.
        RuntimeError: The tensor is a leaf that collects a gradient.

    Kernel:
        `copy.cu` for views, `scatter.cu` for arrays.

    Example:
        >>> import minitorch
        >>> t = minitorch.zeros(2, 3)
        >>> t[:, 1] = 5
        >>> t[0, [0, 2]] = minitorch.tensor([1.0, 2.0])
        >>> t.numpy()
        array([[1., 5., 2.],
               [0., 5., 0.]])
    """
    plan = plan_of(self, index)
    view = self._index(plan.parts)
    given = _value_for(self, value)
    if plan.arrays:
        given = Picked(view, plan).write(given)
    view._assign_view(given)


def _value_for(t: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, int | float):
        if t.dtype.is_floating_point or isinstance(value, int):
            return t._beside(value)
        if not math.isfinite(value):
            raise ValueError(
                f"[setitem] {value} cannot be stored in a tensor of {t.dtype.name}."
            )
        return t._beside(int(value))
    result = _core.from_numpy(np.asarray(value))
    return result._to_device(t.device)
