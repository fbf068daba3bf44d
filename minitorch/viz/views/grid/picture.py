"""The picture of the grid view: the grid, the arrays, one thread's cells."""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...scene.drawing import Drawing, number
from ...scene.marks import VALUE_IN, triangle
from ...scene.palette import depth
from ...scene.phrases import counted, joined
from ...traces.fault_view import draw_missed
from ...traces.launches import hue_of, number_at, place_of, spelled
from .block_view import Plan, draw_grid
from .cell_view import LEFT, SIDE, TOP, Sheet, draw_array, spelled_cells
from .live import Corner, grid_live, thinning_note
from .touched import COLUMN, ROW, WRITTEN, GridData, Reuse, Touched

_COLUMN, _SIDE = 366.0, 330.0
_MOST_ARRAYS = 5


def who(data: GridData) -> str:
    """The focused thread, as sentences name it."""
    thread = spelled(data.at_thread, data.block)
    blocks = data.grid[0] * data.grid[1] * data.grid[2]
    if blocks == 1:
        return f"Thread {thread}"
    return f"Thread {thread} of block {spelled(data.at_block, data.grid)}"


def _answer(data: GridData) -> str:
    if data.fault and not data.fault.ended and is_at_fault(data):
        return f"{who(data)} {data.fault.words}."
    reads, writes = (
        [
            spelled_cells(each, getattr(each, name))
            for each in data.arrays
            if len(getattr(each, name))
        ]
        for name in ("reads", "writes")
    )
    verb = "updates" if data.updates else "writes"
    if data.updates:
        reads = [each for each in reads if each not in writes]
    done = [f"reads {joined(reads)}"] if reads else []
    done += [f"{verb} {joined(writes)}"] if writes else []
    if data.fault and is_at_fault(data):
        done.append(data.fault.words)
    if not done:
        return f"{who(data)} touches no cell."
    return f"{who(data)} {', and '.join(done)}."


def is_at_fault(data: GridData) -> bool:
    """Is the focused thread the one in which something went wrong?"""
    at = number_at(data.at_block, data.grid), number_at(data.at_thread, data.block)
    return data.fault is not None and at == (data.fault.block, data.fault.thread)


def _end(data: GridData) -> str:
    """What went wrong, for those who look at another thread."""
    if data.fault is None:
        return ""
    thread = spelled(place_of(data.fault.thread, data.block), data.block)
    block = spelled(place_of(data.fault.block, data.grid), data.grid)
    where = f"Line {data.fault.line}" if data.fault.line else "The kernel"
    place = f"in thread {thread} of block {block}"
    if not data.fault.ended:
        return f"{where} goes wrong {place}; the launch went on."
    return f"{where} failed {place}, which ended the launch."


def _mark_fault(view: Drawing, data: GridData) -> None:
    """A sign on the thread that failed, whichever thread is focused."""
    plan = Plan(data.grid, data.block)
    if data.fault is None or data.fault.block >= plan.drawn:
        return
    x, y = plan.corner(data.fault.block)
    if plan.threads:
        dx, dy = plan.thread(data.fault.thread)
        x, y = x + dx + plan.cell, y + dy
    else:
        x, y = x + plan.size[0], y
    view.element("circle", cx=x, cy=y, r=6.2, fill="var(--bg)")
    triangle(view, x, y - 5, 4.6)


def _detail(data: GridData) -> str:
    reads = data.reuse[0].reads
    written = sum(len(each.writes) for each in data.arrays)
    return f"It makes {counted(reads, 'read')} and writes {counted(written, 'cell')}."


def _whole(data: GridData) -> str:
    """What holds for every thread of the launch."""
    grid = data.reuse[-1]
    if not grid.cells or grid.reads <= grid.cells:
        return ""
    often = number(round(grid.reads / grid.cells, 1))
    return f"The grid reads each cell {often} times on average."


def _arrows(shown: list[Touched], origins: list[tuple[float, float]]) -> Drawing:
    """From a column above and a row to the left to the cell that they make."""
    view = Drawing()
    column, row, written = shown
    if not (len(column.reads) and len(row.reads) and len(written.writes)):
        return view
    above, beside, made = (Sheet(each) for each in shown)
    at_row, at_column = made.place(written.writes)[0].tolist()
    ends = above.place(column.reads)[0, 1], beside.place(row.reads)[0, 0]
    if ends != (at_column, at_row) or any(each.part for each in (above, beside, made)):
        return view
    x, y = made.corner(at_row, at_column)
    left, top = origins[2]
    x, y = left + x + made.cell / 2, top + y + made.cell / 2
    look = {"stroke": "var(--ink)", "stroke_width": 1.6, "marker_end": VALUE_IN}
    start = origins[0][1] + TOP + above.shown_rows * above.cell
    view.path(f"M{x:.1f} {start + 16:.1f}V{start + 40:.1f}", **look)
    start = origins[1][0] + LEFT + beside.shown_columns * beside.cell
    view.path(f"M{start + 6:.1f} {y:.1f}H{left + LEFT - 26:.1f}", **look)
    return view


def _sums(data: GridData) -> Drawing:
    """The thread's place in the whole grid, as kernels compute it."""
    view = Drawing(_SIDE)
    view.text(0, 14, "Where the thread is in the grid", 13, bold=True)
    used = [
        axis for axis in range(3) if axis == 0 or data.grid[axis] * data.block[axis] > 1
    ]
    view.height = 30 + 23 * len(used)
    view.rect(0, 24, _SIDE, view.height - 18, rx=6, fill="var(--panel)")
    for at, axis in enumerate(used):
        name = "xyz"[axis]
        block, thread = data.at_block[axis], data.at_thread[axis]
        whole = block * data.block[axis] + thread
        words = f"{name} = {block} × {data.block[axis]} + {thread} = {whole}"
        view.text(12, 46 + 23 * at, words, 13, mono=True, data_at=f"sum-{name}")
    view.text(
        0, view.height + 24, "blockIdx × blockDim + threadIdx", 11.5,
        fill="var(--mut)", mono=True,
    )  # fmt: skip
    view.height += 40
    return view


