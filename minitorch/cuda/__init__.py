"""Owns the host side of device cuda: arrays, kernels, streams, errors.

Must not know tensors: they are recognised by protocol.
"""

from __future__ import annotations

import atexit
import warnings

from .. import _core
from . import errors, nvrtc
from .device import (
    LaunchRow,
    checks,
    clear_launch_table,
    device_name,
    is_available,
    is_emulated,
    last_findings,
    launch_table,
    reset,
    synchronize,
    time_launches,
)
from .device_array import DeviceArray, device_array, to_device
from .errors import (
    Allocation,
    CompileError,
    CudaError,
    Diagnostic,
    Finding,
    KernelError,
    KernelWarning,
    LaunchError,
    OutOfMemoryError,
    PtxError,
    Site,
)
from .launch_site import launch_site
from .raw_kernel import Kernel, RawKernel, RawModule
from .resources import Occupancy, Resources
from .stream import Event, Stream

__all__ = [
    "Allocation",
    "CompileError",
    "CudaError",
    "DeviceArray",
    "Diagnostic",
    "Event",
    "Finding",
    "Kernel",
    "KernelError",
    "KernelWarning",
    "LaunchError",
    "LaunchRow",
    "Occupancy",
    "OutOfMemoryError",
    "PtxError",
    "RawKernel",
    "RawModule",
    "Resources",
    "Site",
    "Stream",
    "checks",
    "clear_launch_table",
    "device_array",
    "device_name",
    "is_available",
    "is_emulated",
    "last_findings",
    "launch_table",
    "reset",
    "synchronize",
    "time_launches",
    "to_device",
]

errors.connect(lambda text, category: warnings.warn(text, category, stacklevel=3))
nvrtc.connect()
_core.set_launch_site_provider(launch_site)
# Before the interpreter ends: what still runs needs the hooks above.
atexit.register(_core.finish)
