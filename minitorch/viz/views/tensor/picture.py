"""The scene of the tensor view: elements above, the cells of storage below."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...figure.figure import WIDTH, Figure
from ...figure.scenes import Interned, swatches
from ...scene.drawing import number, shortened, width_of
from ...scene.frames import WIDTHS
from ...scene.phrases import capital, counted
from ...scene.scene import Axis, Cells, Index, Numbers, Owners, Panel, Scene, Table
from .data import GAP, NOBODY, OTHER, Array, Places, find

_HIGH, _NARROW, _WIDE, _CELL = 32.0, 36.0, 46.0, 44.0
_NONE = -2  # no cell: neither one that is drawn nor a gap
_HERE = Index({"element": 1})
# Keys, what they do, and from which dimension on, counted from the last.
_MOVES = (
    ("A D", "to the left, right", 1),
    ("W S", "up, down", 2),
    ("Q E", "its plane", 3),
)


def _sum(array: Array, element: int) -> str:
    """Return the arithmetic from index to cell."""
    both = zip(array.indices(element).tolist(), array.strides, strict=True)
    terms = [f"{at} × {number(stride)}" for at, stride in both]
    start = [number(array.start)] if array.start or not terms else []
    return " + ".join(start + terms)


def _layout(array: Array) -> str:
    """Return start and strides, the numbers of the sum, unless they are 0."""
    if not array.start or not array.strides:
        return ""
    return f" (start {number(array.start)}, strides {array.strides})"


def answer_of(places: Places, foci: list[int]) -> str:
    """Return where the elements in focus lie, in one sentence."""
    names = [shortened(each.name, 30) for each in places.arrays]
    both = " and ".join(names)
    found, cell, last = [], "", ""
    for array, name, at in zip(places.arrays, names, foci, strict=True):
        if at >= 0:
            index = array.indices(at).tolist()
            cell = number(int(array.cells(at)))
            last = f": {_sum(array, at)} = {cell}" * bool(index)
            of = f" of {name}" * (len(names) > 1)
            element = f"element {index}" if index else "the only element"
            found.append(f"{element}{of}")
    if not found and len(names) == 1:
        shape = places.arrays[0].shape
        return f"Shape {shape} has no element: nothing lies in storage."
    if not found:
        return f"{both} have no element in common."
    if len(places.memories) == 2:
        return f"{both} each lie in storage of their own."
    if len(found) == 2:
        return f"{capital(' and '.join(found))} both lie in cell {cell} of storage."
    first = f"{capital(found[0])} lies in cell {cell}"
    if len(names) == 1:
        return f"{first} of storage{last}{_layout(places.arrays[0])}."
    return f"{first}; {names[foci[0] >= 0]} does not see it."


def _steps(array: Array) -> str:
    """Return what a step in each direction does."""
    if not array.size or not 1 <= len(array.strides) <= 2:
        return ""
    ways = ("a step down", "a step to the right")[-len(array.strides) :]
    does = []
    for way, by in zip(ways, array.strides, strict=True):
        moves = f"moves {counted(abs(by), 'cell')}" if by else "stays in its cell"
        does.append(f"{way} {moves}{' back' * (by < 0)}")
    return f"{capital(', '.join(does))}."


def _amount(array: Array, cells: int) -> str:
    """Return how many cells the elements take, and whether in order."""
    different = array.different
    if not different:
        return ""
    if different < array.size:
        times = array.size / different
        often = f"{number(times)} times" if times % 1 == 0 else "more than once"
        return (
            f"{number(array.size)} elements lie in {counted(different, 'cell')}: "
            f"{'it' if different == 1 else 'each'} is seen {often}."
        )
    if different < cells:
        return f"It sees {number(different)} of {number(cells)} cells."
    if not array.row_order:
        return f"All {number(cells)} cells are seen, but not row after row."
    return "Row after row lies there without gaps." if len(array.shape) > 1 else ""


def detail_of(places: Places) -> str:
    """Return how the strides go through storage, and what two arrays share."""
    last = places.arrays[-1]
    parts = (_steps(last), _amount(last, places.memories[last.memory].cells))
    words = " ".join(filter(None, parts))
    if len(places.arrays) == 1:
        return words
    own = f"{shortened(last.name, 30)}: {words[0].lower()}{words[1:]} " if words else ""
    changes = "changes" if places.shared else "does not change"
    return f"{own}What is written to one {changes} the other."


def _value(value: Any) -> str:
    if not isinstance(value, np.integer | np.floating):  # bool, or any object
        return str(value)
    plain = value.item()
    if abs(plain) < 1e6 and plain % 1 == 0:
        return number(int(plain))
    return number(float(str(value)))  # of half precision 0.1, not 0.09998


@dataclass(frozen=True)
class _Builder:
    """What parts of the scene share: a state for each element that is drawn."""

    places: Places
    own: Interned = field(default_factory=Interned)

    def axis(self) -> Axis:
        arrays = self.places.arrays
        names = [shortened(each.name, 12) * (len(arrays) > 1) for each in arrays]
        texts = [f"{name}{index}" for name, each in zip(names, arrays, strict=True)
                 for index in each.indices(each.drawn).tolist()]  # fmt: skip
        moves = [(keys, does, np.array([self.moved(back, by) for by in (-1, 1)]))
                 for keys, does, back in _MOVES]  # fmt: skip
        starts = np.nonzero(moves[0][2][0] == np.arange(len(texts)))[0]
        dims = max(len(each.shape) for each in arrays) if len(texts) > 1 else 0
        return Axis(
            "element", "Element", max(len(texts), 1), marks=tuple(starts.tolist()),
            words=self.own.table("element", texts or [""]),
            moves=tuple(moves[:dims]),
        )  # fmt: skip

    def moved(self, back: int, by: int) -> Numbers:
        """Return for each state the next in a dimension, counted from the last."""
        found, base = [], 0
        for array in self.places.arrays:
            indices = array.indices(array.drawn)
            if back <= len(array.shape) and len(indices):
                along = array.window[-back]
                indices[:, -back] = np.clip(indices[:, -back] + by, along[0], along[-1])
            found.append(base + find(array.drawn, array.flat(indices)))
            base += len(array.drawn)
        return np.concatenate(found)

    def head(self, at: int) -> list[Cells]:
        """Return what stands above an array: its shape and strides, and the sum."""
        array, foci = self.places.arrays[at], self.places.foci[:, at].tolist()
        facts = f"shape {array.shape} · strides {array.strides} · {array.dtype}"
        part, sums = "", []
        if len(array.drawn) < array.size:
            spans = [f"{each[0]}–{each[-1]}" for each in array.window]
            part = f"[{', '.join(spans)}] drawn"
        for element in foci:
            index, cell = array.indices(element).tolist(), array.cells(element)
            sum_ = f"{index} → {_sum(array, element)} = cell {number(cell)}"
            sums.append(sum_ if element >= 0 else "no element here")
        name, facts = shortened(array.name, 60), f"{facts} · {array.device}"
        heads = [Cells(f"head{at}", name, facts, 0, 1, (1, 1))]
        if part or len(self.places.arrays) > 1:
            words = self.own.table("element", sums)
            heads.append(Cells(f"sum{at}", words, part, 0, 1, (1, 1)))
        return heads

    def cells(self, memory: int) -> Numbers:
        """Return for each state the cell in focus in a memory."""
        both = zip(self.places.arrays, self.places.foci.T, strict=True)
        found = [np.where(foci >= 0, array.cells(foci), _NONE)
                 for array, foci in both if array.memory == memory]  # fmt: skip
        return np.asarray(np.max(found, axis=0))

    def looks(self, owners: Numbers) -> Numbers:
        """Return the looks of cells by the rows that own them."""
        kinds, look = {NOBODY: "empty", OTHER: "untouched"}, self.own.look
        every = ((kinds.get(row, "belongs"), row) for row in owners.tolist())
        return np.array([-1 if row == GAP else look(kind, max(row, 0))
                         for kind, row in every], int)  # fmt: skip

    def planes(self, at: int) -> list[Cells]:
        """Return the elements of an array, a mark for each plane."""
        array = self.places.arrays[at]
        memory, drawn = self.places.memories[array.memory], array.drawn
        texts = [_value(each) for each in array.values]
        wide = min(max(6.02 * max(map(len, texts), default=1) + 3, _NARROW), _WIDE)
        cells, spots = array.cells(drawn), find(drawn, self.places.foci[:, at])
        ground = self.looks(memory.owners[find(memory.shown, cells)])
        same = self.cells(array.memory)[:, None] == cells
        same &= spots[:, None] != np.arange(len(drawn))
        read = np.where(same, self.own.look("read") if same.any() else -1, -1)
        rows, columns = (range(1), range(1), *array.window)[-2:]
        size, dims = len(rows) * len(columns), len(array.shape)
        marks = []
        for first in range(0, len(drawn), size or 1):
            part = slice(first, first + size)
            outer = map(str, array.indices(drawn[first]).tolist()[:-2])
            looks = ground[part], Table(("element",), read[:, part])
            inside = (spots >= first) & (spots < first + size)
            base = first + at * len(self.places.arrays[0].drawn)
            marks.append(Cells(
                name=f"array{at}-{first}", note="", count=size, columns=len(columns),
                title=f"[{', '.join([*outer, ':', ':'])}]" * (dims > 2),
                size=(wide, _HIGH), looks=looks[: 1 + same[:, part].any()],
                words=self.own.texts(texts[part]),
                ring=Table(("element",), np.where(inside, spots - first, -1)),
                heads=tuple(map(str, columns)) * (dims > 0),
                labels=self.own.texts([*map(str, rows)]) if dims > 1 else "",
                go=Owners(base + np.arange(size), _HERE),
            ))  # fmt: skip
        return marks

    def storage(self, at: int) -> Cells:
        memory, arrays = self.places.memories[at], self.places.arrays
        values = [_value(each) for array in arrays for each in array.values]
        both = zip(memory.shown, memory.element, strict=True)
        texts = ["…" if cell == GAP else values[first] if first >= 0 else ""
                 for cell, first in both]  # fmt: skip
        feet = ["" if cell == GAP else number(cell) for cell in memory.shown.tolist()]
        of = f" of {shortened(arrays[at].name, 30)}" * (len(self.places.memories) > 1)
        size = f"{counted(memory.cells, 'cell')} of {counted(memory.itemsize, 'byte')}"
        return Cells(
            name=f"storage{at}", title=f"Storage{of}", note=size,
            count=len(feet), columns=0,
            size=(max(6.02 * max(map(len, feet), default=1) + 4, _CELL), _HIGH),
            looks=(self.looks(memory.owners),), words=self.own.texts(texts), blank=True,
            ring=Table(("element",), find(memory.shown, self.cells(at))),
            feet=tuple(feet), go=Owners(memory.element, _HERE),
        )  # fmt: skip

    def key(self) -> Any:
        arrays = self.places.arrays
        of = f" of {shortened(arrays[0].name, 20)}" * (len(arrays) > 1)
        meanings = {
            "belongs": f"cell, in the colour of its row{of}",
            "focus": "one element, and its cell",
            "read": "another element in the same cell",
            "untouched": f"cell of no element{of} that is drawn",
            "empty": "cell that no element lies in",
        }
        kinds = {"focus", *(kind for kind, _ in self.own.looks)}
        return swatches((each, 0, meanings[each]) for each in meanings if each in kinds)


def scene_of(places: Places) -> Scene:
    """Return the scene of one or two arrays; its state is an element in focus."""
    build = _Builder(places)
    axis, own, panels = build.axis(), build.own, []
    for at, array in enumerate(places.arrays):
        head, planes = build.head(at), build.planes(at)
        wide = max((each.columns * each.size[0] + 30 for each in planes), default=0)
        if len(planes) < 2:
            wide = max(wide, WIDTHS[0])
            panels.append(Panel((*head, *planes), wide, grow=True, gap=36, apart=2))
            continue
        panels.append(Panel((*head,), WIDTH, apart=2))
        wide = max(wide, width_of(str(planes[0].title), 13, bold=True) + 30)
        across = len(array.window[-3])
        panels += [Panel((each,), wide, gap=16 if nth % across else WIDTH)
                   for nth, each in enumerate(planes)]  # fmt: skip
    storage = tuple(build.storage(at) for at in range(len(places.memories)))
    answers = [answer_of(places, foci) for foci in places.foci.tolist()]
    return Scene(
        (axis,), own.all, own.looks, (*panels, Panel(storage, WIDTH)),
        answer=(own.table("element", answers),), detail=(detail_of(places),),
        key=build.key(),
    )  # fmt: skip


def draw_tensor(places: Places) -> Figure:
    """Draw where the elements of one or two arrays lie."""
    state = {"element": max(int(find(places.arrays[0].drawn, places.focus)), 0)}
    return Figure("Where does each element lie in storage?", scene_of(places),
                        state, data=places)  # fmt: skip
