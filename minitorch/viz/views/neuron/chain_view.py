"""The cards of a chain: one for each launch that had a share in the neuron."""

from __future__ import annotations

from ...figure.figure import WIDTH
from ...figure.moving import Moving
from ...figure.player import Player
from ...scene.drawing import Drawing, shortened, wrapped
from ...scene.marks import VALUE_IN
from ...scene.palette import strong
from ...scene.phrases import counted
from .chains import Chain, Part, value_words
from .words import step_words

_COLUMNS = 4
_STEP = WIDTH / _COLUMNS
_WIDE, _HIGH, _GAP = 244.0, 112.0, 12.0
_MOST = 24
_MOST_STEPS = 2


def _does(part: Part) -> list[str]:
    """What a part computes, in at most two lines."""
    lines = [f"sum of {counted(part.count, 'product')}"] if part.count else []
    steps = [step_words(each) for each in part.steps]
    for step in steps[: _MOST_STEPS - len(lines)]:
        lines += wrapped(step, 11.5, _WIDE - 30)
    more = len(steps) - (_MOST_STEPS - bool(part.count))
    if more > 0 and len(lines) > _MOST_STEPS - 1:
        lines = [*lines[: _MOST_STEPS - 1], f"… {counted(more + 1, 'step')} more"]
    return lines[:_MOST_STEPS]


def _draw_card(part: Part) -> Drawing:
    view = Drawing(_WIDE, _HIGH)
    view.rect(0.75, 0.75, _WIDE - 1.5, _HIGH - 1.5, rx=6, fill="var(--panel)",
              stroke="var(--line)", cursor="pointer")  # fmt: skip
    view.rect(1.5, 9, 4, _HIGH - 18, rx=2, fill=strong(part.warp))
    name = shortened(f"{part.kernel + 1} {part.name}", 18)
    view.text(15, 21, name, 12.5, mono=True, bold=True)
    thread = f"thread {part.thread_name(part.number)}"
    view.text(_WIDE - 12, 21, thread, 12, anchor="end", bold=True)
    place = f"block {part.block_name} · SM {part.sm} · warp {part.warp}"
    view.text(15, 40, f"{place} · lane {part.lane}", 11, fill="var(--mut)")
    for at, line in enumerate(_does(part)):
        view.text(15, 61 + 15 * at, line, 11.5)
    view.text(_WIDE - 12, 100, value_words(part.value), 16, anchor="end", mono=True,
              bold=True)  # fmt: skip
    return view


def draw_chain(body: Drawing, moving: Moving, chain: Chain, y: float) -> float:
    """Draw the cards in lines, with arrows between; the one in focus has the ring.

    Returns:
        The height.
    """
    shown = chain.parts[:_MOST]
    head = Drawing(270, 40)
    head.text(0, 14, "The chain", 13, bold=True)
    count = counted(len(chain.parts), "launch")
    between = ": between them the value lies in memory" if len(shown) > 1 else ""
    head.text(0, 31, f"{count}{between}", 11, fill="var(--mut)")
    body.put_part(head, 0, y)
    top = y + 42
    for at, part in enumerate(shown):
        x, line = at % _COLUMNS * _STEP, at // _COLUMNS
        card = _draw_card(part)
        ring = [
            "visible" if at == each else "hidden" for each in range(len(chain.parts))
        ]
        moving.ring(card, f"card{at}", ["part"], {"visibility": ring}, x=1, y=1,
                    width=_WIDE - 2, height=_HIGH - 2, rx=6)  # fmt: skip
        body.put_part(card, x, top + line * (_HIGH + _GAP))
        if at + 1 < len(shown) and (at + 1) % _COLUMNS:
            middle = top + line * (_HIGH + _GAP) + _HIGH / 2
            body.path(f"M{x + _WIDE + 4:g} {middle:g}H{x + _STEP - 4:g}",
                      stroke="var(--ink)", stroke_width=2,
                      marker_end=VALUE_IN)  # fmt: skip
    lines = -(-len(shown) // _COLUMNS)
    return 42 + lines * (_HIGH + _GAP)


def follow_chain(player: Player, chain: Chain) -> None:
    """A press on a card leads to its launch."""
    for at in range(min(len(chain.parts), _MOST)):
        boxes = [[(0, 0, _WIDE, _HIGH)]]
        player.areas(f"card{at}", "part", [], boxes, [at], pressed=True)
