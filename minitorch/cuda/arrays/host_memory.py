"""NumPy arrays in page-locked memory, which the device copies or accesses itself."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ... import _core
from ..tracebacks import learner_frames
from .device_array import DeviceArray
from .layout import Layout, Shape, Sizes, as_dtype, as_sizes
from .lent_memory import LentMemory

Array = npt.NDArray[Any]


class MappedArray(np.ndarray[Any, np.dtype[Any]]):
    """NumPy array in host memory that kernels can access; see `mapped_array`.

    Views of it are such arrays, too; copies are ordinary arrays as far as kernels go.
    Synchronise before reading what a kernel wrote.
    """

    _memory: _core.HostMemory | None

    def __array_finalize__(self, obj: Any) -> None:
        self._memory = getattr(obj, "_memory", None)

    @property
    @learner_frames
    def pointer(self) -> int:
        """Device address of the first element.

        Raises:
            AttributeError: This is a copy, whose memory only the host reaches.
        """
        address: int = self.__array_interface__["data"][0]
        memory = self._memory
        inside = memory is not None and (
            0 <= address - memory.address <= memory.nbytes - self.itemsize
        )
        if memory is None or not (inside or self.size == 0):
            raise AttributeError(
                "[mapped_array] this is a copy of a mapped array, so the device "
                "cannot access it. Use a view of the mapped array."
            )
        return memory.pointer + address - memory.address

    @learner_frames
    def as_device_array(self) -> DeviceArray:
        """Return a device array that shares the memory.

        Raises:
            AttributeError: This is a copy, whose memory only the host reaches.
        """
        pointer = self.pointer
        assert self._memory is not None  # else `pointer` raised
        lent = LentMemory(pointer, self._memory.device_id, self._memory)
        return DeviceArray(Layout(0, self.shape, self.strides), self.dtype, lent)

    @property
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        return self.as_device_array().__minitorch_device_array__

    @property
    def __minitorch_device_view__(self) -> tuple[int, str, int, Sizes, Sizes]:
        return self.as_device_array().__minitorch_device_view__


@learner_frames
def pinned_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
) -> Array:
    """Return a NumPy array in page-locked memory, for asynchronous copies.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.

    Raises:
        OutOfMemoryError: There is not so much memory.
        ValueError: Negative sizes.
        TypeError: A dtype that is no number.

    Example:
        >>> from minitorch import cuda
        >>> host = cuda.pinned_array(3)
        >>> host[:] = 1
        >>> cuda.to_device(host).copy_to_host()
        array([1., 1., 1.])
    """
    sizes, kind = as_sizes(shape, "host memory"), as_dtype(dtype, "host memory")
    nbytes = math.prod(sizes) * kind.itemsize
    memory = _core.HostMemory(nbytes, _core.HostMemoryKind.page_locked)
    return np.ndarray(sizes, kind, cast(Any, memory))


@learner_frames
def mapped_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
) -> MappedArray:
    """Return a NumPy array in page-locked memory that kernels access directly.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.

    Raises:
        OutOfMemoryError: There is not so much memory.
        ValueError: Negative sizes.
        TypeError: A dtype that is no number.

    Example:
        >>> from minitorch import cuda
        >>> k = cuda.RawKernel("__global__ void k(float* x) { x[0] = 4; }", "k")
        >>> shared = cuda.mapped_array(1, "float32")
        >>> k[1, 1](shared)
        >>> cuda.synchronize()
        >>> float(shared[0])
        4.0
    """
    array = pinned_array(shape, dtype)
    mapped = array.view(MappedArray)
    mapped._memory = cast(Any, array.base)
    return mapped
