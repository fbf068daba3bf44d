"""The list of the profiler's names, which are PyTorch's."""

from __future__ import annotations

from .events import DeviceType, EventList, FunctionEvent, FunctionEventAvg, Kernel
from .profile import profile
from .record_function import record_function
from .schedule import (
    ProfilerAction,
    ProfilerActivity,
    schedule,
)
from .trace_files import tensorboard_trace_handler
from .waits import WaitRow, Waits

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "Kernel",
    "ProfilerAction",
    "ProfilerActivity",
    "WaitRow",
    "Waits",
    "profile",
    "record_function",
    "schedule",
    "tensorboard_trace_handler",
]


def __dir__() -> list[str]:
    return sorted(__all__)
