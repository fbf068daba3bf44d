"""The scene of races: code, what each order does to the cell, the array, what ran."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...figure.figure import Figure
from ...figure.scenes import Interned, swatches
from ...scene.code_view import comment_of, shown_lines, texts_of
from ...scene.drawing import Drawing, fitted, number, shortened, width_of
from ...scene.frames import WIDTHS, frames_of
from ...scene.marks import VALUE_IN, VALUE_OUT, WRONG
from ...scene.palette import strong, tint
from ...scene.phrases import counted
from ...scene.scene import (
    Axis,
    Cells,
    Code,
    Index,
    Owners,
    Panel,
    Scene,
    State,
    Table,
)
from ...traces.launches import short_file
from .data import MOST_BOXES, RaceData, Side

_CODE, _ORDERS, _GAP, _CELLS = 372, 682, 20, 64
_WIDER = 160  # of pages with more room than a still picture
THIRD = {"barrier": "With a barrier", "once": "Both read first"}


def answer_of(data: RaceData) -> str:
    """Return the sentence on top: the race, whichever order is looked at."""
    writer, other, cell = data.writer.name, data.other.name, data.cell
    if data.updates:
        return f"T{writer[1:]} and {other} change {cell}: one change may be lost."
    if data.other.kind != "reads":
        return f"T{writer[1:]} and {other} both write {cell}, in any order."
    if data.early == "writer":
        return f"T{other[1:]} may read {cell} before {writer} has written it."
    does = "update" if data.writer.kind == "updates" else "overwrite"
    return f"T{writer[1:]} may {does} {cell} before {other} has read it."


def why(data: RaceData) -> str:
    """Return what does not order the two."""
    first, last = data.in_order
    if data.updates:
        return (
            f"Line {first.line} reads {data.cell}, then writes it, and another thread "
            f"may do so in between. A barrier does not help: {data.remedy}."
        )
    if data.rounds:
        where = f"the {first.noun} on line {first.line} and the {last.noun} in the "
        where += "next round"
    elif first.line == last.line and first.noun == last.noun:
        where = f"the two {first.noun}s on line {first.line}"
    elif first.line == last.line:
        used, written = data.other.noun, data.writer.noun
        where = f"the {used} and the {written}, both on line {first.line}"
    else:
        where = f"the {first.noun} on line {first.line} and the "
        where += f"{last.noun} on line {last.line}"
        if data.same_block and first.line > last.line > 0:
            where += " in the next round"
    if not data.same_block:
        comma = "," * (first.line == last.line)
        help_by = f": {data.remedy}" * bool(data.remedy)
        return f"Nothing orders {where}{comma} since blocks run in any order{help_by}."
    same = data.writer.warp == data.other.warp
    what = "two threads of the warp" if same else "two warps"
    return f"No barrier stands between {where}, so the {what} may run in either order."


def what_if(data: RaceData, order: str) -> str:
    """Return what becomes of the cell in one order, or in the one a barrier leaves."""
    writer, other, cell = data.writer, data.other, data.cell
    now, value = ", as in this run" * (order == data.first), read_in(data, order)
    ahead, last = (writer, other) if order == "writer" else (other, writer)
    if order == "barrier":
        early = data.early == "other"
        does = "before {} writes" if early else "after {} has written"
        does = does.format(writer.name)
        said = f"With a barrier {other.name} {other.kind} {cell} {does} it."
    elif order == "once":
        said = f"If both read {data.uses(order)[0] or 'the same'} first{now}, one "
        said += "change is lost"
        if now:
            said += ": all lanes of a warp read together, so a warp leaves one change"
            said += f", and {data.warps} warps ran in turn" * (data.warps > 1)
        said += "."
    elif data.updates:
        said = f"If {ahead.name} goes first{now}, {last.name} changes what it left."
    elif other.kind != "reads":
        does = f"{cell} ends as {last.value or f'what {last.name} {last.kind}'}"
        said = f"If {ahead.name} goes first{now}, {does}."
    else:
        who = other.name if order == "writer" else "it"
        said = f"If {ahead.name} goes first{now}, {who} reads "
        said += f"{value or 'what nobody has written'}."
    return f"{said} {_end_of(data, order)}".strip()


def _end_of(data: RaceData, order: str) -> str:
    """Return what the launch leaves in an order."""
    result, best = data.results.get(order), right_of(data)
    if result is None or not result.cell:
        known = order == data.first or order == "barrier"
        return "" if known else "What that leaves in the end is not known."
    value = result.value + f" instead of {best}" * (not result.right)
    supposed = supposing(data, order)
    if data.updates and supposed:
        return f"If all threads go in turn, {result.cell} is {value} in the end."
    if supposed:
        zero = "If 0 lies there, that" if read_in(data, order) == "" else "That"
        return f"{zero} read alone makes {result.cell} {value}."
    return f"In the end {result.cell} is {value}."


def supposing(data: RaceData, order: str) -> str:
    """Return what else is supposed where an order is told that did not run; or ""."""
    if data.updates:
        return "" if order == "once" else "if all go in turn"
    overtaken = order not in (data.first, data.early, "barrier")
    return "by this read alone" if overtaken else ""


def right_of(data: RaceData) -> str:
    """Return what the launch should leave in the cell that tells its end."""
    return next((each.value for each in data.results.values() if each.right), "")


def read_in(data: RaceData, order: str) -> str:
    """Return what the other thread reads in an order, or words; "": never written."""
    if order == "other" or (order == "barrier" and data.early == "other"):
        known = data.writer.step >= 0 and data.space == "shared"
        return data.before or "an older value" * (not known)
    return data.writer.value or f"what {data.writer.name} wrote"


def _notes(data: RaceData) -> dict[int, tuple[str, int]]:
    writer, other = data.writer, data.other
    if writer.line == other.line:
        does = "read, then write" if data.updates else "use"
        return {writer.line: (f"both {does} {data.cell}", writer.who)}
    return {side.line: (f"{side.name} {side.kind} {data.cell}", side.who)
            for side in (other, writer)}  # fmt: skip


def code_of(own: Interned, rows: Sequence[RaceData], lines: list[str]) -> Code:
    """Return the code, with who uses the cell and the barrier that it lacks.

    Args:
        own: Gets the words.
        rows: Of a race.
        lines: The kernel's code; empty where nobody has it.
    """
    notes = [_notes(data) for data in rows]
    shown = shown_lines(lines, sorted(notes[0]))
    texts, places = texts_of(lines, shown), {line: at for at, line in enumerate(shown)}
    whose = np.full(len(shown), -1)
    words = np.full((len(rows), len(shown)), -1)
    for row, each in zip(words, notes, strict=True):
        for line, (said, who) in each.items():
            row[places[line]], whose[places[line]] = own.number(said), who
    first = rows[0].in_order[0].line
    threads = f"blocks of {rows[0].threads:,} threads"
    return Code(
        short_file(rows[0].file) or "The code", threads, tuple(shown), tuple(texts),
        comment_of(texts), notes=Table(("cell",), words), whose=whose,
        noted=tuple(places[line] for line in notes[0]),
        room=max(6.4 * len(said) for each in notes for said, _ in each.values()),
        gap=places[first] if rows[0].is_ordered else -1,
    )  # fmt: skip


@dataclass(frozen=True)
class _Event:
    """What a thread does to the cell: what lies there then, whose it is, and a note."""

    side: Side
    kind: str
    value: str
    owner: Side | None = None
    note: str = ""


def _events(data: RaceData, order: str) -> list[list[_Event]]:
    """Return what happens in an order: in each of these moments."""
    writer, other = data.writer, data.other
    first = data.early if order == "barrier" else order
    pair = (other, writer) if first == "other" else (writer, other)
    if not data.updates:
        seen = read_in(data, first) if first == "writer" or data.before else ""
        return [[_Event(side, side.kind, seen, None if first == "other" else writer,
                        f"line {side.line}") if side.kind == "reads" else
                 _Event(side, side.kind, side.value, side, f"line {side.line}")]
                for side in pair]  # fmt: skip
    found, uses = [], data.uses(order)
    for side in pair:
        read, value = uses[:2] if side is writer else uses[2:]
        owner = None if order == "once" or side is pair[0] else pair[0]
        note = f"{read} → {value}" if value else ""
        found.append(_Event(side, "reads", read, owner, note))
        found.append(_Event(side, "writes", value, side))
    if order != "once":
        return [[each] for each in found]
    after = data.after if order == data.first else found[3].value
    return [found[::2], [replace(each, value=after) for each in found[1::2]]]


def _draw_cell(view: Drawing, event: _Event, y: float) -> float:
    """Draw the cell and its value; return its width."""
    middle, owner, value = view.width / 2, event.owner, fitted(event.value or "?", 7)
    wide = max(36.0, width_of(value, 13, mono=True) + 12)
    view.rect(
        middle - wide / 2, y - 12, wide, 24, rx=4,
        fill=tint(owner.who) if owner else "var(--bg)",
        stroke=strong(owner.who) if owner else "var(--mut)",
        stroke_dasharray="3 2" if value == "?" else None,
    )  # fmt: skip
    view.text(middle, y + 4.5, value, 13, anchor="middle", mono=True,
              bold=value != "?")  # fmt: skip
    return wide


def _draw_event(view: Drawing, event: _Event, x: float, y: float, wide: float) -> None:
    """Draw an access: a dot on the thread, and an arrow to or from the cell."""
    middle, reads = view.width / 2, event.kind == "reads"
    right = 1 if x > middle else -1
    ends = middle + (wide / 2 + 1) * right, x - 5 * right
    start, end = ends if reads else ends[::-1]
    view.path(
        f"M{start:.1f} {y}H{end:.1f}", stroke="var(--ink)",
        stroke_width=1.6 if reads else 3, marker_end=VALUE_OUT if reads else VALUE_IN,
    )  # fmt: skip
    view.text(sum(ends) / 2, y - 9, event.kind, 11, anchor="middle")
    view.element("circle", cx=x, cy=y, r=5, fill=strong(event.side.who))
    if event.note:
        half = width_of(event.note, 11) / 2 + 2
        view.rect(x - half, y + 10, 2 * half, 13, fill="var(--bg)")
        view.text(x, y + 20, event.note, 11, fill="var(--mut)", anchor="middle")


def _outcome(view: Drawing, y: float, words: str, value: str, wrong: bool) -> None:
    """Draw a box with what comes of an order; what is wrong on hatching."""
    wide = view.width
    view.rect(10, y, wide - 20, 40, rx=6, fill=WRONG if wrong else "var(--panel)")
    if wrong:
        view.rect(15, y + 5, wide - 30, 30, rx=4, fill="var(--bg)")
    view.text(wide / 2, y + 17, words, 11.5, fill="var(--mut)", anchor="middle")
    view.text(wide / 2, y + 31, shortened(value, 23), 13, anchor="middle", bold=True,
              fill="var(--bad)" if wrong else "var(--ink)")  # fmt: skip


def _heads(data: RaceData, order: str) -> tuple[str, str]:
    """Return the title of an order, and whether it is this run's or what is before."""
    result = data.results.get(order)
    if order == "barrier":
        return THIRD[order], "after each round" * data.rounds or "the only order left"
    title = THIRD.get(order) or (
        f"Order {data.orders.index(order) + 1}: "
        f"{getattr(data, order).name.split(' of ')[-1]} first"
    )
    right = result is not None and result.right and not data.updates
    here = "this run · right by luck" if right else "allowed · this run"
    before = f" · {shortened(data.cell, 12)} was {data.before} before"
    other = "allowed" + before * bool(data.before)
    return title, here if order == data.first else other


