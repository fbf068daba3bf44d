"""The recorder's records of a profile.

Times are nanoseconds of the steady clock, which `time.monotonic_ns` reads as well.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Make many objects without Python looking for garbage among them.

    It would look through all of them again and again, for they all stay.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@dataclass
class DeviceFacts:
    """The card that work ran on.

    Attributes:
        name: of the card, or of the emulated card.
        emulated: whether it is the emulator, whose times are this computer's.
        multiprocessors: how many it has; threads: how many each of them can hold.
    """

    name: str
    emulated: bool
    multiprocessors: int
    threads: int


@dataclass
class Records:
    """What was recorded from `begin` to `end`.

    Attributes:
        scopes: ops, nodes going back, modules, the user's own and the steps.
        works: kernels, copies, fills, event waits and replays, in the order of launch.
        waits: where the host waited, why and how long.
        memory: bytes made (+) and given back (-).
        begin, end: when recording began and ended.
        dropped: records beyond the limit, of which nothing was kept.
        names: of host threads, where they have one.
        wall: the wall clock minus the steady one, in nanoseconds.
        device: the card, or None where nothing ran on one.
        counters: what was counted for a launch, by the number `launch` of its work.
    """

    scopes: list[Record] = field(default_factory=list)
    works: list[Record] = field(default_factory=list)
    waits: list[Record] = field(default_factory=list)
    memory: list[Record] = field(default_factory=list)
    begin: int = 0
    end: int = 0
    dropped: int = 0
    names: dict[int, str] = field(default_factory=dict)
    wall: int = 0
    device: DeviceFacts | None = None
    counters: dict[int, dict[str, int]] = field(default_factory=dict)

    @property
    def emulated(self) -> bool:
        """Whether work ran on the emulator."""
        return self.device is not None and self.device.emulated

    def thread_name(self, thread: int) -> str:
        """Return the name of a thread."""
        return self.names.get(thread) or f"thread {thread}"


# The driver's calls, by kind of work and direction of a copy.
_CALLS = {
    "kernel": "cuLaunchKernel",
    "fill": "cuMemsetD8Async",
    "event_wait": "cuStreamWaitEvent",
    "graph": "cuGraphLaunch",
}
_COPIES = {
    "HtoD": "cuMemcpyHtoDAsync",
    "DtoH": "cuMemcpyDtoHAsync",
    "DtoD": "cuMemcpyDtoDAsync",
    "HtoH": "cuMemcpyAsync",
}


def call_name(work: Record) -> str:
    """Return the driver's function that launches a work: "cuLaunchKernel"."""
    if work["kind"] == "copy":
        return _COPIES.get(work["direction"], "cuMemcpyAsync")
    return _CALLS[work["kind"]]


def device_name(work: Record) -> str:
    """Return a work's name on the device: "conv2d (conv2d.cu)"."""
    if work["kind"] == "fill":
        return "Memset (Device)"
    if work["kind"] == "copy":
        host = "Pinned" if work["pinned"] else "Pageable"
        places = {"H": host, "D": "Device"}
        direction = work["direction"]
        from_to = f"{places[direction[0]]} -> {places[direction[-1]]}"
        return f"Memcpy {direction} ({from_to})"
    if work["kind"] == "kernel" and work["file"]:
        return f"{work['name']} ({work['file']})"
    return str(work["name"])


def takes_device_time(work: Record) -> bool:
    """Return whether a work has known device times; an event wait has none."""
    return bool(work["kind"] != "event_wait" and work["device_end"] > 0)


def scope_name(scope: Record) -> str:
    """Return a scope's name in a trace: "minitorch::conv2d"."""
    if scope["kind"] == "op":
        return f"minitorch::{scope['name']}"
    if scope["kind"] == "module":
        suffix = f" ({scope['name']})" if scope["name"] else ""
        return f"nn.Module: {scope['detail']}{suffix}"
    if scope["kind"] == "backward":
        return _node_name(scope["name"])
    return str(scope["name"])


def _node_name(name: str) -> str:
    """Return the name of a backward node: "Conv2dBackward" for conv2d."""
    if name == "accumulate":
        return "AccumulateGrad"
    if name.endswith("Backward"):
        return name
    return "".join(part.capitalize() for part in name.split("_")) + "Backward"
