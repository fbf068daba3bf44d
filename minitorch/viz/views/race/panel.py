"""The picture of one order of two accesses: threads, cell, values, outcome."""

from __future__ import annotations

from collections.abc import Sequence

from ...scene.drawing import Drawing, shortened, width_of
from ...scene.marks import VALUE_IN, VALUE_OUT, WRONG
from ...scene.palette import strong, tint
from .cells import Race
from .races import RaceData, Side
from .words import capital, is_ordered, seen, short

LEFT = 398.0  # of all orders, in the whole picture
WIDE, HIGH = 214.0, 300.0
APART = 234.0
RESULT = 42.0
_ORDERS = ("writer", "other", "barrier")


def _sides(data: RaceData) -> tuple[Side, Side]:
    """Left and right in the picture: the other thread, and the writer."""
    return data.other, data.writer


def _wire(view: Drawing, side: Side, x: float) -> None:
    words = short(side)
    view.text(x, 62, words, 12, fill=strong(side.who), anchor="middle", bold=True)
    view.path(f"M{x} 72V238", stroke=strong(side.who), stroke_width=2.4)


def _event(
    view: Drawing, side: Side, x: float, y: float, value: str, owner: int | None
) -> None:
    """A dot on the thread, an arrow between it and the cell, and the cell's value."""
    middle = WIDE / 2
    unknown = value == "?"
    wide = max(36.0, width_of(value, 13, mono=True) + 12)
    edge = middle + (wide / 2 + 1) * (1 if x > middle else -1)
    dot = x + (5 if x < middle else -5)
    reads = side.kind == "reads"
    start, end = (edge, dot) if reads else (dot, edge)
    view.path(
        f"M{start:.1f} {y}H{end:.1f}", stroke="var(--ink)",
        stroke_width=1.6 if reads else 3, marker_end=VALUE_OUT if reads else VALUE_IN,
    )  # fmt: skip
    words_at = (edge + dot) / 2
    view.text(words_at, y - 9, side.kind, 11, anchor="middle")
    view.element("circle", cx=x, cy=y, r=5, fill=strong(side.who))
    view.rect(
        middle - wide / 2, y - 12, wide, 24, rx=4,
        fill="var(--bg)" if owner is None else tint(owner),
        stroke="var(--mut)" if owner is None else strong(owner),
        stroke_dasharray="3 2" if unknown else None,
    )  # fmt: skip
    view.text(middle, y + 4.5, value, 13, anchor="middle", mono=True, bold=not unknown)
    if side.line:
        half = width_of(f"line {side.line}", 11) / 2 + 2
        view.rect(x - half, y + 10, 2 * half, 13, fill="var(--bg)")
        view.text(
            x, y + 20, f"line {side.line}", 11, fill="var(--mut)", anchor="middle"
        )


def _cell_name(data: RaceData) -> str:
    """What stands between the threads' names: as much as there is room for."""
    names = max(width_of(short(side), 12, bold=True) for side in _sides(data))
    room = WIDE - 92 - names - 4
    fits = (
        name for name in (data.cell, "cell") if width_of(name, 12, mono=True) <= room
    )
    return next(fits, "")


