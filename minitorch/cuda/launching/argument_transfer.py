"""Owns what becomes of each argument before a launch, and after: copies to and back.

Host arrays are copied to the device, and back when the kernel is done. Must not know
kernels.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ..arrays.array_creation import device_array, to_device
from ..arrays.array_interface import as_cuda_array, is_cuda_array
from ..arrays.array_types import element, interned, packer
from ..arrays.device_array import DeviceArray
from ..arrays.host_memory import MappedArray
from ..arrays.layout import Sizes, layout_letter
from ..arrays.strided_array import LARGE, UNKNOWN
from ..language.advice import refused_dtype
from ..language.types import ArrayType, Type
from ..tracebacks import learner_frames, tell
from .parameters import Item

Array = npt.NDArray[Any]


class PerformanceWarning(UserWarning):
    """A launch that is right, but slower on a GPU than it could be."""


#: Numba's name of it, which programs silence.
NumbaPerformanceWarning = PerformanceWarning


def warn_of_performance(what: str, switch: str) -> None:
    """Warn unless Numba's environment variable `switch` is 0."""
    if os.environ.get(switch, "1") != "0":
        tell(what, PerformanceWarning)


class In:
    """A host array that a kernel only reads: copied to the device, not back.

    Example:
        >>> import numpy as np
        >>> from minitorch import cuda
        >>> cuda.In(np.arange(3))
        In(array([0, 1, 2]))
    """

    reads, writes = True, False

    @learner_frames
    def __init__(self, value: Any) -> None:
        if not isinstance(value, (np.ndarray, DeviceArray)):
            raise TypeError(
                f"[{type(self).__name__}] got {type(value).__name__}; need an array."
            )
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"


class Out(In):
    """A host array that a kernel only writes: copied back, not to the device."""

    reads, writes = False, True


class InOut(In):
    """A host array that a kernel reads and writes: what a bare host array is, too."""

    reads, writes = True, True


class DeviceView:
    """A tensor's memory as an argument: what kernels need of it, nothing else."""

    def __init__(
        self, pointer: int, dtype: str, device: int, shape: Sizes, strides: Sizes
    ) -> None:
        self.__minitorch_device_view__ = pointer, dtype, device, shape, strides
        self.kernel_type, pack, steps = _view_layout(dtype, shape, strides)
        large = math.prod(shape) >= LARGE
        self.kernel_key = -id(self.kernel_type) if large else id(self.kernel_type)
        self.kernel_bytes = pack(pointer, *shape, *steps)


@lru_cache(maxsize=256)
def _view_layout(
    dtype: str, shape: Sizes, strides: Sizes
) -> tuple[ArrayType, Callable[..., bytes], Sizes]:
    """Type, packer, and strides in elements."""
    kind = Type(dtype)
    layout = layout_letter(shape, strides, kind.size)
    steps = tuple(step // kind.size for step in strides)
    return interned(kind, len(shape), layout), packer(len(shape)), steps


class Transfer:
    """The arguments of one launch on their way to the device and back."""

    def __init__(self) -> None:
        self._devices: dict[int, DeviceArray] = {}  # by id of the host array
        self._returns: dict[int, tuple[Array, DeviceArray]] = {}
        self._read_only: list[object] = []

    def ready(self, value: Any, where: object) -> Any:
        """Give what stands for `value` in the launch: numbers stay, arrays move.

        Args:
            value: An argument.
            where: What it is, for messages: "argument 2 'n'".

        Raises:
            TypeError: An array that no kernel can take.
        """
        if isinstance(value, DeviceArray):
            if value.kernel_key == UNKNOWN:
                _check_array(value, where)
            return value
        if isinstance(value, (np.generic, int, float, complex)):
            return value
        if isinstance(value, In):
            return self._moved(value, where)
        if isinstance(value, MappedArray) and is_cuda_array(value):
            return value.as_device_array()
        if isinstance(value, np.ndarray):
            return self._moved(InOut(value), where)
        if isinstance(value, tuple):
            items = [
                self.ready(each, Item(where, place)) for place, each in enumerate(value)
            ]
            make: Callable[..., Any] = getattr(type(value), "_make", tuple)
            return make(items)
        if hasattr(type(value), "__minitorch_device_view__"):
            try:
                return DeviceView(*value.__minitorch_device_view__)
            except AttributeError:  # it is not on the device
                raise TypeError(
                    f"[launch] got a tensor on cpu for {where}; need one on cuda. Try "
                    '.to("cuda").'
                ) from None
        if hasattr(value, "__cuda_array_interface__"):
            return _foreign(value, where)
        return value

    def _moved(self, hint: In, where: object) -> DeviceArray:
        host = hint.value
        if isinstance(host, DeviceArray):
            if host.kernel_key == UNKNOWN:
                _check_array(host, where)
            return host
        _check_array(host, where)
        device = self._devices.get(id(host))
        if device is None:
            if hint.reads:
                device = to_device(host)
            else:
                device = device_array(host.shape, host.dtype)
            self._devices[id(host)] = device
        if hint.writes and host.flags.writeable:
            self._returns[id(host)] = host, device
        elif hint.writes:
            self._read_only.append(where)
        return device

    def check_written(self, written: Collection[tuple[int, ...]]) -> None:
        """Refuse a read-only array that the kernel writes: the result would be lost.

        Args:
            written: The arrays that the kernel writes, by the paths of `parameters`.

        Raises:
            ValueError: One of them cannot be copied back.
        """
        for where in self._read_only:
            if getattr(where, "path", None) in written:
                raise ValueError(
                    f"[launch] got a read-only array for {where}, to which the kernel "
                    "writes; need a writable one. Try array.copy(), or "
                    "cuda.In(array) if nobody needs the result."
                )

    @property
    def moved(self) -> bool:
        """Was a host array among the arguments?"""
        return bool(self._devices)

    def finish(self) -> None:
        """Wait for the kernel, then copy back what it may have written."""
        for host, device in self._returns.values():
            host[...] = device.copy_to_host()


def _foreign(value: Any, where: object) -> DeviceArray:
    if _core.is_emulated():
        raise TypeError(
            f"[launch] got a {type(value).__name__} in a GPU's memory for {where}; the "
            "emulator needs an array of its own. Copy it: cuda.as_cuda_array(array)."
        )
    return as_cuda_array(value)


def _check_array(host: Array | DeviceArray, where: object) -> None:
    if isinstance(host, np.ma.MaskedArray):
        raise TypeError(
            f"[launch] got a masked array for {where}; need a plain one. Try "
            "array.filled(0)."
        )
    try:
        if host.dtype.isnative:
            element(host.dtype)
            return
    except TypeError:  # said below, with the argument's name
        pass
    raise TypeError(
        f"[launch] got an array of {host.dtype} for {where}; need one of "
        f"{', '.join(sorted(_KNOWN))}. {refused_dtype(host.dtype)}"
    )


_KNOWN = {each.value for each in Type if each is not Type.BFLOAT16}
