"""Where an array lies: its first cell, its steps, the memory that it is a part of.

Takes tensors, NumPy arrays, device arrays and what speaks their protocols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...._core import Tensor
from ....cuda import DeviceArray, as_cuda_array


@dataclass(frozen=True)
class Lying:
    """How an array lies in memory; all lengths in bytes.

    Attributes:
        shape: its sizes.
        strides: bytes from one element to the next, along each dimension.
        address: of element [0, …, 0].
        memory: from where to where the memory goes that it is a part of.
        dtype: the name of its numbers' type.
        itemsize: of one element.
        device: whose memory it is.
        take: the values of a part of it, by slices.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    address: int
    memory: tuple[int, int]
    dtype: str
    itemsize: int
    device: str
    take: Callable[[tuple[slice, ...]], NDArray[Any]]


def _reach(array: Any, address: int, itemsize: int) -> tuple[int, int]:
    """From the first byte of an array to behind its last."""
    if 0 in array.shape:
        return address, address
    spans = [
        (size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)
    ]
    low = address + sum(each for each in spans if each < 0)
    return low, address + sum(each for each in spans if each > 0) + itemsize


def _part(array: NDArray[Any], part: tuple[slice, ...]) -> NDArray[Any]:
    # The dots make that an array without dimensions stays an array.
    found: NDArray[Any] = array[part + (...,)]  # noqa: RUF005
    return found


def _of_numpy(array: NDArray[Any]) -> Lying:
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    addresses = [each.__array_interface__["data"][0] for each in (array, owner)]
    return Lying(
        shape=array.shape,
        strides=array.strides,
        address=addresses[0],
        memory=_reach(owner, addresses[1], owner.itemsize),
        dtype=str(array.dtype),
        itemsize=array.itemsize,
        device="cpu",
        take=lambda part: _part(array, part),
    )


def _of_tensor(tensor: Tensor) -> Lying:
    address, count, offset = tensor._storage
    itemsize = tensor.dtype.itemsize
    plain = tensor.detach()
    return Lying(
        shape=tuple(tensor.shape),
        strides=tuple(step * itemsize for step in tensor.strides),
        address=address + offset * itemsize,
        memory=(address, address + count),
        dtype=tensor.dtype.name,
        itemsize=itemsize,
        device=tensor.device,
        take=lambda part: _part(plain.numpy(), part),
    )


def _of_device(array: Any) -> Lying:
    start = array.pointer - array._offset
    low, high = _reach(array, array.pointer, array.itemsize)
    return Lying(
        shape=tuple(array.shape),
        strides=tuple(array.strides),
        address=array.pointer,
        memory=(min(start, low), high),
        dtype=str(array.dtype),
        itemsize=array.itemsize,
        device="cuda",
        take=lambda part: array[(*part, ...)].copy_to_host(),
    )


def lying(value: Any) -> Lying:
    """How a tensor or an array lies in memory.

    Args:
        value: a tensor, a NumPy array, a device array, or what offers its memory by
            `__array_interface__`, `__cuda_array_interface__` or as a buffer.

    Raises:
        TypeError: nothing of these; a list has no memory of its own.

    Example:
        >>> import numpy as np
        >>> lying(np.zeros((2, 3), np.float32).T).strides
        (4, 12)
    """
    if isinstance(value, Tensor):
        return _of_tensor(value)
    if isinstance(value, np.ndarray | np.generic):
        return _of_numpy(np.asarray(value))
    if isinstance(value, DeviceArray):
        return _of_device(value)
    if hasattr(value, "__cuda_array_interface__"):
        return _of_device(as_cuda_array(value))
    if hasattr(value, "__array_interface__"):
        return _of_numpy(np.asarray(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return _of_numpy(np.asarray(memoryview(value)))
    raise TypeError(
        f"[viz.tensor] got {type(value).__name__}; need a tensor, a NumPy array or a "
        "device array. minitorch.tensor(value) makes one of a list."
    )
