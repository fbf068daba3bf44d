"""The picture of the counters view: the code, one number behind each line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....cuda.inspecting.trace import LANES
from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.player import Box, Player
from ...scene.drawing import Drawing, number, shortened
from ...traces.launches import short_file
from ...traces.line_metrics import METRICS, CountedLines, Metric, worst_line
from .counted_code import (
    Count,
    boxes_of,
    draw_counted,
    follow_counts,
    lines_to_draw,
    room_for,
    width_for,
)

_CODE, _BAR = 640.0, 64.0
_SIDE, _OWN = 324.0, 234.0
_NARROW = 556.0  # of code that fits beside nothing else on a narrow page
_KEYS = (("← →", "previous, next line"), ("C", "next number to show"))


def percent(share: float) -> str:
    """A share as sentences say it: "all", "94 %", "less than 1 %".

    Example:
        >>> [percent(share) for share in (1.0, 0.999, 0.94, 0.001, 0.0)]
        ['all', '99 %', '94 %', 'less than 1 %', 'none']
    """
    if share in (0.0, 1.0):
        return "all" if share else "none"
    whole = min(round(100 * share), 99)
    return f"{whole} %" if whole else "less than 1 %"


def answer(data: CountedLines, metric: Metric) -> str:
    """Which line it is, in one sentence."""
    worst = worst_line(data, metric)
    if worst is None:
        return f"No line of {shortened(data.kernel)} has {metric.noun}."
    value = data.value(metric, worst)
    same = [line for line in data.lines if data.value(metric, line) == value]
    if len(same) == len(data.lines) > 1 and metric.below:
        return f"All lines have {metric.words(value)} {metric.noun}."
    share = percent(data.share(metric, value))
    some = share if share != "all" else "100 %"
    does = metric.does.format(share=some, value=metric.words(value))
    also = [line for line in same if line != worst]
    if not also:
        return f"Line {worst} {does}."
    others = f"line {also[0]} does" if len(also) == 1 else f"{len(also)} others do"
    return f"Line {worst} {does}, as {others}."


def detail(data: CountedLines, metric: Metric) -> str:
    """The whole launch, and what is not in these lines."""
    total = metric.of(data.total)
    words = f"{metric.words(total)} {metric.noun} in the whole launch"
    rest = data.rest(metric)
    if rest and not metric.below:
        words += f", {metric.words(rest)} of them in code of other files"
    return f"{words}. {_of_debug_build(data, metric)}{metric.explains}"


def _of_debug_build(data: CountedLines, metric: Metric) -> str:
    """What numbers of code that is not optimised are not."""
    if not data.debug:
        return ""
    if metric.name == "bytes" and data.local_bytes:
        return (
            f"{number(data.local_bytes)} of them are local memory, where this debug "
            "build keeps what a normal one has in registers. "
        )
    return "This is a debug build, not optimised: a normal build has other numbers. "


def counts_of(
    data: CountedLines, metric: Metric, most: float | None = None
) -> dict[int, Count]:
    """What stands behind each line, the lines in order of their weight.

    Args:
        data: The launch.
        metric: What is shown.
        most: The value of the longest bar; None: the largest of these lines, of threads
            an instruction 32.
    """
    values = {line: data.value(metric, line) for line in data.lines}
    if most is None:
        most = LANES if metric.name == "lanes" else max(values.values(), default=0)
    worst = worst_line(data, metric)
    counts = {}
    for line in data.ranked:
        value = values[line]
        words = metric.words(value) if value else ""
        if value and metric.below is None:
            words += f" · {percent(data.share(metric, value)).replace('all', '100 %')}"
        counts[line] = Count(words, value / most if most else 0.0, line == worst)
    return counts


def _own_words(data: CountedLines, shown: Metric, line: int) -> list[str]:
    """Each metric of one line; a dot where it has none."""
    values = [(each, data.value(each, line)) for each in _offered(shown)]
    return [each.words(value) if value else "·" for each, value in values]


def _table(data: CountedLines, shown: Metric, line: int | None) -> Drawing:
    """All metrics, of the line in focus and of the launch."""
    view = Drawing(_SIDE)
    view.text(0, 14, "All counters", 13, bold=True)
    view.text(_SIDE, 14, "launch", 12, fill="var(--mut)", anchor="end")
    own: list[str] = []
    if line is not None:
        own = _own_words(data, shown, line)
        view.text(_OWN, 14, f"line {line}", 12, bold=True, anchor="end", data_at="line")
    y = 40.0
    for at, metric in enumerate(_offered(shown)):
        view.path(f"M0 {y - 17:g}H{_SIDE:g}", stroke="var(--line)")
        name = metric.noun[:1].upper() + metric.noun[1:]
        if data.debug and metric.name == "bytes":
            name += " of a debug build"
        view.text(0, y, shortened(name, 24), 12)
        if own:
            view.text(_OWN, y, own[at], 12, anchor="end", mono=True, data_at=f"own{at}")
        value = metric.words(metric.of(data.total))
        view.text(_SIDE, y, value, 12, fill="var(--mut)", anchor="end", mono=True)
        y += 24
    view.height = y
    return view


def _offered(shown: Metric) -> list[Metric]:
    return [*METRICS.values(), *([shown] if shown.name not in METRICS else [])]


def _live(
    data: CountedLines,
    shown: Metric,
    drawn: list[int],
    focus: int | None,
    boxes: list[Box],
) -> Live:
    """For each metric words and bars; of each line all metrics."""
    offered = _offered(shown)
    first: dict[str, Any] = {"metric": shown.name}
    if focus is not None:
        first["line"] = focus
    player, by = Player(first), ["metric"]
    offer_metrics(player, offered)
    follow_counts(
        player, "", drawn, [counts_of(data, metric) for metric in offered], _BAR
    )
    player.text("foot", by, map(footnote, offered))
    details = [detail(data, metric) for metric in offered]
    player.says(by, [answer(data, metric) for metric in offered], details)
    if drawn:
        words = [_own_words(data, shown, line) for line in drawn]
        _follow_line(player, drawn, words, boxes)
    return player.live(_KEYS if drawn else _KEYS[1:])


def offer_metrics(player: Player, offered: Sequence[Metric]) -> None:
    """Let the reader choose the number behind each line."""
    player.axis("metric", [each.name for each in offered])
    labels = [(each.name, each.noun[:1].upper() + each.noun[1:]) for each in offered]
    player.choice("metric", "Number behind each line", labels)
    count = len(offered)
    player.key("c", "metric", to=[(at + 1) % count for at in range(count)])


def _follow_line(
    player: Player, drawn: list[int], words: list[list[str]], boxes: list[Box]
) -> None:
    """The line in focus: its ring, all its numbers, what leads to it."""
    by = ["line"]
    player.axis("line", drawn)
    player.set("focus", "y", by, [top for _, top, _, _ in boxes])
    names = [f"line {line}" for line in drawn]
    player.text("line", by, names)
    for at, own in enumerate(zip(*words, strict=True)):
        player.text(f"own{at}", by, own)
    player.slider("line", "Line", names)
    player.areas("focus", "line", [], [boxes])


def footnote(metric: Metric) -> str:
    """Nsight Compute's name of the metric."""
    return f"Nsight Compute: {metric.nsight}" if metric.nsight else ""


