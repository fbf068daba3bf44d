"""`torch.cuda`: availability and properties of the GPU, as PyTorch's programs ask.

`is_available` tells of a real GPU: where `cuda` is emulated, a program that asks first
stays on the CPU, which is much faster. Who names "cuda" gets the emulated one.
"""

from __future__ import annotations

from contextlib import contextmanager
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
from ..random import manual_seed as _manual_seed

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
    "get_device_name",
    "get_sync_debug_mode",
    "graph",
    "graph_pool_handle",
    "is_available",
    "is_current_stream_capturing",
    "make_graphed_callables",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
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


def manual_seed(seed: int) -> None:
    """Seed the generator of all devices, as `torch.manual_seed` does."""
    _manual_seed(seed)


manual_seed_all = manual_seed


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