def draw_order(data: RaceData, order: str, width: float, chosen: bool) -> Drawing:
    """Draw the two accesses in an order, from top to bottom, and what comes of it."""
    view, result, events = Drawing(width), data.results.get(order), _events(data, order)
    # Wrong for sure are what nobody wrote, and the order that a barrier forbids.
    value, wrong = events[-1][-1].value or "?", order == "once"
    words = f"{shortened(data.cell, 16)} ends as"
    if wrong:
        words, value = "one change is lost", f"{shortened(data.cell, 16)} = {value}"
    if data.other.kind == "reads":
        words, value = f"{data.other.name} reads", read_in(data, order)
        late = order not in (data.early, "barrier")
        wrong = not value or (data.is_ordered and late)
        value = value or "not written yet"
    bad = wrong or (result is not None and not result.right)
    view.height = 288 + 43 * bool(data.results)
    edge = (2.4 if chosen else 1.8 if bad else 1) / 2
    view.rect(edge, edge, width - 2 * edge, view.height - 2 * edge, rx=8,
              fill="var(--bg)", stroke_width=2 * edge,
              stroke=f"var(--{'bad' if bad else 'ink' if chosen else 'line'})",
              )  # fmt: skip
    title, said = _heads(data, order)
    size = min(13, round(13 * (width - 24) / width_of(title, 13, bold=True), 1))
    view.text(12, 22, title, size, bold=True)
    view.text(12, 38, shortened(said, int((width - 24) / 6)), 12, fill="var(--mut)")
    sides, middle, left = (data.other, data.writer), width / 2, round(width * 0.215)
    for short in ("thread", "t"):
        names = [side.name.replace("thread", short) for side in sides]
        if width < 300:  # coordinates go below
            names = [each.replace(f"{short} (", f"{short} of (") for each in names]
        rows = [each.split(" of ") for each in names]
        half = max(width_of(each, 12, bold=True) for row in rows for each in row) / 2
        head = max(left, half + 4)
        room = width - 2 * (head + half + 4)
        size = 12 if width_of(data.cell, 12, mono=True) <= room else 10
        if size == 12:
            break
    at = {data.other: left, data.writer: width - left}
    view.path(f"M{middle:g} 72V226", stroke="var(--line)")
    for side, x, row in zip(sides, (head, width - head), rows, strict=True):
        hue = strong(side.who)
        view.path(f"M{at[side]:g} {66 + 7 * len(row)}V226", stroke=hue,
                  stroke_width=2.4)  # fmt: skip
        for line, each in enumerate(row):
            y = 69 - 7 * len(row) + 14 * line
            view.text(x, y, each, 12, fill=hue, anchor="middle", bold=True)
    view.text(middle, 62, shortened(data.cell, max(int(room / 6.1), 3)), size,
              anchor="middle", mono=True, bold=True)  # fmt: skip
    heights = (104, 184) if len(events) == 2 else (92, 136, 172, 216)
    for moment, y in zip(events, heights, strict=True):
        wide = _draw_cell(view, moment[-1], y)
        for event in moment:
            _draw_event(view, event, at[event.side], y, wide)
    if order == "barrier":
        waits = f"barrier: all {data.threads:,} wait here"
        view.rect(8, 136, width - 16, 18, rx=4, fill="var(--ink)")
        view.text(middle, 149, waits, 11, fill="var(--bg)", anchor="middle", bold=True)
    _outcome(view, 238, words, "✕ " * wrong + value, wrong)
    if result is not None and result.cell:
        supposed, instead = supposing(data, order), f", instead of {right_of(data)}"
        if supposed:
            instead = f", not {right_of(data)}"
        words = (supposed or "in the end") + instead * (not result.right)
        value = f"{result.cell} = {result.value} {'✓' if result.right else '✕'}"
        _outcome(
            view, 281, fitted(words, int((width - 34) / 6)), value, not result.right
        )
    elif data.results:
        _outcome(view, 281, "in the end", "unknown: it was not run", False)
    return view


