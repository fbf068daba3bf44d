"""What moves for one launch, level by level, and why it takes at least so long."""

from __future__ import annotations

from ...figure.moving import Moving
from ...scene.drawing import Drawing, number, width_of
from ...scene.phrases import counted
from .nets import Card, Kernel, Net
from .rows_view import span_bar
from .words import amount, duration, size_in_words, span

WIDE, HIGH = 280.0, 232.0
_STEP = 46.0
_SHORT = 3.0


def _levels(kernel: Kernel) -> list[tuple[str, tuple[int, int]]]:
    return [
        ("registers", (kernel.registers,) * 2),
        ("shared memory", (kernel.shared,) * 2),
        ("L1: asked for", (kernel.asked,) * 2),
        ("L2 and HBM", (kernel.touched, kernel.asked)),
    ]


def _fewer(before: int, now: int) -> str:
    if not now or before < 1.05 * now:
        return ""
    share = before / now
    return f"{share:.1f} × fewer" if share < 100 else f"{number(round(share))} × fewer"


def _draw_levels(kernel: Kernel) -> Drawing:
    """Bytes on each level, on one scale; a bar too short to see is its number alone."""
    view, levels = Drawing(), _levels(kernel)
    unit, before = WIDE / max(1, *(max(ends) for _, ends in levels)), 0
    for at, (name, ends) in enumerate(levels):
        y, two = at * _STEP, ends[0] != ends[1]
        view.text(0, y + 12, name, 12.5)
        words = span(*ends) if ends[1] else "none"
        view.text(104, y + 12, words, 12.5, bold=True)
        more = _fewer(before, ends[1]) if at < 3 else ""
        place = 104 + width_of(words, 12.5, bold=True) + 8
        view.text(place, y + 12, more, 11, fill="var(--mut)")
        if ends[1] * unit >= _SHORT and two:
            span_bar(view, 0, y + 20, 11, unit, ends)
        elif ends[1] * unit >= _SHORT:
            view.rect(0, y + 20, ends[1] * unit, 11, rx=1.5, fill="var(--d45)")
        before = ends[1] or before
    return view


def draw_levels(moving: Moving, net: Net) -> Drawing:
    """What moves for the launch, from registers to the card's memory."""
    view = Drawing(WIDE, HIGH)
    view.text(0, 12, "What moves for this kernel", 13, bold=True)
    view.text(0, 28, "bytes, one scale for all four levels", 11, fill="var(--mut)")
    drawn = list(map(_draw_levels, net.kernels))
    moving.put(view, "levels", 0, 42, ["kernel"], drawn)
    return view


def _bounds(kernel: Kernel, card: Card) -> list[tuple[str, str, float]]:
    """Its bytes, its arithmetic, its instructions: what, at which rate, how long."""
    some = counted(min(kernel.sms, card.sms), "SM")
    rate = f" at {card.bandwidth / 1e9:,.0f} GB/s" if card.bandwidth else ""
    return [
        ("bytes", f"{size_in_words(kernel.least_bytes)}{rate}", kernel.memory_seconds),
        ("arithmetic", f"{amount(kernel.executed)} multiply-adds on {some}"
         if kernel.executed else f"the operations of {some}", kernel.compute_seconds),
        ("instructions", f"of the PTX, for warps on {some}, 4 a clock each",
         kernel.issue_seconds),
    ]  # fmt: skip


def _draw_least(kernel: Kernel, card: Card) -> Drawing:
    view, bounds = Drawing(), _bounds(kernel, card)
    most = max(seconds for *_, seconds in bounds) or 1.0
    for at, (name, how, seconds) in enumerate(bounds):
        y, long = at * 40.0, WIDE * seconds / most
        is_bound = seconds == most
        view.runs(0, y + 11, 12.5, (f"{name} ", "bold" if is_bound else ""),
                  (duration(seconds), "bold" if is_bound else ""))  # fmt: skip
        if long >= _SHORT:
            view.rect(0, y + 16, long, 6, rx=1.5,
                      fill="var(--ink)" if is_bound else "var(--d45)")  # fmt: skip
        view.text(0, y + 33, how, 11, fill="var(--mut)")
    words = ["The longest one is a bound: the card cannot end", "sooner. How long it "
             "takes, only a GPU can tell."]  # fmt: skip
    if kernel.measured is not None:
        words = [f"Measured on a GPU: {duration(kernel.measured)}.", ""]
    for at, line in enumerate(words):
        view.text(0, 134 + 17 * at, line, 11.5)
    return view


def draw_least(moving: Moving, net: Net) -> Drawing:
    """Why the launch takes at least so long: bytes, arithmetic or instructions."""
    view = Drawing(WIDE, HIGH)
    titles = [f"It takes at least {duration(each.seconds)}" for each in net.kernels]
    moving.text(view, "least", 0, 12, ["kernel"], titles, 13, bold=True)
    view.text(0, 28, "with cold caches, at the peak of the data sheet", 11,
              fill="var(--mut)")  # fmt: skip
    drawn = [_draw_least(each, net.card) for each in net.kernels]
    moving.put(view, "bounds", 0, 42, ["kernel"], drawn)
    hints = [f"closer: e.kernels[{each.index}].launch.counters"
             for each in net.kernels]  # fmt: skip
    moving.text(view, "closer", 0, 206, ["kernel"], hints, 11, fill="var(--mut)",
                mono=True)  # fmt: skip
    return view
