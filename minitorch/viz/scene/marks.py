"""The marks that views share: hatching, rings, arrows, swatches of the key."""

from __future__ import annotations

from collections.abc import Callable

from .drawing import PREFIX, Drawing, width_of
from .palette import depth, strong, tint

EMPTY = f"url(#{PREFIX}off)"
WRONG = f"url(#{PREFIX}bad)"
VALUE_OUT = f"url(#{PREFIX}in)"  # hollow head: a thread reads
VALUE_IN = f"url(#{PREFIX}out)"  # filled head: a thread writes


def definitions() -> str:
    """Patterns and arrow heads that drawings refer to."""

    def hatch(name: str, step: int, ground: str, ink: str, thick: float) -> str:
        return (
            f'<pattern id="{PREFIX}{name}" width="{step}" height="{step}" '
            'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<rect width="{step}" height="{step}" fill="{ground}"/>'
            f'<rect width="{thick}" height="{step}" fill="{ink}"/></pattern>'
        )

    def head(name: str, fill: str) -> str:
        return (
            f'<marker id="{PREFIX}{name}" viewBox="0 0 10 10" refX="9" refY="5" '
            'markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" '
            f'orient="auto-start-reverse"><path d="M0,0.8L9.5,5L0,9.2Z" fill="{fill}" '
            'stroke="var(--ink)" stroke-width="1.4"/></marker>'
        )

    return (
        f"<defs>{hatch('off', 6, 'var(--bg)', 'var(--line)', 1.4)}"
        f"{hatch('bad', 5, 'var(--badt)', 'var(--bad)', 1.6)}"
        f"{head('in', 'var(--bg)')}{head('out', 'var(--ink)')}</defs>"
    )


def ring(
    view: Drawing, x: float, y: float, w: float, h: float, *, inside: bool = True
) -> None:
    """Mark the one focus: a ring of ink, with a thin ring of background inside."""
    if inside:
        view.rect(
            x + 0.8, y + 0.8, w - 1.6, h - 1.6,
            rx=2.5, fill="none", stroke="var(--bg)", stroke_width=1.6,
        )  # fmt: skip
    view.rect(
        x - 1, y - 1, w + 2, h + 2,
        rx=4, fill="none", stroke="var(--ink)", stroke_width=2.4,
    )  # fmt: skip


def triangle(view: Drawing, x: float, y: float, size: float) -> None:
    """The sign of a finding, its top at (x, y)."""
    view.path(f"M{x} {y}l{size} {size * 1.75}h{-2 * size}z", fill="var(--bad)")
    view.path(
        f"M{x} {y + size * 0.6}v{size * 0.55}", stroke="var(--bg)", stroke_width=1.6
    )
    view.element("circle", cx=x, cy=y + size * 1.45, r=0.95, fill="var(--bg)")


def label(
    view: Drawing, x: float, y: float, words: str, size: float = 11, *, who: int
) -> None:
    """Words on the tint of their warp or block, ending at x, on the base line y."""
    room = width_of(words, size) + 12
    view.rect(x - room, y - size - 1, room, size + 6, rx=3, fill=tint(who))
    view.text(x - room + 6, y, words, size)


_BOX = (1.0, 1.0, 14.0, 14.0)


def _belongs(view: Drawing, who: int) -> None:
    view.rect(*_BOX, rx=3, fill=tint(who), stroke=strong(who))


def _runs(view: Drawing, who: int) -> None:
    view.rect(*_BOX, rx=3, fill=strong(who))


def _reads(view: Drawing, who: int) -> None:
    view.rect(
        2, 2, 12, 12, rx=3, fill="none", stroke=strong(who), stroke_width=1.4,
        stroke_dasharray="2.6 1.8",
    )  # fmt: skip


def _moved(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill=depth(16), stroke=depth(45))


def _step(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill="var(--panel)", stroke="var(--mut)")


def _fold(view: Drawing, _who: int) -> None:
    for away in (4, 2, 0):
        view.rect(
            1 + away, 5 - away, 11, 10, rx=2,
            fill="var(--bg)", stroke="var(--mut)", stroke_dasharray="2 2",
        )  # fmt: skip


