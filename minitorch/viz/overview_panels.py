"""Owns the right half of the overview: one block's threads, and one warp's lanes.

Must not know launches: it draws the numbers of `overviews`.
"""

from __future__ import annotations

from ..cuda.trace import LANES
from .drawing import Drawing, number
from .marks import EMPTY, ring
from .overviews import Overview
from .palette import strong

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


def cells_of(data: Overview, block: int) -> list[str]:
    """For each strength the threads of a block that have it, as one path."""
    most = int(data.lanes.max())
    paths = [""] * LEVELS
    side = CELL - 1.2
    for warp in range(data.warps):
        flat = block * data.warps + warp
        for lane, count in enumerate(data.lanes[flat, : data.present[flat]].tolist()):
            x, y = LEFT + lane * CELL + 0.6, CELLS_TOP + warp * CELL + 0.6
            place = f"M{x:.1f} {y:.1f}h{side:.1f}v{side:.1f}h-{side:.1f}z"
            paths[level_of(count, most)] += place
    return paths


def lane_words(data: Overview, warp: int, lane: int) -> str:
    """What one thread did, in a sentence."""
    count, steps = int(data.lanes[warp, lane]), int(data.steps[warp])
    thread = warp % data.warps * LANES + lane
    longest = count == int(data.lanes[warp].max())
    more = ", the most" if longest else f", off for {number(steps - count)}"
    return (
        f"lane {lane} (thread {number(thread)}): {number(count)} of "
        f"{number(steps)} instructions{more}"
    )


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
    for level, d in enumerate(cells_of(data, block)):
        depth = 0.05 + 0.7 * level / (LEVELS - 1)
        view.path(d, fill="var(--ink)", fill_opacity=depth, data_at=f"depth{level}")
    row = Drawing()
    ring(row, LEFT - 1, CELLS_TOP - 0.6, LANES * CELL + 2, CELL + 1.2, inside=False)
    view.put(row, 0, round(own * CELL, 1), data_at="row")


def bars_of(data: Overview, warp: int) -> str:
    """The instructions of each lane as one path of bars."""
    base, unit = _scale(data, warp)
    d = ""
    for lane, count in enumerate(data.lanes[warp, : data.present[warp]].tolist()):
        high = max(count * unit, 1.0)
        x = LEFT + lane * CELL + 1
        d += f"M{x:.1f} {base - high:.1f}h{CELL - 2:.1f}v{high:.1f}h{2 - CELL:.1f}z"
    return d


def _scale(data: Overview, warp: int) -> tuple[float, float]:
    """The base of the bars, and pixels an instruction."""
    high = lanes_height(data)
    return lanes_top(data) + high, high / max(int(data.steps[warp]), 1)


def _draw_warp(view: Drawing, data: Overview, warp: int) -> None:
    top, (base, unit) = lanes_top(data), _scale(data, warp)
    own, steps = warp % data.warps, int(data.steps[warp])
    view.text(0, top - 22, f"Warp {own}", 13, bold=True, data_at="warp-name")
    view.text(96, top - 22, f"one bar: one thread · runs {number(steps)} instructions",
              11.5, fill="var(--mut)", data_at="warp-steps")  # fmt: skip
    off = "".join(
        f"M{LEFT + lane * CELL + 1:.1f} {top:.1f}h{CELL - 2:.1f}v{base - top:.1f}"
        f"h{2 - CELL:.1f}z"
        for lane in range(int(data.present[warp]))
    )
    view.path(off, fill=EMPTY, data_at="off")
    view.path(bars_of(data, warp), fill=strong(own), data_at="on")
    for lane in (*range(0, LANES, 4), LANES - 1):
        if lane == LANES - 1 or lane < LANES - 2:
            x = LEFT + (lane + 0.5) * CELL
            view.text(x, base + 13, lane, 10, anchor="middle", mono=True,
                      fill="var(--mut)")  # fmt: skip
    for words, y, name in ((number(steps), top + 8, "steps"), ("0", base, None)):
        view.text(LEFT - 5, y, words, 10, anchor="end", mono=True, fill="var(--mut)",
                  data_at=name)  # fmt: skip
    mean = int(data.active[warp]) / max(int(data.present[warp]), 1)
    line = Drawing()
    line.path(f"M{LEFT} 0H{LEFT + LANES * CELL:.1f}", stroke="var(--ink)",
              stroke_width=1.6, stroke_dasharray="5 3")  # fmt: skip
    line.text(LEFT + 3, -6, mean_words(data, warp), 11.5, bold=True,
              stroke="var(--bg)", stroke_width=4, paint_order="stroke",
              data_at="mean-words")  # fmt: skip
    view.put(line, 0, round(base - mean * unit, 1), data_at="mean")


def mean_words(data: Overview, warp: int) -> str:
    """The mean of a warp's threads, for the line through its bars."""
    mean = int(data.active[warp]) / max(int(data.present[warp]), 1)
    return f"mean: {number(round(mean))}"


def _draw_lane(view: Drawing, data: Overview, warp: int, lane: int) -> None:
    base, unit = _scale(data, warp)
    high = max(int(data.lanes[warp, lane]) * unit, 1.0)
    x = LEFT + lane * CELL - 0.5
    view.rect(x, base - high - 1.5, CELL + 1, high + 3, rx=3, fill="none",
              stroke="var(--ink)", stroke_width=2.2, data_at="lane")  # fmt: skip
    view.text(LEFT, base + 34, lane_words(data, warp, lane), 12, data_at="lane-words")


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
