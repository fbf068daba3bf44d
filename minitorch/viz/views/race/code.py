"""The picture of the code of a race, with the barrier that it lacks."""

from __future__ import annotations

from ...scene.code_view import STEP, draw_code, rows_of
from ...scene.drawing import Drawing
from .races import RaceData
from .words import in_order, is_ordered, short

CODE = 372.0


def missing_after(data: RaceData) -> int:
    """The line after which a barrier is missing; 0 for none."""
    return in_order(data)[0].line if is_ordered(data) else 0


def _notes(data: RaceData) -> dict[int, tuple[str, int]]:
    writer, other = data.writer, data.other
    if writer.line == other.line:
        return {writer.line: (f"both threads use {data.cell}", writer.who)}
    return {
        side.line: (f"{short(side)} {side.kind} {data.cell}", side.who)
        for side in (other, writer)
    }


def draw_lines(data: RaceData, lines: list[str]) -> Drawing:
    """The code, with room for the barrier."""
    return draw_code(lines, _notes(data), CODE, missing_after(data))


def row_at(data: RaceData, lines: list[str]) -> float:
    """Where the row of the barrier begins in the code; 0 for none."""
    after = missing_after(data)
    if not after:
        return 0.0
    return rows_of(lines, list(_notes(data)), after)[after] + STEP - 15


def draw_row(data: RaceData, order: str) -> Drawing:
    """The row in the code for the barrier: missing, perhaps added; empty for none."""
    view, there = Drawing(CODE, STEP), order == "barrier"
    if not is_ordered(data):
        return view
    # The kernel lacks it still: what is shown is what would be.
    view.rect(0, 0, CODE, STEP, fill="var(--badt)")
    view.rect(0, 0, 3, STEP, fill="var(--bad)")
    view.text(38, 15, "✕ a barrier is missing here", 12, fill="var(--bad)", bold=True)
    if there:
        view.text(CODE - 8, 15, "✓ shown with it", 12, anchor="end", bold=True)
    return view