def draw_order(data: RaceData, first: str, barrier: bool = False) -> Drawing:
    """One order of the two accesses; `first`: "writer" or "other"."""
    view = Drawing(WIDE, HIGH)
    here = first == data.first and not barrier
    view.rect(0.5, 0.5, WIDE - 1, HIGH - 1, rx=8, fill="none", stroke="var(--line)")
    left, right = _sides(data)
    ahead = data.writer if first == "writer" else data.other
    title = "With a barrier" if barrier else f"{capital(short(ahead))} goes first"
    said = "the only order left" if barrier else "allowed" + " · this run" * here
    view.text(12, 22, title, 13, bold=True)
    view.text(12, 38, said, 12, fill="var(--mut)")
    middle = WIDE / 2
    view.path(f"M{middle} 72V238", stroke="var(--line)")
    _wire(view, left, 46)
    _wire(view, right, WIDE - 46)
    view.text(middle, 62, _cell_name(data), 12, anchor="middle", mono=True, bold=True)
    order = (
        (data.writer, data.other) if first == "writer" else (data.other, data.writer)
    )
    for side, y in zip(order, (104.0, 196.0), strict=True):
        x = 46.0 if side is left else WIDE - 46
        late = side.kind == "reads" and first == "other"
        owner = side.who if side.kind != "reads" else data.writer.who
        _event(view, side, x, y, seen(data, side, first), None if late else owner)
    if barrier:
        view.rect(8, 142, WIDE - 16, 18, rx=4, fill="var(--ink)")
        words = f"barrier: all {data.threads:,} wait here"
        view.text(middle, 155, words, 11, fill="var(--bg)", anchor="middle", bold=True)
    _outcome(view, data, first)
    return view


def _outcome(view: Drawing, data: RaceData, first: str) -> None:
    # Wrong for sure are what nobody wrote, and the order that a barrier forbids.
    reads, value = data.other.kind == "reads", seen(data, data.other, first)
    never = data.space == "shared" and value == "?"
    wrong = reads and (never or (is_ordered(data) and first != data.early))
    ground = WRONG if wrong else "var(--panel)"
    view.rect(10, 250, WIDE - 20, 40, rx=6, fill=ground)
    if wrong:
        view.rect(15, 255, WIDE - 30, 30, rx=4, fill="var(--bg)")
    if reads:
        nothing = "not written yet" if data.space == "shared" else "an older value"
        words = f"{short(data.other)} reads"
        result = value if value != "?" else nothing
    else:
        last = data.other if first == "writer" else data.writer
        words, result = f"{shortened(data.cell, 16)} ends as", last.value or "?"
    view.text(WIDE / 2, 267, words, 11.5, fill="var(--mut)", anchor="middle")
    view.text(
        WIDE / 2, 281, f"✕ {result}" if wrong else result, 13,
        fill="var(--bad)" if wrong else "var(--ink)", anchor="middle", bold=True,
    )  # fmt: skip


def draw_panels(data: RaceData) -> Drawing:
    """Both orders and, where it can be, the one that a barrier leaves."""
    view = Drawing(3 * APART, HIGH)
    view.put(draw_order(data, "writer"), 0, 0)
    view.put(draw_order(data, "other"), APART, 0)
    if is_ordered(data):
        view.put(draw_order(data, data.early, barrier=True), 2 * APART, 0)
    return view


def draw_results(data: RaceData) -> Drawing:
    """Below the orders: what the launch leaves in the end; empty where nobody knows."""
    view = Drawing(3 * APART, RESULT)
    for order, result in data.results:
        x = APART * _ORDERS.index(order)
        wrong = not result.right
        view.rect(x + 10, 0, WIDE - 20, RESULT, rx=6,
                  fill=WRONG if wrong else "var(--panel)")  # fmt: skip
        if wrong:
            view.rect(x + 15, 5, WIDE - 30, RESULT - 10, rx=4, fill="var(--bg)")
        words = f"{result.cell} = {result.value} {'✕' if wrong else '✓'}"
        view.text(x + WIDE / 2, 17, "in the end", 10, fill="var(--mut)",
                  anchor="middle")  # fmt: skip
        view.text(
            x + WIDE / 2, 32, shortened(words, 26), 13, anchor="middle", bold=True,
            fill="var(--bad)" if wrong else "var(--ink)",
        )  # fmt: skip
    return view


def wide_of(races: Sequence[Race]) -> float:
    """Room for the orders of any of these races."""
    three = any(is_ordered(each) for race in races for each in race.at.values())
    return (2 + three) * APART - (APART - WIDE)


def frame_at(data: RaceData, order: str) -> float:
    """Where the frame around an order begins; of either the one that ran."""
    order = data.first if order == "either" else order
    return LEFT + APART * _ORDERS.index(order) + 0.5
