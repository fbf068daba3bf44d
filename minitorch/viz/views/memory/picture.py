"""The scene of the memory view: requests to global memory, and the banks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.trace import LANES
from ...figure.figure import WIDTH, Figure
from ...figure.scenes import (
    Interned,
    missed_cells,
    moves_of,
    swatches,
)
from ...scene.drawing import number
from ...scene.phrases import counted
from ...scene.scene import (
    Axis,
    Cells,
    Chosen,
    Index,
    Owners,
    Panel,
    Scene,
    Table,
)
from .data import BANKS, LINE, SECTOR, WORD, Request, Traffic, banks_of

_LANE = 5
_HALF, _GAP, _CELL = 526.0, 28.0, 15.1
_LINES, _ROWS = 8, 36  # cache lines, and rows of 32 words, that are drawn
_STRIDES, _OFFSETS, _PADDINGS = 33, 9, 5
_GLOBAL = (
    "Global memory moves in sectors of 32 bytes; four sectors make a cache line of 128 "
    "bytes. One touched byte moves its whole sector."
)
_SHARED = (
    "Word w of shared memory lives in bank w mod 32. A bank serves one word in a pass."
)
_ALL, _FOCUS, _NO_LABELS = np.arange(LANES), Index({"lane": 1}), np.full(128, -1)
Numbers = NDArray[Any]
Channel = Callable[..., Any]  # of values, and axes besides its own


def _computed(stride: int) -> Request:
    """Return what a warp asks of an array where no launch did."""
    size = np.full(LANES, WORD)
    return Request(-1, 0, 0, 0, "", "load", _ALL, WORD * stride * _ALL, size)


def _shifted(request: Request, words: int) -> Request:
    return replace(request, address=request.address + WORD * words)


def _named(request: Request, offset: int = 0) -> str:
    if request.step < 0:
        return f"a load of word {request.address[1] // WORD} · i + {offset} by lane i"
    where = f"{request.noun} on line {request.line}"
    where = where if request.line else f"instruction {request.opcode}"
    return f"the {where}" + f", {counted(offset, 'word')} further on," * (offset > 0)


def answer_of(request: Request, best: Request | None = None, offset: int = 0) -> str:
    """Return what a request uses and moves, as it ran beside the best one."""
    name, each = _named(request, offset), _shifted(request, offset)
    used, moved = counted(each.used, "byte"), number(each.moved)
    if request.step < 0 or offset or best is None or best is request:
        return f"{name[0].upper()}{name[1:]} uses {used} and moves {moved}."
    least = f"T{_named(best)[1:]}"
    if best.used != each.used:
        return (
            f"{least} uses {number(best.used)} bytes and moves {number(best.moved)}; "
            f"{name} uses {number(each.used)} and moves {moved}."
        )
    times = number(round(each.moved / best.moved, 2))
    more = f": {times} times as much" if each.moved > best.moved else ""
    return (
        f"Both use {used}. {least} moves {number(best.moved)}, {name} moves "
        f"{moved}{more}."
    )


@cache
def lane_words(byte: int) -> str:
    """Return the arithmetic from a lane's byte to its cache line; -1: no byte."""
    if byte < 0:
        return "lane {lane} takes no part"
    sector, line = number(byte // SECTOR), number(byte // LINE)
    return f"lane {{lane}} → byte {number(byte)} → sector {sector} → cache line {line}"


def bank_words(word: int) -> str:
    """Return the arithmetic from a lane's word to its bank; -1: no word."""
    if word < 0:
        return "lane {lane} takes no part"
    return f"lane {{lane}} → word {number(word)} → bank {word % BANKS}"


def _labels(own: Interned, at: Numbers) -> Numbers:
    return own.texts(
        [number(each) if each < 1e5 else f"{each / 1e6:.3g} M" for each in at.tolist()]
    )


def _first(at: Numbers, values: Numbers, count: int) -> Numbers:
    found = np.full(count, -1)
    found[at[::-1]] = values[::-1]
    return found


def _items(lanes: Numbers, item: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """Return the first lane on each item, and the first item of each lane."""
    return _first(item, lanes, count), _first(lanes, item, LANES)


def _centers(item: Numbers, rows: int, most: int) -> Numbers:
    """Return items at whose rows no row is drawn beyond those that there are."""
    half = most // 2
    row: Numbers = np.clip(item // 32, half, max(rows - half, half))
    return row * 32


def _in_global(own: Interned, request: Request, offset: int, best: Request) -> Any:
    """Return the numbers of one state of global memory."""
    ends = np.concatenate([request.address, request.address + request.size - 1])
    known = np.unique(np.add.outer(ends, WORD * np.arange(_OFFSETS)) // LINE)
    each = _shifted(request, offset)
    lanes, word = each.words
    item = np.searchsorted(known, word // 32) * 32 + word % 32
    lane, first = _items(lanes, item, 32 * len(known))
    sector = np.full((len(known), 4, 8), -1)
    sector[:, :, 0] = own.look("unmoved")
    at = np.searchsorted(known, each.sectors // 4)
    sector[at, each.sectors % 4, 0] = own.look("moved")
    byte = _first(each.lane, each.address - each.lines[0] * LINE, LANES)
    lines, runs = len(each.lines), own.look("runs", each.warp)
    drawn = "The cache lines that they touch"
    if lines > _LINES:
        drawn = f"{_LINES} of its {lines} cache lines, around lane {{lane}}"
    sectors, share = counted(len(each.sectors), "sector"), 100 / each.waste
    note = f"{sectors} in {counted(lines, 'cache line')} · {share:.4g} % of bytes used"
    title = _named(request, offset).partition(" ")[2].capitalize().rstrip(",")
    if request.step >= 0 and not offset:
        title += f", warp {request.warp}"
    return {
        "title": [own.number(title)],
        "note": [own.number(note)],
        "drawn": [own.number(drawn)],
        "answer": [own.number(answer_of(request, best, offset))],
        "way": own.texts([*map(lane_words, byte.tolist())]),
        "taking": np.where(np.isin(_ALL, each.lane), runs, own.look("bare")),
        "used": np.where(lane < 0, -1, runs),
        "lane": lane,
        "sector": sector.reshape(-1),
        "word": first,
        "center": _centers(first, int(at.max()) + 1, _LINES),
        "labels": _labels(own, (known - known[0]) * LINE),
    }


def _in_banks(own: Interned, request: Request, padding: int) -> Any:
    """Return the numbers of one state of shared memory."""
    each = banks_of(request, padding)
    start, rows = int(each.word.min()) // BANKS, -(-len(each.pads) // BANKS)
    pads = each.pads[start * BANKS :]
    lane, word = _items(each.lane, each.word - start * BANKS, (rows - start) * BANKS)
    known = _first(each.lane, each.word, LANES)
    served, runs = each.groups.sum(axis=0), own.look("runs", request.warp)
    clash = np.where((served > 1) & (each.passes > 1), own.look("wrong"), runs)
    idle = own.look("untouched")
    ground = np.full(len(lane), idle)
    ground[: len(pads)][pads] = own.look("empty")
    ground = np.where(lane >= 0, np.resize(clash, len(lane)), ground)
    busy = [np.where(group > turn, clash, idle)
            for group in each.groups for turn in range(int(group.max()))]  # fmt: skip
    passes, now = counted(each.passes, "pass"), banks_of(request).passes
    work = number(round(int(served.sum()) / each.passes, 1))
    title, padded, note = "As it ran", "", "word w lies in bank w mod 32"
    if padding:
        title = f"With {counted(padding, 'padding word')} a row"
        padded = f", and {passes} w{title[1:]}"
        note = f"{counted(int(pads.sum()), 'padding word')} among them"
    where = f"The shared {request.noun} on line {request.line} takes"
    return {
        "title": [own.number(f"{title}: {passes}")],
        "work": [own.number(f"on average {work} of 32")],
        "rows": [own.number(f"{counted(rows - start, 'row')} of 32 words")],
        "note": [own.number(note)],
        "answer": [own.number(f"{where} {counted(now, 'pass')}{padded}.")],
        "way": own.texts([*map(bank_words, known.tolist())]),
        "bare": np.full(BANKS, own.look("bare")),
        "bank": np.where(known < 0, -1, known % BANKS),
        "busy": np.concatenate(busy),
        "ground": ground,
        "lane": lane,
        "word": word,
        "center": _centers(word, rows - start, _ROWS),
        "labels": _labels(own, np.arange(start, rows) * BANKS),
    }  # fmt: skip


class _States:
    """The numbers of states as channels; -1 where one has fewer than others."""

    def __init__(
        self, states: Sequence[Any], shape: tuple[int, ...], channel: Channel
    ) -> None:
        self.channel, self.values = channel, dict[str, Numbers]()
        for name in states[0]:
            rows = np.full((len(states), max(len(each[name]) for each in states)), -1)
            for row, each in zip(rows, states, strict=True):
                row[: len(each[name])] = each[name]
            self.values[name] = rows.reshape(*shape, -1)

    def __call__(self, name: str, *axes: str) -> Any:
        return self.channel(self.values[name], *axes)

    def count(self, name: str) -> int:
        """Return how many items there are."""
        return int(self.values[name].shape[-1])


def _request_panel(by: _States, width: float) -> Panel:
    """Return the lanes of requests, and the cache lines that they touch."""
    lane = by("lane")
    size: Any = {"columns": 32, "blank": True, "fold": True}
    lanes = Cells(
        "lanes", by("title"), by("note"), LANES, size=(_CELL, 18),
        looks=(by("taking"),), words=_ALL, ring=_FOCUS, labels=_NO_LABELS, go=_FOCUS,
        **size,
    )  # fmt: skip
    lines = Cells(
        "lines", by("drawn"), by("way", "lane"), by.count("lane"), size=(_CELL, 22),
        looks=(by("sector"), by("used")), words=lane, ring=by("word", "lane"),
        most=_LINES, center=by("center", "lane"), labels=by("labels"),
        go=Owners(lane, _FOCUS), **size,
    )  # fmt: skip
    return Panel((lanes, lines), width, gap=_GAP)


def _bank_panel(by: _States) -> Panel:
    """Return the banks, which of them work in each pass, and the words they hold."""
    banks = Cells(
        "banks", by("title"), by("way", "lane"), BANKS, 32, (_CELL, 18),
        looks=(by("bare"),), words=_ALL, fold=True, labels=_NO_LABELS,
        ring=by("bank", "lane"),
    )  # fmt: skip
    passes = Cells(
        "passes", "Banks at work, one row a pass", by("work"), by.count("busy"), 32,
        (_CELL, 4), looks=(by("busy"),), labels=_NO_LABELS,
    )  # fmt: skip
    words = Cells(
        "words", by("rows"), by("note"), by.count("lane"), 32, (_CELL, 9),
        looks=(by("ground"),), ring=by("word", "lane"), most=_ROWS,
        center=by("center", "lane"), labels=by("labels"),
        go=Owners(by("lane"), _FOCUS),
    )  # fmt: skip
    return Panel((banks, words, passes), _HALF, gap=_GAP)


def _table(named: tuple[str, ...], values: Numbers, *axes: str) -> Table:
    return Table((*named, *axes), values)


def _key(data: Traffic) -> Any:
    every = (*data.choices, *data.shared_choices)
    who = "number: lane" + ", colour: warp" * (len({each.warp for each in every}) > 1)
    key = [("runs", every[0].warp, f"word that a lane uses ({who})")]
    if data.choices:
        key += [("moved", 0, "moved but not used"), ("bare", 0, "not touched")]
    if data.shared:
        key += [("untouched", 0, "bank or word of shared memory, not used now"),
                ("wrong", 0, "bank conflict: more than one pass")]  # fmt: skip
    if data.shared and data.banks[0].passes > 1:
        key.append(("empty", 0, "padding word"))
    if data.fault and data.fault.array:
        key.append(("wrong", 0, "cell that does not exist"))
    return swatches([*key, ("focus", 0, "focused lane, its word and its bank")])


def scene_of(data: Traffic) -> Scene:
    """Return the scene of a launch's memory instructions.

    Args:
        data: From `memory_data`.
    """
    own, panels = Interned(), []
    own.texts([str(lane) for lane in range(LANES)])  # whose numbers are the lanes
    ran, every = len(data.choices), data.choices
    answer: Any = ""
    if ran:
        requests = [*every, *map(_computed, range(1, _STRIDES + 1))]
        best = data.requests[0]
        states = [_in_global(own, each, at, best)
                  for each in requests for at in range(_OFFSETS)]  # fmt: skip

        def chosen(values: Numbers, *axes: str) -> Any:
            now = Table(("away", "offset", *axes), values[:ran])
            computed = Table(("stride", "offset", *axes), values[ran - 1 :])
            return Chosen("stride", (now, *[computed] * _STRIDES))

        if len(data.requests) > 1:
            first = states[every.index(best) * _OFFSETS :][:1]
            least = _States(first, (), partial(_table, ()))
            panels.append(_request_panel(least, _HALF))
        by = _States(states, (len(requests), _OFFSETS), chosen)
        panels.append(_request_panel(by, _HALF if panels else WIDTH / 2 + _GAP))
        answer = by("answer")
    shared: Any = ""
    padded = bool(data.shared) and data.banks[0].passes > 1
    for pads in ((0,), range(1, _PADDINGS))[: 1 + padded] if data.shared else ():
        states = [_in_banks(own, each, padding)
                  for each in data.shared_choices for padding in pads]  # fmt: skip
        named = ("near", "padding") if len(pads) > 1 else ("near",)
        shape = (len(data.shared_choices), len(pads))[: len(named)]
        by = _States(states, shape, partial(_table, named))
        panels.append(_bank_panel(by))
        shared = by("answer")
    strides, offsets = (1 + _STRIDES, _OFFSETS) if ran else (1, 1)
    paddings = 1 + (_PADDINGS - 2) * padded
    names_of = own.texts(["as it ran", *map(str, range(1, _STRIDES + 1))])
    names = [f"{each.noun}, line {each.line}" for each in every] or [""]
    near = [f"shared {each.noun}, line {each.line}" for each in data.shared_choices]
    told = (_GLOBAL, shared) if ran else (_SHARED,)
    return Scene(
        axes=(
            Axis("lane", "Lane", LANES, words="lane {lane}"),
            Axis("away", "Instruction", len(names), control="choice",
                 words=tuple(names)),
            Axis("stride", "Stride in words", strides, control="range",
                 words=Table(("stride",), names_of[:strides]),
                 moves=moves_of("[ ]", "stride", strides)),
            Axis("offset", "Offset in words", offsets, control="range",
                 words="{offset}", moves=moves_of(", .", "offset", offsets)),
            Axis("near", "Shared memory", max(len(near), 1), control="choice",
                 words=tuple(near)),
            Axis("padding", "Padding words a row", paddings, 1, control="range",
                 words="{padding}", moves=moves_of("P", "padding", paddings)),
        ),
        words=own.all,
        looks=own.looks,
        panels=(*panels, *missed_cells(data.fault, own)),
        answer=(answer if ran else shared,),
        detail=told,
        key=_key(data),
    )  # fmt: skip


def draw_memory(data: Traffic) -> Figure:
    """Draw what single instructions of a warp move; the costliest first."""
    last = data.requests[-1] if data.requests else data.shared
    assert last is not None
    lane = data.lane if data.lane >= 0 else _LANE
    state = dict.fromkeys(("lane", "away", "stride", "offset", "near", "padding"), 0)
    state["lane"] = lane if lane in last.lane else int(last.lane[0])
    if data.requests:
        state["away"] = data.choices.index(last)
    if data.shared:
        state["near"] = data.shared_choices.index(data.shared)
    return Figure(
        "How much memory traffic does one warp instruction cause?",
        scene_of(data), state, data=data,
    )  # fmt: skip
