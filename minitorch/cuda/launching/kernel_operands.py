"""Owns the arguments of kernels made of expressions: where arrays lie, their broadcast
shape, and the arrays for results. Must not know the generated code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.array_creation import device_array
from .kernel_params import Dtype, Param, as_kernel_dtype

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """An array as kernels see it; its steps count elements."""

    source: Any
    pointer: int
    dtype: Dtype
    device: int
    shape: Sizes
    steps: Sizes

    @property
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        return self.pointer, self.dtype.str, self.device

    def at(self, shape: Sizes) -> Sizes:
        """The steps along the dimensions of a shape that it is broadcast to."""
        added = len(shape) - len(self.shape)
        own = zip(self.shape, self.steps, strict=True)
        return (0,) * added + tuple(0 if size == 1 else step for size, step in own)


def operand_of(value: Any, param: Param, where: str) -> Operand | None:
    """Read an array argument; None for a number.

    Raises:
        TypeError: neither an array in device memory nor a number.
    """
    if isinstance(value, np.generic | int | float | complex):
        if not param.out and not param.raw:
            return None
        role = "an output" if param.out else "raw"
        raise TypeError(
            f"[{where}] got the number {value!r} for {param.name!r}, which is {role}; "
            "need an array in device memory."
        )
    view = getattr(value, "__minitorch_device_view__", None)
    if view is not None:
        pointer, name, device, shape, strides = view
        dtype = as_kernel_dtype(name, where)
        steps = tuple(stride // dtype.itemsize for stride in strides)
        return Operand(value, pointer, dtype, device, tuple(shape), steps)
    hint = ""
    if isinstance(value, np.ndarray):
        hint = " Copy it to the device first: cuda.to_device(array)."
    elif hasattr(value, "device"):
        hint = ' Try .to("cuda").'
    raise TypeError(
        f"[{where}] got {type(value).__name__} for '{param.name}'; need an array in "
        f"device memory{'' if param.out else ' or a number'}.{hint}"
    )


def number_dtype(value: Any) -> Dtype | None:
    """The dtype that a number has where nothing else tells one; None for an array."""
    if isinstance(value, np.generic):
        return value.dtype
    for kind, name in ((bool, "?"), (int, "i8"), (float, "f8"), (complex, "c16")):
        if isinstance(value, kind):
            return np.dtype(name)
    return None


def number_as(value: Any, dtype: Dtype, param: Param, where: str) -> Any:
    """A number of the parameter's dtype.

    Raises:
        TypeError: of another kind: a float for an int, a complex number for a float.
        OverflowError: an int beyond the dtype.
    """
    own = number_dtype(value)
    assert own is not None
    if not np.can_cast(own, dtype, "same_kind") and dtype.kind != "u":
        raise TypeError(
            f"[{where}] got {value!r} for '{dtype} {param.name}'; need a number that "
            f"{dtype} holds."
        )
    if dtype.kind in "iu" and isinstance(value, int):
        bounds = np.iinfo(dtype)
        if not bounds.min <= value <= bounds.max:
            raise OverflowError(
                f"[{where}] got {value} for '{dtype} {param.name}'; need {bounds.min} "
                f"to {bounds.max}."
            )
    if dtype.kind == "u" and own.kind not in "biu":
        raise TypeError(
            f"[{where}] got {value!r} for '{dtype} {param.name}'; need an integer."
        )
    return dtype.type(value)


def common_shape(
    params: Sequence[Param], operands: Sequence[Operand | None], where: str
) -> Sizes | None:
    """The shape to which all arrays that are not raw are broadcast; None if none is.

    Raises:
        ValueError: the shapes do not go together, or an output is smaller.
    """
    each = [
        (param, operand)
        for param, operand in zip(params, operands, strict=True)
        if operand is not None and not param.raw
    ]
    if not each:
        return None
    try:
        shape = np.broadcast_shapes(*(operand.shape for _, operand in each))
    except ValueError:
        shapes = ", ".join(f"{param.name} {operand.shape}" for param, operand in each)
        raise ValueError(
            f"[{where}] got shapes {shapes}; need such as broadcast together."
        ) from None
    for param, operand in each:
        if param.out and operand.shape != shape:
            raise ValueError(
                f"[{where}] got output {param.name} of shape {operand.shape}; need "
                f"{shape}, that of all arguments together."
            )
    return shape


def new_array(operands: Sequence[Operand | None], shape: Sizes, dtype: Dtype) -> Any:
    """An array for a result, as the first argument makes them that makes its own."""
    for operand in operands:
        make = getattr(
            operand and operand.source, "__minitorch_new_device_array__", None
        )
        if make is not None:
            return make(shape, dtype.name)
    return device_array(shape, dtype)


def merged(shape: Sizes, steps: Sequence[Sizes]) -> tuple[Sizes, list[Sizes]]:
    """Join neighbouring dimensions along which every array steps evenly.

    Example:
        >>> merged((2, 3, 4), [(12, 4, 1), (4, 0, 1)])
        ((2, 3, 4), [(12, 4, 1), (4, 0, 1)])
        >>> merged((2, 3, 4), [(12, 4, 1), (24, 8, 2)])
        ((24,), [(1,), (2,)])
    """
    sizes: list[int] = []
    columns: list[list[int]] = []  # of each dimension, the step of each array
    for size, *column in zip(shape, *steps, strict=True):
        if size == 1:
            continue
        if columns and all(
            outer == inner * size
            for outer, inner in zip(columns[-1], column, strict=True)
        ):
            sizes[-1] *= size
            columns[-1] = column
        else:
            sizes.append(size)
            columns.append(column)
    return tuple(sizes), [
        tuple(column[k] for column in columns) for k in range(len(steps))
    ]


def is_flat(shape: Sizes, steps: Sequence[Sizes]) -> bool:
    """Do all arrays lie without gaps in the order of the elements?"""
    return not shape or (len(shape) == 1 and all(step == (1,) for step in steps))


def element_count(shape: Sizes) -> int:
    """The number of elements of a shape."""
    return math.prod(shape)
