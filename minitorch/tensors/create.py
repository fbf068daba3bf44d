"""Create tensors: `tensor`, `zeros`, `ones`, `full`, `rand`, `randn`; the default
dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .. import _core
from .._core import DType, Tensor
from ..cuda.device.graphs import connect_captures
from .tensor_backend import TensorBackend, plain, with_backend
from .tensor_layout import sizes_of

_default = _core.float64
_device_of_new = ContextVar("device_of_new_tensors", default="cpu")


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype of tensors made from Python numbers, initially float64.

    Args:
        dtype: A floating dtype, e.g. `minitorch.float32` or "float32".

    Raises:
        TypeError: `dtype` is not a floating type.

    Example:
        >>> set_default_dtype("float32")
        >>> tensor([1.0]).dtype
        minitorch.float32
        >>> set_default_dtype("float64")
    """
    global _default
    wanted = _core.as_dtype(dtype)
    if not wanted.is_floating_point:
        raise TypeError(
            f"[set_default_dtype] got {wanted.name}; need float32 or float64."
        )
    _default = wanted


def get_default_dtype() -> DType:
    """Return the dtype of tensors made from Python numbers.

    Example:
        >>> get_default_dtype()
        minitorch.float64
    """
    return _default


def dtype_of(dtype: Any) -> DType:
    """Return a dtype, by default that of Python numbers."""
    return _default if dtype is None else _core.as_dtype(dtype)


@contextmanager
def new_tensors_on(device: str) -> Iterator[None]:
    """A `with` block of this thread whose new tensors are on `device` by default.

    A network that was copied to a device makes there what it made on "cpu".
    """
    before = _device_of_new.set(device)
    try:
        yield
    finally:
        _device_of_new.reset(before)


def place_new_tensors(device: str) -> None:
    """Set the default device of this thread's new tensors."""
    _device_of_new.set(device)


def device_of_new(device: Any, backend: Any = None) -> Any:
    """Return the device of a new tensor; a backend moves its own from "cpu"."""
    if device is not None:
        return device
    return "cpu" if backend is not None else _device_of_new.get()


def tensor(
    data: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    backend: Any = None,
) -> Tensor:
    """Create a tensor with its own memory from numbers.

    Args:
        data: A number, nested lists of numbers, a NumPy array or a tensor.
        dtype: By default that of an array or tensor, and the default dtype otherwise.
        device: "cpu" or "cuda".
        requires_grad: Collect a gradient in `.grad`.
        backend: A TensorBackend whose rules it follows; also in the place of `dtype`.

    Raises:
        ValueError: The nested lists are ragged.
        TypeError: The elements are not numbers, or integers are to have a gradient.

    Example:
        >>> tensor([[1, 2], [3, 4]])
        tensor([[1., 2.],
                [3., 4.]])
    """
    if isinstance(dtype, TensorBackend):  # tensor(data, backend, requires_grad)
        dtype, backend = None, dtype
    if isinstance(device, bool):
        device, requires_grad = None, device
    if isinstance(data, Tensor):
        result = _copy(data, dtype, device_of_new(device, backend))
    elif isinstance(data, np.ndarray | np.generic):
        result = _core.from_numpy(np.asarray(data))
    else:
        wanted = dtype_of(dtype)
        result = _core.from_numpy(_array_of(data, wanted))._cast(wanted)
    if dtype is not None:
        result = result._cast(_core.as_dtype(dtype))
    target = device_of_new(device, backend)
    return finish(result._to_device(target), requires_grad, backend)


def _copy(data: Tensor, dtype: Any, device: str) -> Tensor:
    """Return a copy without dialect; NumPy would turn bfloat16 into float32."""
    wanted = data.dtype if dtype is None else _core.as_dtype(dtype)
    result = _core.empty(data.shape, wanted, device)
    result.copy_(plain(data)._to_device(device))
    return result


def _array_of(data: Any, dtype: DType) -> np.ndarray[Any, Any]:
    try:
        array = np.array(data)
    except ValueError as error:
        raise ValueError(
            f"[tensor] got {type(data).__name__} with nested lists of different "
            f"lengths ({error}); need a number, or nested lists of equal lengths."
        ) from None
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"[tensor] got elements of NumPy dtype {array.dtype}; need numbers."
        )
    return array.astype("float64" if dtype == "bfloat16" else dtype.dtype)


