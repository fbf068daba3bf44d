"""The picture of the divergence view: 32 lanes over time, beside the code."""

from __future__ import annotations

from itertools import pairwise

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...figure.player import Player
from ...scene.code_view import STEP, draw_code, rows_of
from ...scene.drawing import Drawing, number, width_of
from ...scene.marks import EMPTY, swatch
from ...scene.palette import strong
from ...scene.phrases import mean_in_words
from ...traces.launches import short_file
from .divergences import Divergence, Stretch
from .words import answer_of, detail_of, moment

_CODE, _PANEL = 372.0, 398.0
_LEFT = 432.0
_ROOM = WIDTH - _LEFT - 2
_LANE = 11.6
_FOLD = 540.0  # of the chart on a narrow page; what is right of it goes below
_TOP = 78.0
_MOST_FINE, _MOST_COARSE = 44, 120
_LEAST = 4.6


def shown(data: Divergence) -> tuple[tuple[Stretch, ...], int]:
    """The stretches that are drawn, and how many more there are."""
    if len(data.fine) <= _MOST_FINE:
        return data.fine, 0
    return data.coarse[:_MOST_COARSE], max(len(data.coarse) - _MOST_COARSE, 0)


def places(stretches: tuple[Stretch, ...], fine: bool) -> list[tuple[float, float]]:
    """Left end and width of each stretch: equal ones, or by their instructions."""
    room = _ROOM - 12 * (len({each.pattern for each in stretches}) > 1)
    if fine:
        wide = min(room / len(stretches), 34.0)
        return [(_LEFT + at * wide, wide) for at in range(len(stretches))]
    total = sum(each.count for each in stretches)
    rest = max(room - _LEAST * len(stretches), 0.0)
    x, found = _LEFT, []
    for each in stretches:
        wide = _LEAST + rest * each.count / total
        found.append((x, wide))
        x += wide
    return found


def focus_of(stretches: tuple[Stretch, ...], present: int) -> int:
    """The stretch that costs most: the first frame is about it."""
    cost = [each.repeats * each.count * (present - each.active) for each in stretches]
    return cost.index(max(cost))


def _bars(lanes: list[int], x: float, w: float) -> str:
    shape = f"h{w:.1f}v{_LANE - 1.2:.1f}h{-w:.1f}z"
    return "".join(f"M{x:.1f} {_TOP + lane * _LANE:.1f}{shape}" for lane in lanes)


def _lanes(view: Drawing, data: Divergence, each: Stretch, x: float, w: float) -> None:
    """One column: the lanes that run in one path, those that are off in another."""
    wide = w - (1.0 if w > 8 else 0.0)
    on = [lane for lane in range(data.present) if each.mask >> lane & 1]
    off = [lane for lane in range(data.present) if not each.mask >> lane & 1]
    if off:
        view.path(_bars(off, x, wide), fill=EMPTY)
    view.path(_bars(on, x, wide), fill=strong(data.warp))
    if w >= 13:
        view.text(x + w / 2, _TOP - 6, each.active, 10, anchor="middle", mono=True)


def _signs(view: Drawing, data: Divergence, at: list[tuple[float, float]]) -> None:
    """Signs above the columns; of those that would touch each other the first."""
    free = words_free = 0.0
    said = ""
    for each, (x, _) in zip(shown(data)[0], at, strict=True):
        if each.begins not in ("split", "join") or x < free:
            continue
        free = x + 15
        view.put(swatch(each.begins), x - 8, _TOP - 38)
        words, kind = f"line {each.border}", f"{each.begins} {each.border}"
        room = width_of(words, 10)
        start = min(max(x - room / 2, _LEFT), WIDTH - room)
        if each.border and start >= words_free and kind != said:
            view.text(start, _TOP - 41, words, 10, fill="var(--mut)")
            words_free, said = start + room + 6, kind


