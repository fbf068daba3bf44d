"""The host side of device cuda: arrays, kernels, streams, errors."""

from __future__ import annotations

import atexit
from typing import Any

from .. import _core
from . import errors
from .arrays.array_creation import device_array, device_array_like, to_device
from .arrays.array_interface import as_cuda_array, is_cuda_array
from .arrays.device_array import DeviceArray
from .compiler_messages import Diagnostic
from .device import nvrtc
from .device.device import (
    LaunchRow,
    checks,
    clear_launch_table,
    device_name,
    is_available,
    is_emulated,
    last_findings,
    launch_table,
    reset,
    set_launch_limits,
    synchronize,
    time_launches,
)
from .device.graphs import (
    CUDAGraph,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
    make_graphed_callables,
)
from .device.stream import (
    Event,
    Stream,
    current_stream,
    default_stream,
    event,
    legacy_default_stream,
    per_thread_default_stream,
    stream,
)
from .device.sync_debug import (
    SynchronizeWarning,
    get_sync_debug_mode,
    queue_limit,
    set_sync_debug_mode,
    sync_debug_mode,
)
from .errors import (
    Allocation,
    CompileError,
    CudaError,
    Finding,
    GraphCaptureError,
    KernelError,
    KernelWarning,
    LaunchError,
    OutOfMemoryError,
    PtxError,
    Site,
)
from .inspecting.counters import Counters, CounterValues, LineCounters, counter_meanings
from .inspecting.inspection import Inspection, Launch, inspect
from .inspecting.places import PlacedLaunch, PlaceRecording, record_places
from .inspecting.resources import Occupancy, Resources
from .inspecting.roofline import Roofline
from .inspecting.trace import Moment, Trace
from .kernel_namespace import HIDING_NAMES, LAZY_NAMES
from .kernel_namespace import find as _find
from .raw.raw_kernel import Kernel, RawKernel
from .raw.raw_module import RawModule
from .tracebacks import is_inside, launch_site, place_name, warn_at_caller

__all__ = [
    "Allocation",
    "CUDAGraph",
    "CompileError",
    "CounterValues",
    "Counters",
    "CudaError",
    "DeviceArray",
    "Diagnostic",
    "Event",
    "Finding",
    "GraphCaptureError",
    "Inspection",
    "Kernel",
    "KernelError",
    "KernelWarning",
    "Launch",
    "LaunchError",
    "LaunchRow",
    "LineCounters",
    "Moment",
    "Occupancy",
    "OutOfMemoryError",
    "PlaceRecording",
    "PlacedLaunch",
    "PtxError",
    "RawKernel",
    "RawModule",
    "Resources",
    "Roofline",
    "Site",
    "Stream",
    "SynchronizeWarning",
    "Trace",
    "as_cuda_array",
    "checks",
    "clear_launch_table",
    "counter_meanings",
    "current_stream",
    "default_stream",
    "device_array",
    "device_array_like",
    "device_name",
    "event",
    "get_sync_debug_mode",
    "graph",
    "graph_pool_handle",
    "inspect",
    "is_available",
    "is_cuda_array",
    "is_current_stream_capturing",
    "is_emulated",
    "last_findings",
    "launch_table",
    "legacy_default_stream",
    "make_graphed_callables",
    "per_thread_default_stream",
    "queue_limit",
    "record_places",
    "reset",
    "set_launch_limits",
    "set_sync_debug_mode",
    "stream",
    "sync_debug_mode",
    "synchronize",
    "time_launches",
    "to_device",
    *LAZY_NAMES,
]


def __getattr__(name: str) -> Any:
    """Load the modules for kernels in Python on first access."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _find(name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *HIDING_NAMES])


def load_ipython_extension(shell: Any) -> None:
    """Register the cell magic `%%cuda` (`%load_ext minitorch.cuda`)."""
    from .raw import cell_magic  # late: programs outside of notebooks do without

    cell_magic.load_ipython_extension(shell)


errors.connect(warn_at_caller)
nvrtc.connect()
_core.set_launch_site_provider(launch_site)
_core.set_place_words(is_inside, place_name)
# Before the interpreter ends: what still runs needs the hooks above.
atexit.register(_core.finish)
