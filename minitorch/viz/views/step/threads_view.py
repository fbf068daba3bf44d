"""The picture of a block's threads in one step: who runs, waits, is off or done.

What differs from step to step has a name (`data-at`), so that a script can move it;
`thread_shapes` is what it has then.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import Drawing, shortened
from ...scene.marks import EMPTY
from ...scene.palette import strong, tint
from .data import StepData
from .layout import Threads, box, fitted, tenth

_ROUND = {36.0: 5.0, 20.0: 3.0}


@dataclass(frozen=True)
class Lanes:
    """Bits of a warp's lanes in a step, by what they do; each lane is in one."""

    run: int
    ready: int
    wait: int
    off: int
    done: int

    @property
    def word(self) -> str:
        """What a warp as a whole does."""
        if self.run:
            return "runs"
        if self.wait:
            return "waits"
        return "" if self.ready or self.off else "done"


def lanes_of_warp(data: StepData, step: int, warp: int) -> Lanes:
    """Divide the lanes of a warp after a step."""
    steps = data.steps
    every = int(steps.lanes[warp])
    mine = int(steps.warp[step]) == warp
    run = int(steps.mask[step]) if mine else 0
    done = int(steps.done[step, warp]) & ~run
    wait = int(steps.waits[step, warp]) & ~run & ~done
    rest = every & ~(run | done | wait)
    return Lanes(run, 0 if mine else rest, wait, rest if mine else 0, done)


def _cells(place: Threads, warp: int, bits: int) -> str:
    """A path of the threads of some lanes."""
    cell = place.cell
    gap = tenth(cell / 24)
    return "".join(
        box(x + gap, y + gap, cell - 2 * gap, cell - 2 * gap, _ROUND.get(cell, 0))
        for lane in range(LANES)
        if bits >> lane & 1
        for x, y in [place.corner(warp * LANES + lane)]
    )


def _bars(place: Threads, warp: int, bits: int) -> str:
    """Two bars for each of some lanes: it waits."""
    cell = place.cell
    wide, high = max(1.2, cell / 18), cell / 6
    return "".join(
        box(x + cell * at, y + cell * 0.14, wide, high)
        for lane in range(LANES)
        if bits >> lane & 1
        for x, y in [place.corner(warp * LANES + lane)]
        for at in (0.7, 0.8)
    )


def thread_shapes(data: StepData, place: Threads, step: int) -> dict[str, str]:
    """The paths of all states of all warps after a step, by their names."""
    shapes = {}
    for warp in range(place.warps):
        lanes = lanes_of_warp(data, step, warp)
        shapes[f"run{warp}"] = _cells(place, warp, lanes.run)
        shapes[f"ready{warp}"] = _cells(place, warp, lanes.ready | lanes.wait)
        shapes[f"off{warp}"] = _cells(place, warp, lanes.off)
        shapes[f"done{warp}"] = _cells(place, warp, lanes.done)
        shapes[f"wait{warp}"] = _bars(place, warp, lanes.wait)
    return shapes


def warp_name(place: Threads, warp: int, word: str) -> str:
    """What stands beside a warp."""
    if place.columns == 8:
        return f"warp {warp} · {word}" if word else f"warp {warp}"
    return f"w{warp}‖" if word == "waits" else f"w{warp}"


def _brackets(view: Drawing, data: StepData, place: Threads, step: int) -> None:
    for warp in range(place.warps):
        x, y = place.corner(warp * LANES)
        threads = min(place.count - warp * LANES, LANES)
        high = -(-threads // place.columns) * place.cell
        words = warp_name(place, warp, lanes_of_warp(data, step, warp).word)
        if place.columns < LANES:
            view.path(
                f"M{tenth(x - 8):g} {tenth(y + 2):g}h-5v{tenth(high - 4):g}h5",
                stroke=strong(warp), stroke_width=1.6,
            )  # fmt: skip
        if place.columns == 8 and high > 100:
            turn = f"translate({tenth(x - 19):g} {tenth(y + high / 2):g}) rotate(-90)"
            view.text(0, 0, words, 11.5, fill=strong(warp), anchor="middle", bold=True,
                      transform=turn, data_at=f"w{warp}")  # fmt: skip
            continue
        size = 11 if place.cell > 12 else 10
        left = x - 17 if place.columns < LANES else x - 6
        if place.columns == 8:
            words = words.partition(" · ")[0].replace("warp ", "w")
        view.text(left, y + high / 2 + 4, words, size, fill=strong(warp), anchor="end",
                  bold=True, data_at=f"w{warp}")  # fmt: skip


def number_look(data: StepData, step: int, thread: int) -> tuple[str, int]:
    """Fill and weight of the number in a thread."""
    lanes = lanes_of_warp(data, step, thread // LANES)
    bit = 1 << thread % LANES
    if lanes.run & bit:
        return "var(--bg)", 600
    return ("var(--faint)" if (lanes.off | lanes.done) & bit else "var(--ink)"), 400


def thread_words(data: StepData, step: int) -> list[str]:
    """What stands in each thread: its number, or the value of a variable."""
    if data.watch < 0:
        return [str(thread) for thread in range(data.threads)]
    values = data.variable(data.watch, step).tolist()
    return [fitted(data.words[at], 5) if at >= 0 else "·" for at in values]


def _numbers(view: Drawing, data: StepData, place: Threads, step: int) -> None:
    for thread, words in enumerate(thread_words(data, step)):
        x, y = place.corner(thread)
        fill, weight = number_look(data, step, thread)
        view.text(
            x + place.cell / 2, y + place.cell / 2 + 4.5, words,
            13 if len(words) < 5 else 10, fill=fill, anchor="middle", mono=True,
            bold=weight > 400, data_at=f"n{thread}",
        )  # fmt: skip


def draw_threads(view: Drawing, data: StepData, place: Threads) -> None:
    """Draw all threads of the block after the step in focus."""
    step = data.step
    view.text(place.x, 14, "Threads of the block", 13, bold=True)
    name = "thread number" if data.watch < 0 else data.changes.names[data.watch]
    said = f"number shown: {shortened(name, 24)}"
    if place.columns > 8:
        said = "too many for numbers"
    view.text(place.x, 30, said, 11.5, fill="var(--mut)", data_at="shown")
    _brackets(view, data, place, step)
    shapes = thread_shapes(data, place, step)
    for warp in range(place.warps):
        looks = {
            "ready": {"fill": tint(warp)},
            "run": {"fill": strong(warp)},
            "off": {"fill": EMPTY, "stroke": "var(--line)"},
            "done": {"stroke": "var(--line)"},
            "wait": {"fill": strong(warp)},
        }
        for name, look in looks.items():
            view.path(shapes[f"{name}{warp}"], data_at=f"{name}{warp}", **look)
    if place.columns == 8:
        _numbers(view, data, place, step)
    x, y = place.corner(data.thread)
    cell = place.cell
    view.rect(x + 2, y + 2, cell - 4, cell - 4, rx=3, fill="none", stroke="var(--bg)",
              stroke_width=2 if cell > 15 else 1, data_at="focus0")  # fmt: skip
    view.rect(x - 1, y - 1, cell + 2, cell + 2, rx=5, fill="none", stroke="var(--ink)",
              stroke_width=3 if cell > 15 else 2, data_at="focus1")  # fmt: skip
