"""How the overview moves: its focus, and the order of its bars."""

from __future__ import annotations

from typing import Any

from ....cuda.inspecting.trace import LANES
from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import number
from ...scene.formulas import (
    PART,
    POINTER_X,
    POINTER_Y,
    chosen,
    column,
    first,
    item,
    row,
    same,
)
from ...scene.palette import strong
from .bars import (
    bars_of,
    group_words,
    layout_of,
    long_of,
    order_of,
    ring_place,
)
from .overviews import Overview
from .panels import (
    CELL,
    CELLS_TOP,
    LEFT,
    LEVELS,
    cells_of,
    columns_of,
    lane_marks,
    mean_height,
    mean_words,
    off_bars,
    steps_words,
    strengths_of,
)
from .panels import bars_of as lane_bars
from .words import answer_of, detail_of, warp_name

ORDERS = {"block": "by block", "worst": "worst first"}
_KEYS = (
    ("W S", "previous, next warp"),
    ("A D", "previous, next lane"),
    ("O", "other order"),
    ("← →", "previous, next warp"),
    ("Shift ← →", "previous, next block"),
)


def _axes(player: Player, data: Overview) -> None:
    """Order, warp and lane; the block and the bar are those of the warp."""
    every, bars = range(len(data.steps)), bars_of(data)
    player.axis("order", list(ORDERS))
    player.axis("warp", len(every))
    longest = {"by": "warp", "rows": data.lanes.argmax(axis=1)}
    player.axis("lane", LANES, follows=longest)
    blocks = {"by": "warp", "rows": [warp // data.warps for warp in every]}
    player.axis("block", len(data.blocks), [], follows=blocks)
    rows = [at for at, bar in enumerate(bars) for _ in range(bar.first, bar.last + 1)]
    player.axis("bar", len(bars), [], follows={"by": "warp", "rows": rows})
    player.columns(
        **columns_of(data),
        strengths=[strengths_of(data, at) for at in range(len(data.blocks))],
        orders=[order_of(bars, order) for order in ORDERS],
        barOf=rows,
        opens=[bar.warp for bar in bars],
    )


def _follow_bars(player: Player, data: Overview) -> None:
    """The bars in each order, and the ring around one; the pointer opens a bar."""
    bars, by = bars_of(data), ["order"]
    layout, most = layout_of(data, len(bars)), max(bar.steps for bar in bars)
    orders = {order: order_of(bars, order) for order in ORDERS}
    for slot, own in enumerate(zip(*orders.values(), strict=True)):
        shown = [bars[at] for at in own]
        long = [long_of(bar, layout, most) for bar in shown]
        player.set(f"b{slot}", "width", by, long)
        parts = [x * bar.share for x, bar in zip(long, shown, strict=True)]
        player.set(f"s{slot}", "width", by, parts)
        player.set(f"s{slot}", "fill", by, [bar.hue for bar in shown])
    heads = [group_words(data, layout, len(bars), order) for order in ORDERS]
    for group, words in enumerate(zip(*heads, strict=True)):
        player.text(f"h{group}", by, words)
    rings = [
        ring_place(bar, layout, most, slots.index(at))
        for slots in orders.values()
        for at, bar in enumerate(bars)
    ]
    for name, values in zip(("x", "y", "width"), zip(*rings, strict=True), strict=True):
        player.set("bar", name, ["order", "bar"], values)
    pointed = item(item(column("orders"), row("order")), PART)
    open_now = same(item(column("barOf"), row("warp")), pointed)
    opened = chosen(open_now, row("warp"), item(column("opens"), pointed))
    player.areas("bar", "warp", [], opened, on=["b", "s"])


def _follow_block(player: Player, data: Overview) -> None:
    """The threads of a block, and which of its rows is the warp."""
    names = [f"Block {number(block)}" for block in data.blocks]
    player.text("block-name", ["block"], names)
    strengths = item(column("strengths"), row("block"))
    for level in range(LEVELS):
        player.set(f"depth{level}", "d", ["block"], cells_of(strengths, level))
    places = [
        f"translate(0 {round(warp % data.warps * CELL, 1):g})"
        for warp in range(len(data.steps))
    ]
    player.set("row", "transform", ["warp"], places)
    own = row("block") * data.warps + (POINTER_Y - CELLS_TOP) // CELL
    lane = (POINTER_X - LEFT) // CELL
    player.areas("block-name", "warp", [], own, on=["depth"], also={"lane": lane})


def _follow_warp(player: Player, data: Overview) -> None:
    """The lanes of a warp as bars."""
    by, every = ["warp"], range(len(data.steps))

    def text(name: str, words: Any) -> None:
        player.text(name, by, [words(warp) for warp in every])

    text("warp-name", lambda warp: f"Warp {warp % data.warps}")
    text("warp-steps", lambda warp: steps_words(data, warp))
    text("steps", lambda warp: number(int(data.steps[warp])))
    text("mean-words", lambda warp: mean_words(data, warp))
    counts = data.present.tolist()
    off = {lanes: off_bars(data, lanes) for lanes in set(counts)}
    player.set("off", "d", by, [off[lanes] for lanes in counts])
    own = item(column("lanes"), row("warp"))
    lanes = first(item(column("present"), row("warp")), own)
    on = lane_bars(data, lanes, item(column("steps"), row("warp")))
    player.set("on", "d", by, on)
    player.set("on", "fill", by, [strong(warp % data.warps) for warp in every])
    heights = [f"translate(0 {mean_height(data, warp):g})" for warp in every]
    player.set("mean", "transform", by, heights)
    lane = (POINTER_X - LEFT) // CELL
    player.areas(
        "warp-name", "warp", [], row("warp"), on=["on", "off"], also={"lane": lane}
    )


def _follow_lane(player: Player, data: Overview) -> None:
    """The ring around one lane, and what it did."""
    by, marks = ["warp", "lane"], lane_marks(data)
    player.set("lane", "x", by, marks.x)
    player.set("lane", "y", by, marks.y)
    player.set("lane", "height", by, marks.height)
    player.text("lane-words", by, marks.words)


def _keys(player: Player, data: Overview) -> None:
    for key, axis, by in (("w", "warp", -1), ("s", "warp", 1), ("a", "lane", -1)):
        player.key(key, axis, by=by)
    player.key("d", "lane", by=1, last={"by": "warp", "rows": data.present - 1})
    player.key("o", "order", to=[1, 0])


def overview_live(data: Overview, note: str, warp: int, lane: int, order: str) -> Live:
    """What makes the picture live.

    Args:
        data: From `overview_data`.
        note: What the details end with.
        warp, lane, order: What is shown first.
    """
    player = Player({"warp": warp, "lane": lane, "order": order})
    _axes(player, data)
    _follow_bars(player, data)
    _follow_block(player, data)
    _follow_warp(player, data)
    _follow_lane(player, data)
    every, tail = range(len(data.steps)), f" {note}" if note else ""
    player.says(
        ["warp"],
        [answer_of(data, each) for each in every],
        [detail_of(data, each) + tail for each in every],
    )
    names = [warp_name(data, each) for each in every]
    marks = [block * data.warps for block in range(len(data.blocks))]
    player.slider("warp", "Warp", names, marks)
    player.choice("order", "Order", list(ORDERS.items()))
    _keys(player, data)
    return player.live(_KEYS)