def finish(result: Tensor, requires_grad: bool, backend: Any = None) -> Tensor:
    """Give a new tensor its backend and its gradient."""
    result = with_backend(result, backend)
    return result.requires_grad_() if requires_grad else result


def in_dialect(result: Tensor, like: Tensor) -> Tensor:
    """Return a new tensor in the dialect of another."""
    return result.as_torch() if like._dialect == "torch" else result


def _split(shape: tuple[Any, ...], backend: Any) -> tuple[tuple[int, ...], Any]:
    """Return the sizes of `f(2, 3)` or `f((2, 3), backend)`, and the backend."""
    if shape and isinstance(shape[-1], TensorBackend):
        shape, backend = shape[:-1], shape[-1]
    return sizes_of(shape), backend


def _of_shape(draw: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Decorate draw(sizes, dtype, device) to take what makes a tensor of a shape."""

    def create(
        *shape: Any,
        dtype: Any = None,
        device: str | None = None,
        requires_grad: bool = False,
        backend: Any = None,
    ) -> Tensor:
        sizes, backend = _split(shape, backend)
        result = draw(sizes, dtype_of(dtype), device_of_new(device, backend))
        return finish(result, requires_grad, backend)

    create.__name__ = create.__qualname__ = draw.__name__
    create.__doc__ = draw.__doc__
    return create


@_of_shape
def zeros(sizes: tuple[int, ...], dtype: DType, device: str) -> Tensor:
    """Return a tensor of zeros; the shape is given as sizes or as one tuple.

    Example:
        >>> zeros(2)
        tensor([0., 0.])
    """
    return _core.full(sizes, 0, dtype, device)


@_of_shape
def ones(sizes: tuple[int, ...], dtype: DType, device: str) -> Tensor:
    """Return a tensor of ones; the shape is given as sizes or as one tuple.

    Example:
        >>> ones((1, 2))
        tensor([[1., 1.]])
    """
    return _core.full(sizes, 1, dtype, device)


@_of_shape
def empty(sizes: tuple[int, ...], dtype: DType, device: str) -> Tensor:
    """Return an uninitialized tensor: write elements before reading them.

    Example:
        >>> empty(2, 3).shape
        (2, 3)
    """
    return _core.empty(sizes, dtype, device)


def full(
    shape: Any,
    value: float,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor filled with one value.

    Example:
        >>> full((2,), 7)
        tensor([7., 7.])
    """
    target = device_of_new(device)
    result = _core.full(sizes_of((shape,)), value, dtype_of(dtype), target)
    return finish(result, requires_grad)


def manual_seed(seed: int) -> None:
    """Restart the sequence of random numbers, the same for each device.

    Example:
        >>> manual_seed(1)
        >>> first = rand(2)
        >>> manual_seed(1)
        >>> bool((rand(2) == first).all())
        True
    """
    _core.manual_seed(seed)


def _captured_random() -> Callable[[], Callable[[], None] | None]:
    """Continue a graph's random numbers: each replay first writes their start."""
    start = _core.empty((2,), _core.int64, "cuda")  # made before the capture, not in it
    _core.begin_captured_random(start)

    def end() -> Callable[[], None] | None:
        blocks = _core.end_captured_random()
        return (lambda: _core.place_random(start, blocks)) if blocks else None

    return end


connect_captures(_captured_random)


@_of_shape
def rand(sizes: tuple[int, ...], dtype: DType, device: str) -> Tensor:
    """Return random numbers, uniform in [0, 1).

    Example:
        >>> rand(2, 3).shape
        (2, 3)
    """
    return _core.rand(sizes, dtype, device)


@_of_shape
def randn(sizes: tuple[int, ...], dtype: DType, device: str) -> Tensor:
    """Return random numbers, normal with mean 0 and variance 1.

    Example:
        >>> randn(2, 3).shape
        (2, 3)
    """
    return _core.randn(sizes, dtype, device)
