"""Create device arrays: uninitialized, like another one, or from host data."""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ... import _core
from ..device.stream import StreamLike, on_stream
from ..errors import OutOfMemoryError
from ..tracebacks import learner_frames
from .device_array import DeviceArray
from .layout import (
    Layout,
    Shape,
    Sizes,
    as_dtype,
    as_order,
    as_sizes,
    contiguous_strides,
    span,
)

_ADDRESSES = 2**48


def _allocate(shape: Sizes, strides: Sizes, dtype: np.dtype[Any]) -> DeviceArray:
    low, high = span(shape, strides, dtype.itemsize)
    if high - low > _ADDRESSES:
        raise OutOfMemoryError(
            f"[device_array] shape {shape} of {dtype} takes {high - low} bytes; a "
            f"device can address at most {_ADDRESSES}."
        )
    memory = _core.DeviceBuffer(high - low)
    return DeviceArray(Layout(-low, shape, strides), dtype, memory)


@learner_frames
def device_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
    strides: Shape | None = None,
    order: str = "C",
    stream: StreamLike = 0,
) -> DeviceArray:
    """Return an uninitialized array in device memory.

    A kernel that reads it before writing has the fault `uninit_global`.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.
        strides: Bytes between neighbours along each dimension; None for no gaps.
        order: Without strides: "C" for rows, "F" for columns.
        stream: On which it is used first.

    Returns:
        `DeviceArray` of that shape and dtype.

    Raises:
        OutOfMemoryError: The device has not enough memory.
        ValueError: Negative sizes, or strides that do not fit.
        TypeError: A dtype that is no number.

    Example:
        >>> from minitorch import cuda
        >>> cuda.device_array((2, 3), "float32").shape
        (2, 3)
        >>> cuda.device_array((2, 3), "float32", order="F").strides
        (4, 8)
    """
    form = as_form(shape, dtype, strides, order, "device_array")
    with on_stream(stream, "device_array"):
        return _allocate(*form)


def as_form(
    shape: Shape, dtype: npt.DTypeLike, strides: Shape | None, order: str, where: str
) -> tuple[Sizes, Sizes, np.dtype[Any]]:
    """Return shape, byte strides and dtype; ValueError if they do not go together."""
    sizes, kind = as_sizes(shape, where), as_dtype(dtype, where)
    order, itemsize = as_order(order, where), kind.itemsize
    if strides is None:
        return sizes, contiguous_strides(sizes, itemsize, order), kind
    given = (strides,) if isinstance(strides, SupportsIndex) else tuple(strides)
    steps = tuple(operator.index(step) for step in given)
    if len(steps) != len(sizes) or any(itemsize and step % itemsize for step in steps):
        raise ValueError(
            f"[{where}] got strides {steps} for shape {sizes}; need one stride for "
            f"each dimension, in bytes, a multiple of the item size {itemsize}."
        )
    return sizes, steps, kind


@learner_frames
def device_array_like(ary: Any, stream: StreamLike = 0) -> DeviceArray:
    """Return an uninitialized device array with the shape, dtype and order of `ary`.

    Args:
        ary: A host or device array.
        stream: On which it is used first.

    Raises:
        TypeError: `ary` is no array.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> cuda.device_array_like(np.zeros((2, 3), np.int32).T).strides
        (4, 12)
    """
    strides = strides_like(ary, "device_array_like")
    return device_array(ary.shape, ary.dtype, strides, stream=stream)


def strides_like(ary: Any, where: str) -> Sizes:
    """Return contiguous strides in the axis order of `ary`."""
    if not isinstance(ary, np.ndarray | DeviceArray):
        raise TypeError(
            f"[{where}] got {type(ary).__name__}; need a NumPy or device array."
        )
    itemsize = ary.dtype.itemsize
    if ary.flags["C_CONTIGUOUS"]:
        return contiguous_strides(ary.shape, itemsize)
    strides, step = [0] * ary.ndim, itemsize
    backwards = range(ary.ndim - 1, -1, -1)
    for dim in sorted(backwards, key=lambda axis: abs(ary.strides[axis])):
        strides[dim] = step
        step *= max(ary.shape[dim], 1)
    return tuple(strides)


@learner_frames
def to_device(
    obj: Any, stream: StreamLike = 0, copy: bool = True, to: DeviceArray | None = None
) -> DeviceArray:
    """Copy a host array (or nested list) to device memory.

    Args:
        obj: Anything that `numpy.asarray` takes; a device array is returned as it is.
        stream: Where to queue the copy.
        copy: False makes the array and leaves it unwritten.
        to: An array of the same shape and dtype to write, instead of a new one.

    Returns:
        `DeviceArray` of the same shape and dtype, in the same order where `obj` has no
        gaps, else in row order.

    Raises:
        OutOfMemoryError: The device has not enough memory.
        TypeError: A dtype that kernels cannot use.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> cuda.to_device(np.arange(3, dtype=np.float32)).copy_to_host()
        array([0., 1., 2.], dtype=float32)
    """
    if to is not None and not isinstance(to, DeviceArray):
        raise TypeError(f"[to_device] got to={to!r}; need a DeviceArray or None.")
    if isinstance(obj, DeviceArray) and to is None:
        return obj
    source = obj if isinstance(obj, DeviceArray) else np.asarray(obj)
    with on_stream(stream, "to_device"):
        if to is None:
            dtype = as_dtype(source.dtype, "to_device")
            columns = source.flags["F_CONTIGUOUS"] and not source.flags["C_CONTIGUOUS"]
            order = "F" if columns else "C"
            strides = contiguous_strides(source.shape, dtype.itemsize, order)
            to = _allocate(source.shape, strides, dtype)
        if copy:
            to.copy_to_device(source, stream)
    return to
