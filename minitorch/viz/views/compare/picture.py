"""The picture of two launches: their code and counters, and a card's speed limit.

The limit is a roofline: S. Williams, A. Waterman, D. Patterson, CACM 52(4), 2009.
"""

from __future__ import annotations

import math
from difflib import SequenceMatcher

import numpy as np

from .... import _core
from ...figure.figure import Figure
from ...figure.scenes import Interned, moves_of, swatches
from ...scene.code_view import comment_of, shown_lines, texts_of
from ...scene.drawing import Drawing, number, shortened
from ...scene.frames import frames_of
from ...scene.palette import strong
from ...scene.scene import Axis, Bars, Code, Panel, Scene, Table
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
_WORDS = 76.0  # behind a line of code
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


def _shown(side: Side) -> list[int]:
    """Return the lines of a kernel that are drawn: with those that run most."""
    work = METRICS["instructions"]
    ranked = sorted(side.lines, key=lambda line: -side.value(work, line))
    while True:
        shown = shown_lines(side.text, sorted(ranked))
        if set(ranked) <= set(shown) and len(shown) <= _MOST_LINES:
            return shown
        ranked.pop()


def _changed(sides: list[list[str]]) -> list[list[bool]]:
    """Return for each line whether the other kernel lacks it, if most are alike."""
    match = SequenceMatcher(a=sides[0], b=sides[1], autojunk=False)
    found = [[match.ratio() > 0.5] * len(each) for each in sides]
    for first, second, count in match.get_matching_blocks():
        found[0][first : first + count] = [False] * count
        found[1][second : second + count] = [False] * count
    return found


def _codes(data: Compared, own: Interned, metrics: list[Metric]) -> list[Code]:
    """Both codes with a number and a bar behind each line, on one scale."""
    shown = [_shown(side) or [0] for side in data.sides]
    texts = [texts_of(side.text, lines)
             for side, lines in zip(data.sides, shown, strict=True)]  # fmt: skip
    changed = _changed([[text.strip() for text in each] for each in texts])
    values = [np.array([[side.value(metric, line) if line in side.lines else 0.0
                         for line in lines] for metric in metrics])
              for side, lines in zip(data.sides, shown, strict=True)]  # fmt: skip
    most = np.maximum(*(each.max(axis=1, keepdims=True) for each in values))
    codes = []
    for at, side in enumerate(data.sides):
        words, heads = [], []
        for metric, row in zip(metrics, values[at].tolist(), strict=True):
            total = metric.of(side.total)
            heads.append(f"{metric.words(total)} {metric.noun}")
            shares = [f" · {round(100 * each / total)} %" if metric.below is None else ""
                      for each in row] if total else [""] * len(row)  # fmt: skip
            words.append(own.texts([
                metric.words(each) + share if each else ""
                for each, share in zip(row, shares, strict=True)
            ]))  # fmt: skip
        lengths = np.round(1000 * values[at] / np.maximum(most, 1e-9)).astype(int)
        new = np.where(changed[at], own.number("new" if at else "old"), -1)
        codes.append(Code(
            f"{'●■'[at]} {side.name}", own.table("metric", heads), tuple(shown[at]),
            tuple(texts[at]), comment_of(texts[at]),
            sign="-" * any(changed[at]), others=new,
            whose=np.full(len(new), _HUES[at]), counts=Table(("metric",), lengths),
            totals=np.full(len(new), 1000), notes=Table(("metric",), np.array(words)),
            room=_WORDS,
        ))  # fmt: skip
    return codes


def _value(row: Row, value: float) -> str:
    if value == math.inf:
        return "∞"
    return number(float(f"{value:.2g}") if "a byte" in row.name else int(value))


def _change(data: Compared, row: Row) -> str:
    """The second against the first, in words."""
    if row.one == row.other:
        return "the same"
    if row.one and row.other:
        return times(row.one, row.other).replace("times", "×")
    return f"only in {shortened(data.sides[bool(row.other)].name, 12)}"


def _counters(data: Compared, own: Interned, heads: tuple[str, ...]) -> Bars:
    """All counters; the longer the bar, the larger the change."""
    rows = data.rows
    ratios = [max(row.one, row.other) / (min(row.one, row.other) or math.inf)
              for row in rows]  # fmt: skip
    columns = [(_value(row, row.one), _value(row, row.other), _change(data, row))
               for row in rows]  # fmt: skip
    return Bars(
        "Counters, exact; times are not known", (*heads, "change"),
        tuple(row.name for row in rows),
        tuple(own.texts(column) for column in zip(*columns, strict=True)),
        np.array([round(100 * math.log(min(max(each, 1), 1e6))) for each in ratios]),
        165, np.array([rows.index(row) if (row := telling(data)) else -1]),
    )  # fmt: skip


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
    heads = tuple(
        shortened(side.name.removesuffix(" launch"), 9) for side in data.sides
    )
    roof = frames_of(
        (card,),
        lambda state, width: _roof(data, *gpus[state["card"]], width),
        (340, 410),
    )
    return Scene(
        (metric, card), own.all, own.looks,
        (*(Panel((each,), 526, gap=28) for each in _codes(data, own, counted)),
         Panel((_counters(data, own, heads),), 560), Panel((roof,), 410, gap=60)),
        answer=(answer(data),), detail=(detail(data),), key=swatches([
            ("moved", 0, "longer: more of it, one scale for both codes"),
        ]),
    )  # fmt: skip


def draw_compare(data: Compared) -> Figure:
    """Draw two launches side by side, first with sectors, where there are any."""
    names, row = [*metrics_of(data)], telling(data)
    known = [TELLING[row.name]] if row else names
    return Figure(
        "What did the second kernel change, and at what price?",
        scene_of(data), {"metric": names.index(known[0]), "card": 0}, data=data,
    )  # fmt: skip
