"""The right half of the overview: one block's threads, and one warp's lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import Drawing, number
from ...scene.formulas import (
    Formula,
    chosen,
    column,
    in_words,
    item,
    largest,
    path_of,
    row,
    same,
    text,
    value_of,
)
from ...scene.marks import EMPTY, ring
from ...scene.palette import strong
from .overviews import Overview

WIDTH = 404.0
LEFT = 30.0
CELL = 11.6
CELLS_TOP = 30.0
LEVELS = 8
_LEAST, _MOST = 150.0, 240.0


def lanes_top(data: Overview) -> float:
    """Where the lanes' bars begin, below the block's threads."""
    return CELLS_TOP + data.warps * CELL + 70


def lanes_height(data: Overview) -> float:
    """Room for the bars: what the left half leaves, but not too little."""
    return min(max(_LEAST, 430 - lanes_top(data)), _MOST)


def level_of(count: int, most: int) -> int:
    """How strong the grey of a thread is, 0 to `LEVELS` - 1."""
    return min(LEVELS * count // most, LEVELS - 1) if most else 0


def strengths_of(data: Overview, block: int) -> str:
    """How strong the grey of each thread of a block is, as digits; blank for none."""
    most, found = int(data.lanes.max()), ""
    for flat in range(block * data.warps, (block + 1) * data.warps):
        own = data.lanes[flat, : data.present[flat]].tolist()
        found += "".join(str(level_of(count, most)) for count in own).ljust(LANES)
    return found


def cells_of(strengths: Formula | str, level: int) -> Formula:
    """Threads of one strength, as one path."""
    return path_of(
        "tiles", strengths, str(level), LANES, LEFT + 0.6, CELLS_TOP + 0.6, CELL,
        CELL - 1.2,
    )  # fmt: skip


def columns_of(data: Overview) -> dict[str, Any]:
    """The lists that `lane_marks` names."""
    return {
        "lanes": data.lanes,
        "steps": data.steps,
        "present": data.present,
        "longest": data.lanes.max(axis=1),
    }


@dataclass(frozen=True)
class LaneMarks:
    """Of the lane in focus: where its ring begins, how high that is, and the words."""

    x: Formula
    y: Formula
    height: Formula
    words: Formula


def lane_marks(data: Overview) -> LaneMarks:
    """The ring and the words of any lane of any warp."""
    warp, lane = row("warp"), row("lane")
    base = lanes_top(data) + lanes_height(data)
    steps = item(column("steps"), warp)
    count = item(item(column("lanes"), warp), lane)
    high = largest(count * (Formula(lanes_height(data)) / largest(steps, 1)), 1)
    longest = same(count, item(column("longest"), warp))
    thread = warp % data.warps * LANES + lane
    more = chosen(longest, ", the most", text(", off for ", in_words(steps - count)))
    return LaneMarks(
        x=lane * CELL + (LEFT - 0.5),
        y=base - high - 1.5,
        height=high + 3,
        words=text(
            "lane ", lane, " (thread ", in_words(thread), "): ", in_words(count),
            " of ", in_words(steps), " instructions", more,
        ),
    )  # fmt: skip


def _draw_block(view: Drawing, data: Overview, warp: int) -> None:
    block, own = divmod(warp, data.warps)
    view.text(0, 13, f"Block {number(data.blocks[block])}", 13, bold=True,
              data_at="block-name")  # fmt: skip
    words = f"{number(data.threads)} threads · one row: one warp · stronger: more"
    view.text(96, 13, words, 11.5, fill="var(--mut)")
    for at in range(data.warps):
        y = CELLS_TOP + at * CELL + 9
        view.text(LEFT - 6, y, f"w{at}", 10, anchor="end", mono=True,
                  fill="var(--mut)")  # fmt: skip
    strengths = strengths_of(data, block)
    for level in range(LEVELS):
        d = value_of(cells_of(strengths, level), {})
        depth = 0.05 + 0.7 * level / (LEVELS - 1)
        view.path(d, fill="var(--ink)", fill_opacity=depth, data_at=f"depth{level}")
    ring_of = Drawing()
    ring(ring_of, LEFT - 1, CELLS_TOP - 0.6, LANES * CELL + 2, CELL + 1.2, inside=False)
    view.put(ring_of, 0, round(own * CELL, 1), data_at="row")


def bars_of(data: Overview, counts: Any, steps: Any) -> Formula:
    """Of each lane of a warp the instructions, as one path of bars."""
    high = lanes_height(data)
    unit = Formula(high) / largest(steps, 1)
    base = lanes_top(data) + high
    return path_of("bars", counts, unit, LEFT + 1, base, CELL, CELL - 2)


def off_bars(data: Overview, lanes: int) -> str:
    """A bar over the whole height for each lane of a warp of so many."""
    top = lanes_top(data)
    return "".join(
        f"M{LEFT + lane * CELL + 1:.1f} {top:.1f}h{CELL - 2:.1f}"
        f"v{lanes_height(data):.1f}h{2 - CELL:.1f}z"
        for lane in range(lanes)
    )


def mean_height(data: Overview, warp: int) -> float:
    """Where the line of the mean thread is."""
    base, unit = _scale(data, warp)
    mean = int(data.active[warp]) / max(int(data.present[warp]), 1)
    return round(base - mean * unit, 1)


def steps_words(data: Overview, warp: int) -> str:
    """What a bar is."""
    runs = number(int(data.steps[warp]))
    return f"one bar: one thread · runs {runs} instructions"


def _scale(data: Overview, warp: int) -> tuple[float, float]:
    """The base of the bars, and pixels an instruction."""
    high = lanes_height(data)
    return lanes_top(data) + high, high / max(int(data.steps[warp]), 1)


def _draw_warp(view: Drawing, data: Overview, warp: int) -> None:
    top, (base, _) = lanes_top(data), _scale(data, warp)
    own, steps = warp % data.warps, int(data.steps[warp])
    view.text(0, top - 22, f"Warp {own}", 13, bold=True, data_at="warp-name")
    view.text(96, top - 22, steps_words(data, warp),
              11.5, fill="var(--mut)", data_at="warp-steps")  # fmt: skip
    off = off_bars(data, int(data.present[warp]))
    view.path(off, fill=EMPTY, data_at="off")
    counts = data.lanes[warp, : data.present[warp]].tolist()
    on = value_of(bars_of(data, counts, steps), {})
    view.path(on, fill=strong(own), data_at="on")
    for lane in (*range(0, LANES, 4), LANES - 1):
        if lane == LANES - 1 or lane < LANES - 2:
            x = LEFT + (lane + 0.5) * CELL
            view.text(x, base + 13, lane, 10, anchor="middle", mono=True,
                      fill="var(--mut)")  # fmt: skip
    for words, y, name in ((number(steps), top + 8, "steps"), ("0", base, None)):
        view.text(LEFT - 5, y, words, 10, anchor="end", mono=True, fill="var(--mut)",
                  data_at=name)  # fmt: skip
    line = Drawing()
    line.path(f"M{LEFT} 0H{LEFT + LANES * CELL:.1f}", stroke="var(--ink)",
              stroke_width=1.6, stroke_dasharray="5 3")  # fmt: skip
    line.text(LEFT + 3, -6, mean_words(data, warp), 11.5, bold=True,
              stroke="var(--bg)", stroke_width=4, paint_order="stroke",
              data_at="mean-words")  # fmt: skip
    view.put(line, 0, mean_height(data, warp), data_at="mean")


def mean_words(data: Overview, warp: int) -> str:
    """The mean of a warp's threads, for the line through its bars."""
    mean = int(data.active[warp]) / max(int(data.present[warp]), 1)
    return f"mean: {number(round(mean))}"


def _draw_lane(view: Drawing, data: Overview, warp: int, lane: int) -> None:
    base, _ = _scale(data, warp)
    columns, state = columns_of(data), {"warp": warp, "lane": lane}
    marks = vars(lane_marks(data)).values()
    x, y, high, words = (value_of(each, state, columns) for each in marks)
    view.rect(x, y, CELL + 1, high, rx=3, fill="none",
              stroke="var(--ink)", stroke_width=2.2, data_at="lane")  # fmt: skip
    view.text(LEFT, base + 34, words, 12, data_at="lane-words")


def draw_panels(data: Overview, warp: int, lane: int) -> Drawing:
    """The threads of the focused warp's block, and the lanes of this warp.

    Args:
        data: From `overview_data`.
        warp: The focused warp, numbered over all blocks that are kept.
        lane: The focused lane.
    """
    view = Drawing(WIDTH)
    _draw_block(view, data, warp)
    _draw_warp(view, data, warp)
    _draw_lane(view, data, warp, lane)
    view.height = lanes_top(data) + lanes_height(data) + 44
    return view
