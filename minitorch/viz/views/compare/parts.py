"""Owns the parts of the comparison that change with a choice: both codes, and the roof.

Must not know launches: it draws the numbers of `compared`.
"""

from __future__ import annotations

from ...figure.figure import WIDTH
from ...figure.player import Player
from ...scene.drawing import Drawing, spelled_runs
from ...scene.palette import strong
from ...traces.line_metrics import METRICS, Metric
from ..counters.counted_code import (
    Count,
    draw_counted,
    follow_counts,
    lines_to_draw,
    room_for,
)
from ..counters.picture import counts_of, offer_metrics
from .compared import Compared
from .roof_view import Point, draw_roof

HUES = (0, 3)  # of the first and the second kernel
_HALF, _BAR, _ROOF = 526.0, 48.0, 410.0
_TAGS = ("one-", "two-")


def draw_mark(view: Drawing, at: int, x: float, y: float) -> None:
    """A round mark for the first kernel, a square one for the second."""
    if at:
        view.rect(x - 5, y - 10, 10, 10, fill=strong(HUES[at]))
    else:
        view.element("circle", cx=x, cy=y - 5, r=5.5, fill=strong(HUES[at]))


def _offered(data: Compared) -> list[Metric]:
    """Metrics of which at least one launch has something."""
    found = [
        metric
        for metric in METRICS.values()
        if any(metric.of(side.total) for side in data.sides)
    ]
    return found or [METRICS["instructions"]]


def usual(data: Compared) -> Metric:
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


def draw_codes(
    body: Drawing, data: Compared, lines: list[list[str]], metric: Metric
) -> float:
    """Draw both codes with their counts; what lies below begins at what it returns."""
    counts, below = _counts(data, metric), 0.0
    every = [_counts(data, each) for each in {*_offered(data), metric}]
    room = room_for(each for both in every for each in both)
    for at in (0, 1):
        x = at * (WIDTH - _HALF)
        part = Drawing(_HALF)
        draw_mark(part, at, 6, 14)
        part.runs(20, 14, 13, *_title(data, at, metric), data_at=f"{_TAGS[at]}title")
        code = draw_counted(lines[at], counts[at], _HALF, _BAR, room, _TAGS[at])
        part.put(code, 0, 28)
        part.height = 28 + code.height
        body.put_part(part, x, 0)
        below = max(below, part.height)
    return below


def follow_metrics(player: Player, data: Compared, lines: list[list[str]]) -> None:
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


def draw_limits(data: Compared) -> Drawing:
    """How fast both can be at most."""
    name, bandwidth, peak = data.card
    view = Drawing(_ROOF)
    view.runs(0, 14, 13, ("Speed limit", "bold"), (f" · {name}, not a time", "mut"))
    points = [
        Point(data.names[at], data.roofs[at].intensity, data.speeds[at], HUES[at])
        for at in (0, 1)
    ]
    roof = draw_roof(points, bandwidth, peak)
    view.put(roof, 0, 22)
    view.height = 22 + roof.height
    return view
