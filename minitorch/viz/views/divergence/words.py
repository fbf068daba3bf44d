"""The divergence view's sentences."""

from __future__ import annotations

from ...scene.drawing import number
from ...scene.phrases import joined, lines_in_words, mean_in_words
from .divergences import Divergence, Stretch


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
