"""The picture of two launches: their code and counters, and a card's speed limit.

The limit is a roofline: S. Williams, A. Waterman, D. Patterson, CACM 52(4), 2009.
"""

from __future__ import annotations

import math
from difflib import SequenceMatcher

from .... import _core
from ...figure.figure import WIDTH, Figure
from ...figure.scenes import Interned, moves_of, swatches
from ...scene.code import code_lines
from ...scene.code_view import shown_lines
from ...scene.drawing import Drawing, number, shortened
from ...scene.frames import frames_of
from ...scene.palette import depth, strong
from ...scene.scene import Axis, Panel, Scene
from .data import (
    METRICS,
    TELLING,
    Compared,
    Metric,
    Row,
    Side,
    answer,
    detail,
    telling,
    times,
)

_HUES = (0, 3)  # of the first and the second kernel
_WORDS, _BAR = 84.0, 52.0  # behind a line of code
_MOST_LINES = 26


def _mark(view: Drawing, at: int, x: float, y: float) -> None:
    """A round mark for the first kernel, a square one for the second."""
    if at:
        view.rect(x - 5, y - 5, 10, 10, fill=strong(_HUES[at]))
    else:
        view.element("circle", cx=x, cy=y, r=5.5, fill=strong(_HUES[at]))


def metrics_of(data: Compared) -> dict[str, Metric]:
    """Return metrics of which at least one launch has something."""
    found = {
        name: metric for name, metric in METRICS.items()
        if any(metric.of(side.total) for side in data.sides)
    }  # fmt: skip
    return found or {"instructions": METRICS["instructions"]}


def _noted(side: Side) -> list[int]:
    """Lines with numbers: those that run most, as many as the picture has room for."""
    work = METRICS["instructions"]
    ranked = sorted(side.lines, key=lambda line: -side.value(work, line))
    if max(ranked, default=0) > len(side.text):
        return ranked[:_MOST_LINES]
    noted: list[int] = []
    for line in ranked[:60]:
        more = sorted([*noted, line])
        if set(more) <= set(shown_lines(side.text, more)):
            noted = more
    return noted


def changed_lines(data: Compared) -> list[set[int]]:
    """Return lines of each kernel that the other lacks, where most lines are alike."""
    shown, texts = [], []
    for side in data.sides:
        noted = _noted(side)
        known = noted and max(noted) <= len(side.text)
        shown.append(shown_lines(side.text, sorted(noted)) if known else [])
        texts.append([side.text[at - 1].strip() for at in shown[-1]])
    match = SequenceMatcher(a=texts[0], b=texts[1], autojunk=False)
    found: list[set[int]] = [set(), set()]
    if match.ratio() > 0.5:
        for how, *ends in match.get_opcodes():
            if how != "equal":
                found[0].update(shown[0][ends[0] : ends[1]])
                found[1].update(shown[1][ends[2] : ends[3]])
    return found


def _code(side: Side, at: int, metric: Metric, most: float, room: float,
          changed: set[int]) -> Drawing:  # fmt: skip
    """A kernel's code with a number and a bar behind each line."""
    view, total, noted = Drawing(room, 48), metric.of(side.total), _noted(side)
    is_wide = room >= 400  # else without bars and shares
    _mark(view, at, 6, 10)
    noun = f" · {metric.words(total)} {metric.noun}"
    view.runs(20, 14, 13, (shortened(side.name, int(room / 14)), "bold"), (noun, "mut"))
    if not noted:
        view.text(0, 42, "Its lines are not known.", 12, fill="var(--mut)")
        return view
    valued = [line for line in noted if side.value(metric, line)]
    code, spans = code_lines(
        side.text, valued, room, _WORDS + _BAR if is_wide else 46, about=noted
    )
    for line in changed:
        top, bottom = spans[line]
        code.rect(0, top, 3, bottom - top, fill=strong(_HUES[at]))
    view.put(code, 0, 24)
    for line in valued:
        value, y = side.value(metric, line), spans[line][1] + 17.5
        words = metric.words(value)
        if is_wide and metric.below is None:
            share = round(100 * value / total)
            words += f" · {share} %" if share else " · <1 %"
        view.text(room - 4, y, words, 11.5, anchor="end")
        if is_wide:
            grey = depth(45 if value > most / 2 else 30 if value > most / 10 else 16)
            wide = round(max((_BAR - 4) * value / most, 2), 1)
            view.rect(room - _WORDS - _BAR, y - 9, wide, 10, rx=2, fill=grey)
    view.height = 24 + code.height
    if left := len(side.lines) - len(noted):
        words = f"… and {left} more lines with counts"
        view.text(0, view.height + 14, words, 11.5, fill="var(--mut)")
        view.height += 20
    return view


