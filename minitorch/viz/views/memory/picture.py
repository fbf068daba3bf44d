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
from ...scene.drawing import number, shortened
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
from ...traces.arrays import Array
from .data import BANKS, LINE, SECTOR, WORD, Banks, Request, Traffic, banks_of

_LANE = 5
_HALF, _GAP, _CELL = 526.0, 28.0, 15.1
_LINES, _ROWS = 8, 36  # cache lines, and lines of 32 words, that are drawn
_FACT = 20  # letters of arithmetic in a box
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


def bank_words(banks: Banks, array: Array | None, word: int) -> tuple[str, str, str]:
    """Return a lane's element, and the arithmetic of its word and its bank; -1: none.

    Example:
        >>> lanes = np.arange(32)
        >>> banks = Banks(lanes, 33 * lanes, np.ones((1, 32), int), 0, 32, 1)
        >>> bank_words(banks, None, 165)
        ('word 165', '5 × 33 = 165', '165 mod 32 = 5')
    """
    if word < 0:
        return "nothing", "none", "none"
    wide = banks.width + banks.padding
    row, column = divmod(word - banks.start, wide)
    terms = [number(banks.start)] * (banks.start > 0) + [f"{row} × {wide}"]
    said = " + ".join([*terms, *[str(column)] * (column > 0)])
    whole = number(word)
    said = f"{said} = {whole}"
    said = said if len(said) <= _FACT else whole
    name = f"{shortened(array.name, 8)}[{row}, {column}]" if array else f"word {whole}"
    return name, said, f"{whole} mod {BANKS} = {word % BANKS}"


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


def _in_banks(own: Interned, request: Request, padding: int | None) -> Any:
    """Return the numbers of one state of shared memory."""
    each, ran = banks_of(request, padding), banks_of(request)
    start, lines = int(each.word.min()) // BANKS, -(-len(each.pads) // BANKS)
    pads = each.pads[start * BANKS :]
    lane, word = _items(each.lane, each.word - start * BANKS, (lines - start) * BANKS)
    known = _first(each.lane, each.word, LANES)
    wanted, runs = each.groups.sum(axis=0), own.look("runs", request.warp)
    busy = np.where((wanted > 1) & (each.passes > 1), own.look("wrong"), runs)
    ground = np.full(len(lane), own.look("untouched"))
    ground[: len(pads)][pads] = own.look("dark")
    passes, now = counted(each.passes, "pass"), counted(ran.passes, "pass")
    without = "out padding" if not padding else f" {counted(padding, 'padding word')}"
    title, padded = f"With{without}{' a row' * bool(padding)}", ""
    if padding is None:
        title = "As it ran"
    elif padding != request.padding:
        padded = f", and {passes} w{title[1:]}"
    first, most = int(np.argmax(wanted)), int(wanted.max())
    note = "no bank must deliver more than one word"
    if each.passes > 1:
        asks = len(set(each.lane[each.word % BANKS == first].tolist()))
        note = f"{counted(asks, 'lane')} want bank {first}, which takes {most} turns"
    name = shortened(request.array.name, 8) if request.array else "Shared memory"
    wide = each.width + each.padding
    rows = -(-(int(each.word.max()) + 1 - each.start) // wide)
    rows = request.array.shape[0] if request.array else rows
    where = f"The shared {request.noun} on line {request.line} takes"
    facts = [bank_words(each, request.array, at) for at in known.tolist()]
    return {
        "title": [own.number(f"{title}: {passes}")],
        "rows": [own.number(f"{name}: {counted(rows, 'row')} of {wide} words")],
        "note": [own.number(note)],
        "answer": [own.number(f"{where} {now}{padded}.")],
        "facts": own.texts([words for fact in facts for words in fact]),
        "wanted": own.texts([*map(str, [*range(BANKS), *wanted.tolist()])]),
        "busy": np.concatenate([
            np.where(wanted > 0, busy, own.look(kind)) for kind in ("bare", "untouched")
        ]),
        "bank": np.where(known < 0, -1, known % BANKS),
        "ground": np.where(lane >= 0, runs, ground),
        "lane": lane,
        "word": word,
        "center": _centers(word, lines - start, _ROWS),
        "labels": _labels(own, np.arange(start, lines) * BANKS),
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
        values = self.values[name]
        if axes:
            values = values.reshape(*values.shape[:-1], LANES, -1)
        return self.channel(values, *axes)

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


def _bank_panel(by: _States, own: Interned) -> Panel:
    """Return what banks must deliver, their words, and the arithmetic of a lane."""
    size: Any = {"columns": 32, "fold": True}
    names = np.append(own.texts(["bank", "words"]), _NO_LABELS)
    banks = Cells(
        "banks", by("title"), by("note"), 2 * BANKS, size=(_CELL, 19),
        looks=(by("busy"),), words=by("wanted"), ring=by("bank", "lane"), labels=names,
        **size,
    )  # fmt: skip
    words = Cells(
        "words", by("rows"), "number: lane; 32 words a line, below their banks",
        by.count("lane"), size=(_CELL, 12), blank=True, looks=(by("ground"),),
        words=by("lane"), ring=by("word", "lane"), most=_ROWS,
        center=by("center", "lane"), labels=by("labels"),
        go=Owners(by("lane"), _FOCUS), **size,
    )  # fmt: skip
    said = own.texts(["the lane uses", "which is word", "in bank"])
    facts = Cells(
        "facts", "", "", 3, 0, (166, 44), captions=(said,), words=by("facts", "lane")
    )
    return Panel((banks, facts, words), _HALF, gap=_GAP)


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
    if data.compares:
        key.append(("dark", 0, "padding word: no thread uses it"))
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
    compares = data.compares
    for pads in ((None,), range(_PADDINGS))[: 1 + compares] if data.shared else ():
        states = [_in_banks(own, each, padding)
                  for each in data.shared_choices for padding in pads]  # fmt: skip
        named = ("near", "padding") if len(pads) > 1 else ("near",)
        shape = (len(data.shared_choices), len(pads))[: len(named)]
        by = _States(states, shape, partial(_table, named))
        panels.append(_bank_panel(by, own))
        shared = by("answer")
    strides, offsets = (1 + _STRIDES, _OFFSETS) if ran else (1, 1)
    paddings = _PADDINGS if compares else 1
    names_of = own.texts(["as it ran", *map(str, range(1, _STRIDES + 1))])
    names = [f"{each.noun}, line {each.line}" for each in every] or [""]
    near = [f"shared {each.noun}, line {each.line}" for each in data.shared_choices]
    codes = [f"Line {each.line} is {shortened(each.code, 60)}" if each.code else ""
             for each in data.shared_choices]  # fmt: skip
    code = own.table("near", [f"{each.rstrip(';')}." if each else "" for each in codes])
    told: list[Any] = [_GLOBAL, shared] if ran else [_SHARED]
    told += [code] * any(codes)
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
            Axis("padding", "Padding words a row", paddings, control="range",
                 words="{padding}", moves=moves_of("P", "padding", paddings)),
        ),
        words=own.all,
        looks=own.looks,
        panels=(*panels, *missed_cells(data.fault, own)),
        answer=(answer if ran else shared,),
        detail=tuple(told),
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
        state["padding"] = int(data.compares and not data.shared.padding)
    return Figure(
        "How much memory traffic does one warp instruction cause?",
        scene_of(data), state, data=data,
    )  # fmt: skip
