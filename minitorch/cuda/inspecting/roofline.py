"""Roofline analysis of a launch."""

from __future__ import annotations

from dataclasses import dataclass

from ... import _core
from .counters import CounterValues


@dataclass(frozen=True)
class Roofline:
    """Launch compared with the peaks of a GPU.

    Two times bound it from below: its bytes at the card's bandwidth, and its operations
    at the card's peak for their types. The larger one says what to work on.

    Attributes:
        gpu: the card's name.
        intensity: floating-point operations for each byte (32 a sector).
        balance: operations a byte at which this card's two times are equal.
        memory_seconds, compute_seconds: the two times.
        sms_used, sms: multiprocessors that have a block of the launch, of all. Without
            a block, one cannot work: the peak is that of those that have one.

    Bytes are those of the sectors that the L1 caches are asked for; what these and the
    L2 keep from the memory is not known here, so a launch may be better than this says.

    Source: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009.
    """

    gpu: str
    intensity: float
    balance: float
    memory_seconds: float
    compute_seconds: float
    sms_used: int
    sms: int

    @property
    def bound(self) -> str:
        """ "memory", "compute", or "neither" for a launch that uses neither."""
        if self.memory_seconds == self.compute_seconds == 0:
            return "neither"
        return "memory" if self.memory_seconds >= self.compute_seconds else "compute"

    def __str__(self) -> str:
        idle = self.sms_used < self.sms
        part = f" (blocks on {self.sms_used} of {self.sms} SMs)" if idle else ""
        return (
            f"{self.bound}-bound on {self.gpu}{part}: {self.intensity:.3g} operations "
            f"a byte, {self.balance:.3g} would balance"
        )


_PEAKS = {"f16": "half", "f32": "single", "f64": "double", "tensor": "tensor"}


def roofline(
    counters: CounterValues, gpu: str | None = None, blocks: int | None = None
) -> Roofline:
    """Return the roofline analysis of counters for a GPU (None: the device's).

    Args:
        counters: of a launch.
        gpu: the card.
        blocks: of the launch: each works on one multiprocessor. None: on all of them.

    Raises:
        ValueError: an unknown card.
    """
    card = _core.card(gpu or "")
    flops = counters.flops
    sms: int = card["sm_count"]
    used = sms if blocks is None else min(blocks, sms)
    share = used / sms
    compute = sum(
        count / (card[_PEAKS[type_]] * share) for type_, count in flops.items()
    )
    operations = sum(flops.values())
    memory = counters.bytes / card["bandwidth"]
    peak = operations / compute if compute else card["single"] * share
    return Roofline(
        gpu=card["name"],
        intensity=counters.arithmetic_intensity,
        balance=peak / card["bandwidth"],
        memory_seconds=memory,
        compute_seconds=compute,
        sms_used=used,
        sms=sms,
    )
