"""`torch.profiler`, the same as `minitorch.profiler`."""

from __future__ import annotations

from ..profiler import (
    DeviceType,
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)

__all__ = [
    "DeviceType",
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "tensorboard_trace_handler",
]


def __dir__() -> list[str]:
    return sorted(__all__)