def _table(data: GridData) -> Drawing:
    view = Drawing(_SIDE, 190)
    view.text(0, 14, "How often is the same cell read?", 13, bold=True)
    heads = ((150, "reads"), (240, "cells"), (_SIDE, "reads a cell"))
    for x, words in heads:
        view.text(x, 34, words, 11.5, fill="var(--mut)", anchor="end")
    most = max(
        (each.reads / each.cells for each in data.reuse if each.cells), default=1
    )
    for at, each in enumerate(data.reuse):
        y = 60 + 27 * at
        view.path(f"M0 {y - 18}H{_SIDE}", stroke="var(--line)")
        view.text(0, y, each.who, 12.5, bold=at == 0)
    view.put(_rows(data.reuse, most), 0, 0, data_at="reuse")
    return view


def _rows(reuse: tuple[Reuse, ...], most: float) -> Drawing:
    view = Drawing()
    for at, each in enumerate(reuse):
        y = 60 + 27 * at
        view.text(150, y, number(each.reads), 12.5, anchor="end", bold=at == 0)
        view.text(240, y, number(each.cells), 12.5, anchor="end", bold=at == 0)
        if each.cells:
            often = each.reads / each.cells
            view.rect(252, y - 9, 44 * often / most, 8, rx=2, fill=depth(30))
            view.text(_SIDE, y, number(round(often, 1)), 12.5, anchor="end")
    return view


def _key(data: GridData, hue: int) -> tuple[KeyEntry, ...]:
    threads = data.threads
    verb = "updates" if threads.atomic.any() else "writes"
    key = [KeyEntry("belongs", "thread of this block, or cell that it wrote", hue)]
    if any(each.pattern.any() for each in threads.writes):
        key.append(KeyEntry("runs", f"the thread, and what it {verb}", hue))
    if any(each.pattern.any() for each in threads.reads):
        key.append(KeyEntry("reads", "cell that the thread reads", hue))
    key.append(KeyEntry("untouched", "cell that nobody wrote"))
    key.append(KeyEntry("focus", "focused thread and its cell"))
    if data.fault is not None:
        key.append(KeyEntry("wrong", "finding"))
    return tuple(key)


def _panels(data: GridData, drawn: list[int], hue: int) -> tuple[Drawing, list[Corner]]:
    """The grid and the arrays two beside each other, and where each of these is."""
    block, thread = number_at(data.at_block, data.grid), data.at_thread
    panels = [draw_grid(data.grid, data.block, block, number_at(thread, data.block))]
    panels += [draw_array(data.arrays[at], hue, data.grid, f"a{at}") for at in drawn]
    view, y, places = Drawing(_COLUMN + LEFT + SIDE), 0.0, []
    for at in range(0, len(panels), 2):
        pair = panels[at : at + 2]
        for column, panel in enumerate(pair):
            view.put(panel, column * _COLUMN, y)
            places.append((column * _COLUMN, y))
        y += max(panel.height for panel in pair) + 12
    left = len(data.arrays) - len(drawn)
    if left > 0:
        more = f"… and {left} more array{'s' * (left != 1)}"
        view.text(0, y + 4, more, 12, fill="var(--mut)")
        y += 16
    view.height = y
    return view, places


def _beside(data: GridData) -> Drawing:
    sums, table = _sums(data), _table(data)
    view = Drawing(_SIDE, sums.height + 8 + table.height)
    view.put(sums, 0, 0)
    view.put(table, 0, sums.height + 8)
    return view


def draw_grid_view(data: GridData, note: str = "") -> Figure:
    """Draw which cells one thread touches.

    Args:
        data: From `grid_data`.
        note: A sentence to add to the detail.
    """
    hue = int(hue_of(number_at(data.at_block, data.grid), data.grid))
    drawn = sorted(range(len(data.arrays)), key=data.kinds.__getitem__)[:_MOST_ARRAYS]
    panels, places = _panels(data, drawn, hue)
    arrows = [data.kinds[at] for at in drawn] == [COLUMN, ROW, WRITTEN]
    if arrows:
        shown = [data.arrays[at] for at in drawn]
        panels.put(_arrows(shown, places[1:]), 0, 0, data_at="arrows")
    _mark_fault(panels, data)
    beside = _beside(data)
    body = Drawing(WIDTH, max(panels.height, beside.height))
    # Arrows go from one column to the other: these stay beside each other.
    body.put_part(panels, 0, 0, breaks=() if arrows else (_COLUMN,))
    body.put_part(beside, WIDTH - _SIDE, 0)
    if data.fault and data.fault.array:
        missed = draw_missed(data.fault)
        body.put_part(missed, 0, body.height + 8)
        body.height += missed.height + 8
    words = [_end(data), _whole(data), thinning_note(data), note]
    tail = " ".join(filter(None, words))
    corners = dict(zip(drawn, places[1:], strict=True))
    return Figure(
        question="Which cells does one thread touch?",
        answer=_answer(data),
        detail=f"{_detail(data)} {tail}".strip(),
        body=body,
        key=_key(data, hue),
        findings=int(data.fault is not None),
        data=data,
        live=grid_live(data, corners, tail, arrows),
    )
