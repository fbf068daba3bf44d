"""Base class of device arrays: layout in memory, and views."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from ..errors import CudaError
from ..tracebacks import learner_frames
from .array_copies import StridedMemory
from .layout import (
    Layout,
    Shape,
    Sizes,
    as_axes,
    as_dtype,
    as_order,
    as_sizes,
    infer_shape,
    is_contiguous,
    permuted,
    reshaped,
)

if TYPE_CHECKING:
    from ..language.types import ArrayType


#: Elements that give work to all multiprocessors of a large GPU: 128 blocks of 256.
LARGE = 128 * 256
#: The `kernel_key` of an array that no kernel takes.
UNKNOWN = 0


class Memory(Protocol):
    """Device memory that backs an array."""

    @property
    def pointer(self) -> int:
        """Device address."""

    @property
    def freed(self) -> bool:
        """Whether the memory was freed."""

    @property
    def device_id(self) -> int:
        """Number of the open driver that the memory belongs to."""

    def free(self) -> None:
        """Free the memory now."""


class StridedArray:
    """Strided elements of one dtype in device memory.

    Attributes:
        shape: Tuple of sizes.
        strides: Bytes between neighbours along each dimension.
        dtype: NumPy's dtype.
    """

    def __init__(self, layout: Layout, dtype: np.dtype[Any], memory: Memory) -> None:
        self._offset, self.shape, self.strides = layout
        self.dtype = dtype
        self._buffer = memory

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Number of bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def pointer(self) -> int:
        """Device address of the first element."""
        return self._buffer.pointer + self._offset

    @property
    def flags(self) -> dict[str, bool]:
        """NumPy's flags C_CONTIGUOUS and F_CONTIGUOUS."""
        return {
            "C_CONTIGUOUS": self.is_c_contiguous(),
            "F_CONTIGUOUS": self.is_f_contiguous(),
        }

    def is_c_contiguous(self) -> bool:
        """Return whether the elements lie in row order without gaps."""
        return is_contiguous(self.shape, self.strides, self.itemsize, "C")

    def is_f_contiguous(self) -> bool:
        """Return whether the elements lie in column order without gaps."""
        return is_contiguous(self.shape, self.strides, self.itemsize, "F")

    @property
    @learner_frames
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        if not self.is_c_contiguous():
            raise ValueError(
                f"[cuda] got an array of shape {self.shape} with strides "
                f"{self.strides}; a kernel in CUDA C++ needs one whose rows lie "
                "without gaps. Try array.reshape(-1), or array.T of a transposed one."
            )
        return self.pointer, self.dtype.str, self._buffer.device_id

    @property
    def __minitorch_device_view__(self) -> tuple[int, str, int, Sizes, Sizes]:
        name, device = self.dtype.name, self._buffer.device_id
        return self.pointer, name, device, self.shape, self.strides

    @cached_property
    def kernel_type(self) -> ArrayType:
        """Type of the array in the kernel language.

        Raises:
            TypeError: Kernels know no such numbers.
        """
        from .array_types import array_type

        return array_type(self.shape, self.strides, self.dtype)

    @cached_property
    def kernel_key(self) -> int:
        """Key shared by arrays of one type and size class: negative for large ones.

        It is the type's id, so that the type has to be kept; `UNKNOWN` where kernels
        know no such numbers.
        """
        try:
            key = id(self.kernel_type)
        except TypeError:  # what checks the arguments of a launch says which it is
            return UNKNOWN
        return -key if self.size >= LARGE else key

    @cached_property
    def kernel_bytes(self) -> bytes:
        """Kernel parameter in bytes: address, sizes, and strides in elements."""
        from .array_types import parameter_form

        pack, numbers = parameter_form(self.shape, self.strides, self.dtype)
        return pack(self.pointer, *numbers)

    def _memory_region(self, where: str) -> StridedMemory:
        if self._buffer.freed:
            raise CudaError(f"[{where}] the array was freed; need a live one.")
        return StridedMemory(self.pointer, self.shape, self.strides, self.itemsize)

    @property
    def _layout(self) -> Layout:
        return Layout(self._offset, self.shape, self.strides)

    def _view(self, layout: Layout, dtype: np.dtype[Any] | None = None) -> Self:
        """Return an array on the same memory."""
        view = object.__new__(type(self))
        StridedArray.__init__(view, layout, dtype or self.dtype, self._buffer)
        return view

    def _strided(self, shape: Sizes, strides: Sizes) -> Self:
        return self._view(Layout(self._offset, shape, strides))

    @property
    def T(self) -> Self:
        """View with the dimensions in reverse order."""
        return self.transpose()

    @learner_frames
    def transpose(self, axes: Iterable[SupportsIndex] | None = None) -> Self:
        """Return a view with the dimensions permuted.

        Args:
            axes: The order; None reverses it.

        Raises:
            ValueError: `axes` are not the dimensions, each once.

        Example:
            >>> from minitorch import cuda
            >>> cuda.device_array((2, 3, 4)).transpose((1, 0, 2)).shape
            (3, 2, 4)
        """
        return self._strided(*permuted(self.shape, self.strides, axes))

    def _as_shape(self, shape: tuple[Any, ...], order: object) -> Self | None:
        """Return a view of that shape; None if only a copy could have it."""
        first = shape[0] if len(shape) == 1 else shape
        sizes = infer_shape(as_sizes(first, "reshape", least=-1), self.size)
        order = as_order(order, "reshape")
        strides = reshaped(self.shape, self.strides, self.itemsize, sizes, order)
        return None if strides is None else self._strided(sizes, strides)

    @learner_frames
    def squeeze(self, axis: Shape | None = None, stream: object = 0) -> Self:
        """Return a view without dimensions of size 1.

        Args:
            axis: A dimension or a tuple of them; None for all of size 1.
            stream: Not needed; accepted as Numba does.

        Raises:
            ValueError: A dimension of another size.
            IndexError: There is no such dimension.

        Example:
            >>> from minitorch import cuda
            >>> cuda.device_array((1, 3, 1)).squeeze(axis=0).shape
            (3, 1)
        """
        ones = [dim for dim, size in enumerate(self.shape) if size == 1]
        gone = ones if axis is None else as_axes(axis, self.ndim, "squeeze")
        if not set(gone) <= set(ones):
            raise ValueError(
                f"[squeeze] got axis {axis} of shape {self.shape}; need sizes of 1."
            )
        kept = [dim for dim in range(self.ndim) if dim not in gone]
        return self._strided(
            tuple(self.shape[dim] for dim in kept),
            tuple(self.strides[dim] for dim in kept),
        )

    @learner_frames
    def view(self, dtype: npt.DTypeLike) -> Self:
        """Return the memory as elements of another dtype.

        Args:
            dtype: Of another size only where the last dimension has no gaps.

        Raises:
            ValueError: The last dimension does not hold whole elements.

        Example:
            >>> from minitorch import cuda
            >>> cuda.to_device([1.0]).view("int64").copy_to_host().item() == 0x3FF << 52
            True
        """
        new, size = as_dtype(dtype, "view"), self.itemsize
        if new.itemsize == size:
            return self._view(self._layout, new)
        if not self.shape or self.strides[-1] != size or new.itemsize == 0:
            raise ValueError(
                f"[view] got {new} for {self.dtype} of shape {self.shape} with strides "
                f"{self.strides}; need the same size, or a last dimension without gaps."
            )
        count, rest = divmod(self.shape[-1] * size, new.itemsize)
        if rest or any(step % new.itemsize for step in self.strides[:-1]):
            raise ValueError(
                f"[view] got {new} for rows of {self.shape[-1]} elements of "
                f"{self.dtype}; need rows of whole elements."
            )
        shape = (*self.shape[:-1], count)
        strides = (*self.strides[:-1], new.itemsize)
        return self._view(Layout(self._offset, shape, strides), new)

    @learner_frames
    def split(self, section: SupportsIndex, stream: object = 0) -> Iterator[Self]:
        """Return views of `section` elements each; the last may have fewer.

        Args:
            section: Elements of a part, 1 or more.
            stream: Not needed; accepted as Numba does.

        Raises:
            ValueError: The array has not one dimension, or `section` is below 1.

        Example:
            >>> from minitorch import cuda
            >>> [part.size for part in cuda.device_array(5).split(2)]
            [2, 2, 1]
        """
        (length,) = as_sizes(section, "split", least=1)
        if self.ndim != 1:
            raise ValueError(f"[split] got shape {self.shape}; need one dimension.")
        (step,) = self.strides
        return (
            self._view(
                Layout(
                    self._offset + start * step,
                    (min(length, self.size - start),),
                    self.strides,
                )
            )
            for start in range(0, self.size, length)
        )
