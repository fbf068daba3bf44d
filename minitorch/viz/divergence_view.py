"""Owns the picture of the divergence view: 32 lanes over time, beside the code.

Must not know launches: it draws the numbers of `divergences`.
"""

from __future__ import annotations

from .code_view import draw_code
from .divergences import Divergence, Stretch
from .drawing import Drawing, number, width_of
from .figure import WIDTH, Figure, KeyEntry
from .launches import short_file
from .marks import EMPTY, ring, swatch
from .palette import strong

_CODE, _PANEL = 372.0, 398.0
_LEFT = 432.0
_ROOM = WIDTH - _LEFT - 2
_LANE = 11.6
_TOP = 78.0
_MOST_FINE, _MOST_COARSE = 44, 120
_LEAST = 4.6


def lines_in_words(lines: tuple[int, int]) -> str:
    """Lines of code as sentences name them.

    Example:
        >>> lines_in_words((6, 6)), lines_in_words((6, 8)), lines_in_words((0, 0))
        ('line 6', 'lines 6–8', 'code without a line')
    """
    first, last = lines
    if not last:
        return "code without a line"
    return f"line {first}" if first == last else f"lines {first}–{last}"


def mean_in_words(active: int, steps: int) -> str:
    """A mean number of threads: one decimal below 10, whole numbers above.

    Example:
        >>> mean_in_words(16, 1), mean_in_words(46, 10), mean_in_words(0, 0)
        ('16', '4.6', '0')
    """
    mean = active / steps if steps else 0
    return number(round(mean, 1) if mean < 9.95 else round(mean))


def _answer(data: Divergence) -> str:
    who, all_ = f"warp {data.warp}", data.present
    if not data.divergent:
        if all_ == 1:
            return f"Warp {data.warp} has one thread, which goes one way."
        return f"All {all_} threads of {who} go the same way."
    if data.loop:
        mean = mean_in_words(data.loop.active, data.loop.steps)
        lines = lines_in_words((data.loop.first_line, data.loop.last_line))
        return (
            f"In the loop on {lines}, {mean} of the {all_} threads of {who} are active "
            "on average."
        )
    first, second = sorted(data.sides, key=lambda side: side.idle)
    start = (
        f"Warp {data.warp} runs {lines_in_words(first.lines)} with {first.lanes} of "
        f"{all_} threads"
    )
    other = f"the other {second.lanes}"
    if first.lanes + second.lanes < all_:
        other = f"{second.lanes} more"
    if second.idle:
        return f"{start}; {other} {'is' if second.lanes == 1 else 'are'} off."
    return f"{start}, then {lines_in_words(second.lines)} with {other}."


def _detail(data: Divergence) -> str:
    mean = mean_in_words(data.active, data.steps)
    ran = (
        f"It runs {number(data.steps)} instructions with {mean} of {data.present} "
        "threads on average"
    )
    if not data.divergent:
        branches = "branch splits" if data.branches == 1 else "branches split"
        return f"{ran}; none of its {number(data.branches)} {branches} them."
    times = "once" if data.divergent == 1 else f"{number(data.divergent)} times"
    where = _listed(sorted(data.split_lines))
    joins = list(data.join_lines)
    back = f"joins on {_listed(sorted(joins))}" if joins else "does not join again"
    return f"{ran}. It splits {times}, on {where}, and {back}."


def _listed(lines: list[int]) -> str:
    if not lines:
        return "code without a line"
    if len(lines) == 1:
        return f"line {lines[0]}"
    if len(lines) > 4:
        return f"{len(lines)} lines"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


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


def moment(data: Divergence, stretch: Stretch) -> str:
    """What one stretch is, in a sentence."""
    off = data.present - stretch.active
    many = f", {number(stretch.repeats)} times" if stretch.repeats > 1 else ""
    last = stretch.row + stretch.count
    rows = (
        f"Instruction {number(last)}"
        if stretch.count == 1
        else f"Instructions {number(stretch.row + 1)} to {number(last)}"
    )
    how = {
        "split": " A branch split the warp before.",
        "join": " Threads joined before.",
        "other side": " This is another way than before.",
    }.get(stretch.begins, "")
    some = f"{off} thread{' is' if off == 1 else 's are'} off."
    return (
        f"{rows}{many}: {lines_in_words(stretch.lines)} with {stretch.active} of "
        f"{data.present} threads. {some if off else 'No thread is off.'}{how}"
    )


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
    for pattern in sorted({each.pattern for each in stretches if each.repeats > 1}):
        own = [at[i] for i, each in enumerate(stretches) if each.pattern == pattern]
        times = next(each.repeats for each in stretches if each.pattern == pattern)
        left, right = own[0][0] + 1, own[-1][0] + own[-1][1] - 2
        view.path(f"M{left:.1f} {y + 17}v4H{right:.1f}v-4", stroke="var(--mut)")
        words = f"× {number(times)}"
        if width_of(words, 11, bold=True) <= right - left + 8:
            middle = (left + right) / 2
            view.text(middle, y + 34, words, 11, anchor="middle", bold=True)


def _chart(view: Drawing, data: Divergence) -> float:
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
    focus = focus_of(stretches, data.present)
    x, w = at[focus]
    ring(view, x, _TOP, max(w - 1, 3), data.present * _LANE - 1.2, inside=False)
    what = "line of each step" if fine else "number of the instruction"
    y = below + 56
    view.text(_PANEL, y, moment(data, stretches[focus]), 12)
    rest = f" · … and {number(more)} more stretches" if more else ""
    view.text(_PANEL, y + 20, f"below the lanes: {what}{rest}", 11.5, fill="var(--mut)")
    return y + 26


def _notes(data: Divergence) -> dict[int, tuple[str, int]]:
    """For each line that not all threads ran together: how many did, on average."""
    notes = {}
    for line, steps in data.line_steps.items():
        if data.line_active[line] < steps * data.present:
            mean = mean_in_words(data.line_active[line], steps)
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


def draw_divergence(data: Divergence, lines: list[str], note: str = "") -> Figure:
    """Draw one warp's way.

    Args:
        data: From `divergence_data`.
        lines: The kernel's code; empty where nobody has it.
        note: A sentence to add to the detail.
    """
    body = Drawing(WIDTH)
    body.runs(0, 14, 13, (short_file(data.file) or "The code", "bold"),
              (" · threads that run a line, on average", "mut"))  # fmt: skip
    threads = f"{data.present} thread{'s' * (data.present != 1)}"
    body.runs(_PANEL, 14, 13, (f"Warp {data.warp} of block {data.block}", "bold"),
              (f" · {threads} · time runs to the right", "mut"))  # fmt: skip
    code = draw_code(lines, _notes(data), _CODE)
    body.put(code, 0, 30)
    body.height = max(30 + code.height, _chart(body, data)) + 12
    return Figure(
        question="Where do threads of a warp go separate ways?",
        answer=_answer(data),
        detail=" ".join(filter(None, [_detail(data), note])),
        body=body,
        key=_key(data),
        data=data,
    )
