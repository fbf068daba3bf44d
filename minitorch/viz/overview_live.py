"""Owns what the overview's script reads. Must not know launches."""

from __future__ import annotations

from .live import Live
from .overview_bars import bars_of, group_words, layout_of, order_of
from .overview_panels import LEVELS, lanes_height, lanes_top, mean_words
from .overview_words import answer_of, detail_of, warp_name
from .overviews import Overview

_KEYS = (
    ("W S", "previous, next warp"),
    ("A D", "previous, next lane"),
    ("O", "other order"),
    ("← →", "previous, next warp"),
    ("Shift ← →", "previous, next block"),
)


def overview_live(data: Overview, note: str, warp: int, lane: int, order: str) -> Live:
    """The columns that `assets/live/overview.js` needs to show any warp.

    Args:
        data: From `overview_data`.
        note: What the details end with.
        warp, lane, order: What is shown first.
    """
    bars, every = bars_of(data), range(len(data.steps))
    layout = layout_of(data, len(bars))
    tail = f" {note}" if note else ""
    return Live(
        "overview",
        {
            "first": {"warp": warp, "lane": lane, "order": order},
            "warps": data.warps,
            "blocks": data.blocks,
            "steps": data.steps,
            "active": data.active,
            "present": data.present,
            "lanes": data.lanes,
            "names": [warp_name(data, each) for each in every],
            "answers": [answer_of(data, each) for each in every],
            "details": [detail_of(data, each) + tail for each in every],
            "means": [mean_words(data, each) for each in every],
            "bars": [
                [each.steps, round(each.share, 5), each.hue, each.warp] for each in bars
            ],
            "barOf": [
                at
                for at, bar in enumerate(bars)
                for _ in range(bar.first, bar.last + 1)
            ],
            "orders": {each: order_of(bars, each) for each in ("block", "worst")},
            "heads": {
                each: group_words(data, layout, len(bars), each)
                for each in ("block", "worst")
            },
            "wide": layout.wide,
            "levels": LEVELS,
            "top": lanes_top(data),
            "high": lanes_height(data),
        },
        _KEYS,
    )