def _axis(
    view: Drawing, stretches: tuple[Stretch, ...], at: list[tuple[float, float]],
    fine: bool, y: float,
) -> None:  # fmt: skip
    """Below: lines of fine columns, numbers of instructions of coarse ones; repeats."""
    free = 0.0
    for each, (x, w) in zip(stretches, at, strict=True):
        words = str(each.lines[0]) if fine else number(each.row + 1)
        room = width_of(words, 10, mono=True)
        start = x + w / 2 - room / 2 if fine else x
        if start >= free and start + room <= WIDTH:
            view.text(start, y + 12, words, 10, fill="var(--mut)", mono=True)
            free = start + room + (2 if fine else 10)
    free = 0.0
    for pattern in sorted({each.pattern for each in stretches if each.repeats > 1}):
        own = [at[i] for i, each in enumerate(stretches) if each.pattern == pattern]
        times = next(each.repeats for each in stretches if each.pattern == pattern)
        left, right = own[0][0] + 1, own[-1][0] + own[-1][1] - 2
        view.path(f"M{left:.1f} {y + 17}v4H{right:.1f}v-4", stroke="var(--mut)")
        words = f"× {number(times)}"
        room = width_of(words, 11, bold=True)
        start = min((left + right - room) / 2, WIDTH - room)
        if start >= free:
            view.text(start, y + 34, words, 11, bold=True)
            free = start + room + 4


def _chart(view: Drawing, data: Divergence, focus: int) -> float:
    """Lanes over time; returns its lower end."""
    stretches, more = shown(data)
    fine = stretches is data.fine
    at = places(stretches, fine)
    for lane in sorted({*range(0, data.present, 4), data.present - 1}):
        if lane == data.present - 1 or data.present - 1 - lane > 1:
            y = _TOP + lane * _LANE + 9
            view.text(
                _LEFT - 6, y, lane, 10, fill="var(--mut)", anchor="end", mono=True
            )
    for each, (x, w) in zip(stretches, at, strict=True):
        _lanes(view, data, each, x, w)
    _signs(view, data, at)
    below = _TOP + data.present * _LANE
    _axis(view, stretches, at, fine, below)
    x, w = at[focus]
    view.rect(
        x - 1, _TOP - 1, max(w, 4) + 1, data.present * _LANE + 0.8, rx=4, fill="none",
        stroke="var(--ink)", stroke_width=2.4, data_at="focus",
    )  # fmt: skip
    what = "line of each step" if fine else "number of the instruction"
    y = below + 56
    what_runs, why = _moment(data, stretches[focus])
    view.text(_PANEL, y, what_runs, 12, data_at="moment")
    view.text(_PANEL, y + 18, why, 12, data_at="why")
    y += 18
    rest = f" · … and {number(more)} more stretches" if more else ""
    view.text(_PANEL, y + 20, f"below the lanes: {what}{rest}", 11.5, fill="var(--mut)")
    return y + 26


def _moment(data: Divergence, stretch: Stretch) -> tuple[str, str]:
    """What a stretch is, in two lines: who runs, and who is off and why."""
    runs, end, why = moment(data, stretch).partition(". ")
    return runs + end.rstrip(), why


def _pointer(stretch: Stretch, rows: dict[int, float]) -> str:
    """A mark at each drawn line of a stretch, as one path."""
    first, last = stretch.lines
    return "".join(
        f"M0 {y - 15:g}h3v{STEP}h-3z"
        for line, y in rows.items()
        if first <= line <= last
    )


