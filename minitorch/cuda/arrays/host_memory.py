"""NumPy arrays in page-locked, mapped and managed memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ... import _core
from ..device.stream import StreamLike, on_stream
from ..tracebacks import learner_context, learner_frames
from .array_creation import as_form, strides_like
from .device_array import DeviceArray
from .layout import (
    Layout,
    Shape,
    Sizes,
    span,
)
from .lent_memory import LentMemory
from .page_lock import PageLock

if TYPE_CHECKING:
    from ..language.types import ArrayType

Array = npt.NDArray[Any]
_Kind = _core.HostMemoryKind


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

    @property
    def kernel_type(self) -> ArrayType:
        """Type of the array in the kernel language."""
        return self.as_device_array().kernel_type

    @property
    def kernel_key(self) -> int:
        """Key shared by arrays of one type and size class."""
        return self.as_device_array().kernel_key

    @property
    def kernel_bytes(self) -> bytes:
        """Kernel parameter in bytes: address, sizes, and strides in elements."""
        return self.as_device_array().kernel_bytes


def _array(
    shape: Shape,
    dtype: npt.DTypeLike,
    strides: Shape | None,
    order: str,
    kind: _core.HostMemoryKind,
    where: str,
) -> tuple[Array, _core.HostMemory]:
    sizes, steps, wanted = as_form(shape, dtype, strides, order, where)
    low, high = span(sizes, steps, wanted.itemsize)
    memory = _core.HostMemory(high - low, kind)
    array: Array = np.ndarray(sizes, wanted, cast(Any, memory), -low, steps)
    return array, memory


def _mapped(array: Array, memory: _core.HostMemory) -> MappedArray:
    mapped = array.view(MappedArray)
    mapped._memory = memory
    return mapped


@learner_frames
def pinned_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
    strides: Shape | None = None,
    order: str = "C",
) -> Array:
    """Return a NumPy array in page-locked memory, for asynchronous copies.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.
        strides: Bytes between neighbours along each dimension; None for no gaps.
        order: Without strides: "C" for rows, "F" for columns.

    Raises:
        OutOfMemoryError: There is not so much memory.
        ValueError: Negative sizes, or strides that do not fit.
        TypeError: A dtype that is no number.

    Example:
        >>> from minitorch import cuda
        >>> host = cuda.pinned_array(3)
        >>> host[:] = 1
        >>> cuda.to_device(host).copy_to_host()
        array([1., 1., 1.])
    """
    return _array(shape, dtype, strides, order, _Kind.page_locked, "pinned_array")[0]


@learner_frames
def pinned_array_like(ary: Any) -> Array:
    """Return a page-locked array with the shape, dtype and order of `ary`.

    Args:
        ary: A host or device array.

    Raises:
        TypeError: It is no array.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> cuda.pinned_array_like(np.zeros((2, 3), np.int8)).shape
        (2, 3)
    """
    strides = strides_like(ary, "pinned_array_like")
    return pinned_array(ary.shape, ary.dtype, strides)


@learner_frames
def mapped_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
    strides: Shape | None = None,
    order: str = "C",
    stream: StreamLike = 0,
    portable: bool = False,
    wc: bool = False,
) -> MappedArray:
    """Return a NumPy array in page-locked memory that kernels access directly.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.
        strides: Bytes between neighbours along each dimension; None for no gaps.
        order: Without strides: "C" for rows, "F" for columns.
        stream: Accepted as Numba does.
        portable: Accepted as Numba does: there is one context.
        wc: Memory that the host writes fast and reads slowly.

    Raises:
        OutOfMemoryError: There is not so much memory.
        ValueError: Negative sizes, or strides that do not fit.
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
    kind = _Kind.write_combined if wc else _Kind.page_locked
    with on_stream(stream, "mapped_array"):
        return _mapped(*_array(shape, dtype, strides, order, kind, "mapped_array"))


@learner_frames
def mapped_array_like(
    ary: Any, stream: StreamLike = 0, portable: bool = False, wc: bool = False
) -> MappedArray:
    """Return a mapped array with the shape, dtype and order of `ary`.

    Args:
        ary: A host or device array.
        stream: Accepted as Numba does.
        portable: Accepted as Numba does.
        wc: Memory that the host writes fast and reads slowly.

    Raises:
        TypeError: It is no array.
    """
    strides = strides_like(ary, "mapped_array_like")
    return mapped_array(ary.shape, ary.dtype, strides, "C", stream, portable, wc)


@learner_frames
def managed_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
    strides: Shape | None = None,
    order: str = "C",
    stream: StreamLike = 0,
    attach_global: bool = True,
) -> MappedArray:
    """Return a NumPy array in managed memory, which the driver migrates on access.

    Args:
        shape: A size or a sequence of sizes.
        dtype: Anything that `numpy.dtype` takes.
        strides: Bytes between neighbours along each dimension; None for no gaps.
        order: Without strides: "C" for rows, "F" for columns.
        stream: Accepted as Numba does.
        attach_global: Accepted as Numba does: every stream reaches it.

    Raises:
        OutOfMemoryError: There is not so much memory.
        ValueError: Negative sizes, or strides that do not fit.
        TypeError: A dtype that is no number.
    """
    with on_stream(stream, "managed_array"):
        parts = _array(shape, dtype, strides, order, _Kind.managed, "managed_array")
        return _mapped(*parts)


@contextmanager
def _locked(arrays: tuple[Array, ...], where: str) -> Iterator[list[PageLock]]:
    locks: list[PageLock] = []
    try:
        for array in arrays:
            locks.append(PageLock(array, where))
        yield locks
    finally:
        for lock in locks:
            lock.free()


@learner_context
def pinned(*arylist: Array) -> Iterator[None]:
    """Page-lock the memory of NumPy arrays within a `with` block.

    Args:
        arylist: The arrays; no two of them share memory.

    Raises:
        TypeError: One is no NumPy array.
        ValueError: One has no elements.
        CudaError: Some of the memory is page-locked already.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> host = np.ones(4)
        >>> with cuda.pinned(host):
        ...     x = cuda.to_device(host, stream=cuda.stream())
    """
    with _locked(arylist, "pinned"):
        yield


@learner_context
def mapped(
    *arylist: Array, stream: StreamLike = 0
) -> Iterator[DeviceArray | list[DeviceArray]]:
    """Map the memory of NumPy arrays for kernels within a `with` block.

    Args:
        arylist: The arrays; no two of them share memory.
        stream: Accepted as Numba does.

    Returns:
        The array as a device array on the same memory; a list of them for several.

    Raises:
        TypeError: One is no NumPy array.
        ValueError: One has no elements.
        CudaError: Some of the memory is page-locked already.
    """
    with _locked(arylist, "mapped") as locks, on_stream(stream, "mapped"):
        arrays = []
        for ary, lock in zip(arylist, locks, strict=True):
            low, _ = span(ary.shape, ary.strides, ary.itemsize)
            arrays.append(
                DeviceArray(Layout(-low, ary.shape, ary.strides), ary.dtype, lock)
            )
        yield arrays[0] if len(arrays) == 1 else arrays
