"""The scene of races: code, what each order does to the cell, the array, what ran."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ...figure.figure import Figure
from ...figure.scenes import Interned, swatches
from ...scene.code import code_lines
from ...scene.drawing import Drawing, fitted, number, shortened, width_of
from ...scene.frames import WIDTHS, frames_of
from ...scene.marks import VALUE_IN, VALUE_OUT, WRONG, label, ring
from ...scene.palette import strong, tint
from ...scene.phrases import counted
from ...scene.scene import (
    Axis,
    Cells,
    Frames,
    Index,
    Owners,
    Panel,
    Scene,
    State,
    Table,
)
from ...traces.launches import short_file
from .data import MOST_BOXES, Box, RaceData, Side

_CODE, _ORDERS, _GAP, _CELLS = 372, 682, 20, 64


def answer_of(data: RaceData) -> str:
    """Return the sentence on top: the race, whichever order is looked at."""
    writer, other, cell = data.writer.name, data.other.name, data.cell
    if data.other.kind != "reads":
        return f"T{writer[1:]} and {other} both write {cell}, in any order."
    if data.early == "writer":
        return f"T{other[1:]} may read {cell} before {writer} has written it."
    does = "update" if data.writer.kind == "updates" else "overwrite"
    return f"T{writer[1:]} may {does} {cell} before {other} has read it."


def why(data: RaceData) -> str:
    """Return what does not order the two."""
    first, last = data.in_order
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
        return f"Nothing orders {where}{comma} since blocks run in any order."
    same = data.writer.warp == data.other.warp
    what = "two threads of the warp" if same else "two warps"
    return f"No barrier stands between {where}, so the {what} may run in either order."


def what_if(data: RaceData, order: str) -> str:
    """Return what becomes of the cell in one order, or in the one a barrier leaves."""
    writer, other, cell = data.writer, data.other, data.cell
    if order not in data.orders:
        return ""
    if order == "once":
        return _both_at_once(data)
    if order == "barrier":
        early = data.early == "other"
        does = "before {} writes" if early else "after {} has written"
        does = does.format(writer.name)
        return f"With a barrier {other.name} {other.kind} {cell} {does} it."
    now = ", as in this run" * (order == data.first)
    data = data.in_run(order)
    writer, other = data.writer, data.other
    ahead, last = (writer, other) if order == "writer" else (other, writer)
    if other.kind != "reads":
        does = f"{cell} ends as {last.value or f'what {last.name} {last.kind}'}"
    else:
        nothing = "what nobody has written"
        value = nothing if is_unset(data, order) else read_in(data, order)
        does = f"{other.name if order == 'writer' else 'it'} reads {value}"
    return f"If {ahead.name} goes first{now}, {does}."


def _both_at_once(data: RaceData) -> str:
    """Return what two threads do to the cell that write it together."""
    now, then = data.results["once"], data.results["writer"]
    once, turn = data.in_run("once").writer.value, data.in_run("writer").other.value
    return (
        f"If both write at once, as in this run, they leave {once} instead of {turn}. "
        f"In the end {now.cell} is {now.value}; it would be {then.value} if each "
        "thread ran after the one before it."
    )


def is_unset(data: RaceData, first: str) -> bool:
    """Return whether the other thread reads what nobody wrote, in an order."""
    known = data.writer.step >= 0 and data.space == "shared"
    return first == "other" and known and not data.before


def read_in(data: RaceData, first: str) -> str:
    """Return what the other thread reads in an order, or words for it."""
    if first == "writer":
        return data.writer.value or f"what {data.writer.name} wrote"
    return data.before or "an older value"


def _notes(data: RaceData) -> dict[int, tuple[str, int]]:
    writer, other = data.writer, data.other
    if writer.line == other.line:
        return {writer.line: (f"both threads use {data.cell}", writer.who)}
    return {side.line: (f"{side.name} {side.kind} {data.cell}", side.who)
            for side in (other, writer)}  # fmt: skip


def draw_lines(data: RaceData, lines: list[str], room: float, width: int) -> Drawing:
    """Draw the code, with the barrier that it lacks and who uses the cell.

    Args:
        data: Of a race.
        lines: The kernel's code; empty where nobody has it.
        room: Of the widest note at any cell.
        width: In pixels.
    """
    gap = data.in_order[0].line if data.is_ordered else 0
    view, notes = Drawing(width), _notes(data)
    view.runs(0, 14, 13, (short_file(data.file) or "The code", "bold"),
              (f" · blocks of {data.threads:,} threads", "mut"))  # fmt: skip
    code, spans = code_lines(lines, notes, width, room, gap)
    for line, (words, who) in notes.items():
        words = shortened(words, int((width - 60) / 6))
        label(code, width - 4, spans[line][1] - 6.5, words, who=who)
    if gap:
        y, words = spans[gap][1], "✕ a barrier is missing here"
        code.rect(0, y, width, 21, fill="var(--badt)")
        code.rect(0, y, 3, 21, fill="var(--bad)")
        code.text(38, y + 15, words, 12, fill="var(--bad)", bold=True)
    view.put(code, 0, 30)
    view.height = 30 + code.height
    return view


def _event(view: Drawing, data: RaceData, side: Side, x: float, y: float, first: str,
           cell: bool = True) -> None:  # fmt: skip
    """Draw an access: a dot on the thread, an arrow, maybe the cell and its value."""
    middle, reads = view.width / 2, side.kind == "reads"
    nobody, owner = reads and first == "other", data.writer.who if reads else side.who
    value = data.before if nobody else data.writer.value if reads else side.value
    value = fitted(value or "?", 7)
    wide = max(36.0, width_of(value, 13, mono=True) + 12)
    right = 1 if x > middle else -1
    ends = middle + (wide / 2 + 1) * right, x - 5 * right
    start, end = ends if reads else ends[::-1]
    view.path(
        f"M{start:.1f} {y}H{end:.1f}", stroke="var(--ink)",
        stroke_width=1.6 if reads else 3, marker_end=VALUE_OUT if reads else VALUE_IN,
    )  # fmt: skip
    view.text(sum(ends) / 2, y - 9, side.kind, 11, anchor="middle")
    view.element("circle", cx=x, cy=y, r=5, fill=strong(side.who))
    if cell:
        view.rect(
            middle - wide / 2, y - 12, wide, 24, rx=4,
            fill="var(--bg)" if nobody else tint(owner),
            stroke="var(--mut)" if nobody else strong(owner),
            stroke_dasharray="3 2" if value == "?" else None,
        )  # fmt: skip
        view.text(middle, y + 4.5, value, 13, anchor="middle", mono=True,
                  bold=value != "?")  # fmt: skip
    if side.line:
        words = f"line {side.line}"
        half = width_of(words, 11) / 2 + 2
        view.rect(x - half, y + 10, 2 * half, 13, fill="var(--bg)")
        view.text(x, y + 20, words, 11, fill="var(--mut)", anchor="middle")


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
    """Return the title of an order, and a word on it."""
    result = data.results.get(order)
    if order == "barrier":
        between = "after each round" if data.rounds else "the only order left"
        return "With a barrier", between
    if order == "once":
        return "Both at once", "this run"
    title = f"{getattr(data, order).name.split(' of ')[-1]} goes first"
    said = "allowed"
    if order == data.first:
        right = result is not None and result.right
        said = "this run · right by luck" if right else "allowed · this run"
    return title[:1].upper() + title[1:], said


def draw_order(data: RaceData, order: str, width: float) -> Drawing:
    """Draw the two accesses in an order, from top to bottom, and what comes of it."""
    view, barrier, once = Drawing(width), order == "barrier", order == "once"
    first, result = order, data.results.get(order)
    if barrier or once:
        first = data.early if barrier else "writer"
    data = data.in_run(order)
    pair = (data.writer, data.other)[:: 1 if first == "writer" else -1]
    # Wrong for sure are what nobody wrote, and the order that a barrier forbids.
    words, value = f"{shortened(data.cell, 16)} ends as", pair[1].value or "?"
    wrong = False
    if data.other.kind == "reads":
        unset = is_unset(data, first)
        words = f"{data.other.name} reads"
        value = "not written yet" if unset else read_in(data, first)
        wrong = unset or (data.is_ordered and first != data.early)
    bad = wrong or (result is not None and not result.right)
    view.height = 300 + 44 * bool(data.results)
    view.rect(0.5, 0.5, width - 1, view.height - 1, rx=8, fill="var(--bg)",
              stroke="var(--bad)" if bad else "var(--line)")  # fmt: skip
    title, said = _heads(data, order)
    size = min(13, round(13 * (width - 24) / width_of(title, 13, bold=True), 1))
    view.text(12, 22, title, size, bold=True)
    view.text(12, 38, said, 12, fill="var(--mut)")
    sides = data.other, data.writer
    names = [side.name for side in sides]
    if width < 300:  # coordinates go below
        names = [each.replace("thread (", "thread of (") for each in names]
    rows = [each.split(" of ") for each in names]
    half = max(width_of(each, 12, bold=True) for row in rows for each in row) / 2 + 4
    middle, left = width / 2, round(width * 0.215)
    at, head = {data.other: left, data.writer: width - left}, max(left, half)
    view.path(f"M{middle:g} 72V238", stroke="var(--line)")
    for side, x, row in zip(sides, (head, width - head), rows, strict=True):
        hue = strong(side.who)
        view.path(f"M{at[side]:g} {66 + 7 * len(row)}V238", stroke=hue,
                  stroke_width=2.4)  # fmt: skip
        for line, each in enumerate(row):
            y = 69 - 7 * len(row) + 14 * line
            view.text(x, y, each, 12, fill=hue, anchor="middle", bold=True)
    if width_of(data.cell, 12, mono=True) <= width - 2 * (head + half):
        view.text(middle, 62, data.cell, 12, anchor="middle", mono=True, bold=True)
    for side, y in zip(pair, (150, 150) if once else (104, 196), strict=True):
        _event(view, data, side, at[side], y, first, not once or side is pair[0])
    if barrier:
        waits = f"barrier: all {data.threads:,} wait here"
        view.rect(8, 142, width - 16, 18, rx=4, fill="var(--ink)")
        view.text(middle, 155, waits, 11, fill="var(--bg)", anchor="middle", bold=True)
    _outcome(view, 250, words, "✕ " * wrong + value, wrong)
    if result is not None:
        best = next((each.value for each in data.results.values() if each.right), "")
        words = "in the end" + f", instead of {best}" * bool(best and not result.right)
        value = f"{result.cell} = {result.value} {'✓' if result.right else '✕'}"
        _outcome(
            view, 294, fitted(words, int((width - 34) / 6)), value, not result.right
        )
    elif data.results:
        _outcome(view, 294, "in the end", "unknown: it was not run", False)
    return view


def _name(data: RaceData) -> str:
    low, high = sorted((data.writer.line, data.other.line))
    where = f"line {low}" if low == high else f"lines {low} and {high}"
    return f"{data.array or data.space} · {where}"


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


def _starts(rows: Sequence[RaceData]) -> list[int]:
    """Return where each race begins."""
    numbers = [data.number for data in rows]
    return [numbers.index(each) for each in dict.fromkeys(numbers)]


def _title(data: RaceData) -> str:
    many = f", {counted(len(data.cells), 'cell')}" * bool(data.cells)
    return f"One finding{many}"


def _note(data: RaceData) -> str:
    shown, said = window_of(data), "the same two lines every time"
    one, other = data.other.who, data.writer.who
    if one != other and data.other.kind == "reads":
        unit = "warp" if data.same_block else "block"
        said = f"{unit} {one} reads what {unit} {other} writes · {said}"
    if 0 < len(shown) < data.size:
        said += f" · {shown[0]:,} to {shown[-1]:,} of {data.size:,}"
    return said


def draw_cells(own: Interned, rows: Sequence[RaceData]) -> list[Cells]:
    """Return the races to choose from, and the array of one; racing cells lead on."""
    at, starts, found = Index({"cell": 1}), np.array(_starts(rows)), []
    if len(starts) > 1:
        names = [_name(rows[start]) for start in starts]
        chosen = np.searchsorted(starts, np.arange(len(rows)), "right") - 1
        found.append(Cells(
            "races", "Races of this launch", "", len(names), 0,
            (6.7 * max(map(len, names)) + 20, 26),
            looks=(np.full(len(names), own.look("untouched")),), words=own.texts(names),
            ring=Table(("cell",), chosen), go=Owners(starts, at),
        ))  # fmt: skip
    most = max(len(window_of(data)) for data in rows)
    known = {(data.number, data.own_cell): at for at, data in enumerate(rows)}
    cells, wrong, owners, focus = np.full((len(rows), most), -1), [], [], []
    for row, data in zip(cells, rows, strict=True):
        shown = window_of(data)
        row[: len(shown)] = shown
        wrong.append(np.isin(row, data.cells))
        owners.append([known.get((data.number, cell), -1) for cell in row.tolist()])
        focus.append(data.own_cell - shown.start)
    looks = np.where(wrong, own.look("wrong"), own.look("untouched"))
    if most:
        found.append(Cells(
            "cells", _each(own, rows, _title), _each(own, rows, _note), most, 0,
            (6.02 * len(number(cells.max())) + 4.8, 22),
            looks=(Table(("cell",), np.where(cells < 0, -1, looks)),),
            words=Table(("cell",), np.where(cells < 0, -1, own.values(cells))),
            blank=True, ring=Table(("cell",), np.array(focus)),
            go=Owners(Table(("cell",), np.array(owners)), at),
        ))  # fmt: skip
    return found


def _each(
    own: Interned, rows: Sequence[RaceData], said: Callable[[RaceData], str]
) -> Table:
    return own.table("cell", [said(data) for data in rows])


def draw_ran(ran: tuple[Box, ...], same_block: bool, width: int) -> Drawing:
    """Draw the steps that ran around a race, from left to right."""
    view = Drawing(width)
    if not ran:
        return view
    view.path(f"M0 4H{width}", stroke="var(--line)")
    view.runs(0, 24, 13, ("What really happened", "bold"),
              ("  one box: a warp runs a line", "mut"))  # fmt: skip
    warps, wide = list(dict.fromkeys(box.warp for box in ran)), width / MOST_BOXES
    for row, (block, warp) in enumerate(warps):
        name = f"warp {warp}" if same_block else f"block {block} · warp {warp}"
        view.text(0, 50 + row * 54, name, 12, bold=True,
                  fill=strong(warp if same_block else block))  # fmt: skip
    ends, last = [], ran[0].at - 1
    for at, box in enumerate(ran):
        x, y = round(at * wide, 1), 56 + warps.index(box.warp) * 54
        who = box.warp[same_block]
        view.rect(x + 1, y, round(wide - 2, 1), 26, rx=3,
                  fill=strong(who) if box.does else tint(who))  # fmt: skip
        words = f"{box.line or '·'}{' ‖' * box.waits}"
        if width_of(f"{words} {box.does}", 11, bold=True) < wide - 4:
            words = f"{words} {box.does}".strip()
        view.text(
            round(x + wide / 2, 1), y + 17, words, 11, anchor="middle",
            bold=bool(box.does), fill="var(--bg)" if box.does else "var(--ink)",
        )  # fmt: skip
        if box.at > last + 1:
            view.rect(x - 6, y + 5, 12, 16, rx=2, fill="var(--bg)")
            view.text(x, y + 17, "…", 12, fill="var(--mut)", anchor="middle")
        last = box.at
        if box.does:
            ends.append((round(x + wide / 2, 1), y + 26))
    low = 54.0 * len(warps) + 50
    words = "nothing orders these two blocks"
    if same_block:
        words = "no barrier orders these two"
    (x, y), (right, end) = ends[0], ends[-1]
    if len(ends) > 1:
        view.path(f"M{x:g} {y}V{low:g}H{right:g}V{end}", stroke="var(--bad)",
                  stroke_width=1.6, stroke_dasharray="4 3")  # fmt: skip
    room = width_of(words, 11.5, bold=True) + 16
    middle = max(room / 2, min((x + right) / 2, width - room / 2))
    view.rect(middle - room / 2, low - 10, room, 20, rx=4, fill="var(--bg)",
              stroke="var(--bad)")  # fmt: skip
    view.text(middle, low + 4, words, 11.5, fill="var(--bad)", anchor="middle",
              bold=True)  # fmt: skip
    view.height = low + 12
    return view


def scene_of(rows: Sequence[RaceData], lines: list[str]) -> Scene:
    """Return the scene of races, with an axis of all their cells and one of orders.

    Args:
        rows: From `races_of`.
        lines: The kernel's code; empty where nobody has it.
    """
    own, known = Interned(), max(len(data.orders) for data in rows)
    starts = _starts(rows)
    order_of = cache(lambda at, order, width: draw_order(rows[at], order, width))
    ran_of = cache(draw_ran)
    notes = (words for data in rows for words, _ in _notes(data).values())
    room = max(width_of(words, 11) for words in notes)

    def orders(state: State, width: int) -> Drawing:
        view, x, y = Drawing(width), 0.0, 30.0
        view.runs(0, 14, 13, ("What can happen to the cell", "bold"),
                  (" · time runs downwards", "mut"))  # fmt: skip
        every = rows[state["cell"]].orders
        beside = width == _ORDERS
        wide = (_ORDERS + _GAP) // len(every) - _GAP if beside else width
        for at, order in enumerate(every):
            part = order_of(state["cell"], order, wide)
            view.put(part, x, y, data_go=f"order={at}")
            if at == state["order"]:
                ring(view, x + 1, y + 1, part.width - 2, part.height - 2, inside=False)
            view.height = y + part.height
            x, y = (x + wide + _GAP, y) if beside else (x, view.height + 10)
        return view

    def frames(draw: Callable[[RaceData, int], Drawing], *widths: int) -> Frames:
        return frames_of((cell,), lambda at, wide: draw(rows[at["cell"]], wide), widths)

    cell = Axis(
        "cell", "Cell", len(rows), marks=tuple(starts[1:]),
        words=_each(own, rows, lambda data: f"{_name(data)} · {data.cell}"
                    if len(starts) > 1 else data.cell),
    )  # fmt: skip
    thirds = {data.orders[2] for data in rows if len(data.orders) > 2}
    third = "barrier added" if "barrier" in thirds else "both at once"
    writes = any(data.other.kind != "reads" for data in rows)
    words = ("one first" if writes else "writer first", "the other first", third)
    limits = np.array([len(data.orders) for data in rows])
    moves = [("O", "other order", np.array([1, 0, 0][:known]))]
    if known > 2:
        said = "add or remove the barrier" if "barrier" in thirds else third
        moves.append(("B", said, np.array([2, 2, 0])))
    order = Axis("order", "Order", known, control="choice", words=words[:known],
                 limit=Table(("cell",), limits),
                 moves=tuple(moves))  # fmt: skip
    code = frames(lambda data, width: draw_lines(data, lines, room, width),
                  340, _CODE, 680)  # fmt: skip
    ran = frames(lambda data, width: ran_of(data.ran, data.same_block, width), *WIDTHS)
    details = own.texts([f"{why(data)} {what_if(data, order)}".strip()
                         for data in rows
                         for order in (*data.orders, "")[:known]])  # fmt: skip
    unit = "warp" if rows[0].same_block else "block"
    key = [("runs", 0, f"colour: {unit} of a thread (repeats after 4)"),
           ("wrong", 0, "cell in the finding"), ("untouched", 0, "cell"),
           ("focus", 0, "cell in focus")]  # fmt: skip
    return Scene(
        axes=(cell, order),
        panels=(
            Panel((code,), _CODE, grow=True),
            Panel((frames_of((cell, order), orders, (340, _ORDERS)),), _ORDERS, gap=26),
            Panel((*draw_cells(own, rows), ran), WIDTHS[-1]),
        ),
        answer=(_each(own, rows, answer_of),),
        detail=(Table(("cell", "order"), details.reshape(-1, known)),),
        key=swatches(key),
        words=own.all,
        looks=own.looks,
    )  # fmt: skip


def draw_race(rows: Sequence[RaceData], at: int, lines: list[str]) -> Figure:
    """Draw a race in the order of this run.

    Args:
        rows, lines: As for `scene_of`.
        at: Which row.
    """
    orders, first = rows[at].orders, rows[at].first or "once"
    state = {"cell": at, "order": orders.index(first) if first in orders else 0}
    return Figure(
        "Which two threads are not in order?", scene_of(rows, lines), state,
        findings=rows[at].findings, data=rows[at],
    )  # fmt: skip
