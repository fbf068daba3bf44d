"""What follows an element: its ring, its cell's, and the sum that finds the cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...scene.drawing import Drawing, number, width_of
from ...scene.marks import ring
from .places import Memory
from .planes import CELL_WIDE, HIGH, Planes, cell_place
from .seen import Index, Seen

_HEAD, _WIDE, _LINE, _TOP, _SIZE = 104.0, 60.0, 23.0, 46.0, 12.5
_MOST_COLUMNS = 4  # dimensions with a column of their own, the last ones


Column = tuple[str, str, str, str, int]


def _columns(array: Seen) -> list[Column]:
    """For each column its head, size, stride, index and product."""
    folded = max(len(array.shape) - _MOST_COLUMNS, 0)
    focus = array.focus
    found = []
    products = [
        0 if focus is None else at * step
        for at, step in zip(focus or array.shape, array.strides, strict=True)
    ]
    if folded:
        head = f"dims 0–{folded - 1}" if folded > 1 else "dim 0"
        found.append((head, "…", "…", "…", sum(products[:folded])))
    for dim in range(folded, len(array.shape)):
        at = "·" if focus is None else number(focus[dim])
        size, step = number(array.shape[dim]), number(array.strides[dim])
        found.append((f"dim {dim}", size, step, at, products[dim]))
    return found


def draw_table(at: int, array: Seen) -> Drawing:
    """A column for each dimension: size, stride, index, and the cells they make.

    Args:
        at: the number of the array, for the name of what changes with the element.
        array: whose rule it is.
    """
    columns = _columns(array)
    last = replace(array, focus=tuple(size - 1 for size in array.shape))
    longest = _sum(last if array.size else array, _columns(last))
    room = max(
        _HEAD + (len(columns) + 0.2) * _WIDE, width_of(longest, _SIZE, mono=True) + 24
    )
    view = Drawing(room)
    view.text(0, 13, "From index to cell", 13, bold=True)
    view.rect(0, 24, room, 5 * _LINE + 40, rx=6, fill="var(--panel)")
    for down, words in enumerate(("", "size", "stride", "index", "index × stride")):
        view.text(12, _TOP + down * _LINE, words, 11.5, fill="var(--mut)")
    for column, (head, size, stride, _, _) in enumerate(columns):
        x = _right(column)
        view.text(x, _TOP, head, 11.5, fill="var(--mut)", anchor="end")
        view.text(x, _TOP + _LINE, size, _SIZE, anchor="end", mono=True)
        view.text(x, _TOP + 2 * _LINE, stride, _SIZE, anchor="end", mono=True)
    view.path(f"M12 {_TOP + 9 + 4 * _LINE}H{room - 12}", stroke="var(--line)")
    view.put(draw_sum(array), 0, 0, data_at=f"a{at}-sum")
    view.height = 24 + 5 * _LINE + 56
    return view


def _right(column: int) -> float:
    return _HEAD + (column + 1) * _WIDE - 8


def draw_sum(array: Seen) -> Drawing:
    """What changes with the element: its index, the products, their sum."""
    view, columns = Drawing(), _columns(array)
    for column, (*_, index, product) in enumerate(columns):
        x, words = _right(column), number(product) if array.focus is not None else "·"
        view.text(x, _TOP + 3 * _LINE, index, _SIZE, anchor="end", bold=True, mono=True)
        view.text(x, _TOP + 4 * _LINE, words, _SIZE, anchor="end", mono=True)
    view.text(
        12, _TOP + 5 * _LINE + 8, _sum(array, columns), _SIZE, bold=True, mono=True
    )
    return view


def _sum(array: Seen, columns: list[Column]) -> str:
    if array.focus is None:
        return "no element here"
    parts = [number(product) for *_, product in columns]
    if array.start or not parts:
        parts.insert(0, f"start {number(array.start)}")
    return f"{' + '.join(parts)} = cell {number(array.cell_of(array.focus))}"


def others_of(array: Seen) -> list[Index]:
    """Elements drawn that lie in the same cell as the focus."""
    if array.focus is None:
        return []
    found = np.argwhere(array.cells() == array.cell_of(array.focus)).tolist()
    every = [
        tuple(along[at] for along, at in zip(array.window, each, strict=True))
        for each in found
    ]
    return [each for each in every if each != array.focus]


def element_focus(array: Seen, planes: Planes) -> Drawing:
    """The ring, and what marks other elements of the same cell."""
    view = Drawing()
    for other in others_of(array):
        place = planes.place(other)
        if place is not None:
            view.rect(
                place[0] + 2, place[1] + 2, planes.wide - 4, HIGH - 4, rx=3,
                fill="none", stroke="var(--ink)", stroke_width=1.2,
                stroke_dasharray="2.6 1.8",
            )  # fmt: skip
    place = planes.place(array.focus) if array.focus is not None else None
    if place is not None:
        ring(view, *place, planes.wide, HIGH)
    return view


def cell_focus(memory: Memory) -> Drawing:
    """The ring around the cell that the focus lies in."""
    view = Drawing()
    place = None if memory.focus is None else cell_place(memory, memory.focus)
    if place is not None:
        ring(view, *place, CELL_WIDE, HIGH)
    return view