def window_of(data: RaceData) -> range:
    """Return the cells that are drawn: all, or those around the racing ones."""
    if not data.cells:
        return range(0)
    size = max(data.size, data.cells[-1] + 1)
    start, own = data.cells[0] - 8, data.own_cell
    if not start <= own < start + _CELLS:
        start = own - _CELLS // 2
    first = max(0, min(start, size - _CELLS))
    return range(first, min(first + _CELLS, size))


def _title(data: RaceData) -> str:
    of = f" {data.number + 1} of {data.findings}" * (data.findings > 1)
    many = f"{counted(len(data.cells) or 1, 'cell')} of {data.array or 'memory'}"
    return f"Race{of}: {many}" if of else f"One race, {many}"


def _note(data: RaceData) -> str:
    shown, writer, other = window_of(data), data.writer, data.other
    unit = "warp" if data.same_block else "block"
    if data.updates:
        said = f"changed by {counted(data.warps, 'warp')}"
    elif writer.who == other.who:
        said = f"threads of {unit} {writer.who} use it"
    elif other.kind != "reads":
        said = f"{unit}s {writer.who} and {other.who} write"
    else:
        said = f"{unit} {writer.who} writes, {unit} {other.who} reads"
    said = f"{data.cell}: {said}" + ", no barrier" * data.is_ordered
    if 0 < len(shown) < data.size:
        said += f" · {shown[0]:,} to {shown[-1]:,} of {data.size:,}"
    return said


