"""The picture of races as a whole: code, orders, cells and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...scene.drawing import Drawing
from ...scene.marks import ring
from ...traces.launches import short_file
from .cells import Race
from .code import CODE, draw_lines, draw_row, row_at
from .live import race_live
from .panel import (
    APART,
    HIGH,
    LEFT,
    RESULT,
    WIDE,
    draw_panels,
    draw_results,
    frame_at,
    wide_of,
)
from .races import RaceData
from .ran_view import LEFT as BOXES
from .ran_view import TALL, breaks, draw_trace
from .strip import breaks_of, draw_strip, ring_of
from .words import answer_of, detail_in

_MOST_OWNERS = 4


@dataclass(frozen=True)
class Shown:
    """What of a launch's races is shown.

    Attributes:
        race: Which of those to choose from.
        cell: The number of the cell in its array.
        order: "either", "writer" or "other" for who goes first, or "barrier".
    """

    race: int
    cell: int
    order: str = "either"


def draw_race(
    races: Sequence[Race],
    lines: list[str],
    note: str = "",
    shown: Shown | None = None,
) -> Figure:
    """Draw a race.

    Args:
        races: From `races_of`, all in one file.
        lines: The kernel's code; empty where nobody has it.
        note: A sentence to add to the detail.
        shown: What is shown; None: the first race as it was found.
    """
    shown = shown or Shown(0, races[0].first)
    data = races[shown.race].at[shown.cell]
    body = Drawing(WIDTH)
    code, time = Drawing(CODE), _orders(races, data, shown.order)
    code.runs(0, 14, 13, (short_file(data.file) or "The code", "bold"),
              (f" · blocks of {data.threads:,} threads", "mut"))  # fmt: skip
    code.put(draw_lines(data, lines), 0, 30, data_at="code")
    code.put(
        draw_row(data, shown.order), 0, 30 + row_at(data, lines), data_at="row"
    )  # fmt: skip
    code.height = 30 + max(draw_lines(each.data, lines).height for each in races)
    body.put_part(code, 0, 0)
    body.put_part(time, 0, 0, left=LEFT, breaks=(LEFT + APART, LEFT + 2 * APART))
    body.height = max(time.height, code.height) + 22
    if any(each.data.cells for each in races):
        _draw_cells(body, races[shown.race].data, shown.cell)
    _draw_ran(body, races, data)
    detail = " ".join(filter(None, [detail_in(data, shown.order), note]))
    return Figure(
        question="Which two threads are not in order?",
        answer=answer_of(data),
        detail=detail,
        body=body,
        key=_key(races),
        findings=data.findings,
        data=data,
        live=race_live(races, lines, note, (shown.race, shown.cell, shown.order)),
    )


def _orders(races: Sequence[Race], data: RaceData, order: str) -> Drawing:
    """Both orders, the one with a barrier, and below them what is left in the end."""
    time = Drawing(LEFT + wide_of(races), 30 + HIGH)
    time.runs(LEFT, 14, 13, ("What can happen to the cell", "bold"),
              (" · time runs downwards", "mut"))  # fmt: skip
    time.put(draw_panels(data), LEFT, 30, data_at="panels")
    time.rect(
        frame_at(data, order), 30.5, WIDE - 1, HIGH - 1, rx=8, fill="none",
        stroke="var(--ink)", stroke_width=1.8, data_at="frame",
    )  # fmt: skip
    if any(each.data.results for each in races):
        time.put(draw_results(data), LEFT, time.height + 8, data_at="results")
        time.height += RESULT + 8
    return time


def _draw_cells(body: Drawing, data: RaceData, cell: int) -> None:
    body.path(f"M0 {body.height - 4}H{WIDTH}", stroke="var(--line)")
    part = draw_strip(data)
    strip = Drawing(part.width, part.height)
    strip.put(part, 0, 0, data_at="strip")
    focus = Drawing()
    place = ring_of(data, cell)
    if place:
        ring(focus, *place, inside=False)
    strip.put(focus, 0, 0, data_at="cell")
    body.put_part(strip, 0, body.height + 8, breaks=breaks_of(data))
    body.height += 84


def _draw_ran(body: Drawing, races: Sequence[Race], data: RaceData) -> None:
    """What really happened, below all that could."""
    if all(each.ran is None for race in races for each in race.at.values()):
        return
    body.path(f"M0 {body.height - 4}H{WIDTH}", stroke="var(--line)")
    part = Drawing(WIDTH, TALL)
    part.put(draw_trace(data), 0, 0, data_at="trace")
    body.put_part(part, 0, body.height + 8, left=BOXES, breaks=breaks())
    body.height += TALL + 14


def _key(races: Sequence[Race]) -> tuple[KeyEntry, ...]:
    every = [data for race in races for data in race.at.values()]
    sides = [(each, side) for each in every for side in (each.writer, each.other)]
    owners = {
        ("warp" if each.same_block else "block", side.who) for each, side in sides
    }
    key = [KeyEntry("runs", f"{unit} {who}", who) for unit, who in sorted(owners)]
    if len(key) > _MOST_OWNERS:
        key = [
            KeyEntry("runs", f"{sorted(owners)[0][0]} of a thread (repeats after 4)")
        ]
    if any(each.data.cells for each in races):
        key += [KeyEntry("wrong", "cell in the finding"), KeyEntry("untouched", "cell")]
        key.append(KeyEntry("focus", "cell in focus"))
    return tuple(key)
