"""The picture of shared memory in one step, and the arrows of one thread.

`cell_shapes` and `arrow_shapes` are what a script gives the tagged parts for another
step or thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...scene.drawing import Drawing, shortened
from ...scene.marks import VALUE_IN, VALUE_OUT, WRONG
from ...scene.palette import HUES, strong, tint
from ...traces.launches import READ
from .data import StepData
from .layout import Layout, Sheet, box, fitted, tenth

MOST_ARROWS = 3


def _boxes(sheet: Sheet, cells: list[int], inset: float) -> str:
    gap, r = inset * min(1, sheet.w / 25), 3 if sheet.values else 0
    places = [sheet.place(cell) for cell in cells]
    return "".join(
        box(at[0] + gap, at[1] + gap, sheet.w - 2 * gap, sheet.h - 2 * gap, r)
        for at in places
        if at
    )


def cell_shapes(data: StepData, sheet: Sheet, step: int) -> dict[str, str]:
    """The paths of an array's cells after a step, by their names."""
    array, held = sheet.array, data.shared(sheet.array, step)
    uses = data.uses_in(step)
    own = uses.array == array
    reads = np.unique(uses.cell[own & (uses.kind == READ)]).tolist()
    writes = np.unique(uses.cell[own & (uses.kind != READ)]).tolist()
    wrong = sorted(
        {cell for mark in data.marks if mark.step <= step
         for at, cell in mark.cells if at == array}
    )  # fmt: skip
    last = sheet.first + sheet.rows * sheet.wide
    seen = np.arange(sheet.first, min(last, sheet.count))
    warp = held.warp[seen]
    shapes = {
        f"c{array}h{hue}": _boxes(
            sheet, seen[(warp >= 0) & (warp % HUES == hue)].tolist(), 1
        )
        for hue in range(HUES)
    }
    shapes[f"c{array}none"] = _boxes(sheet, seen[warp < 0].tolist(), 1)
    shapes[f"c{array}wrong"] = _boxes(sheet, wrong, 1)
    # A number on hatching needs ground of its own.
    plain = [sheet.place(cell) for cell in wrong if sheet.values]
    shapes[f"c{array}clear"] = "".join(
        box(at[0] + 3.4, at[1] + sheet.h / 2 - 6.5, sheet.w - 6.8, 13, 2)
        for at in plain
        if at
    )
    shapes[f"c{array}write"] = _boxes(sheet, writes, 1)
    shapes[f"c{array}read"] = _boxes(sheet, reads, 2.6)
    return shapes


@dataclass(frozen=True)
class Arrow:
    """A way between the focused thread and a cell: its path, and its word's middle."""

    path: str
    x: float
    y: float
    ring: str


def _arrow(place: Layout, thread: int, sheet: Sheet, cell: int, above: bool) -> Arrow:
    """Along the gap under or above the thread, across, along the gap of the cell."""
    threads = place.threads
    tx, ty = threads.corner(thread)
    at = sheet.place(cell)
    assert at is not None
    sy = ty if above else tenth(ty + threads.cell)
    end = tenth(at[1] + (0 if at[1] + sheet.h / 2 > sy else sheet.h))
    right = tenth(threads.x + threads.columns * threads.cell + 10)
    left = tenth(sheet.x - 26)
    middle = tenth((right + left) / 2)
    path = (
        f"M{tenth(tx + threads.cell + 1):g} {sy:g}H{right:g}"
        f"C{tenth(middle + 14):g} {sy:g} {tenth(middle - 14):g} {end:g} "
        f"{left:g} {end:g}H{tenth(at[0] - 1):g}"
    )
    ring = box(at[0], at[1], sheet.w, sheet.h, 3 if sheet.values else 0)
    return Arrow(path, middle, tenth((sy + end) / 2), ring)


