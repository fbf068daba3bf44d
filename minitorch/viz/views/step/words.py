"""The sentences of the step view about a step and its warps."""

from __future__ import annotations

from collections import Counter

from ...scene.phrases import capital, joined
from ...traces.steps import NOT_STARTED
from .data import StepData

_DOES = {  # one, and several
    "waits": ("waits at a barrier", "wait at a barrier"),
    "ready": ("is ready", "are ready"),
    "new": ("has not started", "have not started"),
    "done": ("is done", "are done"),
}


def _where(data: StepData, line: int) -> str:
    return f"line {line}" if line > 0 else "code that has no line"


def _how_many(data: StepData, step: int) -> str:
    warp = int(data.steps.warp[step])
    every = int(data.steps.lanes[warp]).bit_count()
    active = int(data.steps.mask[step]).bit_count()
    if active == every:
        return f"all {every} threads" if every > 1 else "its one thread"
    return f"{active} of {every} threads"


def _doing(data: StepData, step: int, warp: int) -> str:
    """What a warp does that does not run in a step: a name in `_DOES`."""
    steps, lanes = data.steps, int(data.steps.lanes[warp])
    running = lanes & ~int(steps.done[step, warp])
    if int(steps.at[step, warp]) == NOT_STARTED or not running:
        return "done" if not running else "new"
    return "waits" if int(steps.waits[step, warp]) & running else "ready"


def _one_other(data: StepData, step: int, warp: int) -> str:
    line, does = _where(data, int(data.steps.at[step, warp])), _doing(data, step, warp)
    known = {
        "waits": f"waits at the barrier on {line}",
        "ready": f"has just run {line}",
    }
    return f"Warp {warp} {known.get(does, _DOES[does][0])}."


def _many_others(data: StepData, step: int, own: int) -> str:
    others = [warp for warp in range(len(data.steps.lanes)) if warp != own]
    often = Counter(_doing(data, step, warp) for warp in others)
    if len(often) == 1:
        return f"The other {len(others)} warps {_DOES[next(iter(often))][1]}."
    parts = [f"{often[does]} {words[often[does] > 1]}"
             for does, words in _DOES.items() if does in often]  # fmt: skip
    return f"Of the other {len(others)} warps, {joined(parts)}."


def _others(data: StepData, step: int) -> str:
    steps, warps = data.steps, len(data.steps.lanes)
    if steps.opens[step]:
        return " Now every thread is at a barrier or has ended, so all go on."
    own = int(steps.warp[step])
    if warps == 1:
        return ""
    if warps == 2:
        return f" {_one_other(data, step, 1 - own)}"
    return f" {_many_others(data, step, own)}"


def answer(data: StepData, step: int) -> str:
    """What went wrong in a step, else its race, else what its warp does."""
    who = f"Step {step + 1:,} of {len(data.steps):,}"
    failed = data.failed(step)
    if failed:
        return f"{who}: thread {failed.thread} {failed.fault}."
    race = data.race(step)
    return f"{who}: {race[:1].lower()}{race[1:] or _runs(data, step)}"


def _runs(data: StepData, step: int) -> str:
    steps = data.steps
    line = _where(data, int(steps.line[step]))
    verb = "reaches the barrier on" if steps.arrives[step] else "runs"
    who = f"warp {steps.warp[step]}"
    return f"{who} {verb} {line} with {_how_many(data, step)}.{_others(data, step)}"


def happened(data: StepData, step: int) -> str:
    """What was found in a step; what the warp runs there if the answer says that."""
    if data.failed(step) or data.race(step):
        return capital(_runs(data, step))
    return next((f"Finding: {at.words}." for at in data.marks if at.step == step), "")


def idle(data: StepData, step: int) -> str:
    """What a thread does that runs in a step and changes nothing."""
    if data.steps.arrives[step]:
        return "Thread {thread} waits here until every thread of the block arrives."
    both = " and sets no variable" if data.changes.names else ""
    return f"Thread {{thread}} touches no cell{both}."
