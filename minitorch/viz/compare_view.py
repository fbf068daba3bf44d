"""Owns the picture of two launches side by side: their code, counters, speed limits.

Must not know launches: it draws the numbers of `compared`.
"""

from __future__ import annotations

from .compared import Compared, Row, answer, detail
from .counted_code import draw_counted
from .counter_view import counts_of
from .drawing import Drawing, number, width_of
from .figure import WIDTH, Figure, KeyEntry
from .line_metrics import METRICS, Metric
from .palette import depth, strong
from .roof_view import Point, draw_roof

HUES = (0, 3)  # of the first and the second kernel
_HALF, _BAR = 526.0, 48.0
_TABLE, _ROOF = 622.0, 670.0
_MIDDLE, _ARM = 436.0, 62.0


def _metric(data: Compared) -> Metric:
    """What the bars beside the code are: sectors, where there are any."""
    for name in ("sectors", "passes", "instructions"):
        if any(METRICS[name].of(side.total) for side in data.sides):
            return METRICS[name]
    return METRICS["instructions"]


def _mark(view: Drawing, at: int, x: float, y: float) -> None:
    """A round mark for the first kernel, a square one for the second."""
    if at:
        view.rect(x - 5, y - 10, 10, 10, fill=strong(HUES[at]))
    else:
        view.element("circle", cx=x, cy=y - 5, r=5.5, fill=strong(HUES[at]))


def _codes(body: Drawing, data: Compared, lines: list[list[str]]) -> float:
    metric = _metric(data)
    most = max(
        (side.value(metric, line) for side in data.sides for line in side.lines),
        default=0,
    )
    below = 0.0
    for at, side in enumerate(data.sides):
        x = at * (WIDTH - _HALF)
        total = metric.words(metric.of(side.total))
        _mark(body, at, x + 6, 14)
        body.runs(x + 20, 14, 13, (data.names[at], "bold"),
                  (f" · {total} {metric.noun}", "mut"))  # fmt: skip
        code = draw_counted(lines[at], counts_of(side, metric, most), _HALF, _BAR)
        body.put(code, x, 28)
        below = max(below, 28 + code.height)
    return below + 4


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
        _mark(view, at, x - width_of(word, 11.5) - 9, 39)
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


def _limits(data: Compared) -> Drawing:
    name, bandwidth, peak = data.card
    view = Drawing(WIDTH - _ROOF)
    view.runs(0, 14, 13, ("Speed limit", "bold"), (f" · {name}, not a time", "mut"))
    points = [
        Point(data.names[at], data.roofs[at].intensity, data.speeds[at], HUES[at])
        for at in (0, 1)
    ]
    roof = draw_roof(points, bandwidth, peak)
    view.put(roof, 0, 22)
    view.height = 22 + roof.height
    return view


def draw_compare(data: Compared, lines: list[list[str]]) -> Figure:
    """Draw two launches side by side.

    Args:
        data: From `compared`.
        lines: The code of both kernels; empty where nobody has it.
    """
    body = Drawing(WIDTH)
    y = _codes(body, data, lines)
    body.path(f"M0 {y:g}H{WIDTH}", stroke="var(--line)")
    table, limits = _table(data), _limits(data)
    body.put(table, 0, y + 14)
    body.put(limits, _ROOF, y + 14)
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
    )
