"""The numbers of the view of multiprocessors: what fits, which wave, which place.

Blocks are placed in the order of their numbers, one on each multiprocessor before the
next row; waves are those of blocks that take equally long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ... import _core
from ...cuda import Launch, Occupancy
from .launches import require_launch

MOST_CARDS = 3


@dataclass(frozen=True)
class Need:
    """One resource: its name, what a block takes, what one multiprocessor has.

    `fits`: blocks that it alone would allow; None: any number.
    """

    name: str
    block: int
    has: int
    fits: int | None
    limits: bool


@dataclass(frozen=True)
class Card:
    """A launch on one card.

    Attributes:
        name: Without what says that it is emulated.
        compute: Its compute capability, (major, minor).
        sms: Multiprocessors.
        warps: Most warps of one.
        needs: The resources, in the order they are drawn.
        fit: Blocks on one multiprocessor.
        resident: Warps of these.
        blocks: Of the launch.
        registers, shared: Of a thread, and bytes of a block, as the kernel asks for.
    """

    name: str
    compute: tuple[int, int]
    sms: int
    warps: int
    needs: tuple[Need, ...]
    fit: int
    resident: int
    blocks: int
    registers: int
    shared: int

    @property
    def places(self) -> int:
        """Blocks that the whole card holds."""
        return self.fit * self.sms

    @property
    def waves(self) -> int:
        """Rounds, if all blocks take equally long; 0 where none fits."""
        return -(-self.blocks // self.places) if self.places else 0

    def blocks_of(self, wave: int) -> int:
        """Blocks of a wave, counted from 0."""
        return min(self.places, self.blocks - wave * self.places)

    @property
    def limits(self) -> list[str]:
        """What is used up first."""
        return [need.name for need in self.needs if need.limits]


@dataclass(frozen=True)
class SmsData:
    """A launch on some cards: `threads` of a block."""

    kernel: str
    threads: int
    cards: tuple[Card, ...]


# Occupancy's words for what the view calls so.
_NAMES = {
    "warps": "threads",
    "registers": "registers",
    "shared": "shared memory",
    "blocks": "block slots",
    "barriers": "barriers",
}


def _needs(found: Occupancy, fields: Any, card: Any, threads: int) -> tuple[Need, ...]:
    warps = -(-threads // 32)
    amounts = {
        "warps": (32 * warps, 32 * card["warps_per_sm"]),
        "registers": (fields["registers_per_block"], card["registers_per_sm"]),
        "shared": (fields["shared_per_block"], card["shared_per_sm"]),
        "blocks": (1, card["blocks_per_sm"]),
    }
    return tuple(
        Need(_NAMES[name], *amounts[name], found.limits[name], name in found.limiters)
        for name in amounts
    )


def short_card(name: str) -> str:
    """A card's name without its maker, its family, and that it is emulated."""
    name = name.partition(" (")[0]
    for word in ("NVIDIA ", "GeForce ", "Tesla "):
        name = name.replace(word, "")
    return name


def _card(launch: Launch, kernel: Any, gpu: str | None) -> Card:
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    resources = kernel.resources(gpu)
    dynamic = max(launch.shared_bytes - resources.shared_bytes, 0)
    found = resources.occupancy(threads, dynamic)
    fields = resources._core.occupancy(threads, dynamic)
    card = _core.card(gpu or "")
    return Card(
        name=short_card(card["name"]),
        compute=card["compute"],
        sms=card["sm_count"],
        warps=card["warps_per_sm"],
        needs=_needs(found, fields, card, threads),
        fit=found.blocks,
        resident=found.warps,
        blocks=launch.grid[0] * launch.grid[1] * launch.grid[2],
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
        raise ValueError(f"[viz.sms] got {len(names)} cards; need 1 to {MOST_CARDS}.")
    return SmsData(
        kernel=launch.kernel,
        threads=launch.block[0] * launch.block[1] * launch.block[2],
        cards=tuple(_card(launch, kernel, name) for name in names),
    )
