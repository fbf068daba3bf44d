"""The scene of the memory view: requests to global memory, and the banks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda.inspecting.accesses import READ
from ....cuda.inspecting.trace import LANES
from ...figure.figure import WIDTH, Figure
from ...figure.scenes import (
    Interned,
    moves_of,
    swatches,
)
from ...scene.drawing import Drawing, number, shortened, tenth
from ...scene.frames import frames_at
from ...scene.marks import WRONG
from ...scene.palette import strong
from ...scene.phrases import counted
from ...scene.scene import (
    Axis,
    Cells,
    Chosen,
    Frames,
    Guide,
    Index,
    OneOf,
    Owners,
    Panel,
    Scene,
    Table,
)
from ...traces.arrays import Array
from ...traces.launches import NOUNS
from .data import BANKS, LINE, SECTOR, WORD, Banks, Request, Traffic, banks_of

_LANE = 5
_HALF, _GAP, _LEFT = 526.0, 28.0, 42.5
_CELL, _NARROW, _THIN, _BAR = 15.1, 9.2, 5.5, 30.0
_THICK, _LINES, _ROWS = 8, 32, 36  # cache lines, and lines of 32 words, that are drawn
_FACT = 20  # letters of arithmetic
_STRIDES, _OFFSETS, _PADDINGS = 33, 9, 5
_GLOBAL = (
    "Sectors of 32 bytes move as a whole; four of them make a cache line of 128 bytes."
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
        stride = int(request.address[1]) // WORD
        word = f"{stride} · i" if stride > 1 else "i"
        return f"word {word}{f' + {offset}' * (offset > 0)} by lane i"
    where = f"{request.noun} on line {request.line}"
    where = where if request.line else f"instruction {request.opcode}"
    return f"the {where}" + f", {counted(offset, 'word')} further on," * (offset > 0)


def answer_of(request: Request, best: Request | None = None, offset: int = 0) -> str:
    """Return what a request uses and moves, as it ran beside the best one."""
    name, each = _named(request, offset), _shifted(request, offset)
    used, moved = counted(each.used, "byte"), number(each.moved)
    if request.step < 0:
        return f"{name} uses {used} and moves {moved}."
    if offset or best is None or best is request:
        return f"T{name[1:]} uses {used} and moves {moved}."
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


def bank_words(banks: Banks, array: Array | None, word: int) -> str:
    """Return a lane's element, and the arithmetic of its word and its bank; -1: none.

    Example:
        >>> lanes = np.arange(32)
        >>> banks = Banks(lanes, 33 * lanes, np.ones((1, 32), int), 0, 32, 1)
        >>> bank_words(banks, None, 165)
        'word 5 × 33 = 165, bank 165 mod 32 = 5'
    """
    if word < 0:
        return "lane {lane} takes no part"
    wide = banks.width + banks.padding
    row, column = divmod(word - banks.start, wide)
    terms = [number(banks.start)] * (banks.start > 0) + [f"{row} × {wide}"]
    said = " + ".join([*terms, *[str(column)] * (column > 0)])
    whole = number(word)
    said = f"{said} = {whole}" if len(said) + len(whole) < _FACT else whole
    name = f"{shortened(array.name, 8)}[{row}, {column}]: " if array else ""
    return f"{name}word {said}, bank {whole} mod {BANKS} = {word % BANKS}"


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


def _in_global(
    own: Interned, request: Request, offset: int, best: Request, code: str
) -> Any:
    """Return the numbers of one state of global memory."""
    each = _shifted(request, offset)
    (lanes, word), known, count = each.words, each.lines, len(each.lines)
    item = np.searchsorted(known, word // 32) * 32 + word % 32
    lane, first = _items(lanes, item, 32 * count)
    thin, runs = int(count > _THICK), own.look("runs", each.warp)
    sector = np.full((count, 4, 8), -1)
    sector[:, :, 0] = own.look("unmoved")
    at = np.searchsorted(known, each.sectors // 4)
    sector[at, each.sectors % 4, 0] = own.look("moved")
    byte = _first(each.lane, each.address - known[0] * LINE, LANES)
    sectors, share = counted(len(each.sectors), "sector"), 100 / each.waste
    note = f"{sectors} in {counted(count, 'cache line')} · {share:.4g} % of bytes used"
    title = _named(request, offset).removeprefix("the ").rstrip(",")
    if request.step >= 0 and not offset:
        title += f", block {request.block}, warp {request.warp}"
    return {
        "title": [own.number(title[0].upper() + title[1:])],
        "note": [own.number(note)],
        "code": [own.number(shortened(code, 60) or "Cache lines of 128 bytes")],
        "answer": [own.number(answer_of(request, best, offset))],
        "way": own.texts([*map(lane_words, byte.tolist())]),
        "taking": np.where(np.isin(_ALL, each.lane), runs, own.look("bare")),
        "used": np.where(lane < 0, -1, runs),
        "lane": lane,
        "sector": sector.reshape(-1),
        "word": first,
        "center": _centers(first, count, _LINES),
        "labels": _labels(own, (known - known[0]) * LINE),
        "thin": [thin],
    }


def _in_banks(own: Interned, request: Request, padding: int | None, column: int) -> Any:
    """Return the numbers of one state of shared memory."""
    each, ran = banks_of(request, padding, column), banks_of(request)
    start, lines = int(each.word.min()) // BANKS, -(-len(each.pads) // BANKS)
    pads = each.pads[start * BANKS :]
    lane, word = _items(each.lane, each.word - start * BANKS, (lines - start) * BANKS)
    known = _first(each.lane, each.word, LANES)
    clashes = own.look("clash"), own.look("runs", request.warp)
    used = np.where(np.tile(each.groups.max(axis=0) > 1, lines - start), *clashes)
    ground = np.full(len(lane), own.look("untouched"))
    ground[: len(pads)][pads] = own.look("dark")
    passes, now = counted(each.passes, "pass"), counted(ran.passes, "pass")
    how, padded = "as it ran", ""
    if padding is not None:
        words = counted(padding, "padding word")
        how = f"padded by {padding}" if padding else "no padding"
        padded = f", and {passes} with"
        padded += f" {words} a row" if padding else "out padding"
    name = shortened(request.array.name, 8) if request.array else "Words"
    wide = each.width + each.padding
    rows = -(-(int(each.word.max()) + 1 - each.start) // wide)
    rows = request.array.shape[0] if request.array else rows
    where = f"The shared {request.noun} on line {request.line} takes"
    return {
        "title": [own.number(f"{name}, {rows} × {wide}, {how}: {passes}")],
        "answer": [own.number(f"{where} {now}{padded}.")],
        "facts": own.texts([
            bank_words(each, request.array, at) for at in known.tolist()
        ]),
        "ground": np.where(lane >= 0, used, ground),
        "lane": lane,
        "word": word,
        "center": _centers(word, lines - start, _ROWS),
        "labels": _labels(own, np.arange(start, lines) * BANKS),
    }  # fmt: skip


def draw_passes(states: Sequence[Any], at: int, width: float) -> Drawing:
    """Draw the passes that each bank takes as bars, above the banks' numbers.

    Args:
        states: Requests, the words that pad their rows, None: as they ran, and how
            many columns further on.
        at: Which one.
        width: In pixels.
    """
    banks = banks_of(*states[at])
    busiest = banks.groups.sum(axis=0).argmax()
    asks = len(set(banks.lane[banks.word % BANKS == busiest].tolist()))
    groups = tuple(map(tuple, banks.groups.tolist()))
    return _draw_banks(groups, asks, states[at][0].warp, width)


@cache
def _draw_banks(
    groups: tuple[tuple[int, ...], ...], asks: int, who: int, width: float
) -> Drawing:
    """Draw what banks serve; many states are alike."""
    wanted, clash = (f(groups, axis=0) for f in (np.sum, np.max))
    beside = width >= _HALF  # what the axes are, else below the other words
    base, wide = (48.5, _CELL) if beside else (63.5, _NARROW)
    view, most = Drawing(width, base + 14.5), int(wanted.max())
    unit, busiest = _BAR / max(most, BANKS), np.nonzero(wanted == most)[0].tolist()
    words, many = (
        "every bank serves one word at most: 1 pass",
        sum(map(max, groups)) > 1,
    )
    if many:
        words = f"{counted(asks, 'lane')} want bank {busiest[0]}: {most} passes"
        if len(busiest) > 1:
            idle = counted(int((wanted == 0).sum()), "other")
            words = f"{len(busiest)} banks take {most} passes each, {idle} none"
    view.text(_LEFT, 12, words, 12, bold=True,
              fill=f"var(--{'bad' if many else 'ink'})")  # fmt: skip
    axes = "across: bank · down: first word of the row"
    view.text(width if beside else _LEFT, 12 if beside else 27, axes, 11,
              fill="var(--mut)", anchor="end" if beside else None)  # fmt: skip
    for bank, passes in enumerate(wanted.tolist()):
        x, high = _LEFT + bank * wide, tenth(passes * unit)
        view.path(f"M{tenth(x + 1):g} {base}h{wide - 2:g}", stroke="var(--line)")
        if passes:
            wrong = clash[bank] > 1
            view.rect(tenth(x + 1), base + 0.5 - high, tenth(wide - 2), high,
                      fill=WRONG if wrong else strong(who),
                      stroke="var(--bad)" if wrong else None)  # fmt: skip
        if wide > 12 or bank % 4 == 0:
            view.text(tenth(x + wide / 2), base + 13.5, bank, 10, anchor="middle",
                      mono=True, bold=passes > 0,
                      fill=f"var(--{'ink' if passes else 'mut'})")  # fmt: skip
    return view


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


def _request_panel(
    by: _States, width: float, name: str, out: Any
) -> tuple[Panel, Guide]:
    """Return the lanes of requests and their cache lines, and the way between."""
    lane, at = by("lane"), f"{name} lines"
    size: Any = {"columns": 32, "blank": True, "shrink": _NARROW}
    lanes = Cells(
        name, by("title"), by("note"), LANES, size=(_CELL, 18),
        looks=(by("taking"),), words=_ALL, ring=_FOCUS, labels=_NO_LABELS, go=_FOCUS,
        **size,
    )  # fmt: skip
    thick = Cells(
        at, by("code"), by("way", "lane"), by.count("lane"), size=(_CELL, 22),
        looks=(by("sector"), by("used")), words=lane, ring=by("word", "lane"),
        most=_THICK, center=np.zeros(1, int), labels=by("labels"),
        go=Owners(lane, _FOCUS), high=_THIN * min(_LINES, by.count("labels")),
        **size,
    )  # fmt: skip
    thin = replace(thick, size=(_CELL, _THIN), words=None, most=_LINES,
                   center=by("center", "lane"))  # fmt: skip
    way = Guide(name, at, by("word", "lane"), True, _FOCUS, out)
    marks = lanes, OneOf(by("thin"), (thick, thin))
    return Panel(marks, width, grow=True, gap=_GAP), way


def _bank_panel(by: _States, passes: Frames) -> Panel:
    """Return the passes that banks take, and their words."""
    facts = Cells("facts", by("title"), by("facts", "lane"), 0, 32, (_CELL, 1),
                  labels=_NO_LABELS)  # fmt: skip
    words = Cells(
        "words", "", "", by.count("lane"), columns=32, size=(_CELL, 11), blank=True,
        looks=(by("ground"),), words=by("lane"), ring=by("word", "lane"), most=_ROWS,
        center=by("center", "lane"), labels=by("labels"), shrink=_NARROW,
        go=Owners(by("lane"), _FOCUS),
    )  # fmt: skip
    return Panel((facts, passes, words), _HALF, grow=True, gap=_GAP, apart=0)


def _table(named: tuple[str, ...], values: Numbers, *axes: str) -> Table:
    return Table((*named, *axes), values)


def _key(data: Traffic) -> Any:
    every = (*data.choices, *data.shared_choices)
    who = "number: lane, where there is room"
    who += ", colour: warp" * (len({each.warp for each in every}) > 1)
    key = [("runs", every[0].warp, f"word that a lane uses ({who})")]
    if data.choices:
        key += [("moved", 0, "sector moved"), ("bare", 0, "not touched")]
    if data.shared:
        key += [("untouched", 0, "word of shared memory, not used now"),
                ("clash", 0, "bank conflict: more than one pass")]  # fmt: skip
    if data.compares:
        key.append(("dark", 0, "padding word: no thread uses it"))
    return swatches([*key, ("focus", 0, "focused lane and its word")])


def _in_away(own: Interned, data: Traffic) -> tuple[list[Any], list[Any], list[Any]]:
    """Return panels of global memory, arrows in them, and the answer."""
    every, best = data.choices, data.requests[0]
    requests = [*every, *map(_computed, range(1, _STRIDES + 1))]
    states = [_in_global(own, each, at, best, data.code(each))
              for each in requests for at in range(_OFFSETS)]  # fmt: skip

    def chosen(values: Numbers, *axes: str) -> Any:
        now = Table(("away", "offset", *axes), values[: len(every)])
        computed = Table(("stride", "offset", *axes), values[len(every) - 1 :])
        return Chosen("stride", (now, *[computed] * _STRIDES))

    by = _States(states, (len(requests), _OFFSETS), chosen)
    nouns = Table(("away",), own.texts([f"A {each.noun} of" for each in every]))
    noun = Chosen("stride", (np.array([-1]), *[nouns] * _STRIDES))
    out = np.array([int(each.noun != NOUNS[READ]) for each in every])
    drawn = [(by, WIDTH / 2 + _GAP, "lanes", Table(("away",), out))]
    if len(data.requests) > 1:
        at = every.index(best)
        least = _States(states[at * _OFFSETS :][:1], (), partial(_table, ()))
        drawn = [(least, _HALF, "least", Table((), out[at : at + 1])),
                 (by, _HALF, *drawn[0][2:])]  # fmt: skip
    panels, ways = zip(*[_request_panel(*each) for each in drawn], strict=True)
    return [*panels], [*ways], [noun, by("answer")]


def _in_near(own: Interned, data: Traffic) -> tuple[list[Any], Any]:
    """Return panels of shared memory, and the answer."""
    panels, by, choices = list[Any](), None, data.shared_choices
    sizes = {"near": len(choices), "padding": _PADDINGS, "column": data.columns}
    names = ("near", "column"), ("near", "padding", "column")
    for named in names[: 1 + data.compares]:
        shape = tuple(sizes[name] for name in named)
        states = [(choices[near], *(padding or [None]), column)
                  for near, *padding, column in np.ndindex(shape)]  # fmt: skip
        by = _States([_in_banks(own, *each) for each in states], shape,
                     partial(_table, named))  # fmt: skip
        at = {name: math.prod(shape[nth + 1 :]) for nth, name in enumerate(named)}
        passes = frames_at(Index(at), len(states), partial(draw_passes, states),
                           (340, int(_HALF)))  # fmt: skip
        panels.append(_bank_panel(by, passes))
    assert by is not None
    return panels, by("answer")


def scene_of(data: Traffic) -> Scene:
    """Return the scene of a launch's memory instructions.

    Args:
        data: From `memory_data`.
    """
    own, ways, panels, answer = Interned(), list[Any](), list[Any](), list[Any]()
    own.texts([str(lane) for lane in range(LANES)])  # whose numbers are the lanes
    detail: list[Any] = [_GLOBAL if data.choices else _SHARED]
    if data.choices:
        panels, ways, answer = _in_away(own, data)
    away = len(panels) - 1
    if data.shared:
        near, shared = _in_near(own, data)
        panels += near
        (detail if answer else answer).append(shared)
        above = {each.line for each in data.choices}  # whose code is a heading
        codes = [(each.line, data.code(each)) for each in data.shared_choices]
        detail.append(own.table("near", [
            f"Line {line} is {shortened(code, 60)}." if code and line not in above
            else "" for line, code in codes
        ]))  # fmt: skip
    strides, offsets = (_STRIDES + 1, _OFFSETS) if data.choices else (1, 1)
    paddings = _PADDINGS if data.compares else 1
    strides_of = own.texts(["as it ran", *map(str, range(1, strides))])
    names, near_names = (
        tuple(f"{which}{each.noun}, line {each.line}" for each in every) or ("",)
        for which, every in (("", data.choices), ("shared ", data.shared_choices))
    )
    return Scene(
        axes=(
            Axis("lane", "Lane", LANES, words="lane {lane}"),
            Axis("away", "Instruction", len(names), control="choice", words=names,
                 panel=away),
            Axis("stride", "Stride", strides, control="range", panel=away,
                 words=Table(("stride",), strides_of),
                 moves=moves_of("[ ]", "stride", strides)),
            Axis("offset", "Offset", offsets, control="range", panel=away,
                 words="{offset}", moves=moves_of(", .", "offset", offsets)),
            Axis("near", "Shared memory", len(near_names), control="choice",
                 words=near_names, panel=len(panels) - 1),
            Axis("padding", "Padding", paddings, control="range",
                 words="{padding}", panel=len(panels) - 1,
                 moves=moves_of("P", "padding", paddings)),
            Axis("column", "Column", data.columns, control="range",
                 words="+{column}", panel=len(panels) - 1,
                 moves=moves_of("C", "column", data.columns)),
        ),
        words=own.all,
        looks=own.looks,
        panels=tuple(panels),
        answer=tuple(answer),
        detail=tuple(detail),
        over=tuple(ways),
        key=_key(data),
    )  # fmt: skip


def draw_memory(data: Traffic) -> Figure:
    """Draw what single instructions of a warp move; the costliest first."""
    last = data.requests[-1] if data.requests else data.shared
    assert last is not None
    state = dict.fromkeys(("lane", "away", "stride", "offset", "near", "padding",
                           "column"), 0)  # fmt: skip
    state["lane"] = _LANE if _LANE in last.lane else int(last.lane[0])
    if data.requests:
        state["away"] = data.choices.index(last)
    if data.shared:
        state["near"] = data.shared_choices.index(data.shared)
        state["padding"] = int(data.compares and not data.shared.padding)
    return Figure(
        "How much memory traffic does one warp instruction cause?",
        scene_of(data), state, data=data,
    )  # fmt: skip
