"""The race view's sentences."""

from __future__ import annotations

from ...scene.drawing import shortened
from .races import RaceData, Side

_NOUNS = {"reads": "read", "writes": "write", "updates": "update", "uses": "use"}


def in_order(data: RaceData) -> tuple[Side, Side]:
    """The two threads in the order that the program means."""
    writer, other = data.writer, data.other
    return (writer, other) if data.early == "writer" else (other, writer)


def short(side: Side) -> str:
    """A thread's name where there is little room."""
    return shortened(side.name.replace(" of block ", " · "), 18)


def capital(words: str) -> str:
    """Words as a sentence begins."""
    return words[:1].upper() + words[1:]


def _either(data: RaceData) -> str:
    writer, other, cell = data.writer, data.other, data.cell
    if other.kind != "reads":
        return (
            f"{capital(writer.name)} and {other.name} both write {cell}, in any order."
        )
    if data.early == "other":
        does = "update" if writer.kind == "updates" else "overwrite"
        return (
            f"{capital(writer.name)} may {does} {cell} before {other.name} has read it."
        )
    return f"{capital(other.name)} may read {cell} before {writer.name} has written it."


def detail_of(data: RaceData) -> str:
    """What does not order the two."""
    first, last = in_order(data)
    if first.line == last.line:
        used, written = _NOUNS[data.other.kind], _NOUNS[data.writer.kind]
        where = f"the {used} and the {written}, both on line {first.line},"
    else:
        nouns = _NOUNS[first.kind], _NOUNS[last.kind]
        where = f"the {nouns[0]} on line {first.line} and the {nouns[1]} on line "
        where += f"{last.line}"
        if data.same_block and first.line > last.line > 0:
            where += " in the next round"
    if not data.same_block:
        return f"Nothing orders {where} since blocks run in any order."
    what = "two threads of the warp" if data.same_warp else "two warps"
    return (
        f"No barrier stands between {where.rstrip(',')}, so the {what} may run in "
        "either order."
    )


def seen(data: RaceData, side: Side, first: str) -> str:
    """What the cell holds as a thread uses it."""
    if side.kind != "reads":
        return side.value or "?"
    return (data.writer.value if first == "writer" else data.before) or "?"


def answer_of(data: RaceData) -> str:
    """The sentence on top: the race, whichever order is looked at."""
    return _either(data)


def detail_in(data: RaceData, order: str) -> str:
    """The line below the answer: what one order would do, before what orders neither.

    Args:
        data: A race.
        order: "either", "writer" or "other" for who goes first, or "barrier".
    """
    return f"{_what_if(data, order)} {detail_of(data)}".strip()


def _what_if(data: RaceData, order: str) -> str:
    """What becomes of the cell in one order, or in the one that a barrier leaves."""
    writer, other, cell = data.writer, data.other, data.cell
    if order == "either":
        return ""
    if order == "barrier":
        when = "before" if data.early == "other" else "after"
        does = "writes" if when == "before" else "has written"
        return (
            f"With a barrier {other.name} {other.kind} {cell} {when} {writer.name} "
            f"{does} it."
        )
    ahead, last = (writer, other) if order == "writer" else (other, writer)
    if other.kind != "reads":
        value = last.value or "what it was given last"
        return f"If {ahead.name} goes first, {cell} ends as {value}."
    value = seen(data, other, order)
    nothing = "what nobody has written" if data.space == "shared" else "an older value"
    result = nothing if value == "?" else value
    reader = other.name if order == "writer" else "it"
    return f"If {ahead.name} goes first, {reader} reads {result}."


def is_ordered(data: RaceData) -> bool:
    """Whether a barrier between the two lines leaves one order."""
    low, high = sorted((data.writer.line, data.other.line))
    return data.same_block and 0 < low < high


def orders_of(data: RaceData) -> tuple[str, ...]:
    """The orders to choose from: see `detail_in`."""
    return ("either", "writer", "other", *(("barrier",) if is_ordered(data) else ()))
