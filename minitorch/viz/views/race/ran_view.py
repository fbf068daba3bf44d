"""The picture of what really ran around a race: two warps, box by box."""

from __future__ import annotations

from ...figure.figure import WIDTH
from ...scene.drawing import Drawing, shortened, width_of
from ...scene.palette import strong, tint
from .races import RaceData
from .ran import MOST

LEFT = 118.0
_TOP, _HIGH, _ROW = 34.0, 26.0, 32.0
_WIDE = (WIDTH - LEFT) / MOST
TALL = 138.0


def breaks() -> list[float]:
    """Where the row of boxes may go on in a new line."""
    return [LEFT + at * _WIDE for at in range(3, MOST, 2)]


def draw_trace(data: RaceData) -> Drawing:
    """What ran, from left to right; empty where the trace lacks it."""
    view = Drawing(WIDTH, TALL)
    ran = data.ran
    if ran is None:
        return view
    view.runs(0, 14, 13, ("What really happened", "bold"),
              ("  one box: a warp runs a line", "mut"))  # fmt: skip
    hues = [warp if data.same_block else block for block, warp in ran.rows]
    for row, (block, warp) in enumerate(ran.rows):
        y = _TOP + row * _ROW
        name = f"warp {warp}" if data.same_block else f"block {block} · warp {warp}"
        view.text(0, y + 17, shortened(name, 17), 12, fill=strong(hues[row]), bold=True)
        view.path(f"M{LEFT:g} {y + _HIGH + 3:g}H{WIDTH}", stroke="var(--line)")
    ends = []
    for at, box in enumerate(ran.boxes):
        x, y = LEFT + at * _WIDE, _TOP + box.row * _ROW
        own, who = bool(box.does), hues[box.row]
        view.rect(
            round(x + 1, 1), y, round(_WIDE - 2, 1), _HIGH, rx=3,
            fill=strong(who) if own else tint(who),
        )  # fmt: skip
        words = f"{box.line or '·'} {box.does}".strip() + " ‖" * box.waits
        view.text(
            round(x + _WIDE / 2, 1), y + 17, shortened(words, 13), 11.5,
            fill="var(--bg)" if own else "var(--ink)", anchor="middle", bold=own,
        )  # fmt: skip
        if box.left_out:
            view.rect(round(x - 7, 1), y + 5, 14, 16, rx=2, fill="var(--bg)")
            view.text(round(x, 1), y + 17, "…", 12, fill="var(--mut)", anchor="middle")
        if own:
            ends.append((x + _WIDE / 2, y + _HIGH))
    _between(view, data, ends)
    return view


def _between(view: Drawing, data: RaceData, ends: list[tuple[float, float]]) -> None:
    """What lies between the two accesses, below the boxes."""
    words = "no barrier orders these two" if data.same_block else (
        "nothing orders these two blocks"
    )  # fmt: skip
    low, (x0, y0), (x1, y1) = _TOP + 2 * _ROW + 16, ends[0], ends[-1]
    if len(ends) > 1:
        view.path(
            f"M{x0:.1f} {y0:g}V{low:g}H{x1:.1f}V{y1:g}", stroke="var(--bad)",
            stroke_width=1.6, stroke_dasharray="4 3",
        )  # fmt: skip
    wide = width_of(words, 11.5, bold=True) + 16
    middle = max(LEFT + wide / 2, min((x0 + x1) / 2, WIDTH - wide / 2))
    view.rect(
        round(middle - wide / 2, 1), low - 10, round(wide, 1), 20, rx=4,
        fill="var(--bg)", stroke="var(--bad)",
    )  # fmt: skip
    view.text(
        round(middle, 1), low + 4, words, 11.5, fill="var(--bad)", anchor="middle",
        bold=True,
    )  # fmt: skip
