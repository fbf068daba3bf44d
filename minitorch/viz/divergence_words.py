"""Owns the divergence view's sentences. Must not know pictures or launches."""

from __future__ import annotations

from .divergences import Divergence, Stretch
from .drawing import number
from .phrases import joined


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


def answer_of(data: Divergence) -> str:
    """The sentence on top."""
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


def detail_of(data: Divergence) -> str:
    """The line below: what the warp ran, where it splits and joins."""
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
    if len(lines) > 4:
        return f"{len(lines)} lines"
    return f"line{'s' * (len(lines) > 1)} {joined([str(each) for each in lines])}"


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
