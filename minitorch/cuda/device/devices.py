"""Devices and contexts under Numba's names.

There is one: device cuda, a GPU or the emulator. Its context is made at first use.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, ParamSpec, SupportsIndex, TypeVar

from ... import _core
from ..argument_checks import as_integer
from ..tracebacks import learner_frames, learner_methods
from .device import is_available, reset, synchronize

_P = ParamSpec("_P")
_R = TypeVar("_R")


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

    @property
    def uuid(self) -> str:
        """UUID of the GPU: "GPU-" and hexadecimal digits."""
        digits, cuts = _core.device_uuid().hex(), (0, 8, 12, 16, 20, 32)
        parts = [digits[low:high] for low, high in itertools.pairwise(cuts)]
        return "-".join(["GPU", *parts])

    @property
    def supports_float16(self) -> bool:
        """Whether kernels can compute in float16."""
        return self.compute_capability >= (5, 3)

    @property
    def supports_bfloat16(self) -> bool:
        """Whether the GPU has bfloat16 instructions."""
        return self.compute_capability >= (8, 0)

    def get_primary_context(self) -> Context:
        """Return the primary context, in which everything here runs."""
        return Context(self)

    def reset(self) -> None:
        """Destroy and recreate the context; all device arrays are lost."""
        reset()

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

    def __enter__(self) -> Context:
        return Context(self)

    def __exit__(self, *error: object) -> None:
        return None

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
    """Context of a device: its memory, streams and loaded kernels.

    Attributes:
        device: The device.
    """

    def __init__(self, device: Device) -> None:
        self.device = device

    @property
    def id(self) -> int:
        """Number of the device."""
        return self.device.id

    def get_memory_info(self) -> MemoryInfo:
        """Return free and total bytes of device memory.

        Memory that this library keeps for later arrays does not count as free.
        """
        return MemoryInfo(*_core.device_memory())

    def synchronize(self) -> None:
        """Wait for all work of the device; raise its first fault as KernelError."""
        synchronize()

    def reset(self) -> None:
        """Destroy and recreate the context; all device arrays are lost."""
        reset()

    def push(self) -> None:
        """Make this the thread's current context. It always is: no effect."""

    def pop(self) -> None:
        """Undo `push`. No effect: there is only one context."""

    @contextmanager
    def defer_cleanup(self) -> Iterator[None]:
        """Return a context manager as the module's `defer_cleanup` does."""
        yield

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<context of {self.device!r}>"


@learner_methods
class DeviceList:
    """Sequence of the devices; empty without GPU and emulator."""

    @property
    def lst(self) -> list[Device]:
        """Devices as a list."""
        return [Device()] if is_available() else []

    @property
    def current(self) -> Device:
        """Device in use."""
        return Device()

    def __len__(self) -> int:
        return len(self.lst)

    def __iter__(self) -> Iterator[Device]:
        return iter(self.lst)

    def __getitem__(self, number: SupportsIndex) -> Device:
        index, devices = as_integer(number, "gpus"), self.lst
        if not -len(devices) <= index < len(devices):
            raise IndexError(
                f"[gpus] got index {number!r}; the number of devices is {len(devices)}."
            )
        return devices[index]

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self.lst))}]"


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


@learner_frames
def current_context(devnum: SupportsIndex | None = None) -> Context:
    """Return the context of a device.

    Args:
        devnum: Number of the device; None for the one in use.

    Raises:
        IndexError: There is no such device.

    Example:
        >>> from minitorch import cuda
        >>> free, total = cuda.current_context().get_memory_info()
        >>> 0 < free <= total
        True
    """
    return Context(Device() if devnum is None else select_device(devnum))


@learner_frames
def close() -> None:
    """Destroy the context and all device arrays. The next use creates a new one."""
    reset()


@learner_frames
def require_context(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function itself: any use of the device opens it.

    Args:
        function: Any function.

    Raises:
        TypeError: It cannot be called.
    """
    if not callable(function):
        raise TypeError(f"[require_context] got {function!r}; need a function.")
    return function


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Defer the freeing of memory, which may wait, to the end of a `with` block.

    Nothing here ever waits to free memory: blocks are kept and used again in the order
    of their stream. This does nothing, and is here for programs that call it.
    """
    yield


def profile_start() -> None:
    """Start collection by an attached profiler, such as Nsight."""
    _core.set_profiling(True)


def profile_stop() -> None:
    """Stop collection by an attached profiler."""
    _core.set_profiling(False)


@contextmanager
def profiling() -> Iterator[None]:
    """Collect data for an attached profiler within a `with` block.

    Example:
        >>> from minitorch import cuda
        >>> with cuda.profiling():
        ...     cuda.synchronize()
    """
    profile_start()
    try:
        yield
    finally:
        profile_stop()


def detect() -> bool:
    """Print the available devices.

    Returns:
        True where there is one that can be used.

    Example:
        >>> from minitorch import cuda
        >>> found = cuda.detect()  # doctest: +ELLIPSIS
        Found 1 CUDA devices
        id 0 ...
        >>> found
        True
    """
    devices = list(gpus)
    print(f"Found {len(devices)} CUDA devices")
    for device in devices:
        print(f"id {device.id}    {device.name}    [SUPPORTED]")
        for label, value in _facts(device):
            print(f"{label:>32}: {value}")
    print(f"Summary:\n\t{len(devices)}/{len(devices)} devices are supported")
    if not devices:
        print("\tRun: minitorch doctor")
    return bool(devices)


def _facts(device: Device) -> Iterator[tuple[str, Any]]:
    major, minor = device.compute_capability
    yield "Compute Capability", f"{major}.{minor}"
    yield "Kind", "emulated on the CPU" if _core.is_emulated() else "GPU"
    yield "Driver", _core.driver_library()
    yield "PCI Device ID", device.PCI_DEVICE_ID
    yield "PCI Bus ID", device.PCI_BUS_ID
    yield "UUID", device.uuid
    yield "Watchdog", "Enabled" if device.KERNEL_EXEC_TIMEOUT else "Disabled"
    ratio = device.SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    yield "FP32/FP64 Performance Ratio", ratio
    yield "BF16 Support", "Yes" if device.supports_bfloat16 else "No"
