"""Devices under Numba's names. There is one: device cuda, a GPU or the emulator."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple, SupportsIndex

from ... import _core
from ..argument_checks import as_integer
from ..tracebacks import learner_frames, learner_methods
from .device import is_available


class MemoryInfo(NamedTuple):
    """Free and total device memory, in bytes."""

    free: int
    total: int


@learner_methods
class Device:
    """GPU. Driver attributes are Python attributes: `device.MULTIPROCESSOR_COUNT`.

    Attributes:
        id: Its number, 0.

    Example:
        >>> from minitorch import cuda
        >>> device = cuda.get_current_device()
        >>> device.WARP_SIZE, device.MAX_THREADS_PER_BLOCK
        (32, 1024)
    """

    id = 0

    @property
    def name(self) -> str:
        """Name of the GPU, or of the emulated GPU."""
        return _core.device_name()

    @property
    def compute_capability(self) -> tuple[int, int]:
        """Major and minor compute capability, (7, 5) for a T4."""
        major, minor = divmod(_core.compute_capability(), 10)
        return major, minor

    def __getattr__(self, name: str) -> int:
        number = _attribute_numbers().get(name) if name.isupper() else None
        if number is None:
            raise AttributeError(
                f"[device] got {name!r}; need an attribute of a CUDA device, such as "
                "MULTIPROCESSOR_COUNT."
            )
        return _core.device_attribute(number)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_attribute_numbers()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self.name}'>"


@functools.cache
def _attribute_numbers() -> dict[str, int]:
    return _core.device_attribute_numbers()


@learner_methods
class Context:
    """Context of the device, which is made at its first use."""

    def get_memory_info(self) -> MemoryInfo:
        """Return free and total bytes of device memory.

        Memory that this library keeps for later arrays does not count as free.
        """
        return MemoryInfo(*_core.device_memory())


@learner_methods
class DeviceList:
    """Sequence of the devices; empty without GPU and emulator."""

    def __len__(self) -> int:
        return int(is_available())

    def __iter__(self) -> Iterator[Device]:
        return (Device() for _ in range(len(self)))

    def __getitem__(self, number: SupportsIndex) -> Device:
        if not -len(self) <= as_integer(number, "gpus") < len(self):
            raise IndexError(
                f"[gpus] got index {number!r}; the number of devices is {len(self)}."
            )
        return Device()

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


gpus = DeviceList()


def list_devices() -> DeviceList:
    """Return the devices.

    Example:
        >>> from minitorch import cuda
        >>> len(cuda.list_devices())
        1
    """
    return gpus


def get_current_device() -> Device:
    """Return the device in use.

    Example:
        >>> from minitorch import cuda
        >>> cuda.get_current_device().id
        0
    """
    return Device()


@learner_frames
def select_device(device_id: SupportsIndex) -> Device:
    """Use a device from now on.

    Args:
        device_id: Its number; there is only 0.

    Raises:
        IndexError: There is no such device.
        TypeError: No integer.

    Example:
        >>> from minitorch import cuda
        >>> cuda.select_device(0).id
        0
    """
    if as_integer(device_id, "select_device") < 0:
        raise IndexError(f"[select_device] got device {device_id!r}; need 0 or more.")
    return gpus[device_id]


def current_context() -> Context:
    """Return the context of the device.

    Example:
        >>> from minitorch import cuda
        >>> free, total = cuda.current_context().get_memory_info()
        >>> 0 < free <= total
        True
    """
    return Context()
