"""Owns the picture of waves: the places of a card, and where one block runs.

Must not know launches: it draws the numbers of `residency`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .drawing import Drawing, number
from .marks import EMPTY
from .palette import strong
from .phrases import counted
from .residency import Card

_MOST_WAVES = 3
_TOP = 26.0
_LEGEND = 300.0  # room for the words at the right


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

    def place(self, block: int) -> tuple[int, int, int]:
        """Wave, multiprocessor and row of a block; there must be places."""
        wave, at = divmod(block, self.sms * self.fit)
        return wave, at % self.sms, at // self.sms

    def corner(self, block: int) -> tuple[float, float] | None:
        """Where a block's place is drawn; None where its wave is not."""
        wave, sm, row = self.place(block) if self.fit else (-1, 0, 0)
        if wave not in self.shown:
            return None
        top = self.tops[self.shown.index(wave)]
        return round(sm * self.wide, 2), top + (self.fit - 1 - row) * self.high


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


def block_words(waves: Waves, block: int) -> str:
    """Where a block runs."""
    if not waves.fit:
        return ""
    wave, sm, _ = waves.place(block)
    return f"block {number(block)}: wave {number(wave + 1)}, SM {sm}"


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
    corner = waves.corner(block)
    x, y = corner or (0.0, _TOP)
    view.rect(
        x - 1, y - 1, waves.wide + 2, waves.high + 2, rx=3, fill="none",
        stroke="var(--ink)", stroke_width=2.4, data_at=f"ring{tag}",
        visibility="visible" if corner else "hidden",
    )  # fmt: skip
    view.text(0, waves.foot + 10, block_words(waves, block), 12, data_at=f"at{tag}")
    view.height = waves.foot + 16
    return view
