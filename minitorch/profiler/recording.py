"""Collect records from the core, with the properties of the card."""

from __future__ import annotations

import threading
import time
from typing import Literal

from .. import _core
from ..cuda.device.device import device_name as card_name
from ..cuda.device.device import is_emulated, synchronize
from ..cuda.device.devices import get_current_device
from ..cuda.inspecting.inspection import Inspection, inspect
from .records import DeviceFacts, Record, Records, without_collection

MOST_RECORDS = 1_000_000


class OpenRecording:
    """A running recording, with optional counters."""

    def __init__(
        self, *, shapes: bool, stack: bool, memory: bool, device: bool, counters: bool
    ) -> None:
        self._counted: Inspection | None = None
        if counters:
            self._counted = inspect(_level(), library=True, most_launches=MOST_RECORDS)
            self._counted.__enter__()
        device = device or counters  # whose launches are told apart by their numbers
        self._core = _core.Recording.open(shapes, stack, memory, device, MOST_RECORDS)
        self._launched = False
        self._steps: list[tuple[int, int, int, int]] = []

    def add_step(self, number: int, begin: int, thread: int) -> None:
        """Add a step that began at `begin`, in nanoseconds, and ends now."""
        self._steps.append((number, begin, time.monotonic_ns(), thread))

    def close(self) -> Records:
        """End the recording, wait for the device, and return the records.

        `raise_faults` has to follow, when the records are in a safe place.
        """
        self._core.close()
        with without_collection():
            records = self._records()
        ends = [work["device_end"] for work in records.works]
        records.end = max(records.end, *ends, 0)
        records.wall = time.time_ns() - time.monotonic_ns()
        first = len(records.scopes)
        for index, step in enumerate(self._steps):
            records.scopes.append(_step_scope(first + index, *step))
        self._launched = bool(records.works)
        if self._launched:
            records.device = _device_facts()
            _add_occupancy(records.works)
        return records

    def abandon(self) -> None:
        """End the recording and discard it."""
        self._core.close()
        if self._counted is not None:
            self._counted.__exit__(None, None, None)

    def raise_faults(self) -> None:
        """Raise errors of the device, as a synchronization does.

        Raises:
            KernelError: a kernel had a fault.
        """
        try:
            if self._launched:
                synchronize()  # an inspection that ends first takes the fault with it
        finally:
            if self._counted is not None:
                self._counted.__exit__(None, None, None)

    def _records(self) -> Records:
        core = self._core
        return Records(
            scopes=core.scopes(),
            works=core.works(),
            waits=core.waits(),
            memory=core.memory(),
            begin=core.opened,
            end=core.closed,
            dropped=core.dropped,
            names={
                thread.native_id or 0: thread.name for thread in threading.enumerate()
            },
            counters=self._counters(),
        )

    def _counters(self) -> dict[int, dict[str, int]]:
        counters = {}
        for launch in self._counted.launches if self._counted is not None else ():
            values = launch.counters
            counters[launch.number] = {
                "sectors_loaded": int(values["global_load_sectors"]),
                "sectors_stored": int(values["global_store_sectors"]),
                "macs": sum(int(values[f"fma_{kind}"]) for kind in _FMA),
            }
        return counters


def _level() -> Literal["full", "memory"]:
    """Return the current check level, which counting must not change."""
    return "full" if _core.checks() == _core.CheckLevel.full else "memory"


def _step_scope(id: int, number: int, begin: int, end: int, thread: int) -> Record:
    """Return a step in the recorder's form."""
    return {
        "id": id,
        "parent": -1,
        "thread": thread,
        "name": f"ProfilerStep#{number}",
        "kind": "step",
        "detail": "",
        "begin": begin,
        "end": end,
        "sequence": -1,
        "file": "",
        "line": 0,
        "site": "",
        "stack": (),
        "shapes": [],
        "dtypes": [],
        "output": None,
    }


_FMA = ("f16", "f32", "f64")


def _device_facts() -> DeviceFacts:
    card = get_current_device()
    return DeviceFacts(
        card_name(),
        is_emulated(),
        card.MULTIPROCESSOR_COUNT,
        card.MAX_THREADS_PER_MULTIPROCESSOR,
    )


def _add_occupancy(works: list[Record]) -> None:
    """Add to each kernel's record the resident blocks per multiprocessor."""
    known: dict[tuple[int, ...], int] = {}
    for work in works:
        if work["kind"] != "kernel":
            continue
        x, y, z = work["block"]
        shared = (work["static_shared"], work["dynamic_shared"])
        needs = (x * y * z, work["registers"], *shared)
        if needs not in known:
            known[needs] = _core.resident_blocks(*needs)
        work["blocks_per_sm"] = known[needs]