def draw_counters(
    data: CountedLines, metric: Metric, lines: list[str], line: int | None = None
) -> Figure:
    """Draw which line does the work.

    Args:
        data: From `counted_lines`.
        metric: What is shown.
        lines: The kernel's code; empty where nobody has it.
        line: The one in focus, among those that are drawn; None: the answer's.
    """
    drawn = [at for at in lines_to_draw(lines, data.ranked)[0] if at in data.lines]
    focus = worst_line(data, metric) if line is None else line
    if focus not in drawn:
        focus = drawn[0] if drawn else None
    body = Drawing(WIDTH)
    file = short_file(data.file) or "the code"
    head, foot = Drawing(), Drawing(_SIDE, 16)
    build = " · debug build" if data.debug else ""
    head.runs(0, 14, 13, (shortened(data.kernel), "bold"), (f" · {file}{build}", "mut"))
    room = room_for(counts_of(data, each) for each in _offered(metric))
    counts = counts_of(data, metric)
    wide = min(max(width_for(lines, counts, _BAR, room), _NARROW), _CODE)
    code = draw_counted(lines, counts, wide, _BAR, room, focus=focus)
    rows = boxes_of(lines, counts, wide)
    head.width, head.height = wide, 30 + code.height
    head.put(code, 0, 30)
    table = _table(data, metric, focus)
    body.put_part(head, 0, 0)
    body.put_part(table, WIDTH - _SIDE, 0)
    below = max(head.height, table.height)
    foot.text(0, 14, footnote(metric), 11.5, fill="var(--mut)", data_at="foot")
    body.put_part(foot, 0, below)
    body.height = below + 20
    return Figure(
        question="Which line does the work?",
        answer=answer(data, metric),
        detail=detail(data, metric),
        body=body,
        key=(
            KeyEntry("moved", "longer and deeper: more of what is counted"),
            KeyEntry("focus", "line in focus"),
        ),
        data=data,
        live=_live(data, metric, drawn, focus, [rows[line] for line in drawn]),
    )
