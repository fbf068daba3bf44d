"""The picture of waves: the places of a card, and where one block runs."""

from __future__ import annotations

from dataclasses import dataclass

from ...figure.player import Player
from ...scene.drawing import Drawing, number
from ...scene.formulas import (
    POINTER_X,
    POINTER_Y,
    Formula,
    chosen,
    find,
    in_words,
    item,
    row,
    text,
    value_of,
)
from ...scene.marks import EMPTY
from ...scene.palette import strong
from ...scene.phrases import counted
from ...traces.residency import Card

_MOST_WAVES = 3
_TOP = 26.0
_LEGEND = 300.0  # room for the words at the right


@dataclass(frozen=True)
class Marks:
    """Of the block in focus: its ring's upper left corner, and where it runs."""

    x: Formula
    y: Formula
    visibility: Formula
    words: Formula


_NO_MARKS = Marks(Formula(-1.0), Formula(_TOP - 1), Formula("hidden"), Formula(""))


@dataclass(frozen=True)
class Waves:
    """Where places are: of wave `shown[i]` the rows begin at `tops[i]`.

    `wide` and `high` are those of a place; `foot` is where the last words stand.
    """

    sms: int
    fit: int
    wide: float
    high: float
    shown: list[int]
    tops: list[float]
    foot: float

    @property
    def marks(self) -> Marks:
        """The ring and the words of any block; there must be places."""
        block = row("block")
        wave, place = block // (self.sms * self.fit), block % (self.sms * self.fit)
        sm, slot = place % self.sms, find(self.shown, wave)
        top = item(self.tops, slot) + (self.fit - 1 - place // self.sms) * self.high
        hidden = slot < 0
        return Marks(
            x=chosen(hidden, 0, sm * self.wide) - 1,
            y=chosen(hidden, _TOP, top) - 1,
            visibility=chosen(hidden, "hidden", "visible"),
            words=text(
                "block ", in_words(block), ": wave ", in_words(wave + 1), ", SM ", sm
            ),
        )

    @property
    def pointed(self) -> Formula:
        """The block whose place the pointer is at; -1 for none."""
        sm, slot = POINTER_X // self.wide, Formula(-1)
        tall = self.fit * self.high
        for shown, top in enumerate(self.tops):
            inside = chosen(top > POINTER_Y, False, top + tall > POINTER_Y)
            slot = chosen(inside, shown, slot)
        up = self.fit - 1 - (POINTER_Y - item(self.tops, slot)) // self.high
        block = item(self.shown, slot) * (self.sms * self.fit) + up * self.sms + sm
        beside = chosen(sm < 0, True, chosen(sm < self.sms, slot < 0, True))
        return chosen(beside, -1, block)


def waves_of(card: Card, width: float) -> Waves:
    """Lay the waves of a card out. The last one is shown too: it has empty places."""
    high = 16.0 if card.fit <= 4 else 11.0 if card.fit <= 8 else 5.0
    shown = list(range(min(card.waves, _MOST_WAVES)))
    if card.waves > _MOST_WAVES:
        shown[-1] = card.waves - 1
    tops, y = [], _TOP
    for before, wave in zip([-1, *shown], shown, strict=False):
        y += 24 * (wave > before + 1)
        tops.append(y)
        y += card.fit * high + 31
    wide = round(min(width / card.sms, 15.0), 2)
    return Waves(card.sms, card.fit, wide, high, shown, tops, y)


def break_of(card: Card, width: float) -> float:
    """Between two multiprocessors, where the picture may go on in a new line."""
    wide = waves_of(card, width).wide
    return wide * int((width - _LEGEND) / wide)


def _squares(waves: Waves, start: int, end: int) -> str:
    """Places by number: one column an SM, the first row at the bottom."""
    wide, high = waves.wide, waves.high
    shape = f"h{wide - 1.2:.2f}v{high - 1.2:.2f}h{1.2 - wide:.2f}z"
    parts = []
    for at in range(start, end):
        x, row = at % waves.sms * wide, waves.fit - 1 - at // waves.sms
        parts.append(f"M{x + 0.6:.1f} {row * high + 0.6:.1f}{shape}")
    return "".join(parts)


def _wave_words(card: Card, wave: int) -> tuple[str, bool]:
    count = card.blocks_of(wave)
    words = f"wave {wave + 1}: {counted(count, 'block')}"
    empty = card.places - count
    if not empty:
        return f"{words}, every place is taken", True
    share = round(100 * empty / card.places)
    return (
        f"{words}, {number(empty)} of {number(card.places)} places stay empty "
        f"({share} %)",
        False,
    )


def _draw_wave(view: Drawing, card: Card, waves: Waves, wave: int, top: float) -> None:
    part, count = Drawing(view.width), card.blocks_of(wave)
    part.path(_squares(waves, 0, count), fill=strong(0))
    if count < card.places:
        part.path(
            _squares(waves, count, card.places),
            fill=EMPTY, stroke="var(--line)", stroke_width=0.7,
        )  # fmt: skip
    view.put(part, 0, top)
    said, full = _wave_words(card, wave)
    ink = f"var(--{'mut' if full else 'ink'})"
    view.text(0, top + card.fit * waves.high + 15, said, 12, bold=not full, fill=ink)


def follow_block(player: Player, card: Card, waves: Waves, tag: int) -> None:
    """Let the ring and the words of a card's waves follow the axis "block"."""
    by, marks, ring = ["block"], waves.marks, f"ring{tag}"
    player.set(ring, "x", by, marks.x)
    player.set(ring, "y", by, marks.y)
    player.set(ring, "visibility", by, marks.visibility)
    player.text(f"at{tag}", by, marks.words)
    player.areas(f"at{tag}", "block", [], waves.pointed)


def draw_waves(card: Card, block: int, width: float, tag: int) -> Drawing:
    """Draw the waves of a card, and one block among them.

    Args:
        card: The launch on it.
        block: The number of the block in focus.
        width: Room in pixels.
        tag: Ends the names of the parts that a script may change.
    """
    view, waves = Drawing(width), waves_of(card, width)
    said, blocks = counted(card.waves, "wave"), counted(card.blocks, "block")
    view.text(0, 12, f"{blocks} on {card.sms} SMs: {said}", 13, bold=True)
    words = "one column: one SM · one cell: room for one block"
    view.text(width, 12, words, 11.5, fill="var(--mut)", anchor="end")
    previous = -1
    for wave, top in zip(waves.shown, waves.tops, strict=True):
        if wave > previous + 1:
            between = f"… and {number(wave - previous - 1)} more waves like these"
            view.text(0, top - 14, between, 12, fill="var(--mut)")
        previous = wave
        _draw_wave(view, card, waves, wave, top)
    marks = waves.marks if card.fit else _NO_MARKS
    x, y, visibility, words = (
        value_of(each, {"block": block}) for each in vars(marks).values()
    )
    view.rect(
        x, y, waves.wide + 2, waves.high + 2, rx=3, fill="none",
        stroke="var(--ink)", stroke_width=2.4, data_at=f"ring{tag}",
        visibility=visibility,
    )  # fmt: skip
    view.text(0, waves.foot + 10, words, 12, data_at=f"at{tag}")
    view.height = waves.foot + 16
    return view