def _codes(data: Compared, metric: Metric, width: int) -> Drawing:
    """Both codes, on one scale."""
    view, columns = Drawing(width), 2 if width >= 696 else 1
    changed = changed_lines(data)
    room = (width - 28.0 * (columns - 1)) / columns
    values = [side.value(metric, line) for side in data.sides for line in side.lines]
    for at, side in enumerate(data.sides):
        part = _code(side, at, metric, max(values), room, changed[at])
        below = view.height + 14 if at and columns == 1 else 0.0
        view.put(part, at * (room + 28) * (columns - 1), below)
        view.height = max(view.height, below + part.height)
    return view


def _value(row: Row, value: float) -> str:
    if value == math.inf:
        return "∞"
    return number(float(f"{value:.2g}") if "a byte" in row.name else int(value))


def _ratio(data: Compared, row: Row) -> str:
    """The second against the first, in words."""
    if row.one == row.other:
        return "the same"
    if row.one and row.other:
        return times(row.one, row.other).replace("times", "×")
    return f"only in {shortened(data.sides[bool(row.other)].name, 14)}"


def _table(data: Compared, width: int) -> Drawing:
    """All counters; on narrow pages the numbers stand below their name."""
    view, low = Drawing(width), 20.0 * (width < 500)
    ends, middle, arm = (
        ((80.0, 160.0), 205.0, 36.0) if low else ((280.0, 360.0), 425.0, 52.0)
    )
    view.runs(0, 14, 13, ("Counters", "bold"), (" · exact; times are not known", "mut"))
    for at, x in enumerate(ends):
        words = shortened(data.sides[at].name.removesuffix(" launch"), 9)
        view.text(x, 38, words, 11.5, fill="var(--mut)", anchor="end")
    if not low:
        words = "fewer ← 1 → more"
        view.text(middle, 38, words, 11.5, fill="var(--mut)", anchor="middle")
    y = 64.0
    for row in data.rows:
        view.path(f"M0 {y - 18:g}H{width}", stroke="var(--line)")
        view.text(0, y, row.name, 12.5)
        y += low
        for x, value in zip(ends, (row.one, row.other), strict=True):
            view.text(x, y, _value(row, value), 12.5, anchor="end", mono=True)
        less, more = sorted((row.one, row.other))
        if 0 < less < more:  # half an arm is a factor of four
            part = 1.0 if more == math.inf else (more / less - 1) / (more / less + 2)
            wide = round(max(arm * part, 2), 1)
            left = middle - wide if row.other < row.one else middle
            view.rect(left, y - 8, wide, 8, fill=depth(30))
        view.path(f"M{middle:g} {y - 11:g}v14", stroke="var(--ink)")
        view.text(width, y, _ratio(data, row), 12.5, anchor="end")
        y += 27
    view.height = y
    return view