def arrow_shapes(
    data: StepData, place: Layout, step: int, thread: int
) -> dict[str, list[Arrow]]:
    """Arrows of a thread in a step: "reads" and "writes", at most three in all."""
    uses = data.uses_in(step)
    sheets = {each.array: each for each in place.sheets}
    mine = np.nonzero(uses.thread == thread)[0]
    every = [
        (int(uses.array[at]), int(uses.cell[at]), int(uses.kind[at]) == READ)
        for at in mine
    ]
    cells = [
        each for each in dict.fromkeys(every)
        if each[0] in sheets and sheets[each[0]].place(each[1])
    ]  # fmt: skip
    written = {each[:2] for each in cells if not each[2]}
    reads = [each for each in cells if each[2] and each[:2] not in written]
    ends = (reads + [each for each in cells if not each[2]])[:MOST_ARROWS]
    # Ways from above to what lies above do not cross.
    ends.sort(key=lambda each: (each[0], each[1] // sheets[each[0]].wide))
    found: dict[str, list[Arrow]] = {"reads": [], "writes": []}
    taken: list[float] = []
    for number, (array, cell, read) in enumerate(ends):
        above = number == 0 and len(ends) > 1
        arrow = _arrow(place, thread, sheets[array], cell, above)
        y = arrow.y
        while any(abs(y - other) < 20 for other in taken):
            y += 20
        taken.append(y)
        found["reads" if read else "writes"].append(
            Arrow(arrow.path, arrow.x, tenth(y), arrow.ring)
        )
    return found


def draw_arrows(view: Drawing, data: StepData, place: Layout) -> None:
    """Draw the arrows of the focused thread; the places of others are kept ready."""
    shapes = arrow_shapes(data, place, data.step, data.thread)
    rings = "".join(each.ring for group in shapes.values() for each in group)
    view.path(rings, stroke="var(--ink)", stroke_width=2.4, data_at="rings")
    for verb, group in shapes.items():
        reads = verb == "reads"
        for number in range(MOST_ARROWS):
            arrow = group[number] if number < len(group) else None
            seen = "inline" if arrow else "none"
            d, x, y = (arrow.path, arrow.x, arrow.y) if arrow else ("", 0.0, 0.0)
            name = f"{verb}{number}"
            view.path(d, stroke="var(--bg)", stroke_width=4, data_at=f"{name}back",
                      display=seen)  # fmt: skip
            view.path(
                d, stroke="var(--ink)", stroke_width=1.6 if reads else 2.4,
                marker_start=VALUE_OUT if reads else None,
                marker_end=None if reads else VALUE_IN, data_at=name, display=seen,
            )  # fmt: skip
            view.rect(x - 21, y - 9, 42, 18, rx=4, fill="var(--bg)",
                      stroke="var(--ink)", stroke_width=0.8, data_at=f"{name}box",
                      display=seen)  # fmt: skip
            view.text(x, y + 4, verb, 11, anchor="middle", data_at=f"{name}word",
                      display=seen)  # fmt: skip


def _values(view: Drawing, data: StepData, sheet: Sheet) -> None:
    held, uses = data.shared(sheet.array, data.step), data.uses_in(data.step)
    most = max(int((sheet.w - 3) / 6.05), 2)
    new = set(uses.cell[(uses.array == sheet.array) & (uses.kind != READ)].tolist())
    for cell in range(sheet.first, min(sheet.first + sheet.rows * sheet.wide,
                                       sheet.count)):  # fmt: skip
        at = sheet.place(cell)
        if at is None:
            continue
        value = int(held.value[cell])
        words = fitted(data.words[value], most) if value >= 0 else "·"
        view.text(
            at[0] + sheet.w / 2, at[1] + sheet.h / 2 + 4, words,
            11 if len(words) <= 3 else 10, anchor="middle", mono=True,
            fill="var(--ink)" if value >= 0 else "var(--faint)",
            bold=cell in new, data_at=f"v{sheet.array}c{cell}",
        )  # fmt: skip


def _rows(view: Drawing, data: StepData, sheet: Sheet) -> None:
    """Indices beside the rows: of the row, or of its first cell."""
    shape = data.arrays[sheet.array].shape
    if not shape:
        return
    flat = len(shape) < 2
    every = max(1, round(11 / sheet.h + 0.4))
    first = sheet.first // sheet.wide
    for row in range(0, sheet.rows, every):
        at = (first + row) * (sheet.wide if flat else 1)
        view.text(sheet.x - 6, sheet.y + row * sheet.h + sheet.h / 2 + 3.6, at, 10,
                  fill="var(--mut)", anchor="end", mono=True)  # fmt: skip


def draw_sheet(view: Drawing, data: StepData, sheet: Sheet) -> None:
    """Draw the cells of an array of shared memory after the step in focus."""
    cells = data.arrays[sheet.array]
    unnamed = cells.name == "shared"
    title = "" if unnamed else shortened(cells.name, 12)
    said = "colour: last writer"
    every = -(-sheet.count // sheet.wide)
    if sheet.rows < every or sheet.columns < sheet.wide:
        first = sheet.first // sheet.wide
        said += f" · rows {first}–{first + sheet.rows - 1} of {every}"
    view.text(sheet.x, sheet.y - 26, f"Shared memory {title}", 13, bold=True)
    view.text(sheet.x, sheet.y - 10, said, 11.5, fill="var(--mut)")
    shapes = cell_shapes(data, sheet, data.step)
    number, warp = sheet.array, int(data.steps.warp[data.step])

    def path(kind: str, **look: object) -> None:
        key = f"c{number}{kind}"
        view.path(shapes[key], data_at=key, **look)

    for hue in range(HUES):
        path(f"h{hue}", fill=tint(hue))
    path("none", stroke="var(--line)")
    path("write", stroke=strong(warp), stroke_width=2)
    path("wrong", fill=WRONG, stroke="var(--bad)", stroke_width=1.6)
    path("clear", fill="var(--bg)")
    path("read", stroke="var(--ink)", stroke_dasharray="2.5 2")
    if sheet.values:
        _values(view, data, sheet)
    _rows(view, data, sheet)
