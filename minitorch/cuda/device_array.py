"""Owns arrays in device memory as Python sees them. Must not know kernels."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from .. import _core
from .array_assign import assign
from .array_copies import download, move, upload
from .errors import OutOfMemoryError
from .layout import (
    Layout,
    Shape,
    Sizes,
    as_dtype,
    as_order,
    as_sizes,
    contiguous_strides,
    select,
    span,
)
from .stream import StreamLike, on_stream
from .strided_array import StridedArray

Array = npt.NDArray[Any]

_ADDRESSES = 2**48


class DeviceArray(StridedArray):
    """An array in device memory, or a view of one; made by `to_device` and the like.

    Indexing gives views on the same memory, except that an index for each dimension
    waits for the device and gives a NumPy scalar. `array[...] = value` writes numbers,
    host arrays and device arrays. `numpy.asarray(array)` copies to the host.

    Attributes:
        shape: Tuple of sizes.
        strides: Bytes between neighbours along each dimension.
        dtype: NumPy's dtype.

    Example:
        >>> from minitorch import cuda
        >>> d = cuda.to_device([[1, 2, 3], [4, 5, 6]])
        >>> d[:, ::-1].copy_to_host()
        array([[3, 2, 1],
               [6, 5, 4]])
        >>> d[1] = 0
        >>> d.T.copy_to_host().tolist()
        [[1, 0], [2, 0], [3, 0]]
    """

    def copy_to_host(self, ary: Array | None = None, stream: StreamLike = 0) -> Array:
        """Wait for the work queued so far, then copy to the host.

        Args:
            ary: Array to write, of the same shape (sizes of 1 aside) and dtype; None
                for a new one.
            stream: Whose work to wait for; 0 or None is the current stream.

        Returns:
            `ary`, or a new array of the same shape, dtype and order.

        Raises:
            KernelError: a kernel had a fault since the last synchronisation.
            CudaError: the array was freed.
            ValueError: `ary` has another shape, or is read-only.
            TypeError: `ary` is no array of the dtype.

        Example:
            >>> from minitorch import cuda
            >>> cuda.to_device([[1, 2], [3, 4]]).copy_to_host()
            array([[1, 2],
                   [3, 4]])
        """
        place = self._place("copy_to_host")
        if ary is None:
            with on_stream(stream, "copy_to_host"):
                return download(place, self.dtype)
        if not isinstance(ary, np.ndarray):
            raise TypeError(
                f"[copy_to_host] got {type(ary).__name__}; need a NumPy array."
            )
        self._check_same("copy_to_host", ary)
        if not ary.flags.writeable:
            raise ValueError("[copy_to_host] got a read-only array; need another.")
        with on_stream(stream, "copy_to_host"):
            download(place, self.dtype, ary)
        return ary

    def copy_to_device(self, ary: npt.ArrayLike, stream: StreamLike = 0) -> None:
        """Replace the contents by those of a host or device array.

        Args:
            ary: Of the same shape (sizes of 1 aside) and dtype; may be changed after
                the return.
            stream: Where to queue the copy; 0 or None is the current stream.

        Raises:
            ValueError: another shape.
            TypeError: another dtype.
            CudaError: one of the arrays was freed.
        """
        place = self._place("copy_to_device")
        source = ary if isinstance(ary, DeviceArray) else np.asarray(ary)
        self._check_same("copy_to_device", source)
        with on_stream(stream, "copy_to_device"):
            if isinstance(source, DeviceArray):
                move(place, source.reshape(self.shape)._place("copy_to_device"))
            else:
                upload(place, source.reshape(self.shape))

    def _check_same(self, where: str, other: Array | DeviceArray) -> None:
        ours, theirs = (
            [size for size in shape if size != 1] for shape in (self.shape, other.shape)
        )
        if ours != theirs:
            raise ValueError(f"[{where}] got shape {other.shape}; need {self.shape}.")
        if other.dtype != self.dtype:
            raise TypeError(
                f"[{where}] got {other.dtype}; need {self.dtype}. "
                f"Try array.astype('{self.dtype}')."
            )

    def __getitem__(self, key: Any) -> Any:
        layout = select(self._layout, key)
        view = self._view(layout)
        if layout.shape or key is Ellipsis or key == () or _has_dots(key):
            return view
        return download(view._place("getitem"), self.dtype)[()]

    def __setitem__(self, key: Any, value: Any) -> None:
        assign(self._view(select(self._layout, key)), value)

    def getitem(self, item: Any, stream: StreamLike = 0) -> Any:
        """Give `array[item]`, on a stream."""
        with on_stream(stream, "getitem"):
            return self[item]

    def setitem(self, key: Any, value: Any, stream: StreamLike = 0) -> None:
        """Do `array[key] = value`, on a stream."""
        with on_stream(stream, "setitem"):
            self[key] = value

    def reshape(self, *shape: Any, order: str = "C") -> Self:
        """Give the same elements with other sizes: a view, or a copy where that fails.

        Args:
            shape: Sizes, or one tuple of them; one may be -1.
            order: In which elements are counted: "C" or "F".

        Raises:
            ValueError: Another number of elements, or another order.

        Example:
            >>> from minitorch import cuda
            >>> cuda.device_array((2, 6)).reshape(3, -1).shape
            (3, 4)
        """
        view = self._as_shape(shape, order)
        if view is not None:
            return view
        copied = self._packed(order)._as_shape(shape, order)
        assert copied is not None  # there are no gaps in its order now
        return copied

    def ravel(self, order: str = "C", stream: StreamLike = 0) -> Self:
        """Give one dimension with all elements: a view, or a copy where that fails.

        Args:
            order: In which elements are counted: "C" or "F".
            stream: Where to queue a copy.

        Example:
            >>> from minitorch import cuda
            >>> cuda.to_device([[1, 2], [3, 4]]).ravel(order="F").copy_to_host()
            array([1, 3, 2, 4])
        """
        with on_stream(stream, "ravel"):
            return self.reshape(-1, order=order)

    def _packed(self, order: str) -> Self:
        """A copy without gaps."""
        strides = contiguous_strides(self.shape, self.itemsize, order)
        made = self._view(Layout(0, self.shape, strides))
        made._buffer = _core.DeviceBuffer(self.nbytes)
        move(made._place("reshape"), self._place("reshape"))
        return made

    def item(self) -> Any:
        """Give the one element as a Python number.

        Raises:
            ValueError: The array has another number of elements.
        """
        if self.size != 1:
            raise ValueError(f"[item] got {self.size} elements; need one.")
        return self.copy_to_host().item()

    def free(self) -> None:
        """Give the memory back now, that of all views, too.

        A kernel that uses it later is a use_after_free.
        """
        self._buffer.free()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("[len] got an array without dimensions; need one or more.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Views of the rows; of one dimension the numbers, copied once."""
        if len(self) and self.ndim == 1:
            return iter(self.copy_to_host())
        return (self[place] for place in range(len(self)))

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> Array:
        if copy is False:
            raise ValueError(
                "[__array__] got copy=False for an array in device memory; need "
                "copy=None. Its numbers have to be copied."
            )
        found = self.copy_to_host()
        return found if dtype is None else found.astype(dtype, copy=False)

    def __repr__(self) -> str:
        state = ", freed" if self._buffer.freed else ""
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}{state})"


