"""`DeviceArray`, an array in device memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ... import _core
from ..device.stream import StreamLike, on_stream
from ..errors import CudaError
from ..tracebacks import learner_frames, learner_methods
from .array_copies import (
    Array,
    StridedMemory,
    bytes_of,
    download,
    is_in_order,
    is_page_locked,
    move,
    upload,
)
from .array_types import array_type, parameter_form
from .layout import (
    Layout,
    Sizes,
    as_sizes,
    contiguous_strides,
    infer_shape,
    is_contiguous,
    layout_of,
    numpy_twin,
    select,
)
from .lent_memory import LentMemory

if TYPE_CHECKING:
    from ..language.types import ArrayType


#: Elements that give work to all multiprocessors of a large GPU: 128 blocks of 256.
LARGE = 128 * 256
#: The `kernel_key` of an array that no kernel takes.
UNKNOWN = 0


@learner_methods
class DeviceArray:
    """Array in device memory, or a view of one; see `to_device`.

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

    def __init__(
        self,
        layout: Layout,
        dtype: np.dtype[Any],
        memory: _core.DeviceBuffer | LentMemory,
    ) -> None:
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
        layout = self.shape, self.strides, self.itemsize
        return {
            "C_CONTIGUOUS": is_contiguous(*layout, "C"),
            "F_CONTIGUOUS": is_contiguous(*layout, "F"),
        }

    @property
    @learner_frames
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        if not is_contiguous(self.shape, self.strides, self.itemsize, "C"):
            raise ValueError(
                f"[cuda] the array of shape {self.shape} has strides {self.strides}; a "
                "kernel in CUDA C++ needs a C-contiguous array. Try "
                "array.reshape(-1), or array.T if it is transposed."
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
        pack, numbers = parameter_form(self.shape, self.strides, self.dtype)
        return pack(self.pointer, *numbers)

    def _memory_region(self, where: str) -> StridedMemory:
        if self._buffer.freed:
            raise CudaError(
                f"[{where}] the array was freed. Create a new one, or call free() "
                "later."
            )
        return StridedMemory(self.pointer, self.shape, self.strides, self.itemsize)

    @property
    def _layout(self) -> Layout:
        return Layout(self._offset, self.shape, self.strides)

    def _view(self, layout: Layout, dtype: np.dtype[Any] | None = None) -> Self:
        """Return an array on the same memory."""
        return type(self)(layout, dtype or self.dtype, self._buffer)

    @property
    def T(self) -> Self:
        """View with the dimensions in reverse order."""
        return self.transpose()

    def transpose(self, axes: Sequence[int] | None = None) -> Self:
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
        twin = numpy_twin(self._layout, self.itemsize)
        try:
            return self._view(layout_of(twin.transpose(axes)))
        except ValueError as error:
            raise ValueError(f"[transpose] got axes {axes}: {error}.") from None

    def copy_to_host(self, ary: Array | None = None, stream: StreamLike = 0) -> Array:
        """Wait for the work queued so far, then copy to the host.

        Args:
            ary: Array to write, of the same shape (sizes of 1 aside) and dtype; None
                for a new one.
            stream: Whose work to wait for, and no other's: what a kernel of another
                stream does with the array meanwhile is a race. 0 or None is the
                current stream; the default stream waits for all others. With a stream
                and a page-locked `ary` this returns at once, and the numbers are there
                when the stream is done.

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
        region = self._memory_region("copy_to_host")
        if ary is None:
            with on_stream(stream, "copy_to_host"):
                return download(region, self.dtype)
        if not isinstance(ary, np.ndarray):
            raise TypeError(
                f"[copy_to_host] got {type(ary).__name__}; need a NumPy array."
            )
        self._check_same("copy_to_host", ary)
        if not ary.flags.writeable:
            raise ValueError(
                "[copy_to_host] the array to copy to is read-only. Try array.copy()."
            )
        with on_stream(stream, "copy_to_host"):
            if stream and _is_plain_transfer(region, ary):
                _core.queue_to_host(bytes_of(ary), region.pointer)
            else:
                download(region, self.dtype, ary)
        return ary

    def copy_to_device(self, ary: npt.ArrayLike, stream: StreamLike = 0) -> None:
        """Overwrite the contents with those of a host or device array.

        Args:
            ary: Of the same shape (sizes of 1 aside) and dtype; may be changed after
                the return, unless it is page-locked and `stream` is given.
            stream: Where to queue the copy; 0 or None is the current stream.

        Raises:
            ValueError: another shape.
            TypeError: another dtype.
            CudaError: one of the arrays was freed.
        """
        region = self._memory_region("copy_to_device")
        source = ary if isinstance(ary, DeviceArray) else np.asarray(ary)
        self._check_same("copy_to_device", source)
        with on_stream(stream, "copy_to_device"):
            if isinstance(source, DeviceArray):
                move(
                    region, source.reshape(self.shape)._memory_region("copy_to_device")
                )
            elif stream and _is_plain_transfer(region, source):
                _core.queue_to_device(region.pointer, bytes_of(source))
            else:
                upload(region, source.reshape(self.shape))

    def _check_same(self, where: str, other: Array | DeviceArray) -> None:
        ours, theirs = (
            [size for size in shape if size != 1] for shape in (self.shape, other.shape)
        )
        if ours != theirs:
            raise ValueError(
                f"[{where}] shapes differ: the device array has {self.shape}, the "
                f"other {other.shape}."
            )
        if other.dtype != self.dtype:
            raise TypeError(
                f"[{where}] dtypes differ: the device array has {self.dtype}, the "
                f"other {other.dtype}. Try array.astype('{self.dtype}')."
            )

    def __getitem__(self, key: Any) -> Any:
        layout = select(self._layout, self.itemsize, key)
        view = self._view(layout)
        dots = isinstance(key, tuple) and any(entry is Ellipsis for entry in key)
        if layout.shape or key is Ellipsis or key == () or dots:
            return view
        return download(view._memory_region("getitem"), self.dtype)[()]

    def __setitem__(self, key: Any, value: Any) -> None:
        _assign(self._view(select(self._layout, self.itemsize, key)), value)

    def reshape(self, *shape: Any) -> Self:
        """Return the same elements with another shape: a view of an array without gaps
        in row order, else a copy.

        Args:
            shape: Sizes, or one tuple of them; one may be -1.

        Raises:
            ValueError: Another number of elements.

        Example:
            >>> from minitorch import cuda
            >>> cuda.device_array((2, 6)).reshape(3, -1).shape
            (3, 4)
        """
        sizes = as_sizes(shape[0] if len(shape) == 1 else shape, "reshape", least=-1)
        sizes = infer_shape(sizes, self.size)
        array = self if self.flags["C_CONTIGUOUS"] else self._packed()
        strides = contiguous_strides(sizes, self.itemsize)
        return array._view(Layout(array._offset, sizes, strides))

    def _packed(self) -> Self:
        """Return a contiguous copy."""
        strides = contiguous_strides(self.shape, self.itemsize)
        result = self._view(Layout(0, self.shape, strides))
        result._buffer = _core.DeviceBuffer(self.nbytes)
        move(result._memory_region("reshape"), self._memory_region("reshape"))
        return result

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: The array has another number of elements.
        """
        if self.size != 1:
            raise ValueError(
                f"[item] the array has {self.size} elements; item() needs exactly 1."
            )
        return self.copy_to_host().item()

    def free(self) -> None:
        """Free the memory now, also for all views.

        A kernel that uses it later is a use_after_free.
        """
        self._buffer.free()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("[len] a 0-dimensional array has no length.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over views of the rows; a 1-D array is copied to the host once."""
        if len(self) and self.ndim == 1:
            return iter(self.copy_to_host())
        return (self[row] for row in range(len(self)))

    @property
    @learner_frames
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if _core.is_emulated():
            raise AttributeError(
                "[__cuda_array_interface__] the array is in the emulator's memory, "
                "which other libraries cannot read; this needs a GPU."
            )
        _core.synchronize()  # so that no stream needs to be named
        return {
            "shape": self.shape,
            "strides": None if self.flags["C_CONTIGUOUS"] else self.strides,
            "typestr": self.dtype.str,
            "data": (self.pointer, False),
            "version": 3,
            "stream": None,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0  # CUDA's first

    def __dlpack__(self, **options: Any) -> Any:
        """Export through DLPack; from the emulator only to host memory."""
        if options.get("dl_device") == (1, 0):
            return self.copy_to_host().__dlpack__(**options)
        if _core.is_emulated():
            raise BufferError(
                "[dlpack] the array is in the emulator's memory, which other "
                "libraries cannot read. Try array.copy_to_host()."
            )
        address = (self.pointer, [step // self.itemsize for step in self.strides])
        dtype = _core.as_dtype(self.dtype.name)
        tensor = _core.tensor_at(address, self.shape, dtype, self)
        versioned = (options.get("max_version") or (0, 0))[0] >= 1
        return _core.to_dlpack(tensor, versioned, False)

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError for NumPy's attributes; the hint names copy_to_host."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            return object.__getattribute__(self, name)  # raises as without this
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)
        raise AttributeError(_advice(name, f".{name}"))

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> Array:
        if copy is False:
            raise ValueError(
                "[__array__] copy=False is impossible: the array is in device memory "
                "and must be copied. Use copy=None."
            )
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __repr__(self) -> str:
        """Return first and last values as NumPy prints them. Waits for the device."""
        facts = f"shape={self.shape}, dtype={self.dtype}, device=cuda"
        if self._buffer.freed or _core.capturing():
            state = "freed" if self._buffer.freed else "cannot be read during a capture"
            return f"DeviceArray({facts}, {state})"
        large = self.size > np.get_printoptions()["threshold"]
        text = np.array2string(
            _edges(self) if large else self.copy_to_host(),
            separator=", ",
            prefix="DeviceArray(",
            threshold=0 if large else None,
            edgeitems=_EDGE,
        )
        return f"DeviceArray({text}, {facts})"


_EDGE = 3


def _edges(array: DeviceArray) -> Array:
    """Return the elements of a large array that NumPy prints, with one between them."""
    for axis, size in enumerate(array.shape):
        if size > 2 * _EDGE + 1:
            before = (slice(None),) * axis
            first = array[(*before, slice(0, _EDGE + 1))]
            last = array[(*before, slice(-_EDGE, None))]
            return np.concatenate([_edges(first), _edges(last)], axis)
    return array.copy_to_host()


def _advice(attribute: str, then: str) -> str:
    return (
        f"[cuda] a device array does not support {attribute}. Try "
        f"array.copy_to_host(){then}, or make it a tensor: "
        "minitorch.from_dlpack(array)."
    )


def _refusing_method(name: str, symbol: str) -> Callable[..., Any]:
    def operate(self: DeviceArray, *others: Any) -> Any:
        if name in ("__eq__", "__ne__"):
            numbers = (int, float, complex, np.generic, np.ndarray, list, DeviceArray)
            if not isinstance(others[0], numbers):
                return NotImplemented
        raise TypeError(_advice(symbol, f" {symbol} ..." if others else ""))

    return learner_frames(operate)


_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "**", "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==",
    "ne": "!=", "neg": "-", "abs": "abs()", "invert": "~",
}  # fmt: skip
_ONE_WAY = ("lt", "le", "gt", "ge", "eq", "ne", "neg", "abs", "invert")
for _name, _symbol in _OPERATORS.items():
    for _side in ("",) if _name in _ONE_WAY else ("", "r"):
        _method = f"__{_side}{_name}__"
        setattr(DeviceArray, _method, _refusing_method(_method, _symbol))


def _is_plain_transfer(region: StridedMemory, host: Array) -> bool:
    """Return whether the copy is a plain DMA transfer: contiguous and page-locked."""
    return (
        region.order is not None
        and is_in_order(host, region.order)
        and is_page_locked(host)
    )


def _assign(view: DeviceArray, value: Any) -> None:
    """Write `value` to all of `view`, broadcast and converted as NumPy does.

    Args:
        view: What to write.
        value: A number, a host array or nested list, or a device array.

    Raises:
        ValueError: Its shape does not fit.
        TypeError: No numbers.
    """
    region = view._memory_region("setitem")
    try:
        if isinstance(value, DeviceArray) and value.dtype == view.dtype:
            value._memory_region("setitem")
            twin = numpy_twin(value._layout, value.itemsize)
            origin = value._view(layout_of(np.broadcast_to(twin, view.shape)))
            move(region, origin._memory_region("setitem"))
            return
        host = np.empty(view.shape, view.dtype)
        host[...] = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"[setitem] {error}.") from None
    upload(region, host)
