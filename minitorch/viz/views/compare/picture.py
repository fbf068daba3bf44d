"""The picture of two launches side by side: their code, counters, speed limits."""

from __future__ import annotations

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.player import Player
from ...scene.drawing import Drawing, number, spelled_runs, width_of
from ...scene.palette import depth, strong
from ...traces.line_metrics import METRICS, Metric
from .compared import Compared, Row, answer, detail, on_cards
from .counted_code import (
    Count,
    counts_of,
    draw_counted,
    follow_counts,
    lines_to_draw,
    offer_metrics,
    room_for,
)
from .roof_view import Point, draw_roof

_HUES = (0, 3)  # of the first and the second kernel
_HALF, _BAR, _ROOF = 526.0, 48.0, 410.0
_TAGS = ("one-", "two-")


def _draw_mark(view: Drawing, at: int, x: float, y: float) -> None:
    """A round mark for the first kernel, a square one for the second."""
    if at:
        view.rect(x - 5, y - 10, 10, 10, fill=strong(_HUES[at]))
    else:
        view.element("circle", cx=x, cy=y - 5, r=5.5, fill=strong(_HUES[at]))


def _offered(data: Compared) -> list[Metric]:
    """Metrics of which at least one launch has something."""
    found = [
        metric
        for metric in METRICS.values()
        if any(metric.of(side.total) for side in data.sides)
    ]
    return found or [METRICS["instructions"]]


def _usual(data: Compared) -> Metric:
    """What the bars are if nobody says: sectors, where there are any."""
    offered = {metric.name: metric for metric in _offered(data)}
    wanted = ("sectors", "passes", "instructions")
    return next(METRICS[name] for name in wanted if name in offered)


def _counts(data: Compared, metric: Metric) -> list[dict[int, Count]]:
    """What stands behind the lines of both, on one scale."""
    values = [side.value(metric, line) for side in data.sides for line in side.lines]
    most = max(values, default=0)
    return [counts_of(side, metric, most) for side in data.sides]


def _title(
    data: Compared, at: int, metric: Metric
) -> tuple[tuple[str, str], tuple[str, str]]:
    total = metric.words(metric.of(data.sides[at].total))
    return (data.names[at], "bold"), (f" · {total} {metric.noun}", "mut")


def _draw_codes(
    body: Drawing, data: Compared, lines: list[list[str]], metric: Metric
) -> float:
    """Draw both codes with their counts; what lies below begins at what it returns."""
    counts, below = _counts(data, metric), 0.0
    every = [_counts(data, each) for each in {*_offered(data), metric}]
    room = room_for(each for both in every for each in both)
    for at in (0, 1):
        x = at * (WIDTH - _HALF)
        part = Drawing(_HALF)
        _draw_mark(part, at, 6, 14)
        part.runs(20, 14, 13, *_title(data, at, metric), data_at=f"{_TAGS[at]}title")
        code = draw_counted(lines[at], counts[at], _HALF, _BAR, room, _TAGS[at])
        part.put(code, 0, 28)
        part.height = 28 + code.height
        body.put_part(part, x, 0)
        below = max(below, part.height)
    return below


def _follow_metrics(player: Player, data: Compared, lines: list[list[str]]) -> None:
    """Let the bars of both codes, and what stands above them, follow a choice."""
    offered = _offered(data)
    offer_metrics(player, offered)
    counts = [_counts(data, metric) for metric in offered]
    for at, (tag, side) in enumerate(zip(_TAGS, data.sides, strict=True)):
        shown, _ = lines_to_draw(lines[at], side.ranked)
        drawn = [line for line in shown if line in side.lines]
        follow_counts(player, tag, drawn, [both[at] for both in counts], _BAR)
        titles = [spelled_runs(*_title(data, at, metric)) for metric in offered]
        player.content(f"{tag}title", ["metric"], titles)


def _draw_limits(data: Compared) -> Drawing:
    """How fast both can be at most."""
    name, bandwidth, peak = data.card
    view = Drawing(_ROOF)
    view.runs(0, 14, 13, ("Speed limit", "bold"), (f" · {name}, not a time", "mut"))
    points = [
        Point(data.names[at], data.roofs[at].intensity, data.speeds[at], _HUES[at])
        for at in (0, 1)
    ]
    roof = draw_roof(points, bandwidth, peak)
    view.put(roof, 0, 22)
    view.height = 22 + roof.height
    return view


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
        _draw_mark(view, at, x - width_of(word, 11.5) - 9, 39)
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
    shown = metric or _usual(data)
    body = Drawing(WIDTH)
    y = _draw_codes(body, data, lines, shown) + 4
    body.path(f"M0 {y:g}H{WIDTH}", stroke="var(--line)")
    table, limits = _table(data), _draw_limits(data)
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
            KeyEntry("runs", f"round: {data.names[0]}", _HUES[0]),
            KeyEntry("runs", f"square: {data.names[1]}", _HUES[1]),
            KeyEntry("moved", "longer and deeper: more of it; one scale for both"),
        ),
        data=data,
        live=_live(data, lines, shown),
    )


def _live(data: Compared, lines: list[list[str]], shown: Metric) -> Live:
    """For each metric the bars of both codes, for each card its roof."""
    player = Player({"metric": shown.name, "card": data.card[0]})
    _follow_metrics(player, data, lines)
    cards = on_cards(data)
    player.axis("card", list(cards))
    player.content("limits", ["card"], [_draw_limits(each) for each in cards.values()])
    named = [(card, card) for card in cards]
    player.choice("card", "GPU of the speed limit", named)
    count = len(cards)
    player.key("g", "card", to=[(at + 1) % count for at in range(count)])
    return player.live((("C", "next counter"), ("G", "other GPU")))
