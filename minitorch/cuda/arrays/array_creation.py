"""Create device arrays: uninitialized, like another one, or from host data."""

from __future__ import annotations

import math
from typing import Any

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
)

_ADDRESSES = 2**48


def _allocate(shape: Sizes, strides: Sizes, dtype: np.dtype[Any]) -> DeviceArray:
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes > _ADDRESSES:
        raise OutOfMemoryError(
            f"[device_array] shape {shape} of {dtype} takes {nbytes} bytes; a device "
            f"can address at most {_ADDRESSES}."
        )
    return DeviceArray(Layout(0, shape, strides), dtype, _core.DeviceBuffer(nbytes))


@learner_frames
def device_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
    order: str = "C",
    stream: StreamLike = 0,
) -> DeviceArray:
    """Return an uninitialized array in device memory.

    A kernel that reads it before writing has the fault `uninit_global`.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.
        order: "C" for rows, "F" for columns.
        stream: On which it is used first.

    Returns:
        `DeviceArray` of that shape and dtype.

    Raises:
        OutOfMemoryError: The device has not enough memory.
        ValueError: Negative sizes, or another order.
        TypeError: A dtype that is no number.

    Example:
        >>> from minitorch import cuda
        >>> cuda.device_array((2, 3), "float32").shape
        (2, 3)
        >>> cuda.device_array((2, 3), "float32", order="F").strides
        (4, 8)
    """
    where = "device_array"
    sizes, kind = as_sizes(shape, where), as_dtype(dtype, where)
    strides = contiguous_strides(sizes, kind.itemsize, as_order(order, where))
    with on_stream(stream, where):
        return _allocate(sizes, strides, kind)


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
    if not isinstance(ary, np.ndarray | DeviceArray):
        raise TypeError(
            f"[device_array_like] got {type(ary).__name__}; need a NumPy or device "
            "array."
        )
    strides, step = [0] * ary.ndim, ary.dtype.itemsize
    backwards = range(ary.ndim - 1, -1, -1)
    for dim in sorted(backwards, key=lambda axis: abs(ary.strides[axis])):
        strides[dim] = step
        step *= max(ary.shape[dim], 1)
    with on_stream(stream, "device_array_like"):
        return _allocate(ary.shape, tuple(strides), ary.dtype)


@learner_frames
def to_device(obj: Any, stream: StreamLike = 0) -> DeviceArray:
    """Copy a host array (or nested list) to device memory.

    Args:
        obj: Anything that `numpy.asarray` takes; a device array is returned as it is.
        stream: Where to queue the copy.

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
    if isinstance(obj, DeviceArray):
        return obj
    source = np.asarray(obj)
    dtype = as_dtype(source.dtype, "to_device")
    columns = source.flags["F_CONTIGUOUS"] and not source.flags["C_CONTIGUOUS"]
    order = "F" if columns else "C"
    strides = contiguous_strides(source.shape, dtype.itemsize, order)
    with on_stream(stream, "to_device"):
        result = _allocate(source.shape, strides, dtype)
        result.copy_to_device(source, stream)
    return result
