"""Owns the list of the profiler's names, which are PyTorch's."""

from __future__ import annotations

from .events import DeviceType, EventList, FunctionEvent, FunctionEventAvg, Kernel
from .schedule import (
    ProfilerAction,
    ProfilerActivity,
    schedule,
    supported_activities,
)
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
    "schedule",
    "supported_activities",
]


def __dir__() -> list[str]:
    return sorted(__all__)
