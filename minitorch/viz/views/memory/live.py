"""How the memory view moves: its instructions, and the lane in focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....cuda.inspecting.trace import LANES
from ...figure.live import Live
from ...figure.player import Box, Player
from ...scene.drawing import Drawing
from .bank_view import draw_bank_focus, draw_shelf, rings_of, shelf_words
from .request_view import draw_focus, draw_request, focus_of, places_of
from .traffic import Banks, Request, Traffic, variants_of
from .words import answer_of, shared_answer_of

_MOST_VARIANTS = 2


def _label(request: Request) -> str:
    return f"{request.noun}, line {request.line}"


def _requests(
    player: Player, at: int, by: Sequence[str], requests: Sequence[Request]
) -> None:
    """A panel of global memory: of one request, or of those to choose from."""
    if by:
        player.content(f"request{at}", by, [draw_request(each) for each in requests])
    both = [*by, "lane"]
    foci = [focus_of(each, lane) for each in requests for lane in range(LANES)]
    player.content(f"focus{at}", both, [draw_focus(each) for each in foci])
    player.text(f"way{at}", both, [each.words for each in foci])
    boxes = [places_of(each) for each in requests]
    _lane_areas(player, f"request{at}", by, boxes)


def _lane_areas(
    player: Player,
    at: str,
    by: Sequence[str],
    boxes: Sequence[Sequence[Sequence[Box]]],
) -> None:
    """Let the pointer lead to the lane over whose boxes it is.

    Args:
        boxes: For each row of `by` the boxes of each lane.
    """
    most = max(len(own) for lanes in boxes for own in lanes)
    nowhere = (0, 0, 0, 0)
    every = [
        [box for own in lanes for box in [*own, *[nowhere] * (most - len(own))]]
        for lanes in boxes
    ]
    rows = [lane for lane in range(LANES) for _ in range(most)] if most else []
    if most:
        player.areas(at, "lane", by, every, rows)


def _variants(request: Request) -> list[Banks | None]:
    found = variants_of(request)
    return [*found, *[None] * (_MOST_VARIANTS - len(found))]


def _shelves(player: Player, at: int, requests: Sequence[Request]) -> None:
    """A panel of shared memory: as it ran, or with padding."""
    every = [(_variants(each)[at], each.warp) for each in requests]
    shelf = [draw_shelf(banks, warp) if banks else "" for banks, warp in every]
    player.content(f"shelf{at}", ["near"], shelf)

    def each_lane(draw: Callable[[Banks, int], Any]) -> list[Any]:
        return [draw(banks, lane) if banks else "" for banks, _ in every
                for lane in range(LANES)]  # fmt: skip

    both = ["near", "lane"]
    player.content(f"bank{at}", both, each_lane(_bank_focus))
    player.text(f"word{at}", both, each_lane(shelf_words))
    boxes = [
        [rings_of(banks, lane)[1:] if banks else [] for lane in range(LANES)]
        for banks, _ in every
    ]
    _lane_areas(player, f"shelf{at}", ["near"], boxes)


def _bank_focus(banks: Banks, lane: int) -> Drawing:
    return draw_bank_focus(banks, lane)


def _away(player: Player, data: Traffic) -> None:
    player.axis("away", len(data.choices))
    fixed = len(data.requests) > 1
    if fixed:
        _requests(player, 0, [], data.requests[:1])
    _requests(player, int(fixed), ["away"], data.choices)


def _near(player: Player, data: Traffic) -> None:
    player.axis("near", len(data.shared_choices))
    for at in range(_MOST_VARIANTS):
        _shelves(player, at, data.shared_choices)


def _choose(
    player: Player, name: str, label: str, keys: str, words: Sequence[str]
) -> None:
    if len(words) < 2:
        return
    player.choice(name, label, list(enumerate(words)))
    for key, by in zip(keys, (-1, 1), strict=True):
        player.key(key, name, by=by)


def memory_live(
    data: Traffic,
    away: list[Traffic],
    near: list[Traffic],
    first: dict[str, int],
    detail: str,
) -> Live:
    """What makes the picture live.

    Args:
        data: From `memory_data`.
        away: The traffic with each of its choices of global memory shown.
        near: The same for shared memory.
        first: What is shown first: away, near, lane.
        detail: The line below the answer.
    """
    player = Player(first)
    player.axis("lane", LANES)
    if away:
        _away(player, data)
        player.says(["away"], map(answer_of, away), detail)
    if near:
        _near(player, data)
        words = list(map(shared_answer_of, near))
        if away:
            player.text("shared", ["near"], words)
        else:
            player.says(["near"], words, detail)
    player.slider("lane", "Lane", [f"lane {lane}" for lane in range(LANES)])
    labels = [_label(each) for each in data.choices]
    _choose(player, "away", "Global memory", "ws", labels)
    labels = [f"shared {_label(each)}" for each in data.shared_choices]
    _choose(player, "near", "Shared memory", "[]", labels)
    return player.live(
        (
            ("← →", "previous, next lane"),
            ("W S", "previous, next instruction"),
            *([("[ ]", "the same for shared memory")] if len(near) > 1 else []),
        )
    )
