"""Page-locked host memory, for asynchronous copies.

The driver moves such memory by itself; other memory is read by the calling thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from .layout import span

_registered: dict[int, int] = {}  # end of each registered range by its start


def is_page_locked(array: npt.NDArray[Any]) -> bool:
    """Return whether this library page-locked all memory of the array."""
    base: Any = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    if isinstance(base, _core.HostMemory):
        return True
    low, high = _range(array)
    return any(start <= low and high <= end for start, end in _registered.items())


def _range(array: npt.NDArray[Any]) -> tuple[int, int]:
    low, high = span(array.shape, array.strides, array.itemsize)
    address = array.__array_interface__["data"][0]
    return address + low, address + high


class PageLock:
    """Page lock on the memory of a NumPy array, until `free`.

    Args:
        array: It must have elements, and share no memory with another such array.
        where: Name of the calling function, for errors.
    """

    def __init__(self, array: npt.NDArray[Any], where: str) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"[{where}] got {type(array).__name__}; need NumPy arrays.")
        self._array = array
        self._low, high = _range(array)
        if high == self._low:
            raise ValueError(
                f"[{where}] got an array of shape {array.shape}; need at least 1 "
                "element."
            )
        self._core = _core.HostRegistration(self._low, high - self._low)
        self.pointer: int = self._core.pointer
        self.device_id = self._core.device_id
        self.freed = False
        _registered[self._low] = high

    def free(self) -> None:
        """Unlock the memory; the device must not use it afterwards."""
        if not self.freed:
            self.freed = True
            del _registered[self._low]
            del self._core
