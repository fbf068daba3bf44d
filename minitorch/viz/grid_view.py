"""Owns the picture of the grid view: the grid, the arrays, one thread's cells.

Must not know launches: it draws the numbers of `touched`.
"""

from __future__ import annotations

from .block_view import draw_grid
from .cell_view import LEFT, TOP, Sheet, draw_array, spelled_cells
from .drawing import Drawing, number
from .figure import WIDTH, Figure, KeyEntry
from .launches import Place, hue_of, spelled
from .marks import VALUE_IN
from .palette import depth
from .touched import GridData, Touched

_COLUMN, _SIDE = 366.0, 330.0
_MOST_ARRAYS = 5


def _number(place: Place, extent: Place) -> int:
    return place[0] + extent[0] * (place[1] + extent[1] * place[2])


def _joined(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def who(data: GridData) -> str:
    """The focused thread, as sentences name it."""
    thread = spelled(data.at_thread, data.block)
    blocks = data.grid[0] * data.grid[1] * data.grid[2]
    if blocks == 1:
        return f"Thread {thread}"
    return f"Thread {thread} of block {spelled(data.at_block, data.grid)}"


def _answer(data: GridData) -> str:
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
    done = [f"reads {_joined(reads)}"] if reads else []
    done += [f"{verb} {_joined(writes)}"] if writes else []
    if not done:
        return f"{who(data)} touches no cell."
    return f"{who(data)} {', and '.join(done)}."


def _detail(data: GridData) -> str:
    thread, grid = data.reuse[0], data.reuse[-1]
    written = sum(len(each.writes) for each in data.arrays)
    times = f"{number(thread.reads)} read{'s' * (thread.reads != 1)}"
    cells = f"{number(written)} cell{'s' * (written != 1)}"
    words = f"It makes {times} and writes {cells}."
    if grid.cells and grid.reads > grid.cells:
        often = number(round(grid.reads / grid.cells, 1))
        words += f" The grid reads each cell {often} times on average."
    return words


def _order(touched: Touched) -> tuple[int, int]:
    """Arrays read down a column, along a row, at will; then those written."""
    if len(touched.writes) or (touched.writer >= 0).any():
        return 3, 0
    reads = touched.reads
    if len(touched.array.shape) != 2 or len(reads) < 2:
        return 2, 0
    column = bool((reads[:, 1] == reads[0, 1]).all())
    row = bool((reads[:, 0] == reads[0, 0]).all())
    return (0 if column else 1 if row else 2), 0


def _draw_arrows(body: Drawing, shown: list[Touched], height: float) -> None:
    """From a column above and a row to the left to the cell that they make."""
    column, row, written = shown
    if not len(written.writes):
        return
    sheets = [Sheet(each) for each in shown]
    above, beside, made = sheets
    at_row, at_column = made.place(written.writes)[0].tolist()
    x, y = made.corner(at_row, at_column)
    x, y = x + _COLUMN + made.cell / 2, y + height + 12 + made.cell / 2
    ends = above.place(column.reads)[0, 1], beside.place(row.reads)[0, 0]
    if ends != (at_column, at_row) or any(each.part for each in sheets):
        return
    look = {"stroke": "var(--ink)", "stroke_width": 1.6, "marker_end": VALUE_IN}
    start = TOP + above.shown_rows * above.cell
    body.path(f"M{x:.1f} {start + 16:.1f}V{start + 40:.1f}", **look)
    start = LEFT + beside.shown_columns * beside.cell
    body.path(f"M{start + 6:.1f} {y:.1f}H{_COLUMN + LEFT - 26:.1f}", **look)


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
        view.text(12, 46 + 23 * at, words, 13, mono=True)
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
        view.text(150, y, number(each.reads), 12.5, anchor="end", bold=at == 0)
        view.text(240, y, number(each.cells), 12.5, anchor="end", bold=at == 0)
        if each.cells:
            often = each.reads / each.cells
            view.rect(252, y - 9, 44 * often / most, 8, rx=2, fill=depth(30))
            view.text(_SIDE, y, number(round(often, 1)), 12.5, anchor="end")
    return view


def _key(data: GridData, hue: int) -> tuple[KeyEntry, ...]:
    verb = "updates" if data.updates else "writes"
    key = [KeyEntry("belongs", "thread of this block, or cell that it wrote", hue)]
    if any(len(each.writes) for each in data.arrays):
        key.append(KeyEntry("runs", f"the thread, and what it {verb}", hue))
    if any(len(each.reads) for each in data.arrays):
        key.append(KeyEntry("reads", "cell that the thread reads", hue))
    key.append(KeyEntry("untouched", "cell that nobody wrote"))
    key.append(KeyEntry("focus", "focused thread and its cell"))
    return tuple(key)


def draw_grid_view(data: GridData, note: str = "") -> Figure:
    """Draw which cells one thread touches.

    Args:
        data: From `grid_data`.
        note: A sentence to add to the detail.
    """
    block = _number(data.at_block, data.grid)
    hue = int(hue_of(block, data.grid))
    thread = _number(data.at_thread, data.block)
    shown = sorted(data.arrays, key=_order)[:_MOST_ARRAYS]
    panels = [draw_grid(data.grid, data.block, block, thread)]
    panels += [draw_array(each, hue, data.grid) for each in shown]
    body, y = Drawing(WIDTH), 0.0
    for at in range(0, len(panels), 2):
        pair = panels[at : at + 2]
        for column, panel in enumerate(pair):
            body.put(panel, column * _COLUMN, y)
        y += max(panel.height for panel in pair) + 12
    if [_order(each)[0] for each in shown] == [0, 1, 3]:
        _draw_arrows(body, shown, panels[0].height)
    left = len(data.arrays) - len(shown)
    if left > 0:
        more = f"… and {left} more array{'s' * (left != 1)}"
        body.text(0, y + 4, more, 12, fill="var(--mut)")
        y += 16
    sums, table = _sums(data), _table(data)
    body.put(sums, WIDTH - _SIDE, 0)
    body.put(table, WIDTH - _SIDE, sums.height + 8)
    body.height = max(y, sums.height + 8 + table.height)
    return Figure(
        question="Which cells does one thread touch?",
        answer=_answer(data),
        detail=" ".join(filter(None, [_detail(data), note])),
        body=body,
        key=_key(data, hue),
        data=data,
    )
