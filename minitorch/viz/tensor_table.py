"""Owns the sum that gives an element's cell, drawn as a table: index times stride.

Must not know memory or values.
"""

from __future__ import annotations

from .drawing import Drawing, number, width_of
from .tensor_seen import Seen

_HEAD, _WIDE, _LINE = 104.0, 60.0, 23.0
_MOST = 4  # dimensions with a column of their own, the last ones


def _columns(array: Seen) -> list[tuple[str, str, str, str, int]]:
    """For each column its head, size, stride, index and product."""
    folded = max(len(array.shape) - _MOST, 0)
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


def draw_table(array: Seen) -> Drawing:
    """A column for each dimension: size, stride, index, and the cells they make."""
    columns = _columns(array)
    total = _sum(array, columns)
    room = max(
        _HEAD + (len(columns) + 0.2) * _WIDE, width_of(total, 12.5, mono=True) + 24
    )
    view = Drawing(room)
    view.text(0, 13, "From index to cell", 13, bold=True)
    view.rect(0, 24, room, 5 * _LINE + 40, rx=6, fill="var(--panel)")
    heads = ("", "size", "stride", "index", "index × stride")
    for at, words in enumerate(heads):
        view.text(12, 46 + at * _LINE, words, 11.5, fill="var(--mut)")
    for at, (head, *rows, product) in enumerate(columns):
        x = _HEAD + (at + 1) * _WIDE - 8
        view.text(x, 46, head, 11.5, fill="var(--mut)", anchor="end")
        for down, words in enumerate(rows, start=1):
            view.text(
                x, 46 + down * _LINE, words, 12.5,
                anchor="end", mono=True, bold=down == 3,
            )  # fmt: skip
        words = "·" if array.focus is None else number(product)
        view.text(x, 46 + 4 * _LINE, words, 12.5, anchor="end", mono=True)
    view.path(f"M12 {55 + 4 * _LINE}H{room - 12}", stroke="var(--line)")
    view.text(12, 50 + 5 * _LINE + 4, total, 12.5, mono=True, bold=True)
    view.height = 24 + 5 * _LINE + 56
    return view


def _sum(array: Seen, columns: list[tuple[str, str, str, str, int]]) -> str:
    if array.focus is None:
        return "no element here"
    parts = [number(product) for *_, product in columns]
    if array.start or not parts:
        parts.insert(0, f"start {number(array.start)}")
    return f"{' + '.join(parts)} = cell {number(array.cell_of(array.focus))}"
