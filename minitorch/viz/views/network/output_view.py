"""The output of one launch, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, number
from ...scene.formulas import (
    POINTER_X,
    POINTER_Y,
    chosen,
    in_words,
    item,
    path_of,
    text,
)
from ...scene.marks import EMPTY
from ...scene.palette import HUES, strong, tint
from ...scene.paths import planes
from .columns import BLOCK, CELL, LANE, WARP, named, own, told
from .nets import LANES, Kernel, Net
from .panels import HUE, WITH_WARP

WIDE, HIGH = 280.0, 232.0
TOP = 42.0
_ROOM = 146.0
_LEAST_CELL, _MOST_CELL, _MOST_BESIDE = 2.0, 23.0, 16
_GAP = 8.0


@dataclass(frozen=True)
class Sheet:
    """How cells lie: `across` in a row, `down` rows a plane, `beside` planes a line."""

    across: int
    down: int
    beside: int
    pitch: float

    @property
    def gap(self) -> float:
        """Between planes."""
        return _GAP


def _broken(cells: int) -> Sheet | None:
    """A sheet for one row: broken, so that cells are as large as may be."""
    sheets = []
    for across in range(1, min(cells, int(WIDE / _LEAST_CELL)) + 1):
        down = -(-cells // across)
        pitch = round(min(WIDE / across, _ROOM / down, _MOST_CELL), 1)
        sheets.append(Sheet(across, down, 1, pitch))
    found = max(sheets, key=lambda each: (each.pitch, each.across))
    return found if found.pitch >= _LEAST_CELL else None


def sheet_of(kernel: Kernel) -> Sheet | None:
    """A sheet that fits; None where cells would be too small to see."""
    shape = kernel.outputs[0].shape if kernel.outputs else ()
    across, cells = (shape[-1] if shape else 1), kernel.cells
    rows = cells // across if across else 0
    if rows == 1:
        return _broken(cells)
    if not rows or across > WIDE / _LEAST_CELL:
        return None
    found = None
    for down in {rows, *([shape[-2]] if len(shape) > 2 else [16, 32, 64])}:
        count = -(-rows // down)
        for beside in range(1, min(count, 64) + 1):
            lines = -(-count // beside)
            wide = (WIDE - (beside - 1) * _GAP) / (beside * across)
            high = (_ROOM - (lines - 1) * _GAP) / (lines * min(down, rows))
            pitch = round(min(wide, high, _MOST_CELL), 1)
            if pitch >= _LEAST_CELL and (found is None or pitch > found.pitch):
                found = Sheet(across, min(down, rows), beside, pitch)
    return found


def output_columns(net: Net) -> dict[str, Any]:
    """The lists that place the cells."""
    known = {each.index for each in told(net)}
    sheets = [sheet_of(each) if each.index in known else None for each in net.kernels]
    some = [each or Sheet(1, 1, 1, 0.0) for each in sheets]
    return {
        "drawn": [int(each is not None) for each in sheets],
        "sheetAcross": [each.across for each in some],
        "sheetDown": [each.down for each in some],
        "sheetBeside": [each.beside for each in some],
        "sheetPitch": [each.pitch for each in some],
        "sheetSide": [round(each.pitch - _inset(each), 1) for each in some],
    }


def _inset(sheet: Sheet) -> float:
    return 1.4 if sheet.pitch > 6 else 0.4


def _extent(kernel: Kernel) -> str:
    out = kernel.outputs[0] if kernel.outputs else None
    if out is None:
        return "What it writes is not known"
    shape = " × ".join(map(number, out.shape)) or "1"
    cells = "cell" if out.size == 1 else "cells"
    return f"It writes {out.name}: {shape} {cells}"


def _draw_cells(kernel: Kernel, known: bool) -> Drawing:
    """All cells in the pale hue of the block that writes them."""
    view, sheet = Drawing(), sheet_of(kernel) if known else None
    if sheet is None:
        words = (
            "Too many cells to draw. Thread i of the launch",
            "writes cell i; the step back from one cell:",
            "explanation.neuron(layer, index)",
        )
        if not kernel.along:
            words = (
                "Too many cells to tell for all of them which",
                "thread writes which. For one cell this tells it:",
                "explanation.neuron(layer, index)",
            )
        for at, line in enumerate(words if kernel.cells else ()):
            view.text(0, 14 + 19 * at, line, 12, fill="var(--mut)", mono=at == 2)
        return view
    hues = [each // kernel.threads % HUES if each >= 0 else -1
            for each in kernel.owners]  # fmt: skip
    side = round(sheet.pitch - _inset(sheet), 1)
    for hue in sorted({*hues} - {-1}):
        d = planes(hues, hue, sheet.across, sheet.down, sheet.beside, sheet.gap, 0, 0,
                   sheet.pitch, side)  # fmt: skip
        thick = 0.6 if sheet.pitch > 6 else 0
        view.path(d, fill=tint(hue), stroke=strong(hue), stroke_width=thick)
    if -1 in hues:
        d = planes(hues, -1, sheet.across, sheet.down, sheet.beside, sheet.gap, 0, 0,
                   sheet.pitch, side)  # fmt: skip
        view.path(d, fill=EMPTY, stroke="var(--line)")
    return view


def _cell_place() -> tuple[Any, Any]:
    """Where the cell in focus lies on its sheet."""
    across, down, beside = (
        own(f"sheet{each}") for each in ("Across", "Down", "Beside")
    )
    pitch = own("sheetPitch")
    plane, place = CELL // (across * down), CELL % (across * down)
    x = plane % beside * (across * pitch + _GAP) + place % across * pitch
    y = plane // beside * (down * pitch + _GAP) + place // across * pitch
    return x, y


def draw_output(moving: Moving, net: Net) -> Drawing:
    """The cells that the launch writes; those of the warp in focus are strong."""
    view, known = Drawing(WIDE, HIGH), {each.index for each in told(net)}
    axes = [*WITH_WARP, "lane"]
    names = list(map(_extent, net.kernels))
    moving.text(view, "out-name", 0, 12, ["kernel"], names, 13, bold=True)
    how = chosen(own("drawn"), "one cell: one number · colour: its block", "")
    moving.text(view, "out-how", 0, 28, ["kernel"], how, 11, fill="var(--mut)")
    sheet = Drawing()
    drawn = [_draw_cells(each, each.index in known) for each in net.kernels]
    moving.put(sheet, "cells", 0, 0, ["kernel"], drawn)
    mine = path_of(
        "planes", own("warpOf"), BLOCK * own("warps") + WARP, own("sheetAcross"),
        own("sheetDown"), own("sheetBeside"), _GAP, 0, 0, own("sheetPitch"),
        own("sheetSide"),
    )  # fmt: skip
    path = chosen(own("drawn"), mine, "")
    moving.element(sheet, "path", "cells-warp", WITH_WARP, {"d": path, "fill": HUE})
    x, y = _cell_place()
    shown = chosen(CELL < 0, "hidden", chosen(own("drawn"), "visible", "hidden"))
    side = own("sheetSide")
    moving.ring(
        sheet, "cell", axes,
        {"x": x - 1.2, "y": y - 1.2, "width": side + 2.4, "height": side + 2.4,
         "visibility": shown},
        rx=3, stroke_width=2,
    )  # fmt: skip
    view.put(sheet, 1, TOP)
    byte = text(", byte ", in_words(CELL * own("outItem")))
    words = text("lane ", LANE, " writes ", named("out", CELL), byte)
    none = chosen(own("known"), text("lane ", LANE, " writes no cell"), "")
    moving.text(view, "cell-words", 0, TOP + _ROOM + 24, axes,
                chosen(CELL < 0, none, words), 12.5, bold=True)  # fmt: skip
    return view


def follow_output(player: Player) -> None:
    """The pointer at a cell leads to the thread that writes it."""
    across, down, beside = (
        own(f"sheet{each}") for each in ("Across", "Down", "Beside")
    )
    pitch = own("sheetPitch")
    wide, high = across * pitch + _GAP, down * pitch + _GAP
    over, under = POINTER_X // wide, POINTER_Y // high
    column, line = POINTER_X % wide // pitch, POINTER_Y % high // pitch
    cell = (under * beside + over) * across * down + line * across + column
    owner = chosen(own("along"), cell, item(own("owners"), cell))
    inside = chosen(over < beside, chosen(column < across, line < down, False), False)
    inside = chosen(POINTER_X < 0, False, chosen(POINTER_Y < 0, False, inside))
    inside = chosen(inside, cell < own("outSize"), False)
    inside = chosen(own("drawn"), inside, False)
    thread = owner % own("threads")
    player.areas(
        "cells-warp", "block", [], chosen(inside, owner // own("threads"), -1),
        also={"warp": thread // LANES, "lane": thread % LANES},
    )  # fmt: skip
