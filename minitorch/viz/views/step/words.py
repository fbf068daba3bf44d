"""The sentences of the step view about a step and its warps."""

from __future__ import annotations

from ...scene.phrases import joined
from ...traces.steps import NOT_STARTED
from .data import StepData


def _where(data: StepData, line: int) -> str:
    return f"line {line}" if line > 0 else "code that has no line"


def _how_many(data: StepData, step: int) -> str:
    warp = int(data.steps.warp[step])
    every = int(data.steps.lanes[warp]).bit_count()
    active = int(data.steps.mask[step]).bit_count()
    if active == every:
        return f"all {every} threads" if every > 1 else "its one thread"
    return f"{active} of {every} threads"


def _one_other(data: StepData, step: int, warp: int) -> str:
    steps = data.steps
    line, lanes = int(steps.at[step, warp]), int(steps.lanes[warp])
    if line == NOT_STARTED:
        return f"Warp {warp} has not started."
    if not lanes & ~int(steps.done[step, warp]):
        return f"Warp {warp} is done."
    if steps.waits[step, warp]:
        return f"Warp {warp} waits at the barrier on {_where(data, line)}."
    return f"Warp {warp} has just run {_where(data, line)}."


def _many_others(data: StepData, step: int, own: int) -> str:
    steps = data.steps
    others = [warp for warp in range(len(steps.lanes)) if warp != own]
    new = sum(int(steps.at[step, each]) == NOT_STARTED for each in others)
    done = sum(
        not int(steps.lanes[each]) & ~int(steps.done[step, each]) for each in others
    )
    waits = sum(
        bool(steps.waits[step, each] & ~steps.done[step, each]) for each in others
    )
    ready = len(others) - new - done - waits
    every = f"the other {len(others)} warps"
    parts = [
        f"{count} {words}"
        for count, words in (
            (waits, "wait at a barrier" if waits > 1 else "waits at a barrier"),
            (ready, "are ready" if ready > 1 else "is ready"),
            (new, "have not started" if new > 1 else "has not started"),
            (done, "are done" if done > 1 else "is done"),
        )
        if count
    ]
    if len(parts) == 1:
        return f"T{every[1:]} {parts[0].partition(' ')[2]}."
    return f"Of {every}, {joined(parts)}."


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
        words = _runs(data, step)
        return words[:1].upper() + words[1:]
    return next((f"Finding: {at.words}." for at in data.marks if at.step == step), "")


def idle(data: StepData, step: int) -> str:
    """What a thread does that runs in a step and changes nothing."""
    if data.steps.arrives[step]:
        return "Thread {thread} waits here until every thread of the block arrives."
    both = " and sets no variable" if data.changes.names else ""
    return f"Thread {{thread}} touches no cell{both}."