def _has_dots(key: object) -> bool:
    return isinstance(key, tuple) and any(each is Ellipsis for each in key)


def _made(shape: Sizes, strides: Sizes, dtype: np.dtype[Any]) -> DeviceArray:
    low, high = span(shape, strides, dtype.itemsize)
    if high - low > _ADDRESSES:
        raise OutOfMemoryError(
            f"[device_array] got shape {shape} of {dtype}: {high - low} bytes; need at "
            f"most {_ADDRESSES}, all that a device can address."
        )
    memory = _core.DeviceBuffer(high - low)
    return DeviceArray(Layout(-low, shape, strides), dtype, memory)


def device_array(
    shape: Shape,
    dtype: npt.DTypeLike = np.float64,
    strides: Shape | None = None,
    order: str = "C",
    stream: StreamLike = 0,
) -> DeviceArray:
    """Make an array in device memory that nobody has written yet.

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
        >>> cuda.device_array((2, 3), "float32")
        DeviceArray(shape=(2, 3), dtype=float32)
        >>> cuda.device_array((2, 3), "float32", order="F").strides
        (4, 8)
    """
    sizes, kind = as_sizes(shape, "device_array"), as_dtype(dtype, "device_array")
    order = as_order(order, "device_array")
    steps = (
        contiguous_strides(sizes, kind.itemsize, order)
        if strides is None
        else _as_strides(strides, sizes, kind.itemsize)
    )
    with on_stream(stream, "device_array"):
        return _made(sizes, steps, kind)


def _as_strides(strides: Shape, shape: Sizes, itemsize: int) -> Sizes:
    given = (strides,) if isinstance(strides, SupportsIndex) else tuple(strides)
    steps = tuple(operator.index(step) for step in given)
    if len(steps) != len(shape) or any(itemsize and step % itemsize for step in steps):
        raise ValueError(
            f"[device_array] got strides {steps} for shape {shape}; need one multiple "
            f"of {itemsize} bytes for each size."
        )
    return steps


def device_array_like(ary: Any, stream: StreamLike = 0) -> DeviceArray:
    """Make an array in device memory of the shape, dtype and order of another one.

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
    """Strides without gaps whose order is that of `ary`'s."""
    if not isinstance(ary, np.ndarray | StridedArray):
        raise TypeError(f"[{where}] got {type(ary).__name__}; need an array.")
    itemsize = ary.dtype.itemsize
    if ary.flags["C_CONTIGUOUS"]:
        return contiguous_strides(ary.shape, itemsize)
    strides, step = [0] * ary.ndim, itemsize
    backwards = range(ary.ndim - 1, -1, -1)
    for place in sorted(backwards, key=lambda at: abs(ary.strides[at])):
        strides[place] = step
        step *= max(ary.shape[place], 1)
    return tuple(strides)


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
            to = _made(source.shape, strides, dtype)
        if copy:
            to.copy_to_device(source)
    return to
