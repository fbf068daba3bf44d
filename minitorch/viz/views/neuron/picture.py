"""The picture of a neuron as a whole: products, threads, the chain of launches."""

from __future__ import annotations

from typing import Any

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing
from .chain_view import draw_chain, follow_chain
from .chains import Chain
from .columns import WINDOW, columns_of
from .strips_view import (
    STRIP_HIGH,
    SUM_HIGH,
    bracket_columns,
    breaks_of_sums,
    draw_strip,
    draw_sums,
    follow_strips,
    sum_columns,
    sums_in_words,
)
from .threads_view import HIGH as THREADS_HIGH
from .threads_view import draw_factor, draw_sum, draw_threads, place_columns
from .words import answer_of, detail_of

_PANELS = (0.0, 290.0, 560.0, 830.0)
_KEYS = (
    ("← →", "previous, next product"),
    ("Shift ← →", "previous, next sixteen"),
    ("W S", "launch of the chain"),
)


def _columns(chain: Chain) -> dict[str, Any]:
    return {
        **columns_of(chain),
        **sum_columns(chain),
        **bracket_columns(chain),
        **place_columns(chain),
    }


def _counts(chain: Chain) -> dict[str, int]:
    most = max(len(part.products) for part in chain.parts)
    return {"part": len(chain.parts), "product": max(most, 1)}


def draw_neuron(chain: Chain, part: int, product: int) -> Figure:
    """Draw how a neuron is computed.

    Args:
        chain: From `chain_of`.
        part: The launch of the chain in focus.
        product: The multiply-add of it in focus.
    """
    rows = {"part": part, "product": product}
    moving = Moving(rows, _counts(chain), _columns(chain))
    body, y = Drawing(WIDTH), 0.0
    body.put_part(draw_sums(moving, chain), 0, y, breaks=breaks_of_sums())
    y += SUM_HIGH
    body.put_part(draw_strip(moving, chain), 0, y, breaks=breaks_of_sums())
    y += STRIP_HIGH + 12
    body.path(f"M0 {y}H{WIDTH}", stroke="var(--line)")
    y += 16
    panels = (
        draw_threads(moving, chain),
        draw_factor(moving, chain, "a", "Who brought the first factor"),
        draw_factor(moving, chain, "b", "Who brought the second factor"),
        draw_sum(moving, chain),
    )
    for x, panel in zip(_PANELS, panels, strict=True):
        body.put_part(panel, x, y)
    y += THREADS_HIGH
    body.path(f"M0 {y}H{WIDTH}", stroke="var(--line)")
    y += 14
    body.height = y + draw_chain(body, moving, chain, y)
    return Figure(
        question="Which thread computes this neuron, and from which numbers?",
        answer=answer_of(chain, part),
        detail=detail_of(chain, part),
        body=body,
        key=_key(chain),
        data=chain,
        live=_live(chain, moving, rows),
    )


def _key(chain: Chain) -> tuple[KeyEntry, ...]:
    key = [KeyEntry("runs", "runs this product (colour: warp)", chain.parts[0].warp)]
    products = [each for part in chain.parts for each in part.products]
    if products:
        key.append(KeyEntry("belongs", "done before", chain.parts[0].warp))
        key.append(KeyEntry("same", "loaded a factor (letter: which)"))
    if any(each.padded for each in products):
        key.append(KeyEntry("empty", "padding: past the edge, zeros"))
    key.append(KeyEntry("focus", "focus: product, thread, launch"))
    return tuple(key)


def _live(chain: Chain, moving: Moving, rows: dict[str, int]) -> Live | None:
    counts = _counts(chain)
    if counts == {"part": 1, "product": 1}:
        return None
    player = Player(rows)
    player.axis("part", counts["part"])
    limits = [max(len(part.products), 1) for part in chain.parts]
    player.axis("product", counts["product"], most={"by": "part", "rows": limits})
    moving.follow(player)
    every = range(counts["part"])
    player.says(
        ["part"],
        [answer_of(chain, at) for at in every],
        [detail_of(chain, at) for at in every],
    )
    longest = max(chain.parts, key=lambda part: len(part.products))
    words = [sums_in_words(longest, at) for at in range(len(longest.products))]
    marks = list(range(0, counts["product"], WINDOW))
    player.slider("product", "Product", words or ["no product"], marks[:200])
    player.key("w", "part", by=-1)
    player.key("s", "part", by=1)
    follow_strips(player)
    follow_chain(player, chain)
    return player.live(_KEYS)
