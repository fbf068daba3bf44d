"""Share device arrays with other libraries, without copies on a GPU.

Tensors of this library, and whatever else has `__minitorch_device_view__`, are shared
on the emulator, too.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ... import _core
from ..device.stream import Stream
from ..tracebacks import learner_frames
from .device_array import DeviceArray
from .layout import Layout, as_sizes, contiguous_strides
from .lent_memory import LentMemory


def is_cuda_array(obj: Any) -> bool:
    """Return whether an object is in device memory that kernels can take.

    Args:
        obj: Anything: a device array, a tensor, another library's array.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> cuda.is_cuda_array(cuda.to_device([1.0])), cuda.is_cuda_array(np.ones(1))
        (True, False)
    """
    is_view = hasattr(obj, "__minitorch_device_view__")
    return is_view or hasattr(obj, "__cuda_array_interface__")


@learner_frames
def as_cuda_array(obj: Any) -> DeviceArray:
    """Return a device array that shares the memory of another object.

    Waits for the stream that the other library names. The emulator cannot reach memory
    that another library has on a GPU.

    Args:
        obj: A tensor on device cuda, or an object with `__cuda_array_interface__`.

    Returns:
        A `DeviceArray` that keeps `obj` alive.

    Raises:
        TypeError: `obj` has no such memory, or a dtype that NumPy does not know.
        ValueError: Its description does not make sense, or it has a mask.

    Example:
        >>> import minitorch
        >>> from minitorch import cuda
        >>> tensor = minitorch.zeros(2, 3).cuda()
        >>> cuda.as_cuda_array(tensor)[0] = 7
        >>> tensor.sum().item()
        21.0
    """
    if isinstance(obj, DeviceArray):
        return obj
    view = getattr(obj, "__minitorch_device_view__", None)
    if view is not None:
        pointer, name, device, shape, strides = view
        memory = LentMemory(pointer, device, obj)
        return DeviceArray(Layout(0, shape, strides), _dtype(name), memory)
    if not hasattr(obj, "__cuda_array_interface__"):
        raise TypeError(
            f"[as_cuda_array] {type(obj).__name__} has no __cuda_array_interface__; "
            "need an array in device memory. Try cuda.to_device(array)."
        )
    if _core.is_emulated():
        raise TypeError(
            f"[as_cuda_array] the {type(obj).__name__} is in GPU memory, which the "
            "emulator cannot read. Copy it to the host first."
        )
    return _on_gpu(obj.__cuda_array_interface__, obj)


def _on_gpu(desc: dict[str, Any], owner: Any) -> DeviceArray:
    """Return a device array on the memory that `__cuda_array_interface__` describes."""
    if desc.get("mask") is not None:
        raise ValueError(
            "[as_cuda_array] masked arrays are not supported; need an array without a "
            "mask."
        )
    shape = as_sizes(desc["shape"], "as_cuda_array")
    dtype = _dtype(desc["typestr"])
    strides = desc.get("strides") or contiguous_strides(shape, dtype.itemsize)
    if len(strides) != len(shape):
        raise ValueError(
            f"[as_cuda_array] got strides {strides} for shape {shape}; need one stride "
            "for each dimension."
        )
    if desc.get("stream") is not None:
        Stream.borrowed(desc["stream"]).synchronize()
    memory = LentMemory(int(desc["data"][0]), _core.device_id(), owner)
    return DeviceArray(Layout(0, shape, tuple(strides)), dtype, memory)


def _dtype(name: str) -> np.dtype[Any]:
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        more: Any = importlib.import_module("ml_dtypes")
        dtype: np.dtype[Any] = np.dtype(getattr(more, name))
        return dtype
    except (ImportError, AttributeError):
        raise TypeError(
            f"[as_cuda_array] NumPy has no dtype {name}. Install ml_dtypes (pip "
            "install ml_dtypes), or convert the array."
        ) from None
