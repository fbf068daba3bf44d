"""Owns the picture of two launches side by side: their code, counters, speed limits.

Must not know launches: it draws the numbers of `compared`.
"""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import Drawing, number, width_of
from ...scene.palette import depth
from ...traces.line_metrics import Metric
from .compared import Compared, Row, answer, detail, on_cards
from .parts import (
    HUES,
    draw_codes,
    draw_limits,
    draw_mark,
    follow_metrics,
    usual,
)

_TABLE = 560.0
_MIDDLE, _ARM = 420.0, 62.0


def _words(row: Row, value: float) -> str:
    if value == float("inf"):
        return "∞"
    return number(float(f"{value:.2g}") if "a byte" in row.name else int(value))


def _arm(row: Row) -> tuple[float, float]:
    """Left end and width of a row's bar; half an arm is a factor of four."""
    low, high = sorted((row.one, row.other))
    if low <= 0 or low == high:
        return _MIDDLE, 0.0
    part = min((high / low - 1) / (high / low + 2), 1.0)
    wide = max(_ARM * part, 2.0)
    return (_MIDDLE - wide if row.other < row.one else _MIDDLE), wide


def _table(data: Compared) -> Drawing:
    view = Drawing(_TABLE)
    view.runs(0, 14, 13, ("Counters", "bold"), (" · exact; times are not known", "mut"))
    ends = (262.0, 340.0)
    for at, x in enumerate(ends):
        word = ("first", "second")[at]
        draw_mark(view, at, x - width_of(word, 11.5) - 9, 39)
        view.text(x, 38, word, 11.5, fill="var(--mut)", anchor="end")
    view.text(_MIDDLE, 38, "fewer ← 1 → more", 11.5, fill="var(--mut)", anchor="middle")
    y = 64.0
    for row in data.rows:
        view.path(f"M0 {y - 18:g}H{_TABLE:g}", stroke="var(--line)")
        view.text(0, y, row.name, 12.5)
        for x, value in zip(ends, (row.one, row.other), strict=True):
            view.text(x, y, _words(row, value), 12.5, anchor="end", mono=True)
        left, wide = _arm(row)
        if wide:
            view.rect(round(left, 1), y - 8, round(wide, 1), 8, fill=depth(30))
        view.path(f"M{_MIDDLE:g} {y - 11:g}v14", stroke="var(--ink)")
        view.text(_TABLE, y, row.ratio, 12.5, anchor="end")
        y += 27
    view.height = y
    return view


def draw_compare(
    data: Compared, lines: list[list[str]], metric: Metric | None = None
) -> Figure:
    """Draw two launches side by side.

    Args:
        data: From `compared`.
        lines: The code of both kernels; empty where nobody has it.
        metric: What the bars beside the code are; None: sectors, where there are any.
    """
    shown = metric or usual(data)
    body = Drawing(WIDTH)
    y = draw_codes(body, data, lines, shown) + 4
    body.path(f"M0 {y:g}H{WIDTH}", stroke="var(--line)")
    table, limits = _table(data), draw_limits(data)
    body.put_part(table, 0, y + 14)
    beside = Drawing(limits.width, limits.height)
    beside.put(limits, 0, 0, data_at="limits")
    body.put_part(beside, WIDTH - limits.width, y + 14)
    body.height = y + 14 + max(table.height, limits.height)
    return Figure(
        question="What did the second kernel change, and at what price?",
        answer=answer(data),
        detail=detail(data),
        body=body,
        key=(
            KeyEntry("runs", f"round: {data.names[0]}", HUES[0]),
            KeyEntry("runs", f"square: {data.names[1]}", HUES[1]),
            KeyEntry("moved", "longer and deeper: more of it; one scale for both"),
        ),
        data=data,
        live=_live(data, lines, shown),
    )


def _live(data: Compared, lines: list[list[str]], shown: Metric) -> Live:
    """For each metric the bars of both codes, for each card its roof."""
    player = Player({"metric": shown.name, "card": data.card[0]})
    follow_metrics(player, data, lines)
    cards = on_cards(data)
    player.axis("card", list(cards))
    player.content("limits", ["card"], [draw_limits(each) for each in cards.values()])
    named = [(card, card) for card in cards]
    player.choice("card", "GPU of the speed limit", named)
    count = len(cards)
    player.key("g", "card", to=[(at + 1) % count for at in range(count)])
    return player.live((("C", "next counter"), ("G", "other GPU")))
