"""The picture of the tensor view: elements on top, the cells of storage below."""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...scene.drawing import Drawing, number, shortened, width_of
from ...scene.marks import EMPTY
from ...scene.palette import HUES, tint
from ...scene.phrases import counted
from .focus import cell_focus, draw_table, element_focus, others_of
from .live import live_tensor
from .places import Memory, Places
from .planes import (
    CELL_BREAKS,
    CELL_PITCH,
    CELL_WIDE,
    HIGH,
    IN_A_ROW,
    LEFT,
    Planes,
    cell_place,
    label_of,
)
from .seen import NOBODY, UNKNOWN, Cells, Seen, rows_at, rows_of
from .values import fitted
from .words import answer_of, detail_of

_HALF = 518.0


def _ground(row: int) -> str:
    """The colour of a cell by the row of the first array that it belongs to."""
    return tint(row % HUES) if row >= 0 else EMPTY if row == NOBODY else "var(--off)"


def _index(view: Drawing, x: float, y: float, at: int, anchor: str) -> None:
    view.text(x, y, at, 9.5, fill="var(--mut)", anchor=anchor, mono=True)


def _draw_axes(view: Drawing, array: Seen, planes: Planes, plane: int) -> None:
    x, y = planes.corner(plane)
    if planes.outer:
        outer = [
            along[at]
            for along, at in zip(planes.outer, planes.outers[plane], strict=True)
        ]
        words = label_of(outer)
        view.text(x, y - 22, words, 10.5, fill="var(--mut)", mono=True)
    if array.shape:
        for at, column in enumerate(planes.columns):
            middle = x + (at + 0.5) * planes.wide
            _index(view, middle, y - 6, column, "middle")
    if len(array.shape) > 1:
        for at, row in enumerate(planes.rows):
            _index(view, x - 6, y + at * HIGH + 17, row, "end")


def _cell(view: Drawing, x: float, y: float, wide: float, row: int, words: str) -> None:
    view.rect(
        x + 1, y + 1, wide - 2, HIGH - 2, rx=3, fill=_ground(row),
        stroke="var(--line)" if row < 0 else None,
    )  # fmt: skip
    if words:
        view.text(x + wide / 2, y + 17, words, 11, anchor="middle", mono=True)


def _draw_elements(view: Drawing, array: Seen, planes: Planes, rows: Cells) -> None:
    every = zip(rows.flat, array.values.flat, planes.places(), strict=True)
    for row, value, (x, y) in every:
        _cell(view, x, y, planes.wide, int(row), fitted(value, planes.wide))
    for plane in range(len(planes.outers)):
        _draw_axes(view, array, planes, plane)


def _part(array: Seen) -> str:
    """Which elements are drawn; "" for all."""
    if array.whole:
        return ""
    spans = [
        str(each[0]) if len(each) == 1 else f"{each[0]}–{each[-1]}"
        for each in array.window
    ]
    return f" · [{', '.join(spans)}] drawn"


def _draw_array(at: int, array: Seen, rows: Cells, planes: Planes) -> Drawing:
    view = Drawing(200)
    size = " × ".join(map(number, array.shape)) or "no dimension"
    size += f" element{'s' * (array.size != 1)}" if len(array.shape) == 1 else ""
    view.text(0, 13, shortened(array.name, 30), 13.5, bold=True)
    about = f"{size} · {array.dtype} · {array.device}{_part(array)}"
    view.text(0, 31, about, 11.5, fill="var(--mut)")
    inner = Drawing()
    if array.size:
        _draw_elements(inner, array, planes, rows)
        inner.put(element_focus(array, planes), 0, 0, data_at=f"a{at}-focus")
        view.width = max(planes.plane * planes.across, width_of(about, 11.5))
    view.put(inner, 0, 38)
    view.height = 38 + (planes.height if array.size else 0)
    return view


