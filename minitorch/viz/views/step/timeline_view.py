"""The axis of time: warps as rows, their steps, waits, barriers and findings.

Everything is drawn twice, pale and strong; what was run is the strong picture cut off
after the step in focus.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...figure.figure import WIDTH
from ...scene.drawing import PREFIX, Drawing, width_of
from ...scene.marks import triangle
from ...scene.palette import strong, tint
from .data import StepData
from .layout import box, tenth

LEFT, TOP = 58.0, 18.0
ROOM = WIDTH - LEFT - 6
_HIGHEST, _LOWEST, _ROOM = 27.0, 5.0, 170.0
_HINT = "bar height: threads active, full = 32 · double line: waits at the barrier"


class Axis:
    """Where steps and warps are drawn."""

    def __init__(self, data: StepData) -> None:
        self.start, self.end = data.start, data.end
        warps = len(data.steps.lanes)
        self.high = min(_HIGHEST, max(_LOWEST, _ROOM / warps))
        self.wide = ROOM / (self.end - self.start)
        self.bottom = TOP + warps * self.high

    def x(self, step: float) -> float:
        """Where a step begins."""
        return LEFT + (step - self.start) * self.wide

    def y(self, warp: int) -> float:
        """The top of a warp's row."""
        return TOP + warp * self.high


def _ticks(data: StepData, axis: Axis, warp: int) -> str:
    """A bar for each step of a warp; the same ones beside each other are one."""
    steps, most = data.steps, axis.high - 3
    own = np.nonzero(steps.warp[axis.start : axis.end] == warp)[0] + axis.start
    gap = 0.6 if axis.wide > 4 else 0
    parts: list[str] = []
    run: tuple[int, int, int] | None = None
    for step in [*own.tolist(), -1]:
        count = int(steps.mask[step]).bit_count() if step >= 0 else 0
        if run and not gap and run[1] == step and run[2] == count:
            run = (run[0], step + 1, count)
            continue
        if run:
            high = max(1.0, most * run[2] / 32)
            wide = (run[1] - run[0]) * axis.wide - 2 * gap
            parts.append(
                box(axis.x(run[0]) + gap, axis.y(warp) + axis.high - 3 - high,
                    max(wide, 0.4), high)
            )  # fmt: skip
        run = (step, step + 1, count)
    return "".join(parts)


def _stretches(steps: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for step in steps:
        if found and found[-1][1] == step:
            found[-1] = (found[-1][0], step + 1)
        else:
            found.append((step, step + 1))
    return found


def _waits(data: StepData, axis: Axis, warp: int) -> str:
    """A double line for each stretch of steps through which a warp waits."""
    steps = data.steps
    before = np.zeros(len(steps), bool)
    before[1:] = (steps.waits[:-1, warp] != 0) & ~steps.opens[:-1]
    before &= steps.warp != warp
    own = np.nonzero(before[axis.start : axis.end])[0] + axis.start
    thick, middle = min(2.0, axis.high / 8), axis.y(warp) + (axis.high - 3) / 2
    return "".join(
        box(axis.x(low), y, (high - low) * axis.wide, thick)
        for low, high in _stretches(own.tolist())
        for y in (middle - 1.5 * thick, middle + 0.5 * thick)
    )


def _marks(view: Drawing, data: StepData, axis: Axis) -> None:
    """Barriers as bars of ink, findings as triangles, each with its name if it fits."""
    taken: list[tuple[float, float]] = []

    def place(x: float, words: str, left: float) -> bool:
        low, high = x - left - 4, x + width_of(words, 11) - left + 4
        free = all(high < start or low > end for start, end in taken)
        if free and high < WIDTH + 8:
            taken.append((low, high))
        return free and high < WIDTH + 8

    marks = [at for at in data.marks if axis.start <= at.step < axis.end]
    for mark in marks:
        x = axis.x(mark.step + 0.5)
        taken.append((x - 7, x + 5.9))
    for mark in marks:
        x = axis.x(mark.step + 0.5)
        if place(x + 10, mark.name, 0):
            view.text(x + 10, 12, mark.name, 11, fill="var(--bad)", bold=True)
        triangle(view, tenth(x), 3, 6)
    for step in np.nonzero(data.steps.opens[axis.start : axis.end])[0].tolist():
        x = axis.x(step + 1 + axis.start)
        view.path(f"M{tenth(x):g} 14V{axis.bottom:g}", stroke="var(--ink)",
                  stroke_width=1.6)  # fmt: skip
        if place(x, "barrier", width_of("barrier", 10.5) / 2):
            view.text(x, 10, "barrier", 10.5, fill="var(--mut)", anchor="middle")


def now_at(axis: Axis, step: int) -> tuple[str, str, float, str]:
    """The needle of a step: its line, its head, where its words are, and how."""
    x, low = tenth(axis.x(step + 0.5)), axis.bottom
    near = x > WIDTH - 80
    line = f"M{x:g} 14V{tenth(low + 4):g}"
    head = f"M{x:g} {tenth(low + 1):g}l6 10h-12z"
    return line, head, x - 9 if near else x + 9, "end" if near else "start"


def _names(view: Drawing, data: StepData, axis: Axis) -> None:
    warps = len(data.steps.lanes)
    every = max(1, round(11 / axis.high + 0.4))
    for warp in range(warps):
        y = axis.y(warp)
        view.path(f"M{LEFT:g} {tenth(y + axis.high - 3):g}h{ROOM:g}",
                  stroke="var(--line)")  # fmt: skip
        if warp % every == 0:
            size = 12 if axis.high > 14 else 10
            view.text(0, y + axis.high / 2 + 2.5, f"warp {warp}", size,
                      fill=strong(warp), bold=True)  # fmt: skip


def draw_timeline(data: StepData) -> Drawing:
    """Draw the steps of a block along an axis, with the focus on one of them."""
    view, axis = Drawing(WIDTH), Axis(data)
    _names(view, data, axis)
    edge = tenth(axis.x(data.step + 1) - LEFT)
    clip = (
        f'<rect data-at="played" x="{LEFT:g}" y="0" width="{edge:g}" '
        f'height="{axis.bottom:g}"/>'
    )
    view.element("clipPath", clip, id=f"{PREFIX}played")
    for cut in (False, True):
        for warp in range(len(data.steps.lanes)):
            name = f"{PREFIX}ticks{warp}"
            fill = (strong if cut else tint)(warp)
            path = f"url(#{PREFIX}played)" if cut else None
            if cut:
                view.element("use", href=f"#{name}", fill=fill, clip_path=path)
                continue
            ticks = _ticks(data, axis, warp) + _waits(data, axis, warp)
            shape = f'<path id="{name}" d="{ticks}"/>'
            view.element("g", shape, fill=fill)
    _marks(view, data, axis)
    line, head, x, anchor = now_at(axis, data.step)
    view.path(line, stroke="var(--ink)", stroke_width=2, data_at="now")
    view.path(head, fill="var(--ink)", data_at="needle")
    view.text(x, axis.bottom + 12, f"step {data.step + 1:,}", 11, anchor=anchor,
              bold=True, data_at="nowstep")  # fmt: skip
    late = data.step >= axis.start + (axis.end - axis.start) * 0.55
    view.text(WIDTH - 6, axis.bottom + 12, _HINT, 10.5, fill="var(--mut)", anchor="end",
              data_at="hint", display="none" if late else "inline")  # fmt: skip
    view.height = axis.bottom + 22
    return view
