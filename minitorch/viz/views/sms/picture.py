"""The picture of multiprocessors: what a block takes of one, and the waves."""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import Drawing, number, width_of
from ...scene.formulas import in_words, row, text
from ...scene.marks import EMPTY
from ...scene.palette import strong, tint
from ...scene.phrases import counted, joined
from ...traces.residency import Card, Need, SmsData
from .waves_view import break_of, draw_waves, follow_block, waves_of

_SUIT, _WAVES = 316.0, 352.0
_MOST_MARKS = 200


def _amount(name: str, value: int) -> str:
    if name == "shared memory":
        return f"{value / 1024:.4g} KB"
    if name == "registers" and value % 1024 == 0:
        return f"{value // 1024} K"
    return number(value)


def _draw_need(view: Drawing, need: Need, fit: int, y: float) -> None:
    high = 18.0 if need.limits else 12.0
    name = need.name[:1].upper() + need.name[1:]
    view.runs(0, y + 4, 12, (name, "bold" if need.limits else ""),
              ("  ← limit" if need.limits else "", "bold"))  # fmt: skip
    block, has = _amount(need.name, need.block), _amount(need.name, need.has)
    view.text(
        _SUIT, y + 4, f"{fit} × {block} of {has}", 11.5,
        fill="var(--mut)", anchor="end", mono=True,
    )  # fmt: skip
    view.rect(0.5, y + 10, _SUIT - 1, high, rx=3, fill=EMPTY, stroke="var(--line)")
    wide = _SUIT * need.block / need.has
    for at in range(fit):
        view.rect(
            at * wide + 1, y + 11, max(wide - 2, 0.6), high - 2, rx=min(2.5, wide / 4),
            fill=strong(0) if need.limits else tint(0),
        )  # fmt: skip
    if need.limits:
        view.rect(
            0, y + 9, _SUIT, 20, rx=4, fill="none", stroke="var(--ink)", stroke_width=2
        )
    left = _SUIT - fit * wide
    more = (need.fits or fit) - fit
    words = f"room for {more} more" if need.fits is not None and more else ""
    if not need.limits and words and need.block and left > width_of(words, 10.5) + 14:
        x = fit * wide + 5
        view.rect(x, y + 11, width_of(words, 10.5) + 6, 10, fill="var(--bg)")
        view.text(x + 3, y + 19.5, words, 10.5, fill="var(--mut)")


def _suit(card: Card) -> Drawing:
    """One multiprocessor and what the blocks that fit take of it."""
    view = Drawing(_SUIT, 30 + 46 * len(card.needs))
    blocks = f"{card.fit} block{'s' * (card.fit != 1)}"
    view.text(0, 12, f"One SM: {blocks} fit{'s' * (card.fit == 1)}", 13, bold=True)
    for at, need in enumerate(card.needs):
        _draw_need(view, need, card.fit, 34.0 + 46 * at)
    return view


def _occupancy(card: Card) -> str:
    return f"{round(100 * card.resident / card.warps)} %"


def _the_limit(card: Card) -> str:
    return joined(card.limits) or "nothing"


def _answer(data: SmsData) -> str:
    card = data.cards[0]
    if not card.fit:
        return f"On a {card.name}, not even one block of {data.threads:,} threads fits."
    one = card.fit == 1
    blocks = f"{card.fit} block{'s' * (not one)} fit{'s' * one} on one SM"
    many = len(card.limits) > 1 or _the_limit(card) in ("threads", "registers")
    many = many or _the_limit(card) == "block slots"
    return (
        f"On a {card.name}, {blocks}: {_the_limit(card)} {'are' if many else 'is'} the "
        "limit."
    )


def _detail(data: SmsData) -> str:
    shares = ", ".join(f"{_occupancy(each)} on the {each.name}" for each in data.cards)
    waves = " and ".join(
        f"{counted(each.waves, 'wave')} on the {each.name}"
        for each in data.cards
        if each.fit
    )
    blocks = number(data.cards[0].blocks)
    need = f" The {blocks} blocks need {waves}, if all take equally long."
    return f"Occupancy: {shares}.{need if waves else ''}"


def draw_sms(data: SmsData, block: int) -> Figure:
    """Draw how blocks share the multiprocessors of cards.

    Args:
        data: From `sms_data`.
        block: The number of the block in focus.
    """
    body, y = Drawing(WIDTH), 0.0
    for at, card in enumerate(data.cards):
        if at:
            body.path(f"M0 {y}H{WIDTH}", stroke="var(--line)")
            y += 20
        major, minor = card.compute
        name, about = Drawing(_SUIT, 20), Drawing(WIDTH - _WAVES, 20)
        chip = f" · compute capability {major}.{minor}"
        name.runs(0, 14, 14, (card.name, "bold"), (chip, "mut"))
        about.runs(
            0, 14, 14,
            (f"{card.resident} of {card.warps} warps resident = ", "mut"),
            (f"{_occupancy(card)} occupancy", "bold"),
            (f" · limit: {_the_limit(card)}", "mut"),
        )  # fmt: skip
        about.width = 430.0
        body.put_part(name, 0, y)
        body.put_part(about, max(_WAVES, width_of(card.name + chip, 14) + 20), y)
        suit, waves = _suit(card), draw_waves(card, block, WIDTH - _WAVES, at)
        body.put_part(suit, 0, y + 34)
        body.put_part(waves, _WAVES, y + 34, breaks=[break_of(card, waves.width)])
        y += 34 + max(suit.height, waves.height) + 14
    body.height = y
    return Figure(
        question="How many blocks run at the same time, and what stops the next one?",
        answer=_answer(data),
        detail=_detail(data),
        body=body,
        key=(
            KeyEntry("runs", "a block"),
            KeyEntry("belongs", "what the blocks that fit take of another resource"),
            KeyEntry("empty", "empty: no block fits, or none is left"),
            KeyEntry("limit", "the limit: the resource that is used up first"),
            KeyEntry("focus", "block in focus"),
        ),
        data=data,
        live=_live(data, block),
    )


def _live(data: SmsData, block: int) -> Live:
    """Any block is found on every card by formulas: there may be very many."""
    first = data.cards[0]
    marks = range(0, first.blocks, first.places or first.blocks)
    player = Player({"block": block})
    player.axis("block", first.blocks)
    for at, card in enumerate(data.cards):
        if card.fit:
            follow_block(player, card, waves_of(card, WIDTH - _WAVES), at)
    player.slider(
        "block",
        "Block",
        text("block ", in_words(row("block"))),
        list(marks) if len(marks) <= _MOST_MARKS else [],
    )
    return player.live(
        (("← →", "previous, next block"), ("Shift ← →", "previous, next wave"))
    )
