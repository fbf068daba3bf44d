"""The numbers of the view of multiprocessors: what cards have, what a block takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import _core
from ...cuda import Launch, Occupancy
from .launches import require_launch

MOST_CARDS = 3


@dataclass(frozen=True)
class Card:
    """A launch on one card.

    Attributes:
        name: Without what says that it is emulated.
        compute: Its compute capability, (major, minor).
        sms: Multiprocessors.
        warps: Most warps of one.
        has: What one has of each resource, by its name, in the order they are drawn.
        occupancy: Of the launch.
        blocks: Of the launch.
        registers, shared: Of a thread, and bytes of a block, as the kernel asks for.
    """

    name: str
    compute: tuple[int, int]
    sms: int
    warps: int
    has: Mapping[str, int]
    occupancy: Occupancy
    blocks: int
    registers: int
    shared: int


@dataclass(frozen=True)
class SmsData:
    """A launch on some cards: `threads` of a block."""

    threads: int
    cards: tuple[Card, ...]


def short_card(name: str) -> str:
    """A card's name without its maker, its family, and that it is emulated."""
    name = name.partition(" (")[0]
    for word in ("NVIDIA ", "GeForce ", "Tesla "):
        name = name.replace(word, "")
    return name


def _card(launch: Launch, kernel: Any, gpu: str | None) -> Card:
    threads = math.prod(launch.block)
    resources = kernel.resources(gpu)
    dynamic = max(launch.shared_bytes - resources.shared_bytes, 0)
    card = _core.card(gpu or "")
    return Card(
        name=short_card(card["name"]),
        compute=card["compute"],
        sms=card["sm_count"],
        warps=card["warps_per_sm"],
        has={
            "threads": 32 * card["warps_per_sm"],
            "registers": card["registers_per_sm"],
            "shared memory": card["shared_per_sm"],
            "block slots": card["blocks_per_sm"],
        },
        occupancy=resources.occupancy(threads, dynamic),
        blocks=math.prod(launch.grid),
        registers=resources.registers,
        shared=resources.shared_bytes + dynamic,
    )


def sms_data(launch: Any, kernel: Any, gpu: Any = None) -> SmsData:
    """Find out how many blocks run at once, and in how many waves.

    Args:
        launch: Any, with or without a trace.
        kernel: What was launched: it knows its registers on each card.
        gpu: The name of a card, or up to three; None: the device's.

    Raises:
        TypeError: Not a launch, not a kernel, or no name.
        ValueError: An unknown card, more than three, or a Python kernel compiled for
            several types: give one of its `overloads`.
    """
    require_launch(launch, "sms")
    if not hasattr(kernel, "resources"):
        raise TypeError(
            f"[viz.sms] got kernel {type(kernel).__name__}; need the kernel that was "
            "launched, such as a cuda.RawKernel."
        )
    many = isinstance(gpu, Sequence) and not isinstance(gpu, str)
    names = list(gpu) if many else [gpu]
    if not 1 <= len(names) <= MOST_CARDS:
        raise ValueError(f"[viz.sms] got {len(names)} GPUs; need 1 to {MOST_CARDS}.")
    return SmsData(
        threads=math.prod(launch.block),
        cards=tuple(_card(launch, kernel, name) for name in names),
    )
