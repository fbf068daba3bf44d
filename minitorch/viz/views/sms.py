"""The view of multiprocessors: how many blocks run at the same time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _core
from ...cuda import Launch
from ..figure.figure import Figure
from ..figure.scenes import Interned, moves_of, swatches
from ..scene.drawing import number
from ..scene.phrases import joined
from ..scene.scene import (
    Axis,
    Below,
    Cells,
    Index,
    Numbers,
    Owners,
    Panel,
    Scene,
    Table,
    Waves,
)
from ..traces.launches import require_launch, short_card

MOST_CARDS = 3
_SUIT, _WAVES, _KB = 316.0, 480.0, 1024
_ROOF = 8  # rows of the roof
_ANY = 1 << 20
_ASKED = ("threads", "registers", "shared")  # axes


@dataclass(frozen=True)
class Card:
    """A launch on one card.

    Attributes:
        name: Without what says that it is emulated.
        compute: Its compute capability, (major, minor).
        sms: Multiprocessors.
        warps: Most warps of one.
        has: What one has of each resource, by its name, in the order they are drawn.
        blocks: Of the launch.
        registers, shared: Of a thread, and bytes of a block, as the kernel asks for.
    """

    name: str
    compute: tuple[int, int]
    sms: int
    warps: int
    has: Mapping[str, int]
    blocks: int
    registers: int
    shared: int


@dataclass(frozen=True)
class SmsData:
    """A launch on some cards: `threads` of a block."""

    threads: int
    cards: tuple[Card, ...]


def _card(launch: Launch, kernel: Any, gpu: str | None) -> Card:
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


def _with(own: int, *others: Iterable[int]) -> list[int]:
    return sorted({own, *(each for part in others for each in part)})


class Choices:
    """Values of the sliders; those of the launch are among them.

    Attributes:
        threads, shared, blocks: In order; bytes of shared memory.
        registers: The first, 0, stands for what each card's compiler gave.
    """

    def __init__(self, data: SmsData) -> None:
        self.threads = _with(data.threads, range(32, 1025, 32))
        self.registers = [0, *range(16, 257, 8)]
        most = max(card.has["shared memory"] for card in data.cards) // _KB
        steps = range(0, min(most, 64) + 1, 4), range(80, most + 1, 16)
        kept = _with(0, *steps)
        self.shared = _with(data.cards[0].shared, [at * _KB for at in kept])
        blocks = data.cards[0].blocks
        self.blocks = _with(blocks, range(1, 21) if blocks < 8 else [
            round(blocks * at / 8) for at in range(1, 21)
        ])  # fmt: skip


def needs_of(card: Card, choices: Choices) -> list[tuple[Numbers, Numbers]]:
    """Return what a block takes of each resource, and the blocks that it has room for.

    Over threads, registers and shared memory. Warps get registers in units of 256 from
    one of four partitions; from compute capability 8 on a block takes 1 KB of shared
    memory more (NVIDIA's occupancy calculator, for all cards as
    `cpp/base/occupancy.cpp` has it).
    """
    warps = -(-np.array(choices.threads)[:, None, None] // 32)
    registers = np.array([card.registers, *choices.registers[1:]])[:, None]
    of_warp = -(-registers * 32 // 256) * 256
    file, most = card.has["registers"], card.has["shared memory"]
    in_file = np.where(of_warp, file // 4 // np.maximum(of_warp, 1) * 4 // warps, _ANY)
    unit, kept = (128, _KB) if card.compute >= (8, 0) else (256, 0)
    shared = -(-(np.array(choices.shared) + kept) // unit) * unit
    found: list[tuple[Any, Any]] = [
        (32 * warps, card.warps // warps),
        (of_warp * warps, np.where(of_warp * (-(-warps // 4) * 4) > file, 0, in_file)),
        (shared, np.where(shared, most // np.maximum(shared, 1), _ANY)),
        (np.array(1), np.array(card.has["block slots"])),
    ]
    shape = len(choices.threads), len(choices.registers), len(choices.shared)
    return [(np.broadcast_to(takes, shape), np.broadcast_to(fits, shape))
            for takes, fits in found]  # fmt: skip


def _answer(card: Card, fit: int, limits: list[str], threads: int) -> str:
    if not fit:
        return f"On a {card.name}, not even one block of {threads:,} threads fits."
    blocks = f"{fit} block{'s' * (fit > 1)} fit{'s' * (fit == 1)} on one SM"
    are = "is" if limits == ["shared memory"] else "are"
    return f"On a {card.name}, {blocks}: {joined(limits)} {are} the limit."


def _amount(name: str, value: int) -> str:
    if name == "shared memory":
        return f"{value / _KB:.4g} KB"
    if name == "registers" and value % _KB == 0:
        return f"{value // _KB} K"
    return number(value)


class _Builder:
    """The marks of one card."""

    def __init__(self, own: Interned, card: Card, choices: Choices) -> None:
        self.own, self.card, self.choices = own, card, choices
        self.takes, self.limits = zip(*needs_of(card, choices), strict=True)
        self.fit = np.minimum.reduce(self.limits)
        self.warps = self.fit * self.takes[0] // 32

    def texts(self, say: Any, *values: Numbers) -> Table:
        """Words for each choice of threads, registers and shared memory."""
        both = np.stack([each.reshape(-1) for each in values])
        unique, inverse = np.unique(both, axis=1, return_inverse=True)
        said = self.own.texts([say(*each) for each in unique.T.tolist()])
        return Table(_ASKED, said[inverse.reshape(self.fit.shape)])

    def names(self, bits: int) -> list[str]:
        return [name for at, name in enumerate(self.card.has) if bits >> at & 1]

    def answer(self) -> Table:
        bits = np.array([1, 2, 4, 8]) @ [
            (each == self.fit).reshape(-1) for each in self.limits
        ]
        threads = np.array(self.choices.threads)[:, None, None]
        return self.texts(
            lambda fit, bits, threads: _answer(
                self.card, fit, self.names(bits), threads
            ),
            self.fit, bits, np.where(self.fit, 0, threads),
        )  # fmt: skip

    def share(self, warps: int) -> int:
        return round(100 * warps / self.card.warps)

    def occupancy(self, end: str) -> Table:
        name = self.card.name
        return self.texts(
            lambda at: f"{self.share(at)} % on the {name}{end}", self.warps
        )

    def roof(self) -> Cells:
        """The occupancy of each number of threads, in eighths."""
        columns, card = len(self.choices.threads), self.card
        high = -(-self.warps * _ROOF // card.warps)
        level, at = np.divmod(np.arange(_ROOF * columns), columns)
        runs, idle = self.own.look("runs"), self.own.look("untouched")
        filled = np.where(np.moveaxis(high[at], 0, -1) >= _ROOF - level, runs, idle)
        here = np.arange(columns)[:, None, None]
        chip = ".".join(map(str, card.compute))
        return Cells(
            "roof", f"{card.name}, compute capability {chip}",
            self.texts(lambda now: (
                f"{now} of {card.warps} warps, {self.share(now)} %"
                " · columns: 32–1,024 threads"
            ), self.warps),
            len(at), columns, (_SUIT / columns, 8),
            looks=(Table(("registers", "shared"), filled),),
            ring=Table(_ASKED, np.minimum(_ROOF - high, _ROOF - 1) * columns + here),
            go=Owners(at, Index({"threads": 1})),
        )  # fmt: skip

    def need(self, at: int, need: str) -> Cells:
        """How many blocks one resource has room for, and how many of them fit."""
        has, limit, name = self.card.has, self.limits[at], need.capitalize()
        most, total = has["block slots"], _amount(need, has[need])
        looks = np.array([self.own.look("belongs"), self.own.look("runs")])
        return Cells(
            need,
            self.texts(lambda own: f"{name}{' ← the limit' * own}", limit == self.fit),
            self.texts(lambda takes, room: (
                f"{_amount(need, takes)} of {total} a block: room for "
                + ("any number" if room >= _ANY else number(room))
            ), self.takes[at], limit),
            most, most, (_SUIT / most, 14),
            looks=(
                Below(Table(_ASKED, limit), np.full(most, self.own.look("empty"))),
                Below(Table(_ASKED, self.fit),
                      Table(_ASKED, looks[(limit == self.fit).astype(int)])),
            ),
        )  # fmt: skip

    def panels(self) -> tuple[Panel, ...]:
        blocks = Table(("blocks",), np.array(self.choices.blocks))
        places = self.card.sms * min(self.fit[self.fit > 0])
        most = min(-(-self.choices.blocks[-1] // places), 3)
        waves = Waves("block", self.card.sms, Table(_ASKED, self.fit), blocks, most)
        needs = [self.need(*each) for each in enumerate(self.card.has)]
        return (Panel((self.roof(), *needs), _SUIT), Panel((waves,), _WAVES, True, 36))


def scene_of(data: SmsData) -> Scene:
    """Return the scene of a launch on some cards."""
    own, choices, first = Interned(), Choices(data), data.cards[0]
    cards = [_Builder(own, card, choices) for card in data.cards]
    shares = [each.occupancy("." if each is cards[-1] else ",") for each in cards]
    panels = [panel for each in cards for panel in each.panels()]

    def slider(name: str, label: str, values: list[int], key: str, say: Any) -> Axis:
        words = own.table(name, [say(each) for each in values])
        moves = moves_of(key, label.lower(), len(values))
        return Axis(name, label, len(values), 0, "range", words=words, moves=moves)

    return Scene(
        axes=(
            Axis("block", "Block", choices.blocks[-1], words="block {block}"),
            slider("threads", "Threads a block", choices.threads, "[ ]", number),
            slider("registers", "Registers a thread", choices.registers, ", .",
                   lambda at: str(at) if at else f"{first.registers}, as compiled"),
            slider("shared", "Shared memory a block", choices.shared, "M",
                   lambda at: _amount("shared memory", at)),
            slider("blocks", "Blocks", choices.blocks, "B", number),
        ),
        words=own.all,
        looks=own.looks,
        panels=tuple(panels),
        answer=(cards[0].answer(),),
        detail=("Occupancy:", *shares, "Waves are those of blocks that take equally "
                "long."),
        key=swatches([
            ("runs", 0, "a block, or the resource that is used up first"),
            ("belongs", 0, "blocks that fit, in a resource that has room"),
            ("empty", 0, "room for a block, empty"),
            ("focus", 0, "block in focus, and the occupancy of these threads"),
        ]),
    )  # fmt: skip


def sms(launch: Any, kernel: Any, gpu: Any = None) -> Figure:
    """Draw how many blocks run at once, what stops the next one, and the waves.

    Args:
        launch: Recorded with `cuda.inspect()`; it needs no trace.
        kernel: What was launched: it knows its registers on each card.
        gpu: "t4", "rtx3090", "a100", "h100" or "h200", or up to three of them; None:
            the device's card.

    Returns:
        A figure; its `data` holds the numbers.

    Raises:
        TypeError: Not a launch, not a kernel, or no name of a card.
        ValueError: An unknown card, or more than three.

    Example:
        >>> from minitorch import cuda, viz
        >>> fill = cuda.RawKernel(
        ...     "__global__ void k(int* x) { x[threadIdx.x] = 7; }", "k")
        >>> with cuda.inspect() as run:
        ...     fill[1, 512](cuda.device_array(512, "int32"))
        >>> viz.sms(run.launches[0], fill, "t4")
        Figure(On a T4, 2 blocks fit on one SM: threads are the limit.)
    """
    data = sms_data(launch, kernel, gpu)
    choices, first = Choices(data), data.cards[0]
    state = {
        "block": first.blocks // 2,
        "threads": choices.threads.index(data.threads),
        "registers": 0,
        "shared": choices.shared.index(first.shared),
        "blocks": choices.blocks.index(first.blocks),
    }
    return Figure(
        "How many blocks run at the same time, and what stops the next one?",
        scene_of(data), state, data=data,
    )  # fmt: skip
