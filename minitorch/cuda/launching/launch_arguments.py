"""Owns the arguments of a traced launch: which arrays they are, what these held before.

Must not know kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..arrays.array_copies import bytes_of
from ..arrays.device_array import DeviceArray
from ..arrays.layout import Sizes, span
from ..errors import CudaError
from .kernel_operands import Operand


@dataclass(frozen=True, eq=False)
class Argument:
    """One argument of a launch; each item of a tuple is one: `p[0]`, `p[1]`.

    Attributes:
        name: Of the kernel's parameter, "" where the code does not tell it.
        value: Of a number; None for an array.
        pointer: Address of an array's first element; 0 for a number.
        shape: An array's sizes.
        strides: Bytes between its neighbours along each dimension.
        dtype: An array's dtype; None for a number.
        before: What the array held as the kernel began; None for a number, and where
            the arrays of a run took too much memory.
    """

    name: str
    value: Any = None
    pointer: int = 0
    shape: Sizes = ()
    strides: Sizes = ()
    dtype: np.dtype[Any] | None = None
    before: NDArray[Any] | None = None

    @property
    def is_array(self) -> bool:
        """Is it an array, and no number?"""
        return self.dtype is not None


def arguments_of(
    names: Iterable[str], values: Sequence[Any], room: int
) -> tuple[Argument, ...]:
    """Read the arguments of a launch, and queue copies of its arrays.

    The copies are made on the current stream, before what is queued next; nothing
    waits for them, so that no fault of an earlier kernel comes up here.

    Args:
        names: Of the parameters.
        values: What a kernel takes: device arrays, tensors, numbers, tuples of them.
        room: Most bytes of all copies together.
    """
    found: list[Argument] = []
    for name, value in zip(names, values, strict=False):
        for part_name, part in _parts(name, value):
            argument = _argument(part_name, part, room)
            if argument.before is not None:
                room -= argument.before.nbytes
            found.append(argument)
    return tuple(found)


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, tuple):
        return [(name, value)]
    return [
        part
        for place, item in enumerate(value)
        for part in _parts(f"{name}[{place}]", item)
    ]


def _argument(name: str, value: Any, room: int) -> Argument:
    if isinstance(value, DeviceArray):
        place = value.pointer, value.shape, value.strides, value.dtype
    elif isinstance(value, Operand):
        steps = tuple(step * value.dtype.itemsize for step in value.steps)
        place = value.pointer, value.shape, steps, value.dtype
        value = value.source
    elif view := getattr(value, "__minitorch_device_view__", None):
        pointer, dtype, _, shape, strides = view
        place = pointer, tuple(shape), tuple(strides), np.dtype(dtype)
    else:
        return Argument(name, value)
    freed = isinstance(value, DeviceArray) and value._buffer.freed
    before = None if freed else _copied(*place, room)
    return Argument(name, None, *place, before)


def _copied(
    pointer: int, shape: Sizes, strides: Sizes, dtype: np.dtype[Any], room: int
) -> NDArray[Any] | None:
    """A copy of the stretch of memory that the array lies in, seen as the array is."""
    from ..arrays.host_memory import pinned_array

    low, high = span(shape, strides, dtype.itemsize)
    if high - low > room:
        return None
    whole = pinned_array(high - low, np.uint8)
    if whole.size:
        try:
            _core.queue_to_host(bytes_of(whole), pointer + low)
        except CudaError:  # no memory there: the launch says so
            return None
    seen: NDArray[Any] = np.ndarray(shape, dtype, whole.data, -low, strides)
    seen.setflags(write=False)
    return seen
