"""The picture of a network as a whole: its table, and one launch below it."""

from __future__ import annotations

from typing import Any

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, shortened
from .chips_view import draw_chips, follow_chips
from .columns import MOST_PRODUCTS, array_columns, columns_of
from .groups import Group, groups_of
from .levels_view import draw_least, draw_levels
from .nets import LANES, Net
from .output_view import draw_output, follow_output, output_columns
from .panels import HIGH as PANELS_HIGH
from .panels import (
    block_columns,
    draw_block,
    draw_sms,
    draw_thread,
    draw_warp,
    follow_panels,
    product_pitch,
)
from .reads import read_columns
from .rows_view import draw_rows, follow_rows
from .words import answer_of, detail_of, extent, layer_words

_PANELS = (0.0, 288.0, 552.0, 800.0)  # where each of the four begins
_BELOW = (0.0, 340.0, 700.0)
_TITLE = (0.0, 290.0, 640.0)
_QUESTION = "How is my network mapped onto the GPU, and what moves for it?"
_MOVES = {"block": "qe", "warp": "ws", "lane": "ad", "product": "[]"}
_KEYS = (
    ("← →", "previous, next kernel"),
    ("Q E", "block"),
    ("W S", "warp"),
    ("A D", "thread"),
    ("[ ]", "multiply-add"),
)


def _marked(net: Net) -> list[int]:
    """Products of a thread that each have a mark."""
    return [each.products if each.products <= MOST_PRODUCTS else 0
            for each in net.kernels]  # fmt: skip


def _columns(net: Net) -> dict[str, Any]:
    outputs = [each.outputs[0] if each.outputs else None for each in net.kernels]
    return {
        **columns_of(net),
        **array_columns("out", outputs),
        **read_columns(net),
        **block_columns(net),
        **output_columns(net),
        "products": [each.products for each in net.kernels],
        "marked": _marked(net),
        "productPitch": [product_pitch(each) for each in net.kernels],
    }


def _titles(net: Net, at: int) -> tuple[str, str, str]:
    """What the launch is, which part of the network it is of, and its line."""
    kernel = net.kernels[at]
    layer = layer_words(kernel) + (f" ({kernel.kind})" if kernel.kind else "")
    shape = f"grid {extent(kernel.grid)}, block {extent(kernel.block)}"
    line = f"{kernel.line} · " if kernel.line else ""
    return (
        f"Kernel {at + 1}: {shortened(kernel.name, 22)}",
        shortened(layer, 44),
        f"{line}{shape}",
    )


def _draw_titles(body: Drawing, moving: Moving, net: Net, y: float) -> None:
    titles = [_titles(net, at) for at in range(len(net.kernels))]
    for at, x in enumerate(_TITLE):
        view, words = Drawing(270.0, 30), [each[at] for each in titles]
        ink = "mut" if at else "ink"
        look: dict[str, Any] = {"bold": not at, "fill": f"var(--{ink})"}
        size = 12.5 if at else 16
        moving.text(view, f"title{at}", 0, 20, ["kernel"], words, size, **look)
        body.put_part(view, x, y)


def _counts(net: Net, groups: list[Group]) -> dict[str, int]:
    return {
        "kernel": len(net.kernels),
        "group": len(groups),
        "block": max(each.blocks for each in net.kernels),
        "warp": max(each.warps for each in net.kernels),
        "lane": LANES,
        "product": max(1, *_marked(net)),
    }


def _rows(net: Net, groups: list[Group], focus: dict[str, int]) -> dict[str, int]:
    group = next(at for at, each in enumerate(groups) if focus["kernel"] <= each.last)
    return {"product": 0, **focus, "group": group}


def draw_network(net: Net, focus: dict[str, int]) -> Figure:
    """Draw a network: its launches, and one of them down to a multiply-add.

    Args:
        net: From `net_of`.
        focus: The "kernel", "block", "warp", "lane" and "product" that are shown first.
    """
    groups = groups_of(net)
    rows = _rows(net, groups, focus)
    moving = Moving(rows, _counts(net, groups), _columns(net))
    body = Drawing(WIDTH)
    y = draw_rows(body, moving, net, groups) + 12
    y += draw_chips(body, moving, net, groups, y)
    _draw_titles(body, moving, net, y)
    y += 46
    panels = (draw_sms(moving, net), draw_block(moving, net), draw_warp(moving),
              draw_thread(moving, net, MOST_PRODUCTS))  # fmt: skip
    for x, panel in zip(_PANELS, panels, strict=True):
        body.put_part(panel, x, y)
    y += PANELS_HIGH
    body.path(f"M0 {y}H{WIDTH}", stroke="var(--line)")
    y += 16
    below = (
        draw_output(moving, net),
        draw_levels(moving, net),
        draw_least(moving, net),
    )
    for x, panel in zip(_BELOW, below, strict=True):
        body.put_part(panel, x, y)
    body.height = y + below[0].height
    return Figure(
        question=_QUESTION,
        answer=answer_of(net),
        detail=detail_of(net),
        body=body,
        key=_key(net),
        data=net,
        live=_live(net, groups, moving, rows),
    )


def _key(net: Net) -> tuple[KeyEntry, ...]:
    key = []
    if any(each.executed for each in net.kernels):
        key.append(KeyEntry("useful", "useful of executed: the rest is padding"))
    key.append(
        KeyEntry("span", "touched (cold caches, nothing twice) … asked (no caches)")
    )
    key.append(KeyEntry("runs", "in focus: its block's SM, its warp (colour: block)"))
    key.append(KeyEntry("belongs", "other threads, cells and SMs"))
    if any(each.writers for each in net.kernels):
        key.append(KeyEntry("empty", "writes no cell"))
    return (*key, KeyEntry("focus", "focus: SM, warp, thread, its cell"))


def _axes(player: Player, net: Net, groups: list[Group]) -> None:
    every, counts = net.kernels, _counts(net, groups)
    group = [at for at, each in enumerate(groups) for _ in range(each.count)]
    player.axis("kernel", counts["kernel"])
    player.axis("group", counts["group"], [], follows={"by": "kernel", "rows": group})
    limits = {
        "block": [each.blocks for each in every],
        "warp": [each.warps for each in every],
        "lane": [min(each.threads, LANES) for each in every],
        "product": [max(each, 1) for each in _marked(net)],
    }
    for name, most in limits.items():
        player.axis(name, counts[name], most={"by": "kernel", "rows": most})
    for name, keys in _MOVES.items():
        last = {"by": "kernel", "rows": [each - 1 for each in limits[name]]}
        player.key(keys[0], name, by=-1)
        player.key(keys[1], name, by=1, last=last)


def _live(net: Net, groups: list[Group], moving: Moving, rows: dict[str, int]) -> Live:
    first = {name: at for name, at in rows.items() if name != "group"}
    player = Player(first)
    _axes(player, net, groups)
    moving.follow(player)
    names = [
        f"kernel {at + 1} of {len(net.kernels)}: {each.name}"
        for at, each in enumerate(net.kernels)
    ]
    marks = [each.first for each in groups] if len(groups) < len(net.kernels) else []
    player.slider("kernel", "Kernel", names, marks)
    follow_rows(player, groups)
    follow_chips(player, net, groups)
    follow_panels(player, net)
    follow_output(player)
    keys = list(_KEYS)
    if marks:
        keys.insert(1, ("Shift ← →", "previous, next row"))
    return player.live(keys)
