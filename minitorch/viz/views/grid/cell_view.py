"""The picture of one array: its cells, who wrote them, what one thread touches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...scene.drawing import Drawing, number, shortened, width_of
from ...scene.marks import ring
from ...scene.palette import HUES, strong, tint
from ...traces.launches import Place, hue_of
from .touched import Touched

SIDE = 304.0  # room of a panel, without its margins
LEFT, TOP = 40.0, 42.0
SAID_ROOM = SIDE - 60
_LARGEST, _NUMBERED = 19.0, 15.0
_LETTERS, _LEAST = 10.0, 6.0  # size of values in cells, and where they have little room
_MOST_LABELS = 200
_GAP = 1.0  # of a cell's room, what stays free
_APART = 3.5  # the same where neighbours have values, too
_RING = 4.8  # of a cell's room, what the ring inside takes
_MOST_VALUES = 1024  # cells of an array whose values a picture holds
_FEW = 128  # cells of an array whose values all stand in it
_MOST = 64  # rows and columns drawn; of larger arrays the part around the focus
_FLAT = 16  # columns of an array that has only one dimension


class Sheet:
    """An array laid flat: rows and columns on the paper, and the part that is drawn.

    One dimension is broken into rows; the planes of three or more follow each other.
    """

    def __init__(self, touched: Touched) -> None:
        shape = touched.array.shape
        count = int(np.prod(shape))
        self.columns = shape[-1] if len(shape) > 1 else min(count, _FLAT)
        self.rows = -(-count // self.columns)
        self.count, self.shape = count, shape
        focus = np.concatenate([touched.writes, touched.reads])
        row, column = self.place(focus)[0] if len(focus) else (0, 0)
        self.first_row = self._first(int(row), self.rows)
        self.first_column = self._first(int(column), self.columns)
        self.shown_rows = min(self.rows, _MOST)
        self.shown_columns = min(self.columns, _MOST)
        self.cell = min(
            _LARGEST, SIDE / max(self.shown_columns, 1), SIDE / max(self.shown_rows, 1)
        )

    @staticmethod
    def _first(at: int, size: int) -> int:
        return max(0, min(at - _MOST // 2, size - _MOST))

    def place(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n, ndim) cells as (n, 2) rows and columns of the paper."""
        flat = np.ravel_multi_index(tuple(cells.T), self.shape)
        return np.stack([flat // self.columns, flat % self.columns], axis=-1)

    def seen(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those places that are drawn."""
        row, column = places[:, 0] - self.first_row, places[:, 1] - self.first_column
        inside = (row >= 0) & (row < self.shown_rows)
        inside &= (column >= 0) & (column < self.shown_columns)
        return places[inside]

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """Where a place is drawn."""
        return (
            LEFT + (column - self.first_column) * self.cell,
            TOP + (row - self.first_row) * self.cell,
        )

    @property
    def part(self) -> str:
        """Which part is drawn; "" for all of it."""
        if self.rows <= _MOST and self.columns <= _MOST:
            return ""
        rows = f"rows {self.first_row}–{self.first_row + self.shown_rows - 1}"
        if self.columns <= _MOST:
            return f" · {rows} drawn"
        last = self.first_column + self.shown_columns - 1
        return f" · {rows}, columns {self.first_column}–{last} drawn"


def squares(places: NDArray[np.int64], sheet: Sheet) -> str:
    """A path of cells, each for itself."""
    gap = min(0.8, sheet.cell / 10)
    side = sheet.cell - 2 * gap
    shape = f"h{side:.2f}v{side:.2f}h{-side:.2f}z"
    parts = []
    for row, column in places.tolist():
        x, y = sheet.corner(row, column)
        parts.append(f"M{x + gap:.1f} {y + gap:.1f}{shape}")
    return "".join(parts)


def stretches(places: NDArray[np.int64], sheet: Sheet) -> str:
    """A path of the same cells, neighbours of one row drawn as one."""
    starts = np.ones(len(places), bool)
    starts[1:] = (np.diff(places[:, 0]) != 0) | (np.diff(places[:, 1]) != 1)
    first = np.nonzero(starts)[0]
    parts = []
    for at, end in zip(first, [*first, len(places)][1:], strict=True):
        x, y = sheet.corner(*places[at].tolist())
        wide = (end - at) * sheet.cell
        parts.append(f"M{x:.1f} {y:.1f}h{wide:.2f}v{sheet.cell:.2f}h{-wide:.2f}z")
    return "".join(parts)


def lattice(
    x: float, y: float, columns: int, rows: int, cell: float, view: Drawing
) -> None:
    """Lines in the colour of the ground between cells."""
    across = "".join(f"M{x:.1f} {y + at * cell:.2f}h{columns * cell:.1f}"
                     for at in range(1, rows))  # fmt: skip
    down = "".join(f"M{x + at * cell:.2f} {y:.1f}v{rows * cell:.1f}"
                   for at in range(1, columns))  # fmt: skip
    if across or down:
        view.path(across + down, stroke="var(--bg)", stroke_width=min(1.6, cell / 5))


def _all_places(sheet: Sheet) -> NDArray[np.int64]:
    rows = np.arange(sheet.first_row, sheet.first_row + sheet.shown_rows)
    columns = np.arange(sheet.first_column, sheet.first_column + sheet.shown_columns)
    places = np.stack(np.meshgrid(rows, columns, indexing="ij"), -1).reshape(-1, 2)
    return places[places[:, 0] * sheet.columns + places[:, 1] < sheet.count]


def _ground(view: Drawing, touched: Touched, sheet: Sheet, grid: Place) -> None:
    """Every cell: grey, or in the hue of the block that wrote it."""
    places = _all_places(sheet)
    flat = places[:, 0] * sheet.columns + places[:, 1]
    writer = touched.writer.reshape(-1)[flat]
    hue = np.where(writer < 0, -1, hue_of(np.maximum(writer, 0), grid))
    for who in range(-1, HUES):
        fill = "var(--off)" if who < 0 else tint(who)
        if (hue == who).any():
            view.path(stretches(places[hue == who], sheet), fill=fill)


def _lines(view: Drawing, sheet: Sheet) -> None:
    lattice(LEFT, TOP, sheet.shown_columns, sheet.shown_rows, sheet.cell, view)


def words_of(touched: Touched) -> list[str]:
    """Values of all cells as people read them; [] where they are not known or many."""
    values = touched.array.values
    if values is None or values.size > _MOST_VALUES or values.dtype.kind in "cV":
        return []
    return [number(value) for value in values.reshape(-1).tolist()]


def _size_in(sheet: Sheet, words: str, taken: float) -> float:
    """How large a value is written in its cell; 0 where it has no room."""
    if sheet.cell < _NUMBERED or not words:
        return 0.0
    wide = width_of(words, _LETTERS, mono=True)
    size = min(_LETTERS, _LETTERS * (sheet.cell - taken) / wide)
    return round(size, 1) if size >= _LEAST else 0.0


def _label(
    view: Drawing, sheet: Sheet, place: list[int], words: str, fill: str, taken: float
) -> bool:
    """Write a value in its cell; False where it has no room there."""
    size = _size_in(sheet, words, taken)
    if size:
        x, y = sheet.corner(*place)
        half = sheet.cell / 2
        view.text(
            x + half, y + half + 0.36 * size, words, size,
            fill=fill, anchor="middle", mono=True, bold=fill == "var(--bg)",
        )  # fmt: skip
    return size > 0


def _values(view: Drawing, touched: Touched, sheet: Sheet) -> None:
    """The values of all cells of a small array, behind those of the thread."""
    words = words_of(touched) if sheet.count <= _FEW else []
    for at, own in enumerate(words):
        place = [at // sheet.columns, at % sheet.columns]
        _label(view, sheet, place, own, "var(--mut)", _APART)


def _focus(
    view: Drawing, sheet: Sheet, place: list[int], words: str, fill: str
) -> None:
    """The one cell with a ring: its value stands in it, or beside it."""
    inside = _label(view, sheet, place, words, fill, _RING)
    x, y = sheet.corner(*place)
    ring(view, x, y, sheet.cell, sheet.cell)
    if inside or not words:
        return
    wide, left = width_of(words, _LETTERS, mono=True) + 10, x + sheet.cell + 4
    if left + wide > LEFT + SIDE:
        left = x - 4 - wide
    y += sheet.cell / 2
    view.rect(left, y - 8, wide, 16, rx=3, fill="var(--bg)", stroke="var(--ink)")
    view.text(
        left + wide / 2, y + 3.6, words, _LETTERS, anchor="middle", mono=True, bold=True
    )


def _mine(view: Drawing, touched: Touched, sheet: Sheet, who: int) -> None:
    reads = sheet.seen(sheet.place(touched.reads))
    if len(reads):
        view.path(
            squares(reads, sheet), fill="var(--bg)", stroke=strong(who),
            stroke_width=1.4 if sheet.cell > 8 else 0.8,
            stroke_dasharray="2.6 1.8" if sheet.cell > 8 else None,
        )  # fmt: skip
    writes = sheet.seen(sheet.place(touched.writes))
    if len(writes):
        view.path(squares(writes, sheet), fill=strong(who))
    words = words_of(touched)
    written = writes.tolist()
    # A cell that is read and written has its value once, on the ground of the write.
    only_read = [place for place in reads[:_MOST_LABELS].tolist()
                 if place not in written]  # fmt: skip
    for places, fill in (
        (only_read, "var(--ink)"), (written[1:_MOST_LABELS], "var(--bg)")
    ):  # fmt: skip
        for place in places if words else ():
            own = words[place[0] * sheet.columns + place[1]]
            _label(view, sheet, place, own, fill, _GAP)
    if written:
        row, column = place = written[0]
        own = words[row * sheet.columns + column] if words else ""
        _focus(view, sheet, place, own, "var(--bg)")


def _axes(view: Drawing, sheet: Sheet) -> None:
    """Row numbers, or for one dimension the number of the first cell; columns below."""
    step = max(1, -(-sheet.shown_rows // 5))
    flat = len(sheet.shape) == 1
    for row in range(sheet.first_row, sheet.first_row + sheet.shown_rows, step):
        _, y = sheet.corner(row, sheet.first_column)
        start = row * sheet.columns if flat else row
        view.text(
            LEFT - 5, y + min(sheet.cell, 13) - 1, number(start), 9.5,
            fill="var(--mut)", anchor="end", mono=True,
        )  # fmt: skip
    bottom = TOP + sheet.shown_rows * sheet.cell + 12
    last = sheet.first_column + sheet.shown_columns
    for column in range(sheet.first_column, last, max(1, -(-sheet.shown_columns // 5))):
        x, _ = sheet.corner(sheet.first_row, column)
        view.text(
            x + sheet.cell / 2, bottom, f"+{column}" if flat else column, 9.5,
            fill="var(--mut)", anchor="middle", mono=True,
        )  # fmt: skip


def spelled_cell(name: str, cell: NDArray[np.int64]) -> str:
    """A cell as it is indexed: C[10, 3]."""
    return f"{name}[{', '.join(map(str, cell.tolist()))}]"


def spelled_cells(touched: Touched, cells: NDArray[np.int64]) -> str:
    """Cells in words: one cell, a row, a column, a stretch, or their number.

    Example:
        >>> import numpy as np
        >>> from minitorch.viz.views.grid.touched import Array
        >>> array = Array("A", (4, 8), np.arange(32), 1, None)
        >>> none = np.zeros((0, 2), np.int64)
        >>> touched = Touched(array, none, none, np.full((4, 8), -1))
        >>> row = np.array([[2, column] for column in range(8)])
        >>> spelled_cells(touched, row), spelled_cells(touched, row[:3])
        ('row 2 of A', 'A[2, 0–2]')
    """
    name, shape = shortened(touched.array.name, 20), touched.array.shape
    if len(cells) == 1:
        return spelled_cell(name, cells[0])
    low, high = cells.min(axis=0), cells.max(axis=0)
    varying = np.nonzero(low != high)[0].tolist()
    if len(varying) == 1 and len(cells) == int((high - low).max()) + 1:
        axis = varying[0]
        if len(shape) == 2 and len(cells) == shape[axis]:
            return f"{'column' if axis == 0 else 'row'} {low[1 - axis]} of {name}"
        index = [str(each) for each in low.tolist()]
        index[axis] = f"{low[axis]}–{high[axis]}"
        return f"{name}[{', '.join(index)}]"
    return f"{len(cells):,} cells of {name}"


def _said(touched: Touched) -> str:
    """What the thread does to the array; "" for nothing, or for too many words."""
    parts = []
    for verb, cells in (("reads", touched.reads), ("writes", touched.writes)):
        if len(cells):
            parts.append(f"{verb} {spelled_cells(touched, cells)}")
    words = f" · the thread {' and '.join(parts)}" if parts else ""
    name = shortened(touched.array.name, 20)
    words = words.replace(f" of {name}", "")
    return words if width_of(words, 11.5) < SAID_ROOM else ""


def draw_array(touched: Touched, who: int, grid: Place, tag: str = "") -> Drawing:
    """One array, with the cells of the focused thread in the hue of its block.

    What follows the thread has names that begin with `tag`.
    """
    view, sheet = Drawing(LEFT + SIDE), Sheet(touched)
    view.text(LEFT, 14, shortened(touched.array.name, 30), 13.5, bold=True)
    size = " × ".join(map(number, sheet.shape))
    size += " cells" if len(sheet.shape) == 1 else ""
    said = sheet.part or _said(touched)
    view.text(LEFT, 31, size + said, 11.5, fill="var(--mut)", data_at=f"{tag}-said")
    parts = {name: Drawing() for name in ("ground", "lines", "mine", "axes")}
    _ground(parts["ground"], touched, sheet, grid)
    _lines(parts["lines"], sheet)
    _values(parts["lines"], touched, sheet)
    _mine(parts["mine"], touched, sheet, who)
    _axes(parts["axes"], sheet)
    for name, part in parts.items():
        view.put(part, 0, 0, data_at=None if name == "lines" else f"{tag}-{name}")
    view.height = TOP + sheet.shown_rows * sheet.cell + 26
    return view