def _forward(view: Drawing, _who: int) -> None:
    view.path("M0 8H16", stroke="var(--ink)", stroke_width=1.3, marker_end=VALUE_IN)


def _back(view: Drawing, _who: int) -> None:
    view.path("M0 8H16", stroke="var(--ink)", stroke_width=1.3, marker_start=VALUE_OUT)


def _untouched(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill="var(--off)")


def _bare(view: Drawing, _who: int) -> None:
    view.rect(1.5, 1.5, 13, 13, rx=3, fill="none", stroke="var(--line)")


def _empty(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill=EMPTY, stroke="var(--line)")


def _wrong(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill=WRONG, stroke="var(--bad)")


def _waits(view: Drawing, who: int) -> None:
    view.rect(*_BOX, rx=3, fill=tint(who))
    for x in (5, 9):
        view.rect(x, 4, 2, 8, fill=strong(who))


def _stays(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill=depth(16), stroke="var(--mut)")
    for x in (5, 9):
        view.rect(x, 4, 2, 8, fill="var(--ink)")


def _read(view: Drawing, _who: int) -> None:
    view.rect(
        2, 2, 12, 12, rx=3, fill="none", stroke="var(--ink)", stroke_width=1.2,
        stroke_dasharray="2.5 2",
    )  # fmt: skip


def _written(view: Drawing, who: int) -> None:
    view.rect(*_BOX, rx=3, fill=tint(who), stroke=strong(who), stroke_width=2)


def _focus(view: Drawing, _who: int) -> None:
    ring(view, 3, 3, 10, 10)


def _limit(view: Drawing, _who: int) -> None:
    view.rect(0.5, 4, 15, 8, rx=2, fill="none", stroke="var(--ink)", stroke_width=1.8)


def _barrier(view: Drawing, _who: int) -> None:
    view.path("M8 1V15", stroke="var(--ink)", stroke_width=2.4)


def _split(view: Drawing, _who: int) -> None:
    view.path("M1 8H6L14 3M6 8L14 13", stroke="var(--ink)", stroke_width=1.7)


def _join(view: Drawing, _who: int) -> None:
    view.path("M2 3L10 8H15M2 13L10 8", stroke="var(--ink)", stroke_width=1.7)


def _grey(view: Drawing, _who: int) -> None:
    view.rect(*_BOX, rx=3, fill=depth(45))


def _useful(view: Drawing, _who: int) -> None:
    view.rect(0.5, 3, 15, 10, rx=2, fill=EMPTY, stroke="var(--line)")
    view.rect(0.5, 3, 6, 10, rx=1, fill="var(--ink)")


def _span(view: Drawing, _who: int) -> None:
    view.rect(0, 5, 16, 7, rx=1.5, fill=depth(16), stroke=depth(45), stroke_width=0.6)
    view.rect(0, 5, 8, 7, rx=1.5, fill="var(--mut)")
    for x in (6.5, 14.5):
        view.rect(x, 2, 1.5, 13, fill="var(--ink)")


_SWATCHES: dict[str, Callable[[Drawing, int], None]] = {
    "belongs": _belongs,
    "runs": _runs,
    "reads": _reads,
    "step": _step,
    "fold": _fold,
    "forward": _forward,
    "back": _back,
    "moved": _moved,
    "untouched": _untouched,
    "bare": _bare,
    "empty": _empty,
    "wrong": _wrong,
    "waits": _waits,
    "stays": _stays,
    "read": _read,
    "written": _written,
    "focus": _focus,
    "limit": _limit,
    "barrier": _barrier,
    "split": _split,
    "join": _join,
    "grey": _grey,
    "useful": _useful,
    "span": _span,
}


def swatch(mark: str, who: int = 0) -> Drawing:
    """A mark of 16 by 16 pixels for the key, in the hue of a number."""
    view = Drawing(16, 16)
    _SWATCHES[mark](view, who)
    return view
