"""The overview's sentences."""

from __future__ import annotations

from ....cuda.inspecting.trace import LANES
from ...scene.drawing import number
from ...scene.phrases import lines_in_words, mean_in_words
from .overviews import Overview


def warp_name(data: Overview, warp: int) -> str:
    """A warp as sentences name it."""
    block, own = divmod(warp, data.warps)
    if data.alone:
        return f"warp {own}"
    return f"warp {own} of block {number(data.blocks[block])}"


def busy(data: Overview, warp: int) -> str:
    """What one warp does, as the end of the answer."""
    present, steps = int(data.present[warp]), int(data.steps[warp])
    name = warp_name(data, warp)
    name = name[0].upper() + name[1:]
    if not steps:
        return f"{name} does not run it."
    mean = mean_in_words(int(data.active[warp]), steps)
    uneven = data.threads % LANES != 0
    of_own = f" of its {present}" if uneven else ""
    shares = data.shares
    first = int((shares <= shares[warp]).sum()) == 1 < int((data.steps > 0).sum())
    end = (", the smallest part" if uneven else ", the fewest") if first else ""
    return f"{name} keeps {mean}{of_own} busy{end}."


def answer_of(data: Overview, warp: int) -> str:
    """The sentence on top."""
    of_all = min(data.threads, LANES)
    # The blocks that are kept are the worst.
    if int(data.active.sum()) == int((data.steps * data.present).sum()):
        return "All threads of every warp are active all the time."
    mean = mean_in_words(data.all_active, data.all_steps)
    where = " in the loop" if data.loop else ""
    verb = "is" if mean == "1" else "are"
    start = f"On average {mean} of {of_all} threads {verb} active{where}."
    return f"{start} {busy(data, warp)}"


def detail_of(data: Overview, warp: int) -> str:
    """The line below: the longest thread of a warp against the mean one."""
    longest, active = int(data.lanes[warp].max()), int(data.active[warp])
    mean = number(round(active / max(int(data.present[warp]), 1)))
    where = ""
    if data.loop:
        lines = lines_in_words((data.loop.first_line, data.loop.last_line))
        where = f" in the loop on {lines}"
    return (
        f"Its longest thread runs {number(longest)} instructions{where}; the mean "
        f"thread runs {mean}. A warp ends when its last thread ends."
    )
