"""`torch.cuda`: availability and properties of the GPU, as PyTorch's programs ask.

`is_available` tells of a real GPU: where `cuda` is emulated, a program that asks first
stays on the CPU, which is much faster. Who names "cuda" gets the emulated one.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ... import _core, cuda
from ...cuda import (
    CUDAGraph,
    Event,
    Stream,
    current_stream,
    default_stream,
    get_sync_debug_mode,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
    make_graphed_callables,
    set_sync_debug_mode,
    stream,
    synchronize,
)
from ...cuda.errors import OutOfMemoryError
from ..devices import as_device
from ..random import get_rng_state as _get_rng_state
from ..random import manual_seed as _manual_seed
from ..random import set_rng_state as _set_rng_state

__all__ = [
    "CUDAGraph",
    "Event",
    "OutOfMemoryError",
    "Stream",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_sync_debug_mode",
    "graph",
    "graph_pool_handle",
    "init",
    "is_available",
    "is_current_stream_capturing",
    "is_initialized",
    "make_graphed_callables",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "set_rng_state",
    "set_sync_debug_mode",
    "stream",
    "synchronize",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def is_available() -> bool:
    """Return whether there is a real GPU.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.cuda.is_available() in (True, False)
        True
    """
    return cuda.is_available() and not cuda.is_emulated()


def device_count() -> int:
    """Return 1 if there is a real GPU, else 0."""
    return int(is_available())


def is_initialized() -> bool:
    """Return True: the library initializes the GPU on first use."""
    return True


def init() -> None:
    """Do nothing; for compatibility with PyTorch."""


def current_device() -> int:
    """Return 0, the index of the only device."""
    return 0


def _require_first(where: str, wanted: Any) -> None:
    if wanted is not None:
        as_device(where, wanted)


def set_device(device: Any) -> None:
    """Select device 0, the only one.

    Raises:
        RuntimeError: Another number.
    """
    _require_first("set_device", device)


@contextmanager
def device(device: Any) -> Any:
    """Context manager for device 0, the only one."""
    _require_first("device", device)
    yield


def get_device_name(device: Any = None) -> str:
    """Return the name of the device; an emulated one says so.

    Example:
        >>> import minitorch.torch as torch
        >>> isinstance(torch.cuda.get_device_name(), str)
        True
    """
    _require_first("get_device_name", device)
    return cuda.device_name()


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability, e.g. (7, 5)."""
    _require_first("get_device_capability", device)
    return divmod(_core.compute_capability(), 10)


@dataclass(frozen=True)
class DeviceProperties:
    """Properties of the device."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


_MULTIPROCESSORS = 16  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Return name, compute capability, bytes of memory and multiprocessors."""
    major, minor = get_device_capability(device)
    _, total = _core.device_memory()
    count = _core.device_attribute(_MULTIPROCESSORS)
    return DeviceProperties(get_device_name(), major, minor, total, count)


def manual_seed(seed: int) -> None:
    """Seed the generator of all devices, as `torch.manual_seed` does."""
    _manual_seed(seed)


manual_seed_all = manual_seed


def get_rng_state(device: Any = "cuda") -> Any:
    """Return the generator's state, as `torch.get_rng_state` does."""
    return _get_rng_state()


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Set the generator's state, as `torch.set_rng_state` does."""
    _set_rng_state(new_state)


def memory_allocated(device: Any = None) -> int:
    """Return the bytes of tensors on `cuda`."""
    _require_first("memory_allocated", device)
    return int(_core.memory_statistics()["allocated"])


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak of `memory_allocated`."""
    _require_first("max_memory_allocated", device)
    return int(_core.memory_statistics()["peak"])


def memory_reserved(device: Any = None) -> int:
    """Return the bytes of device memory held, in use or cached for reuse."""
    _require_first("memory_reserved", device)
    return int(_core.memory_statistics()["reserved"])


max_memory_reserved = memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    """Reset the peaks to current use."""
    _require_first("reset_peak_memory_stats", device)
    _core.reset_peak_memory()


def empty_cache() -> None:
    """Release cached memory to the device."""
    _core.clear_memory_cache()