def _live(data: Divergence, focus: int, rows: dict[int, float]) -> Live:
    stretches, _ = shown(data)
    at, count = places(stretches, stretches is data.fine), len(stretches)
    player, by = Player({"stretch": focus}), ["stretch"]
    player.axis("stretch", count)
    player.set("focus", "x", by, [x - 1 for x, _ in at])
    player.set("focus", "width", by, [max(w, 4) + 1 for _, w in at])
    moments = [_moment(data, each) for each in stretches]
    player.text("moment", by, [runs for runs, _ in moments])
    player.text("why", by, [why for _, why in moments])
    player.set("lines", "d", by, [_pointer(each, rows) for each in stretches])
    player.slider(
        "stretch",
        "Stretch",
        [f"{each + 1} of {count}" for each in range(count)],
        [i for i, each in enumerate(stretches) if each.border],
    )
    player.areas("focus", "stretch", [], [_areas(data, at)])
    return player.live(
        (
            ("← →", "previous, next stretch"),
            ("Shift ← →", "previous, next split or join"),
        )
    )


def _areas(
    data: Divergence, at: list[tuple[float, float]]
) -> list[tuple[float, float, float, float]]:
    """What the pointer reaches: columns that leave no gap."""
    edges = [at[0][0] - 1, *(x for x, _ in at[1:]), at[-1][0] + at[-1][1]]
    high = data.present * _LANE + 0.8
    return [(left, _TOP - 1, right - left, high) for left, right in pairwise(edges)]


def _notes(data: Divergence) -> dict[int, tuple[str, int]]:
    """For each line that not all threads ran together: how many did, on average."""
    notes = {}
    for line, steps in data.line_steps.items():
        if data.line_active[line] < steps * data.present:
            mean = mean_in_words(data.line_active[line], steps)
            if mean != str(data.present):
                notes[line] = (f"{mean} of {data.present}", data.warp)
    return notes or dict.fromkeys(data.line_steps or [1], (f"all {data.present}", 0))


def _key(data: Divergence) -> tuple[KeyEntry, ...]:
    stretches, _ = shown(data)
    begins = {each.begins for each in stretches}
    key = [KeyEntry("runs", f"thread of warp {data.warp} runs", data.warp)]
    if any(each.active < data.present for each in stretches):
        key.append(KeyEntry("empty", "thread is off, the warp still runs"))
    if "split" in begins:
        key.append(KeyEntry("split", "the warp splits after this line"))
    if "join" in begins:
        key.append(KeyEntry("join", "threads join again at this line"))
    return (*key, KeyEntry("focus", "stretch in focus"))


def draw_divergence(
    data: Divergence, lines: list[str], note: str = "", focus: int | None = None
) -> Figure:
    """Draw one warp's way.

    Args:
        data: From `divergence_data`.
        lines: The kernel's code; empty where nobody has it.
        note: A sentence to add to the detail.
        focus: Number of the stretch in focus; None: the one that costs most.
    """
    stretches, _ = shown(data)
    focus = focus_of(stretches, data.present) if focus is None else focus
    body = Drawing(WIDTH)
    left, chart = Drawing(_CODE), Drawing(WIDTH)
    left.runs(0, 14, 13, (short_file(data.file) or "The code", "bold"),
              (" · threads that run a line, on average", "mut"))  # fmt: skip
    threads = f"{data.present} thread{'s' * (data.present != 1)}"
    chart.runs(_PANEL, 14, 13, (f"Warp {data.warp} of block {data.block}", "bold"),
              (f" · {threads} · time runs to the right", "mut"))  # fmt: skip
    notes = _notes(data)
    code, rows = draw_code(lines, notes, _CODE), rows_of(lines, list(notes))
    d = _pointer(stretches[focus], rows)
    code.path(d, fill="var(--ink)", data_at="lines")
    left.put(code, 0, 30)
    left.height = 30 + code.height
    chart.height = _chart(chart, data, focus)
    body.put_part(left, 0, 0)
    body.put_part(chart, 0, 0, left=_PANEL, breaks=[_PANEL + _FOLD])
    body.height = max(left.height, chart.height) + 12
    return Figure(
        question="Where do threads of a warp go separate ways?",
        answer=answer_of(data),
        detail=" ".join(filter(None, [detail_of(data), note])),
        body=body,
        key=_key(data),
        data=data,
        live=_live(data, focus, rows),
    )
