"""The picture of the overview as a whole: bars, panels and words."""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...scene.drawing import Drawing, number
from ...scene.phrases import counted
from .bars import WIDTH as BARS
from .bars import breaks_of, draw_bars
from .live import overview_live
from .overviews import Overview
from .panels import draw_panels
from .words import answer_of, detail_of

_PANELS = 676.0
_TITLE = 540.0


def longest_lane(data: Overview, warp: int) -> int:
    """The first of the lanes that ran most."""
    return int(data.lanes[warp].argmax())


def draw_overview(
    data: Overview,
    note: str = "",
    warp: int | None = None,
    lane: int | None = None,
    order: str = "block",
) -> Figure:
    """Draw all warps.

    Args:
        data: From `overview_data`.
        note: A sentence to add to the detail.
        warp: The one in focus, numbered over all blocks that are kept; None: the one
            whose threads are off most.
        lane: The one in focus; None: the longest.
        order: Of the bars: "block", or "worst" first.
    """
    warp = int(data.worst[0]) if warp is None else warp
    lane = longest_lane(data, warp) if lane is None else lane
    body = Drawing(WIDTH)
    blocks = len(data.blocks) + data.more
    count = counted(blocks, "block")
    title = f"All {number(blocks * data.warps)} warps, in {count}"
    if data.more:
        title = f"The worst {number(len(data.blocks))} of {count}"
    head = Drawing(_TITLE, 14)
    head.runs(0, 13, 13, (title, "bold"),
              (" · length: instructions · solid: useful share", "mut"))  # fmt: skip
    left = Drawing(BARS)
    draw_bars(left, data, order, warp)
    body.put_part(head, 0, 0)
    body.put_part(left, 0, 0, breaks=breaks_of(data))
    right = draw_panels(data, warp, lane)
    body.put_part(right, _PANELS, 0)
    body.height = max(left.height, right.height) + 10
    return Figure(
        question=f"{number(blocks * data.threads)} threads: where should I look?",
        answer=answer_of(data, warp),
        detail=" ".join(filter(None, [detail_of(data, warp), note])),
        body=body,
        key=_key(data),
        data=data,
        live=overview_live(data, note, warp, lane, order),
    )


def _key(data: Overview) -> tuple[KeyEntry, ...]:
    warps = " (colour: warp, repeats after 4)" if data.warps > 1 else ""
    key = [KeyEntry("runs", f"thread runs{warps}")]
    if int(data.active.sum()) < int((data.steps * data.present).sum()):
        key.append(KeyEntry("empty", "thread is off, the warp still runs"))
    key.append(KeyEntry("grey", "stronger: more instructions"))
    focus = "block, warp" if data.by_block else "warp"
    return (*key, KeyEntry("focus", f"{focus} and lane in focus"))
