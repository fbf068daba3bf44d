"""The facts about the focused thread: its variables, or what it does to cells.

Facts have fixed places, so that nothing jumps.
"""

from __future__ import annotations

import numpy as np

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import Drawing, shortened, width_of
from ...traces.launches import place_of
from .data import StepData
from .words import acts

_HIGH, _APART = 40.0, 6.0
_LETTER = 0.602 * 12.5
_MOST, _MOST_CELLS = 15, 6


class Slots:
    """Where facts are drawn: columns, how many, how wide one is."""

    def __init__(self, data: StepData, width: float) -> None:
        names = data.changes.names
        self.count = min(len(names), _MOST) if names else _most_acts(data)
        wanted = 84.0 if names else 128.0
        self.columns = max(1, int((width + _APART) // (wanted + _APART)))
        self.wide = int((width + _APART) / self.columns - _APART)
        self.rows = -(-self.count // self.columns)

    def corner(self, slot: int) -> tuple[float, float]:
        """Where a fact is drawn, below the heading."""
        row, column = divmod(slot, self.columns)
        return column * (self.wide + _APART), 44.0 + row * (_HIGH + _APART)

    @property
    def height(self) -> float:
        """Of heading and facts."""
        return 44.0 + self.rows * (_HIGH + _APART)


def _most_acts(data: StepData) -> int:
    """The most cells that one thread touches in a step; at most six are shown."""
    if not len(data.uses):
        return 0
    key = data.use_step.astype(np.int64) * data.threads + data.uses.thread
    _, often = np.unique(key, return_counts=True)
    return int(min(often.max(), _MOST_CELLS))


def facts(
    data: StepData, step: int, thread: int, slots: Slots
) -> list[tuple[str, str, bool]]:
    """Name and value for each slot, and whether it is new in this step."""
    room = max(int((slots.wide - 16) / _LETTER), 4)
    if data.changes.names:
        found = []
        for at, name in enumerate(data.changes.names[: slots.count]):
            now = int(data.variable(at, step)[thread])
            old = int(data.variable(at, step - 1)[thread]) if step else -1
            words = data.words[now] if now >= 0 else "not set"
            if now != old and old >= 0:
                both = f"{data.words[old]} → {words}"
                words = both if len(both) <= room else words
            found.append((shortened(name, 12), shortened(words, room), now != old))
        return found
    every = acts(data, step, thread)[: slots.count]
    return [
        (shortened(f"{verb} {cell}", 19), shortened(value or "never written", room),
         verb != "reads")
        for verb, cell, value in every
    ]  # fmt: skip


def kind_of(data: StepData) -> str:
    """What the facts are, where they are not cells."""
    names = data.changes.names
    return "Registers" if names and names[0].startswith("%") else "Variables"


def headings(data: StepData, thread: int) -> tuple[str, str]:
    """What stands above the facts."""
    name = f"thread {thread}"
    title = f"{kind_of(data)} of {name}" if data.changes.names else f"What {name} does"
    place = place_of(thread, data.launch.block)
    at = " · ".join(
        f"{axis} {place[number]}"
        for number, axis in enumerate("xyz")
        if number == 0 or data.launch.block[number] > 1
    )
    lane = f"lane {thread % LANES} of warp {thread // LANES}"
    return title, f"{at} · {lane}"


def draw_facts(data: StepData, slots: Slots, width: float) -> Drawing:
    """Draw the facts about the focused thread."""
    view = Drawing(width, slots.height)
    title, place = headings(data, data.thread)
    view.text(0, 14, title, 13, bold=True, data_at="factstitle")
    view.text(0, 31, place, 11.5, fill="var(--mut)", data_at="factsplace")
    every = facts(data, data.step, data.thread, slots)
    for slot in range(slots.count):
        x, y = slots.corner(slot)
        name, words, new = every[slot] if slot < len(every) else ("", "", False)
        view.rect(
            x + 0.5, y, slots.wide - 1, _HIGH, rx=6, fill="none",
            stroke="var(--ink)" if new else "var(--line)",
            stroke_width=1.6 if new else 1, data_at=f"fact{slot}box",
            display="inline" if name else "none",
        )  # fmt: skip
        view.text(x + 8, y + 15, name, 11, fill="var(--mut)", data_at=f"fact{slot}name")
        view.text(x + 8, y + 32, words, 12.5, mono=True, data_at=f"fact{slot}")
    if len(data.changes.names) > slots.count:
        left = len(data.changes.names) - slots.count
        view.text(width_of(title, 13, bold=True) + 8, 14,
                  f"and {left} more", 11.5, fill="var(--mut)")  # fmt: skip
    return view
