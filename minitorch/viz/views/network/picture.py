"""The scene of the network view: the table, and the panels of one launch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ....cuda.inspecting.trace import LANES
from ....network.explanation import Explanation
from ....network.records import ArrayUse, Kernel
from ...figure.figure import WIDTH
from ...figure.scenes import Interned, swatches
from ...scene.drawing import number, shortened
from ...scene.frames import frames_at
from ...scene.phrases import counted, duration
from ...scene.scene import (
    Axis,
    Bars,
    Cells,
    Index,
    Masked,
    Match,
    Numbers,
    OneOf,
    Owners,
    Panel,
    Rows,
    Scene,
    Table,
    Visits,
)
from ...traces.launches import extent_words, hue_of, place_of, short_card, spelled
from .rows import (
    TableDrawing,
    amount,
    origin,
    rows_of,
    size,
    span,
)

_MOST_VISITS = 2048  # blocks that clicks on multiprocessors lead to
_OUTPUT_WIDE, _OUTPUT_HIGH = 540.0, 250.0
_LEAST_CELL, _MOST_CELL = 4.5, 23.0


def offsets_of(array: ArrayUse) -> Numbers:
    """Return where each element lies, in elements from the first of the array."""
    strides = array.strides
    if len(strides) != len(array.shape):
        return np.arange(math.prod(array.shape))
    offsets = np.zeros((), np.int64)
    for count, stride in zip(array.shape, strides, strict=True):
        offsets = offsets[..., None] + np.arange(count) * stride
    return offsets.reshape(-1)


def layout_of(shape: tuple[int, ...]) -> tuple[Numbers, int, float]:
    """Return slots of an array's elements, slots in a row, and the size of a cell.

    A single row is broken, and rows beyond those that fit go on in planes beside.
    """
    columns = shape[-1] if shape else 1
    count = math.prod(shape)
    rows = count // columns
    every = np.arange(count)
    if rows == 1:
        wide = round((count * _OUTPUT_WIDE / _OUTPUT_HIGH) ** 0.5)
        columns = max(min(count, wide), 1)
        rows = -(-count // columns)

    def pitch_of(high: int) -> float:
        wide = -(-rows // high) * (columns + 1) - 1
        return min(_OUTPUT_WIDE / wide, _OUTPUT_HIGH / high, _MOST_CELL)

    high = max(range(1, rows + 1), key=pitch_of, default=1)
    wide = -(-rows // high) * (columns + 1) - 1
    row, column = np.divmod(every, columns)
    slots = row % high * wide + row // high * (columns + 1) + column
    return slots, wide, max(pitch_of(high), _LEAST_CELL)


def hues_in(grid: tuple[int, int, int]) -> Numbers:
    """Return the hue of each block."""
    return np.asarray(hue_of(np.arange(math.prod(grid)), grid))


def sms_of(kernel: Kernel) -> Numbers:
    """Return the multiprocessor of each block: as noted, else as it is modelled."""
    found = np.arange(kernel.blocks) % kernel.sms
    for block, sm in kernel.noted_places or ():
        found[block] = sm % kernel.sms
    return found


def asked_bytes(kernel: Kernel) -> int:
    """Return the bytes of all sectors that warps asked for."""
    return kernel.moved.asked.read + kernel.moved.asked.written


def touched_bytes(kernel: Kernel) -> int:
    """Return the bytes of all different sectors, or of all that were asked for."""
    touched = kernel.moved.touched
    return asked_bytes(kernel) if touched is None else touched.either


class NetworkScene(Interned):
    """What the marks of the scene share."""

    def __init__(self, explanation: Explanation) -> None:
        super().__init__()
        self.explanation, self.kernels = explanation, explanation.kernels
        self.owners = explanation.owners()
        self.empty = self.look("empty")
        self._by_block: dict[Any, Table] = {}

    def of_kernels(self, words: Callable[[Kernel], str]) -> Table:
        """Return words for each launch as a channel."""
        return self.table("kernel", [words(each) for each in self.kernels])

    def one_of(
        self, draw: Callable[[Kernel], Cells], key: Callable[[Kernel], Any]
    ) -> OneOf:
        """Return marks for launches; those with the same key share one."""
        keys = list(map(key, self.kernels))
        first = {known: keys.index(known) for known in keys}
        at = np.array([list(first).index(known) for known in keys])
        marks = tuple(draw(self.kernels[place]) for place in first.values())
        return OneOf(Table(("kernel",), at), marks)

    def shape(self, kernel: Kernel) -> Any:
        """Return what the picture of a block depends on."""
        return kernel.grid, kernel.block, self.owners.get(kernel.index)

    def by_block(
        self, kernel: Kernel, name: str, make: Callable[[tuple[int, int, int]], Numbers]
    ) -> Table:
        """Return a channel of blocks; launches with a row of blocks share one."""
        most = max(each.grid[0] for each in self.kernels)
        grid = (most, 1, 1) if kernel.grid[1:] == (1, 1) else kernel.grid
        if (name, grid) not in self._by_block:
            self._by_block[name, grid] = Table(("block",), make(grid))
        return self._by_block[name, grid]

    def hue(self, kernel: Kernel, kind: str) -> Table:
        """Return the look of the block in focus."""
        return self.by_block(
            kernel, kind, lambda grid: np.asarray(self.hues(kind)[hues_in(grid)])
        )

    def of_blocks(
        self, kernel: Kernel, words: str, sms: Numbers | None = None
    ) -> Table:
        """Return words with the name of the block in focus, and its multiprocessor."""

        def texts(grid: tuple[int, int, int]) -> Numbers:
            every = range(math.prod(grid))
            named = grid[1:] != (1, 1)
            names = [spelled(at, grid) if named else "{block}" for at in every]
            known = every if sms is None else sms
            return self.texts(
                [words.format(*both) for both in zip(names, known, strict=True)]
            )

        if kernel.noted_places is not None and sms is not None:
            return Table(("block",), texts(kernel.grid))
        return self.by_block(kernel, words, texts)

    def multiprocessors(self, kernel: Kernel) -> Cells:
        how = "modelled"
        at = self.by_block(kernel, "sm", lambda grid: np.arange(math.prod(grid))
                           % kernel.sms).values  # fmt: skip
        if kernel.noted_places is not None:
            at = sms_of(kernel)
            how = "measured" if kernel.seconds is not None else "emulated"
        counts = np.bincount(at[: kernel.blocks], minlength=kernel.sms)
        many = np.where(counts == counts.max(), self.look("dark"), self.look("grey"))
        looks = np.where(counts > 0, many, self.look("untouched"))
        first = at[: min(kernel.blocks, _MOST_VISITS)]
        order = np.lexsort((np.arange(len(first)), first))
        own = self.focused(kernel, Rows("block", np.arange(len(at) + 1), {"item": at}))
        return Cells(
            "sms", f"{counted(kernel.blocks, 'block')} on {kernel.sms} SMs",
            self.of_blocks(kernel, f"block {{}} on SM {{}}, {how}", at), kernel.sms,
            14 if kernel.sms <= 84 else 18, (16, 16), looks=(looks, own),
            ring=Table(("block",), at), tip=("SM", (kernel.sms,)),
            go=Visits("block", first[order], order),
        )  # fmt: skip

    def cells(self, kernel: Kernel) -> Numbers | None:
        """Return (blocks, warps, lanes) the first cell that a thread writes, or -1.

        None where it is not known.
        """
        owners = self.owners.get(kernel.index)
        if owners is None or not kernel.outputs:
            return None
        offsets = offsets_of(kernel.outputs[0])
        if len(offsets) != len(owners) or offsets.max(initial=-1) >= len(owners):
            return None
        found = np.full(kernel.blocks * kernel.threads, -1)
        owner = np.array(owners)[offsets]
        cells = np.arange(len(owner))[::-1]
        known = owner[cells] >= 0
        found[owner[cells][known]] = cells[known]
        padded = np.full((kernel.blocks, -(-kernel.threads // LANES) * LANES), -1)
        padded[:, : kernel.threads] = found.reshape(kernel.blocks, -1)
        return padded.reshape(kernel.blocks, -1, LANES)

    def threads(self, kernel: Kernel) -> Cells:
        wide = kernel.block[0]
        across = wide if wide in (8, 16) else 16 if kernel.threads <= 512 else LANES
        cells, warps = self.cells(kernel), -(-kernel.threads // LANES)
        side = min(12.4, 216 / across, 200 / -(-kernel.threads // across))
        every = np.arange(warps * LANES)
        starts = np.append(every[::LANES], len(every))
        own = self.focused(kernel, Rows("warp", starts, {"item": every}))
        tint = self.hue(kernel, "belongs")
        if cells is not None:
            writes = cells.reshape(kernel.blocks, -1)[:, : kernel.threads] >= 0
            own = Masked(own, (Table(("block",), np.where(writes, 1, -1)),))
            hue = tint.values[: kernel.blocks, None]
            tint = Table(("block",), np.where(writes, hue, self.empty))
        places = zip(*place_of(np.arange(warps * LANES), kernel.block), strict=True)
        names = [
            f"lane {{lane}} of warp {{warp}}: thread {spelled(place, kernel.block)}"
            for place in places
        ]
        at = Index({"warp": LANES, "lane": 1})
        return Cells(
            "threads",
            self.of_blocks(kernel, f"Block {{}}: {kernel.threads:,} threads"),
            Table(("warp", "lane"), self.texts(names).reshape(warps, LANES)),
            kernel.threads, across, (side, side), looks=(tint, own), group=LANES,
            ring=at, go=at,
            names=self.texts([f"warp {warp}" for warp in range(warps)]),
            hues=self.by_block(kernel, "hue", hues_in),
        )  # fmt: skip

    def output(self, kernel: Kernel) -> Cells:
        out = kernel.outputs[0] if kernel.outputs else None
        cells = self.cells(kernel)
        title = "What it writes is not known"
        if out is not None:
            shape = " × ".join(map(number, out.shape)) or "1"
            unit = "cell" if math.prod(out.shape) == 1 else "cells"
            title = f"It writes array {shortened(out.parameter, 16)}: {shape} {unit}"
        if cells is None or out is None or not math.prod(out.shape):
            note = "who writes one: explanation.neuron(layer, index)"
            return Cells("output", title, note, 1, 1, (1, 1))
        count = math.prod(out.shape)
        owner = np.array(self.owners[kernel.index])[offsets_of(out)]
        hue = hue_of(owner // kernel.threads, kernel.grid)
        base = np.where(owner >= 0, self.hues("belongs")[hue % 4], self.empty)
        slots, wide, side = layout_of(out.shape)
        planes = (wide + 1) // ((out.shape or (1,))[-1] + 1)
        title += f", in {planes} parts" * (planes > 1)
        name, places = shortened(out.parameter, 16), np.ndindex(out.shape)
        names = ["lane {lane} writes no cell"] + [
            f"lane {{lane}} writes {name}[{', '.join(map(str, index))}]"
            for index in places
        ]
        axes, written = ("block", "warp", "lane"), np.argsort(owner, kind="stable")
        written = written[owner[written] >= 0]
        block, thread = np.divmod(owner[written], kernel.threads)
        starts = np.searchsorted(block, np.arange(kernel.blocks + 1))
        own = Rows("block", starts, {"item": written, "warp": thread // LANES})
        return Cells(
            "output", title, Table(axes, self.texts(names)[cells + 1]), count, wide,
            (side, side), looks=(base, self.focused(kernel, own, "warp")), slots=slots,
            most=int(_OUTPUT_HIGH / side), ring=Table(axes, cells),
            tip=(out.parameter, out.shape),
            go=Owners(
                owner, Index({"block": kernel.threads, "warp": LANES, "lane": 1})
            ),
        )  # fmt: skip

    def focused(self, kernel: Kernel, rows: Rows, *by: str) -> Masked:
        """Return the look of the items that belong to the focus."""
        return Masked(self.hue(kernel, "runs"), (Match(rows, "item", "item", by=by),))

    def levels(self) -> Bars:
        """What moves for a launch, from registers to the card's memory."""
        texts, highs = [], []
        for kernel in self.kernels:
            moved, asked = kernel.moved, asked_bytes(kernel)
            high = [moved.registers, moved.shared, asked, asked]
            words = [span(each, each) if each else "none" for each in high]
            words[3] = span(touched_bytes(kernel), asked) if asked else "none"
            fewer = [""]
            for before, now in pairwise(high[:3]):
                share = before / now if now else 0
                rounded = f"{share:.1f}" if share < 100 else number(round(share))
                fewer.append(f"{rounded} × fewer" if share >= 1.05 else "")
            texts.append((words, [*fewer, ""]))
            highs.append([1000 * each // max(1, *high) for each in high])
        columns = zip(*texts, strict=True)
        return Bars(
            "What moves for this kernel", ("bytes", "than above"),
            ("registers", "shared memory", "L1: asked for", "L2 and memory"),
            tuple(self.each_kernel(column) for column in columns),
            Table(("kernel",), np.array(highs)), 100, np.array([-1]),
        )  # fmt: skip

    def bounds(self) -> Bars:
        """Why a launch takes at least so long."""
        card, texts, shares = self.explanation.gpu, [], []
        rate = f" at {card.bandwidth / 1e9:,.0f} GB/s" if card.bandwidth else ""
        for kernel in self.kernels:
            least, work = kernel.at_least, "on "
            if kernel.macs_executed:
                work = f"{amount(kernel.macs_executed)} multiply-adds on "
            some = counted(min(kernel.sms_used, card.sms), "SM")
            moved = round(least.memory_seconds * card.bandwidth)
            bounds = (
                (least.memory_seconds, f"{size(moved)} beyond L2{rate}"),
                (least.compute_seconds, work + some),
                (least.issue_seconds, f"4 a clock on {some}"),
            )
            texts.append([f"{duration(each)} · {why}" for each, why in bounds])
            most = max(seconds for seconds, _ in bounds) or 1.0
            shares.append([round(1000 * seconds / most) for seconds, _ in bounds])
        longest = Table(("kernel",), np.argmax(shares, axis=1))
        return Bars(
            self.of_kernels(
                lambda kernel: f"It takes at least {duration(kernel.at_least.seconds)}"
            ),
            ("with cold caches, at the peak of the data sheet",),
            ("memory", "arithmetic", "instructions"), (self.each_kernel(texts),),
            Table(("kernel",), np.array(shares)), 84, longest,
        )  # fmt: skip

    def each_kernel(self, texts: Sequence[Sequence[str]]) -> Table:
        """Return words of items for each launch as a channel."""
        return Table(("kernel",), np.array([self.texts(each) for each in texts]))

    def answer(self, kernel: Kernel) -> str:
        """Return how a launch fills the card."""
        sms = kernel.sms
        counts = np.bincount(sms_of(kernel), minlength=sms)
        most, busy = int(counts.max()), int((counts > 0).sum())
        part = shortened(origin(self.explanation, kernel), 40)
        title = f"Kernel {kernel.index + 1} of {len(self.kernels)}, "
        title += shortened(kernel.name, 40) + (f" of {part}" if part else "")
        title += f", has {counted(kernel.blocks, 'block')}"
        if busy < sms:
            verb = "stays" if sms - busy == 1 else "stay"
            return f"{title}: {sms - busy} of {sms} SMs {verb} idle."
        many = int((counts == most).sum())
        rest = f", at most {most - 1:,} for the others" * (many < sms)
        return f"{title}: {most:,} for {many} of {sms} SMs{rest}."

    def detail(self, kernel: Kernel) -> str:
        """Return the shape of a launch, and how many of its blocks an SM holds."""
        line = f" ({kernel.python_line})" if kernel.python_line else ""
        shape = f"Grid {extent_words(kernel.grid)}, block {extent_words(kernel.block)}"
        fit = kernel.occupancy
        if fit is None:
            return f"{shape}{line}."
        held = f"{counted(fit.blocks_per_sm, 'block')}, {fit.warps} of {fit.of} warps"
        return f"{shape}{line}; an SM holds at most {held}."

    def total(self) -> str:
        """Return what the network holds, of which types, and the card."""
        totals = self.explanation.totals
        types = {use.dtype for each in self.kernels for use in each.outputs}
        held = ""
        if totals.parameters:
            memory = size(totals.parameter_bytes)
            held = f"{counted(totals.parameters, 'parameter')} ({memory}). "
        name = short_card(self.explanation.gpu.title)
        return f"{held}{', '.join([*sorted(types), name])}."

    def scene(self) -> Scene:
        """Return the scene of all launches."""
        kernels = self.kernels
        self.rows = rows_of(self.explanation)
        at = np.zeros(len(kernels), np.int64)
        for place, row in enumerate(self.rows):
            at[[kernel.index for kernel in row.sums.kernels]] = place
        self.row = Table(("kernel",), at)
        table = TableDrawing(self.explanation, self.rows)
        panels = [Panel((frames_at(self.row, len(self.rows), table.draw),), WIDTH)]
        sms = self.one_of(
            self.multiprocessors,
            lambda kernel: (kernel.grid, kernel.noted_places, kernel.seconds is None),
        )
        output = self.one_of(
            self.output,
            lambda kernel: (
                *self.shape(kernel),
                *((use.parameter, use.shape, use.strides, use.dtype)
                  for use in kernel.outputs[:1]),
            ),
        )  # fmt: skip
        threads = self.one_of(self.threads, self.shape)
        panels += [
            Panel((sms,), 240),
            Panel((threads,), 256, gap=20),
            Panel((output,), 290, gap=20, grow=True),
            Panel((self.levels(),), 520, gap=20),
            Panel((self.bounds(),), 520, gap=40),
        ]  # fmt: skip
        folded = len(self.rows) < len(kernels)
        limits = {
            "block": [each.blocks for each in kernels],
            "warp": [-(-each.threads // LANES) for each in kernels],
            "lane": [min(each.threads, LANES) for each in kernels],
        }
        names = [f"{each.index + 1} of {len(kernels)}: {each.name}" for each in kernels]
        firsts = [row.sums.kernels[0].index for row in self.rows] if folded else []
        return Scene(
            axes=(
                Axis("kernel", "Kernel", len(kernels), marks=tuple(sorted(firsts)),
                     words=self.table("kernel", names)),
                *(Axis(name, "thread" if name == "lane" else "", max(values),
                       control="", limit=Table(("kernel",), np.array(values)))
                  for name, values in limits.items()),
            ),
            panels=tuple(panels),
            answer=(self.of_kernels(self.answer),),
            detail=(self.of_kernels(self.detail), self.total()),
            words=self.all, looks=self.looks, key=swatches([
                ("span", 0, "busy SMs of all, useful of executed, touched … asked for"),
                ("runs", 0, "in focus: its block's SM, its warp (colour: block)"),
                ("belongs", 0, "other threads and cells"),
                ("grey", 0, "SM with a block; darkest: with the most"),
                *[("empty", 0, "writes no cell")] * bool(self.owners),
                ("focus", 0, "focus: SM, thread, its cell"),
            ]),
        )  # fmt: skip
