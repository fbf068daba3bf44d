"""Owns the sum that gives an element's cell, drawn as a table: index times stride.

Must not know memory or values.
"""

from __future__ import annotations

from dataclasses import replace

from ...scene.drawing import Drawing, number, width_of
from .seen import Seen

HEAD, WIDE, LINE, TOP, SIZE = 104.0, 60.0, 23.0, 46.0, 12.5
MOST_COLUMNS = 4  # dimensions with a column of their own, the last ones


Column = tuple[str, str, str, str, int]


def _columns(array: Seen) -> list[Column]:
    """For each column its head, size, stride, index and product."""
    folded = max(len(array.shape) - MOST_COLUMNS, 0)
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
        HEAD + (len(columns) + 0.2) * WIDE, width_of(longest, SIZE, mono=True) + 24
    )
    view = Drawing(room)
    view.text(0, 13, "From index to cell", 13, bold=True)
    view.rect(0, 24, room, 5 * LINE + 40, rx=6, fill="var(--panel)")
    for down, words in enumerate(("", "size", "stride", "index", "index × stride")):
        view.text(12, TOP + down * LINE, words, 11.5, fill="var(--mut)")
    for column, (head, size, stride, _, _) in enumerate(columns):
        x = _right(column)
        view.text(x, TOP, head, 11.5, fill="var(--mut)", anchor="end")
        view.text(x, TOP + LINE, size, SIZE, anchor="end", mono=True)
        view.text(x, TOP + 2 * LINE, stride, SIZE, anchor="end", mono=True)
    view.path(f"M12 {TOP + 9 + 4 * LINE}H{room - 12}", stroke="var(--line)")
    view.put(draw_sum(array), 0, 0, data_at=f"a{at}-sum")
    view.height = 24 + 5 * LINE + 56
    return view


def _right(column: int) -> float:
    return HEAD + (column + 1) * WIDE - 8


def draw_sum(array: Seen) -> Drawing:
    """What changes with the element: its index, the products, their sum."""
    view, columns = Drawing(), _columns(array)
    for column, (*_, index, product) in enumerate(columns):
        x, words = _right(column), number(product) if array.focus is not None else "·"
        view.text(x, TOP + 3 * LINE, index, SIZE, anchor="end", bold=True, mono=True)
        view.text(x, TOP + 4 * LINE, words, SIZE, anchor="end", mono=True)
    view.text(12, TOP + 5 * LINE + 8, _sum(array, columns), SIZE, bold=True, mono=True)
    return view


def _sum(array: Seen, columns: list[Column]) -> str:
    if array.focus is None:
        return "no element here"
    parts = [number(product) for *_, product in columns]
    if array.start or not parts:
        parts.insert(0, f"start {number(array.start)}")
    return f"{' + '.join(parts)} = cell {number(array.cell_of(array.focus))}"
