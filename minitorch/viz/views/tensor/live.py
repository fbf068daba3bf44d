"""How the tensor view moves: from element to element, by keys and pointer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import Drawing
from .focus import cell_focus, draw_sum, element_focus
from .places import Memory, Moves, Places
from .planes import CELL_WIDE, HIGH, Planes, cell_place
from .seen import Index, Seen
from .words import answer_of, detail_of

Part = TypeVar("Part", Seen, Memory)

_MOVES = {"d": (1, 1), "a": (1, -1), "s": (2, 1), "w": (2, -1), "e": (3, 1),
          "q": (3, -1)}  # fmt: skip


def _indices(array: Seen) -> list[Index]:
    """Of the elements drawn, in their order."""
    return [
        tuple(along[at] for along, at in zip(array.window, each, strict=True))
        for each in np.ndindex(tuple(map(len, array.window)))
    ]


@dataclass(frozen=True)
class _State:
    """An element in the focus: of which array, where, and what is shown then."""

    array: int
    index: Index
    shown: Places


class _Elements:
    """Every element drawn, of one array after the other: the rows of an axis."""

    def __init__(self, places: Places) -> None:
        self.places = places
        moves = Moves(places)
        self.states = [
            _State(number, index, moves.to(number, index))
            for number, array in enumerate(places.arrays)
            for index in _indices(array)
        ]
        self._rows = {
            (each.array, each.index): row for row, each in enumerate(self.states)
        }

    def row(self, array: int, index: Index | None) -> int:
        """Of an element; -1 where it is not drawn."""
        return -1 if index is None else self._rows.get((array, index), -1)

    def of(self, array: int) -> list[int]:
        """The rows of an array."""
        return [row for row, each in enumerate(self.states) if each.array == array]

    def moved(self, back: int, by: int) -> list[int]:
        """From each element to the next in a dimension, counted from the last."""
        found = []
        for row, each in enumerate(self.states):
            window = self.places.arrays[each.array].window
            dim = len(window) - back
            if dim < 0:
                found.append(row)
                continue
            at = each.index[dim] + by
            inside = min(max(at, window[dim].start), window[dim].stop - 1)
            index = (*each.index[:dim], inside, *each.index[dim + 1 :])
            found.append(self.row(each.array, index))
        return found

    def others(self) -> list[int]:
        """From each element to that of the other array that is shown beside it."""
        found = []
        for each in self.states:
            other = (each.array + 1) % len(each.shown.arrays)
            found.append(self.row(other, each.shown.arrays[other].focus))
        return found

    def in_cell(self, memory: int, cell: int) -> int:
        """The first element that lies in a cell; -1 for none."""
        for at, array in enumerate(self.places.arrays):
            if array.memory != memory:
                continue
            for row in self.of(at):
                if array.cell_of(self.states[row].index) == cell:
                    return row
        return -1


def _by_focus(every: list[Part], draw: Callable[[Part], Drawing]) -> list[Drawing]:
    """A drawing of each; those with one focus are alike, and drawn once."""
    different = {each.focus: each for each in every}
    drawn = {focus: draw(each) for focus, each in different.items()}
    return [drawn[each.focus] for each in every]


def _arrays(player: Player, elements: _Elements, planes: list[Planes]) -> None:
    for at, array in enumerate(elements.places.arrays):
        every = [each.shown.arrays[at] for each in elements.states]
        player.content(f"a{at}-sum", ["element"], _by_focus(every, draw_sum))
        if not array.size:
            continue
        foci = _by_focus(every, partial(element_focus, planes=planes[at]))
        player.content(f"a{at}-focus", ["element"], foci)
        boxes = [(x, y, planes[at].wide, HIGH) for x, y in planes[at].places()]
        player.areas(f"a{at}-focus", "element", [], [boxes], elements.of(at))


def _memory(player: Player, elements: _Elements, at: int, memory: Memory) -> None:
    every = [each.shown.memories[at] for each in elements.states]
    player.content(f"m{at}-focus", ["element"], _by_focus(every, cell_focus))
    boxes, rows = [], []
    for cell in memory.shown:
        place, row = cell_place(memory, cell), elements.in_cell(at, cell)
        if place is not None and row >= 0:
            boxes.append((*place, CELL_WIDE, HIGH))
            rows.append(row)
    if rows:
        player.areas(f"m{at}-focus", "element", [], [boxes], rows)


def live_tensor(places: Places, planes: list[Planes]) -> Live | None:
    """What makes the picture live; None where there is no element.

    Args:
        places: what is drawn.
        planes: where, of each array.
    """
    if places.arrays[0].focus is None:
        return None
    elements = _Elements(places)
    player = Player({"array": 0, "index": places.arrays[0].focus})
    rows = [(each.array, each.index) for each in elements.states]
    player.axis("element", rows, ["array", "index"], stays=True)
    _arrays(player, elements, planes)
    for at, memory in enumerate(places.memories):
        _memory(player, elements, at, memory)
    answers = [answer_of(each.shown) for each in elements.states]
    player.says(["element"], answers, detail_of(places))
    for key, (back, by) in _MOVES.items():
        player.key(key, "element", to=elements.moved(back, by))
    many = len(places.arrays) > 1
    if many:
        player.key("o", "element", to=elements.others())
    player.on_press()
    dims = len(places.arrays[0].shape)
    keys = [("W A S D", "move the element")] if dims else []
    keys += [("Q E", "its plane")] if dims > 2 else []
    keys += [("O", "the other array")] if many else []
    return player.live(keys)