def draw_cells(own: Interned, rows: Sequence[RaceData]) -> list[Cells]:
    """Return the array of a race; its racing cells lead on."""
    most = max(len(window_of(data)) for data in rows)
    known = {data.own_cell: at for at, data in enumerate(rows)}
    cells, wrong, owners, focus = np.full((len(rows), most), -1), [], [], []
    for row, data in zip(cells, rows, strict=True):
        shown = window_of(data)
        row[: len(shown)] = shown
        wrong.append(np.isin(row, data.cells))
        owners.append([known.get(cell, -1) for cell in row.tolist()])
        focus.append(data.own_cell - shown.start)
    looks = np.where(wrong, own.look("wrong"), own.look("untouched"))
    if not most:
        return []
    wide = 6.02 * len(number(cells.max())) + 4.8
    return [Cells(
        "cells", _each(own, rows, _title), _each(own, rows, _note), most,
        -(-most // 8) * 8, (max(wide, 34 if most <= 32 else 0), 22), fold=True,
        looks=(Table(("cell",), np.where(cells < 0, -1, looks)),),
        words=Table(("cell",), np.where(cells < 0, -1, own.values(cells))),
        blank=True, ring=Table(("cell",), np.array(focus)),
        go=Owners(Table(("cell",), np.array(owners)), Index({"cell": 1})),
    )]  # fmt: skip


def _each(
    own: Interned, rows: Sequence[RaceData], said: Callable[[RaceData], str]
) -> Table:
    return own.table("cell", [said(data) for data in rows])


def draw_ran(data: RaceData, width: int) -> Drawing:
    """Draw the steps that ran around a race, from left to right."""
    view, ran = Drawing(width), data.ran
    if not ran:
        return view
    view.path(f"M0 4H{width}", stroke="var(--line)")
    said = " · a box is one line that a warp ran"
    view.runs(0, 24, 13, ("What really happened", "bold"), (said, "mut"))
    warps = list(dict.fromkeys(box.warp for box in ran))
    names = [f"warp {warp}" if data.same_block else f"block {block} · warp {warp}"
             for block, warp in warps]  # fmt: skip
    beside = width > 600  # names, else they stand above
    left = max(width_of(each, 12, bold=True) for each in names) + 12 if beside else 0
    wide, high, top = (width - left) / MOST_BOXES, 54 - 20 * beside, 56 - 14 * beside
    for row, (warp, name) in enumerate(zip(warps, names, strict=True)):
        view.text(0, top + row * high + (17 if beside else -6), name, 12, bold=True,
                  fill=strong(warp[data.same_block]))  # fmt: skip
    ends: list[tuple[float, int]] = []
    for at, box in enumerate(ran):
        x, y = round(left + (at + 0.5) * wide, 1), top + warps.index(box.warp) * high
        if box.line < 0:
            view.text(x, y + 17, "…", 12, fill="var(--mut)", anchor="middle")
            continue
        who = box.warp[data.same_block]
        view.rect(round(left + at * wide + 1, 1), y, round(wide - 2, 1), 26, rx=3,
                  fill=strong(who) if box.does else tint(who))  # fmt: skip
        words = f"{box.line or '·'}{' ‖' * box.waits}"
        if width_of(f"{words} {box.does}", 11, bold=True) < wide - 4:
            words = f"{words} {box.does}".strip()
        view.text(
            x, y + 17, words, 11, anchor="middle",
            bold=bool(box.does), fill="var(--bg)" if box.does else "var(--ink)",
        )  # fmt: skip
        if box.does:
            ends.append((x, y + 26))
    low = float(top + high * len(warps) - 6 + 12 * beside)
    last = {box.warp: box for box in ran}
    if data.same_block and all(box.waits for box in last.values()):
        x, words = round(left + len(ran) * wide, 1), f"barrier, line {ran[-1].line}"
        view.path(f"M{x:g} {top - 4}V{low - 6:g}", stroke="var(--ink)", stroke_width=3)
        at_y = low + 6 if beside else top - 8
        view.text(min(x + 6, width), at_y, words, 11, bold=True,
                  anchor="end" if x > width - 90 else None)  # fmt: skip
    words = "nothing orders these two blocks"
    if len(ends) < 2:
        words = "both in one step: nothing orders its lanes"
    elif data.same_block:
        words = f"no {'atomic' if data.updates else 'barrier'} orders these two"
    (x, y), (right, end) = ends[0], ends[-1]
    view.path(f"M{x:g} {y}V{low:g}H{right:g}V{end}", stroke="var(--bad)",
              stroke_width=1.6, stroke_dasharray="4 3")  # fmt: skip
    room = width_of(words, 11.5, bold=True) + 16
    middle = max(room / 2, min((x + right) / 2, width - room / 2))
    view.rect(middle - room / 2, low - 10, room, 20, rx=4, fill="var(--bg)",
              stroke="var(--bad)")  # fmt: skip
    view.text(middle, low + 4, words, 11.5, fill="var(--bad)", anchor="middle",
              bold=True)  # fmt: skip
    view.height, result = low + 12, data.results.get(data.first)
    if result is not None and result.cell:
        words = f"{result.cell} = {result.value} " + "✕✓"[result.right]
        words += f", instead of {right_of(data)}" * (not result.right)
        view.height += 22 * (width < 900)
        view.text(width, 24 if width >= 900 else view.height - 4, words, 12, bold=True,
                  anchor="end", fill=f"var(--{'ink' if result.right else 'bad'})",
                  )  # fmt: skip
    return view


def scene_of(rows: Sequence[RaceData], lines: list[str]) -> Scene:
    """Return the scene of a race, with an axis of its cells and one of orders.

    Args:
        rows: From `races_of`.
        lines: The kernel's code; empty where nobody has it.
    """
    own, every = Interned(), rows[0].orders

    def orders(state: State, width: int) -> Drawing:
        view, x, y = Drawing(width), 0.0, 30.0
        view.runs(0, 14, 13, ("What can happen to the cell", "bold"),
                  (" · time runs downwards", "mut"))  # fmt: skip
        beside = width == _ORDERS
        wide = (_ORDERS + _GAP) // len(every) - _GAP if beside else width
        for at, order in enumerate(every):
            part = draw_order(rows[state["cell"]], order, wide, at == state["order"])
            view.put(part, x, y, data_go=f"order={at}")
            view.height = y + part.height
            x, y = (x + wide + _GAP, y) if beside else (x, view.height + 10)
        return view

    cell = Axis(
        "cell", "Cell", len(rows), words=_each(own, rows, lambda data: data.cell)
    )
    moves = [("O", "other order", np.array([1, 0, 0][: len(every)]))]
    words = ("Order 1", "Order 2", *(THIRD[each] for each in every[2:]))
    if len(every) > 2:
        said = "both read first" if "once" in every else "add or remove the barrier"
        moves.append(("B", said, np.array([2, 2, 0])))
    order = Axis("order", "Order", len(every), control="choice", words=words,
                 moves=tuple(moves))  # fmt: skip
    ran = frames_of((cell,), lambda at, width: draw_ran(rows[at["cell"]], width),
                    (*WIDTHS, WIDTHS[-1] + _WIDER))  # fmt: skip
    details = own.texts([f"{why(data)} {what_if(data, order)}".strip()
                         for data in rows for order in every])  # fmt: skip
    unit = "warp" if rows[0].same_block else "block"
    key = [
        ("runs", 0, f"colour: {unit} of a thread (repeats after 4)"),
        ("wrong", 0, "cell with this race"),
        ("focus", 0, "cell in focus"),
    ]
    if any(len(window_of(data)) > len(data.cells) for data in rows):
        key.insert(2, ("untouched", 0, "cell without it"))
    if any(box.waits for data in rows for box in data.ran):
        key.append(("waits", 0, "‖ waits at a barrier"))
    return Scene(
        axes=(cell, order),
        panels=(
            Panel((code_of(own, rows, lines),), _CODE, grow=True),
            Panel((frames_of((cell, order), orders, (340, _ORDERS)),), _ORDERS, gap=26),
            Panel((*draw_cells(own, rows), ran), WIDTHS[-1]),
        ),
        answer=(_each(own, rows, answer_of),),
        detail=(Table(("cell", "order"), details.reshape(-1, len(every))),),
        key=swatches(key),
        words=own.all,
        looks=own.looks,
    )  # fmt: skip


def draw_race(rows: Sequence[RaceData], at: int, lines: list[str]) -> Figure:
    """Draw a race in an order that leaves a wrong result, else in that of this run.

    Args:
        rows, lines: As for `scene_of`.
        at: Which row.
    """
    orders, first, ends = rows[at].orders, rows[at].first, rows[at].results
    wrong = [each for each in (first, *orders)
             if each in ends and ends[each].cell and not ends[each].right]  # fmt: skip
    order = next(each for each in (*wrong, first, *orders) if each in orders)
    state = {"cell": at, "order": orders.index(order)}
    return Figure(
        "Which two threads are not in order?", scene_of(rows, lines), state,
        findings=rows[at].findings, data=rows[at],
    )  # fmt: skip
