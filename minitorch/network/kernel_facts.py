"""What is derived of one launch for one card: bytes, residency, a time's bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _core
from ..cuda.inspecting.counters import CounterValues
from ..tools.runtime_findings import kernel_parameters
from .records import (
    Asked,
    AtLeast,
    Gpu,
    Moved,
    Residency,
    Touched,
)

_SECTOR = 32  # bytes
_PEAKS = {"f16": "half", "f32": "single", "f64": "double", "tensor": "tensor"}
# Warp schedulers of a multiprocessor, each of which issues one instruction a clock;
# CUDA C++ Programming Guide, "Compute Capabilities", 7.x to 9.0.
_SCHEDULERS = 4
_MACS = ("fma_f16", "fma_f32", "fma_f64")


def gpu_named(name: str | None) -> Gpu:
    """A card by its short name; None: the one that the device "cuda" is.

    Raises:
        TypeError: no text.
        ValueError: an unknown card; the message lists those that there are.
    """
    if name is not None and not isinstance(name, str):
        raise TypeError(f"[explain] got gpu {name!r}; need a name such as 'rtx3090'.")
    card = _core.card(name or "")
    return Gpu(
        name=card["key"],
        title=card["name"],
        sms=card["sm_count"],
        warps_per_sm=card["warps_per_sm"],
        clock_ghz=card["clock_hz"] / 1e9,
        bandwidth=float(card["bandwidth"]),
        l2_bytes=card["l2_bytes"],
        peak={type_: card[type_] for type_ in _PEAKS.values()},
    )


def macs_executed(counters: CounterValues) -> int:
    """Multiply-adds of lanes, and those of matrix instructions."""
    lanes = sum(int(counters[name]) for name in _MACS)
    return lanes + int(counters["tensor_flops"]) // 2


def moved(counters: CounterValues, footprint: Mapping[str, int] | None) -> Moved:
    """Bytes by where they lie."""
    count = {name: int(counters[name]) for name in counters}
    atomic = count["atomic_global_sectors"]
    return Moved(
        registers=int(counters["register_bytes"]),
        shared=int(counters["shared_lane_bytes"]),
        asked=Asked(
            read=_SECTOR * (count["global_load_sectors"] + atomic),
            written=_SECTOR * (count["global_store_sectors"] + atomic),
        ),
        touched=_touched(footprint),
    )


def _touched(footprint: Mapping[str, int] | None) -> Touched | None:
    if footprint is None:
        return None
    read, written, either = (footprint[key] for key in ("read", "written", "either"))
    return Touched(_SECTOR * read, _SECTOR * written, _SECTOR * either)


def at_least(
    counters: CounterValues, touched: Touched | None, gpu: Gpu, blocks: int
) -> AtLeast:
    """The bound of a launch's time, from what it must do at the least."""
    memory = 0.0
    if touched is not None:
        beyond = max(0, touched.written - gpu.l2_bytes)
        memory = (touched.read + beyond) / gpu.bandwidth
    used = min(blocks, gpu.sms)
    share = used / gpu.sms
    # Types may run side by side, on different units: the slowest one bounds.
    compute = max(
        count / (gpu.peak[_PEAKS[type_]] * share) if count else 0.0
        for type_, count in counters.flops.items()
    )
    warps = int(counters["ptx_warp_instructions"])
    issue = warps / (_SCHEDULERS * used * gpu.clock_ghz * 1e9) if warps else 0.0
    times = {"memory": memory, "compute": compute, "issue": issue}
    slowest = max(times, key=lambda name: times[name])
    bound: Any = slowest if times[slowest] else "neither"
    return AtLeast(times[slowest], bound, memory, compute, issue)


class Residencies:
    """Blocks that a multiprocessor of a card holds, of kernels compiled for it."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._known: dict[tuple[Any, ...], _core.Resources | None] = {}

    def of(self, work: Mapping[str, Any], threads: int) -> Residency | None:
        """For a record of a launch; None for what cannot be compiled for the card."""
        if not work["library"]:
            return None
        options = tuple(work["options"])
        key = (work["file"], work["entry"], work["spec"], options)
        if key not in self._known:
            self._known[key] = self._compiled(*key)
        resources = self._known[key]
        if resources is None:
            return None
        found = resources.occupancy(threads, work["dynamic_shared"])
        return Residency(
            blocks_per_sm=found["blocks"],
            warps=found["warps"],
            of=self._gpu.warps_per_sm,
            limit=" and ".join(found["limiters"]),
        )

    def _compiled(
        self, file: str, entry: str, spec: str, options: tuple[str, ...]
    ) -> _core.Resources | None:
        try:
            return _core.library_resources(
                file, entry, spec, list(options), self._gpu.name
            )
        except RuntimeError:  # an NVRTC that does not know the card
            return None


def written_parameters(source: str, entry: str) -> set[str]:
    """Names of a kernel's parameters that are pointers to what it may write."""
    return {
        name
        for name, declared in kernel_parameters(source, entry)
        if "*" in declared and "const" not in declared
    }
