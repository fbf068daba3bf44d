"""Owns what the race view's script reads. Must not know launches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .live import Live
from .race_cells import Race
from .race_code import draw_lines, draw_row, row_at
from .race_panel import draw_panels, draw_results, frame_at
from .race_strip import draw_strip, ring_of
from .race_trace_view import draw_trace
from .race_words import answer_of, detail_in, orders_of
from .varying import varying


def _race(race: Race, lines: list[str], note: str) -> dict[str, Any]:
    """One race at each of its cells: texts of one form, and what differs."""
    every, orders = list(race.at.values()), orders_of(race.data)
    low, high = sorted((race.data.writer.line, race.data.other.line))
    where = f"line {low}" if low == high else f"lines {low} and {high}"
    return {
        "name": f"{race.data.array or race.data.space} · {where}",
        "first": race.first,
        "cells": list(race.at),
        "code": varying([str(draw_lines(each, lines)) for each in every]),
        "panels": varying([str(draw_panels(each)) for each in every]),
        "strip": str(draw_strip(race.data)),
        "rings": [ring_of(race.data, cell) for cell in race.at],
        "row": 30 + row_at(race.data, lines),
        "rows": {each: str(draw_row(race.data, each)) for each in orders},
        "orders": orders,
        "frames": {each: [frame_at(data, each) for data in every] for each in orders},
        "results": str(draw_results(race.data)),
        "trace": varying([str(draw_trace(each)) for each in every]),
        "answers": [answer_of(each) for each in every],
        "details": {
            each: [f"{detail_in(data, each)} {note}".strip() for data in every]
            for each in orders
        },
    }


def race_live(
    races: Sequence[Race], lines: list[str], note: str, first: tuple[int, int, str]
) -> Live:
    """The columns that `assets/live/race.js` needs to show any race and cell.

    Args:
        races: To choose from.
        lines: The kernel's code.
        note: What the details end with.
        first: The race, the cell and the order that are shown first.
    """
    race, cell, order = first
    thinned = any(len(each.data.cells) > len(each.at) > 1 for each in races)
    cells = "previous, next cell" + " of 32" * thinned
    return Live(
        "race",
        {
            "first": {"race": race, "cell": cell, "order": order},
            "strips": any(each.data.cells for each in races),
            "results": any(each.data.results for each in races),
            "ran": any(each.ran for race in races for each in race.at.values()),
            "races": [_race(each, lines, note) for each in races],
        },
        (
            ("← →", cells),
            ("O", "other order"),
            ("B", "add or remove the barrier"),
        ),
    )
