"""Owns arrays in device memory as Python sees them. Must not know kernels."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, NoReturn, SupportsIndex

import numpy as np
import numpy.typing as npt

from .. import _core
from .errors import CudaError, OutOfMemoryError

Array = npt.NDArray[Any]
Shape = SupportsIndex | Iterable[SupportsIndex]

_ADDRESSES = 2**48


def _as_shape(shape: Shape) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, SupportsIndex) else tuple(shape)
    result = tuple(operator.index(size) for size in sizes)
    if any(size < 0 for size in result):
        raise ValueError(f"[device_array] got shape {result}; need sizes of 0 or more.")
    return result


def _as_dtype(dtype: npt.DTypeLike, where: str) -> np.dtype[Any]:
    result = np.dtype(dtype)
    if result.hasobject:
        raise TypeError(f"[{where}] got dtype {result}; need numbers, not objects.")
    if not result.isnative:
        raise TypeError(
            f"[{where}] got dtype {result.str!r} of foreign byte order; need the "
            f"machine's. Try array.astype({result.newbyteorder('=').str!r})."
        )
    return result


def _bytes_of(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


class DeviceArray:
    """A C-contiguous array in device memory; made by `to_device` or `device_array`.

    Attributes:
        shape: tuple of sizes.
        dtype: NumPy's dtype.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        size = math.prod(shape) * dtype.itemsize
        if size > _ADDRESSES:
            raise OutOfMemoryError(
                f"[device_array] got shape {shape} of {dtype}: {size} bytes; need at "
                f"most {_ADDRESSES}, all that a device can address."
            )
        self._buffer = _core.DeviceBuffer(size)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def pointer(self) -> int:
        """The device address of the first element."""
        return self._buffer.pointer

    @property
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        return self._buffer.pointer, self.dtype.str, self._buffer.device_id

    def _need_live(self, where: str) -> None:
        if self._buffer.freed:
            raise CudaError(f"[{where}] the array was freed; need a live one.")

    def copy_to_host(self) -> Array:
        """Wait for the work queued so far, then copy to a new NumPy array.

        Returns:
            array of the same shape and dtype.

        Raises:
            KernelError: a kernel had a fault since the last synchronisation.
            CudaError: the array was freed.

        Example:
            >>> from minitorch import cuda
            >>> cuda.to_device([[1, 2], [3, 4]]).copy_to_host()
            array([[1, 2],
                   [3, 4]])
        """
        self._need_live("copy_to_host")
        result = np.empty(self.shape, self.dtype)
        self._buffer.copy_to_host(_bytes_of(result))
        return result

    def copy_to_device(self, source: npt.ArrayLike) -> None:
        """Replace the contents by those of a host array of the same shape and dtype.

        Raises:
            ValueError: another shape.
            TypeError: another dtype.
        """
        self._need_live("copy_to_device")
        array = np.asarray(source)
        if array.shape != self.shape:
            raise ValueError(
                f"[copy_to_device] got shape {array.shape}; need {self.shape}."
            )
        if array.dtype != self.dtype:
            raise TypeError(
                f"[copy_to_device] got {array.dtype}; need {self.dtype}. "
                f"Try array.astype('{self.dtype}')."
            )
        self._buffer.copy_from_host(_bytes_of(np.ascontiguousarray(array)))

    def free(self) -> None:
        """Give the memory back now; a kernel that uses it later is a use_after_free."""
        self._buffer.free()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("[len] got an array without dimensions; need one or more.")
        return self.shape[0]

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(
            "[numpy] got a device array; need host memory. Call .copy_to_host()."
        )

    def __repr__(self) -> str:
        state = ", freed" if self._buffer.freed else ""
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}{state})"


def device_array(shape: Shape, dtype: npt.DTypeLike = np.float64) -> DeviceArray:
    """Make an array in device memory that nobody has written yet.

    A kernel that reads it before writing has the fault `uninit_global`.

    Args:
        shape: a size or a sequence of sizes.
        dtype: anything that `numpy.dtype` takes.

    Returns:
        `DeviceArray` of that shape and dtype.

    Raises:
        OutOfMemoryError: the device has not enough memory.

    Example:
        >>> from minitorch import cuda
        >>> cuda.device_array((2, 3), "float32")
        DeviceArray(shape=(2, 3), dtype=float32)
    """
    return DeviceArray(_as_shape(shape), _as_dtype(dtype, "device_array"))


def to_device(array: npt.ArrayLike) -> DeviceArray:
    """Copy a host array (or nested list) to a new array in device memory.

    Args:
        array: anything that `numpy.asarray` takes.

    Returns:
        `DeviceArray` of the same shape and dtype, C-contiguous.

    Raises:
        OutOfMemoryError: the device has not enough memory.
        TypeError: a dtype that kernels cannot use.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> cuda.to_device(np.arange(3, dtype=np.float32)).copy_to_host()
        array([0., 1., 2.], dtype=float32)
    """
    if isinstance(array, DeviceArray):
        raise TypeError("[to_device] got a device array; need a host array.")
    host = np.asarray(array)
    result = DeviceArray(host.shape, _as_dtype(host.dtype, "to_device"))
    result.copy_to_device(host)
    return result