def _roof(data: Compared, card: str, gpu: str, width: int) -> Drawing:
    """How fast both launches can be at most on a card; axes are logarithmic."""
    facts, limits = _core.card(gpu), data.limits(gpu)
    bandwidth, peak = facts["bandwidth"], facts["single"]
    left, top, wide, high = 50.0, 100.0, width - 66.0, 170.0
    view = Drawing(width, top + high + 40)
    view.runs(0, 14, 13, ("Speed limit", "bold"), (f" · {card}, not a time", "mut"))
    note = f"slope: {bandwidth / 1e9:.4g} GB/s · top: {peak / 1e12:.3g} TFLOP/s"
    view.text(0, 32, note, 11.5, fill="var(--mut)")
    view.text(left - 6, top - 8, "TFLOP/s", 10.5, fill="var(--mut)", anchor="end")
    points = {
        at: (math.log2(intensity), math.log10(speed))
        for at, (intensity, speed) in enumerate(limits)
        if 0 < intensity < math.inf and speed
    }
    knee = math.log2(peak / bandwidth)
    across = [x for x, _ in points.values()] + [knee, -2]
    first, last = math.floor(min(across)) - 1, math.ceil(max(across)) + 2
    start, most = math.log10(bandwidth * 2.0**first), math.log10(peak)
    low, upper = (
        math.floor(min([start, *(y for _, y in points.values())])),
        math.ceil(most),
    )

    def place(x: float, y: float) -> tuple[float, float]:
        return (round(left + wide * (x - first) / (last - first), 1),
                round(top + high * (upper - y) / (upper - low), 1))  # fmt: skip

    for exponent in range(first + first % 2, last + 1, 2):
        x, _ = place(exponent, 0)
        view.path(f"M{x:g} {top:g}v{high:g}", stroke="var(--line)")
        words = str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"
        view.text(x, top + high + 15, words, 10.5, fill="var(--mut)", anchor="middle")
    for exponent in range(low, upper + 1):
        _, y = place(0, exponent)
        view.path(f"M{left:g} {y:g}h{wide:g}", stroke="var(--line)")
        words = f"{10.0 ** (exponent - 12):.6g}"
        view.text(left - 6, y + 4, words, 10.5, fill="var(--mut)", anchor="end")
    (a, b), (c, d), (e, _) = place(first, start), place(knee, most), place(last, 0)
    view.path(f"M{a:g} {b:g}L{c:g} {d:g}H{e:g}", stroke="var(--ink)", stroke_width=2)
    for at, side in enumerate(data.sides):
        _mark(view, at, 6, 48 + 18 * at)
        speed = "no limit"
        if at in points:
            speed = f"at most {limits[at][1] / 1e12:.2g} TFLOP/s"
            if side.blocks < facts["sm_count"]:
                speed += f", {side.blocks} of {facts['sm_count']} SMs work"
        view.text(18, 52 + 18 * at, f"{shortened(side.name, 20)}: {speed}", 12)
        if at in points:
            x, y = place(*points[at])
            view.path(f"M{x:g} {y:g}V{top + high:g}", stroke=strong(_HUES[at]),
                      stroke_width=1.4, stroke_dasharray="3 2.5")  # fmt: skip
            _mark(view, at, x, y)
    view.text(left + wide / 2, top + high + 34, "operations a byte (counted)", 11.5,
              fill="var(--mut)", anchor="middle")  # fmt: skip
    return view


def scene_of(data: Compared) -> Scene:
    """Return the scene of two launches side by side."""
    own, metrics, cards = Interned(), metrics_of(data), data.cards()
    nouns = tuple(each.noun[:1].upper() + each.noun[1:] for each in metrics.values())
    metric = Axis("metric", "Number behind each line", len(metrics), control="choice",
                  words=nouns, moves=moves_of("C", "number", len(metrics)))  # fmt: skip
    card = Axis("card", "Card of the speed limit", len(cards), control="choice",
                words=tuple(cards),
                moves=moves_of("G", "card", len(cards)))  # fmt: skip
    counted, gpus = [*metrics.values()], [*cards.items()]
    codes = frames_of(
        (metric,), lambda state, width: _codes(data, counted[state["metric"]], width)
    )
    table = frames_of((), lambda _, width: _table(data, width), (340, 560))
    roof = frames_of(
        (card,),
        lambda state, width: _roof(data, *gpus[state["card"]], width),
        (340, 410),
    )
    key = [("moved", 0, "longer and deeper: more of it; one scale for both")]
    if any(changed_lines(data)):
        key.append(("bar", _HUES[1], "line that the other kernel lacks"))
    return Scene(
        (metric, card), own.all, own.looks,
        (Panel((codes,), WIDTH), Panel((table,), 560), Panel((roof,), 410, gap=60)),
        answer=(answer(data),), detail=(detail(data),), key=swatches(key),
    )  # fmt: skip


def draw_compare(data: Compared) -> Figure:
    """Draw two launches side by side, first with sectors, where there are any."""
    names, row = [*metrics_of(data)], telling(data)
    known = [TELLING[row.name]] if row else names
    return Figure(
        "What did the second kernel change, and at what price?",
        scene_of(data), {"metric": names.index(known[0]), "card": 0}, data=data,
    )  # fmt: skip
