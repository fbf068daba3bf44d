"""The marks that views share: hatching, rings, arrows, swatches of the key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .drawing import PREFIX, Drawing, box
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
    view.element("circle", "", cx=x, cy=y + size * 1.45, r=0.95, fill="var(--bg)")


# How a kind of look is drawn as boxes: inset, and attributes by the hue.
LOOKS: dict[str, tuple[float, Callable[[int], dict[str, Any]]]] = {
    "belongs": (1, lambda who: {"fill": tint(who)}),
    "waits": (1, lambda who: {"fill": tint(who)}),
    "runs": (1, lambda who: {"fill": strong(who)}),
    "empty": (1, lambda _: {"fill": EMPTY, "stroke": "var(--line)"}),
    "bare": (1, lambda _: {"stroke": "var(--line)"}),
    "moved": (1, lambda _: {"fill": depth(16), "stroke": depth(45)}),
    "unmoved": (1, lambda _: {"stroke": "var(--line)"}),
    "untouched": (1, lambda _: {"fill": "var(--off)"}),
    "reads": (1, lambda who: {"fill": "var(--bg)", "stroke": strong(who),
                              "stroke_width": 1.4, "stroke_dasharray": "2.6 1.8"}),
    "grey": (1, lambda _: {"fill": depth(16)}),
    "dark": (1, lambda _: {"fill": depth(45)}),
    "read": (2.6, lambda _: {"stroke": "var(--ink)", "stroke_dasharray": "2.5 2"}),
    "written": (1, lambda who: {"stroke": strong(who), "stroke_width": 2}),
    "clash": (1, lambda _: {"fill": "var(--bad)"}),
    "wrong": (1, lambda _: {"fill": WRONG, "stroke": "var(--bad)"}),
    "missed": (1, lambda _: {"fill": WRONG, "stroke": "var(--bad)"}),
}  # fmt: skip

_BOX, _BARS = box(1, 1, 14, 14, 3), box(5, 4, 2, 8) + box(9, 4, 2, 8)
_INK = {"stroke": "var(--ink)"}
_DASHED = {"fill": "var(--bg)", "stroke": "var(--mut)", "stroke_dasharray": "2 2"}
# Signs of the key that are no looks of cells: paths and their attributes.
_SIGNS: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "step": ((_BOX, {"fill": "var(--panel)", "stroke": "var(--mut)"}),),
    "fold": ((_BOX, _DASHED),),
    "forward": (("M0 8H16", {**_INK, "stroke_width": 1.3, "marker_end": VALUE_IN}),),
    "back": (("M0 8H16", {**_INK, "stroke_width": 1.3, "marker_start": VALUE_OUT}),),
    "stays": ((_BOX, {"fill": depth(16), "stroke": "var(--mut)"}),
              (_BARS, {"fill": "var(--ink)"})),
    "split": (("M1 8H6L14 3M6 8L14 13", {**_INK, "stroke_width": 1.7}),),
    "join": (("M2 3L10 8H15M2 13L10 8", {**_INK, "stroke_width": 1.7}),),
    "grey": ((_BOX, {"fill": depth(45)}),),
    "span": ((box(0, 5, 16, 7), {"fill": depth(16), "stroke": depth(45)}),
             (box(0, 5, 8, 7), {"fill": "var(--mut)"}),
             (box(6.5, 2, 1.5, 13) + box(14.5, 2, 1.5, 13), {"fill": "var(--ink)"})),
}  # fmt: skip


def swatch(mark: str, who: int = 0) -> Drawing:
    """A mark of 16 by 16 pixels for the key, in the hue of a number."""
    view = Drawing(16, 16)
    if mark == "focus":
        ring(view, 3, 3, 10, 10)
        return view
    if mark == "dot":
        view.text(8, 12, "·", 13, anchor="middle", bold=True)
        return view
    for d, look in _SIGNS.get(mark) or ((_BOX, LOOKS[mark][1](who)),):
        view.path(d, **look)
    if mark == "waits":
        view.path(_BARS, fill=strong(who))
    return view
