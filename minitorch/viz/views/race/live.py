"""How the race view moves: which race, which of its cells, which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import Drawing
from ...scene.marks import ring
from .cells import Race
from .code import draw_lines, draw_row, row_at
from .panel import draw_panels, draw_results, frame_at
from .races import RaceData
from .ran_view import draw_trace
from .strip import draw_strip, ring_of
from .words import answer_of, detail_in, orders_of

ORDERS = {
    "either": "either order",
    "writer": "writer first",
    "other": "the other first",
    "barrier": "barrier added",
}


def _name(race: Race) -> str:
    low, high = sorted((race.data.writer.line, race.data.other.line))
    where = f"line {low}" if low == high else f"lines {low} and {high}"
    return f"{race.data.array or race.data.space} · {where}"


class _Cells:
    """Every cell of every race, one after the other: the rows of an axis."""

    def __init__(self, races: Sequence[Race]) -> None:
        self.races = races
        self.starts = [0, *accumulate(len(each.at) for each in races)]
        self.rows = [
            (number, cell) for number, race in enumerate(races) for cell in race.at
        ]

    def each(self, draw: Callable[[RaceData], Any]) -> list[Any]:
        """Of each cell."""
        return [draw(data) for race in self.races for data in race.at.values()]

    def same(self, draw: Callable[[Race], Any]) -> list[Any]:
        """Of each cell what holds for all cells of its race."""
        return [drawn for race in self.races for drawn in [draw(race)] * len(race.at)]

    def in_orders(self, draw: Callable[[RaceData, str], Any]) -> list[Any]:
        """Of each cell in each order; in one that it has not, as in the first."""
        return [
            draw(data, order if order in orders_of(race.data) else "either")
            for race in self.races
            for data in race.at.values()
            for order in ORDERS
        ]

    def first(self) -> dict[str, int]:
        """Of each race the row of the cell that is shown first."""
        return {
            str(at): self.starts[at] + list(race.at).index(race.first)
            for at, race in enumerate(self.races)
        }

    def beside(self, by: int) -> list[int]:
        """From each cell to the one before or after it in its race."""
        return [
            min(max(start + at + by, start), start + len(race.at) - 1)
            for start, race in zip(self.starts, self.races, strict=False)
            for at in range(len(race.at))
        ]


def _axes(player: Player, cells: _Cells) -> None:
    names = list(ORDERS)
    player.axis("cell", cells.rows, ["race", "cell"], starts=cells.first())
    known = cells.same(lambda race: list(map(names.index, orders_of(race.data))))
    player.axis("order", names, within={"by": "cell", "rows": known})


def _ring(data: RaceData, cell: int) -> Drawing:
    view, place = Drawing(), ring_of(data, cell)
    if place:
        ring(view, *place, inside=False)
    return view


def _strips(player: Player, cells: _Cells) -> None:
    """The cells of the array, one of which has the ring; the pointer chooses it."""
    by, places = ["cell"], list(zip(cells.races, cells.starts, strict=False))
    player.content("strip", by, cells.same(lambda race: draw_strip(race.data)))
    rings = [_ring(cells.races[race].data, cell) for race, cell in cells.rows]
    player.content("cell", by, rings)
    nowhere, boxes = (0, 0, 0, 0), []
    for race, start in places:
        own: list[Any] = [nowhere] * len(cells.rows)
        for at, cell in enumerate(race.at):
            own[start + at] = ring_of(race.data, cell) or nowhere
        boxes += [own] * len(race.at)
    player.areas("strip", "cell", by, boxes)


def _parts(player: Player, cells: _Cells, lines: list[str], note: str) -> None:
    """All that is drawn anew for a cell or an order."""
    cell, both = ["cell"], ["cell", "order"]
    player.content("code", cell, cells.each(lambda data: draw_lines(data, lines)))
    player.content("panels", cell, cells.each(draw_panels))
    player.content("row", both, cells.in_orders(draw_row))
    rows = cells.same(lambda race: f"translate(0 {30 + row_at(race.data, lines):g})")
    player.set("row", "transform", cell, rows)
    player.set("frame", "x", both, cells.in_orders(frame_at))
    if any(each.data.cells for each in cells.races):
        _strips(player, cells)
    if any(each.data.results for each in cells.races):
        results = cells.same(lambda race: draw_results(race.data))
        player.content("results", cell, results)
    if any(each.ran for race in cells.races for each in race.at.values()):
        player.content("trace", cell, cells.each(draw_trace))
    orders = len(ORDERS)
    answers = [words for words in cells.each(answer_of) for _ in range(orders)]
    details = cells.in_orders(lambda data, at: f"{detail_in(data, at)} {note}".strip())
    player.says(both, answers, details)


def _controls(player: Player, cells: _Cells) -> None:
    names = list(ORDERS)
    if len(cells.races) > 1:
        player.choice("race", "Race", list(enumerate(map(_name, cells.races))))
    known = {order for race in cells.races for order in orders_of(race.data)}
    chosen = [(order, words) for order, words in ORDERS.items() if order in known]
    player.choice("order", "Order", chosen)
    if any(len(race.at) > 1 for race in cells.races):
        player.button("previous cell", "ArrowLeft", "cell", cells.beside(-1))
        player.button("next cell", "ArrowRight", "cell", cells.beside(1))
    to_other = ["writer" if each == "other" else "other" for each in names]
    player.key("o", "order", to=list(map(names.index, to_other)))
    to_barrier = ["either" if each == "barrier" else "barrier" for each in names]
    player.key("b", "order", to=list(map(names.index, to_barrier)))


def race_live(
    races: Sequence[Race], lines: list[str], note: str, first: tuple[int, int, str]
) -> Live:
    """What makes the picture live.

    Args:
        races: To choose from.
        lines: The kernel's code.
        note: What the details end with.
        first: The race, the cell and the order that are shown first.
    """
    race, cell, order = first
    player, cells = Player({"race": race, "cell": cell, "order": order}), _Cells(races)
    _axes(player, cells)
    _parts(player, cells, lines, note)
    _controls(player, cells)
    thinned = any(len(each.data.cells) > len(each.at) > 1 for each in races)
    return player.live(
        (
            ("← →", "previous, next cell" + " of 32" * thinned),
            ("O", "other order"),
            ("B", "add or remove the barrier"),
        )
    )
