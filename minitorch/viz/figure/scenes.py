"""What scenes of views are filled with: words and looks, keys, moves, missed cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..scene.drawing import number, shortened, width_of
from ..scene.marks import swatch
from ..scene.palette import HUES
from ..scene.scene import Cells, Key, Numbers, Panel, Table
from .figure import WIDTH


class Interned:
    """Words and looks of a scene, each kept once: a number stands for each."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.looks: list[tuple[str, int]] = []
        self._places: dict[str, int] = {}

    def number(self, words: str) -> int:
        """Return the number of some words."""
        if words not in self._places:
            self._places[words] = len(self.all)
            self.all.append(words)
        return self._places[words]

    def texts(self, texts: Sequence[str]) -> Numbers:
        """Return numbers of texts; "" is none."""
        return np.array([self.number(each) if each else -1 for each in texts])

    def table(self, axis: str, texts: Sequence[str]) -> Table:
        """Return texts for each index of an axis."""
        return Table((axis,), self.texts(texts))

    def values(self, values: Numbers) -> Numbers:
        """Return numbers of the words for values of any type."""
        if values.dtype.hasobject:  # which may have no order
            values = values.astype(str)
        unique, inverse = np.unique(values, return_inverse=True)
        places = [self.number(_spelled(each)) for each in unique]
        return np.array(places, np.int64)[inverse].reshape(values.shape)

    def look(self, kind: str, who: int = 0) -> int:
        """Return the number of a look, of the hue of a number."""
        each = (kind, who % HUES)
        if each not in self.looks:
            self.looks.append(each)
        return self.looks.index(each)

    def hues(self, kind: str) -> Numbers:
        """Return the numbers of a look in every hue."""
        return np.array([self.look(kind, who) for who in range(HUES)])


def _spelled(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    return number(value.item()) if value.dtype.kind in "iuf" else str(value)


def missed_cells(fault: Any, own: Interned) -> tuple[Panel, ...]:
    """Return the cell that a launch missed, beside those that there are, if it did."""
    if fault is None or not fault.array:
        return ()
    after = fault.cell >= fault.count
    near = min(8, fault.count)
    cells = list(range(fault.count - near, fault.count) if after else range(near))
    away = fault.cell - fault.count if after else -fault.cell - 1
    words = [fault.fixed.format(cell) or str(cell) for cell in cells]
    gap = ["…"] if away else []
    lost = fault.fixed.format(fault.cell) or str(fault.cell)
    words = [*words, *gap, lost] if after else [lost, *gap, *words]
    title = f"Line {fault.line} misses {shortened(fault.array, 30)}"
    if fault.fixed:
        title += fault.fixed.format(fault.cell)
    far = f"{away + 1:,} cells" if away else "one cell"
    where = "past its end" if after else "before its first"
    looks = [own.look("untouched")] * near + [-1] * len(gap) + [own.look("missed")]
    mark = Cells(
        "missed", title, f"{far} {where}", len(words), len(words),
        (max(52.0, 6.2 * max(map(len, words)) + 8), 24.0),
        looks=(np.array(looks if after else looks[::-1]),), words=own.texts(words),
        center=np.array([len(words) - 1 if after else 0]),
    )  # fmt: skip
    return (Panel((mark,), WIDTH),)


def swatches(entries: Iterable[tuple[str, int, str]]) -> Key:
    """Return a key of these kinds of marks, their hues and meanings."""
    return Key(
        tuple(
            (str(swatch(kind, who)), meaning, width_of(meaning, 12))
            for kind, who, meaning in entries
        )
    )


def moves_of(keys: str, what: str, count: int) -> tuple[tuple[str, str, Numbers]]:
    """Return the moves of an axis by a key, round and round, or by two.

    Example:
        >>> moves_of("P", "padding", 3)[0][2].tolist()
        [1, 2, 0]
    """
    at = np.arange(count)
    if " " not in keys:
        return ((keys, f"next {what}", (at + 1) % count),)
    both = np.concatenate([np.maximum(at - 1, 0), np.minimum(at + 1, count - 1)])
    return ((keys, f"previous, next {what}", both),)