def _draw_memory(at: int, memory: Memory, title: str) -> Drawing:
    view = Drawing(WIDTH)
    cells = counted(memory.cells, "cell")
    shown = memory.shown
    part = ""
    if 0 < len(shown) < memory.cells:
        part = f" · cells {number(shown[0])}–{number(shown[-1])} drawn"
    size = counted(memory.itemsize, "byte")
    view.runs(0, 13, 13.5, (title, "bold"), (f"  {cells} of {size}{part}", "mut"))
    for cell, row, value in zip(shown, memory.owner, memory.values, strict=True):
        x, y = cell_place(memory, cell) or (0.0, 0.0)
        words = "" if value is None else fitted(value, CELL_WIDE)
        _cell(view, x, y, CELL_WIDE, row, words)
        _index(view, x + CELL_WIDE / 2, y + HIGH + 11, cell, "middle")
    view.put(cell_focus(memory), 0, 0, data_at=f"m{at}-focus")
    view.width = max(500.0, LEFT + min(len(shown), IN_A_ROW) * CELL_WIDE)
    view.height = 34 + CELL_PITCH * -(-len(shown) // IN_A_ROW)
    return view


def _hues(places: Places) -> list[Cells]:
    """The row that gives each drawn element its hue; of two that share, the first's."""
    first = places.arrays[0]
    found = [rows_of(first)]
    for other in places.arrays[1:]:
        shared = other.memory == first.memory
        found.append(rows_at(first, other.cells()) if shared else rows_of(other))
    return found


def _key(places: Places) -> tuple[KeyEntry, ...]:
    name = shortened(places.arrays[0].name, 20)
    many = len(places.arrays) > 1
    key = [
        KeyEntry(
            "belongs",
            f"cell, in the colour of its row of {name}"
            if many
            else "cell, in the colour of its row",
        )
    ]
    key.append(KeyEntry("focus", "one element, and its cell"))
    if any(others_of(each) for each in places.arrays):
        key.append(KeyEntry("same", "another element in the same cell"))
    if any(UNKNOWN in each.owner for each in places.memories):
        key.append(KeyEntry("untouched", "cell outside of the drawn part"))
    if any(NOBODY in each.owner for each in places.memories):
        key.append(KeyEntry("empty", "cell that no element lies in"))
    return tuple(key)


def draw_tensor(places: Places) -> Figure:
    """Draw where the elements of one or two arrays lie.

    Args:
        places: from `places_of`.
    """
    body, arrays = Drawing(WIDTH), places.arrays
    hues = _hues(places)
    alone = len(arrays) == 1
    room = WIDTH - 400.0 if alone else _HALF
    planes = [Planes(each, room) for each in arrays]
    panels = [
        _draw_array(at, each, hues[at], planes[at]) for at, each in enumerate(arrays)
    ]
    tables = [draw_table(at, each) for at, each in enumerate(arrays)]
    y = max(panel.height for panel in panels)
    if alone:
        body.put_part(panels[0], 0, 0, breaks=planes[0].breaks())
        body.put_part(tables[0], max(panels[0].width + 60, 260), 0)
        y = max(y, tables[0].height)
    else:
        for at, (panel, table) in enumerate(zip(panels, tables, strict=True)):
            body.put_part(panel, at * (WIDTH - _HALF), 0)
            body.put_part(table, at * (WIDTH - _HALF), y)
        y += tables[0].height
    for at, memory in enumerate(places.memories):
        title = "Storage"
        if len(places.memories) > 1:
            title += f" of {shortened(arrays[at].name, 30)}"
        drawn = _draw_memory(at, memory, title)
        body.put_part(drawn, 0, y + 14, breaks=CELL_BREAKS)
        y += 14 + drawn.height
    body.height = y
    return Figure(
        question="Where does each element lie in storage?",
        answer=answer_of(places),
        detail=detail_of(places),
        body=body,
        key=_key(places),
        data=places,
        live=live_tensor(places, planes),
    )
