"""`cuda.detect`, and start and stop of profilers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ... import _core
from .devices import Device, gpus


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
