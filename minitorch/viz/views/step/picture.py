"""The picture of the step view: time above, code and facts, threads, cells."""

from __future__ import annotations

import numpy as np

from ...figure.figure import WIDTH, Figure, KeyEntry
from ...scene.drawing import Drawing
from ...traces.fault_view import draw_missed
from .cells_view import draw_arrows, draw_sheet
from .code_view import code_of, draw_code
from .data import StepData
from .facts_view import Slots, draw_facts
from .layout import Layout, layout
from .live import live_step
from .threads_view import draw_threads
from .timeline_view import Axis, draw_timeline
from .words import answer, detail


def layout_of(data: StepData) -> Layout:
    """Where everything is drawn: the same for all steps of a figure."""
    longest, uses = {}, data.uses
    for at, each in enumerate(data.arrays):
        if each.shared:
            values = np.unique(uses.value[uses.array == at]).tolist()
            longest[at] = max((len(data.words[value]) for value in values), default=1)
    return layout(data.threads, data.arrays, longest, data.seen)


def _key(data: StepData, place: Layout) -> tuple[KeyEntry, ...]:
    steps = data.steps
    own = int(steps.warp[data.step])
    other = (own + 1) % len(steps.lanes)
    key = [KeyEntry("runs", "runs in this step", own),
           KeyEntry("belongs", "ready", other)]  # fmt: skip
    if steps.arrives.any():
        key.append(KeyEntry("waits", "waits at the barrier", other))
    key.append(KeyEntry("empty", "off in this step"))
    key.append(KeyEntry("bare", "done"))
    if place.sheets:
        key.append(KeyEntry("read", "cell read in this step"))
        key.append(KeyEntry("written", "cell written in this step", own))
    key.append(KeyEntry("focus", "focused thread and its cells"))
    if data.marks:
        key.append(KeyEntry("wrong", "finding"))
    return tuple(key)


def _notes(data: StepData, drawn: int, note: str) -> str:
    """What the picture leaves out."""
    said = [note] if note else []
    if (data.start, data.end) != (0, len(data.steps)):
        said.append(
            f"The picture has steps {data.start + 1:,} to {data.end:,} of "
            f"{len(data.steps):,}."
        )
    left = sum(each.shared for each in data.arrays) - drawn
    if left > 0:
        said.append(f"{left} more shared arrays are not drawn.")
    return " ".join(said)


def _fold(data: StepData) -> float:
    """Near the middle of the axis of time, as far as can be from names of barriers."""
    axis = Axis(data)
    opens = np.nonzero(data.steps.opens[data.start : data.end])[0] + data.start
    barriers = np.array([-WIDTH, *(axis.x(int(step) + 1) for step in opens)])
    return max(
        (WIDTH / 2 + at for at in range(-20, 21, 4)),
        key=lambda x: float(np.abs(barriers - x).min()),
    )


def draw_step(data: StepData, note: str = "") -> Figure:
    """Draw what each thread of a block does in one step.

    Args:
        data: From `step_data`.
        note: A sentence to add to the detail.
    """
    place, body = layout_of(data), Drawing(WIDTH)
    time = draw_timeline(data)
    body.put_part(time, 0, 0, breaks=[_fold(data)])
    code, aside = code_of(data, place.code), Drawing(place.code)
    main = Drawing(WIDTH)
    draw_code(aside, data, code)
    slots = Slots(data, place.code)
    facts = draw_facts(data, slots, place.code)
    aside.put(facts, 0, code.bottom + 4)
    draw_threads(main, data, place.threads)
    for sheet in place.sheets:
        draw_sheet(main, data, sheet)
    draw_arrows(main, data, place)
    aside.height = code.bottom + 4 + slots.height
    main.height = max([place.threads.bottom, *(at.bottom for at in place.sheets)])
    y = time.height + 16
    body.put_part(aside, 0, y)
    breaks = [place.sheets[0].x - 30] if place.sheets else []
    body.put_part(main, 0, y, left=place.code + 4, breaks=breaks)
    body.height = y + max(aside.height, main.height) + 8
    failed = data.fault if any(mark.fault for mark in data.marks) else None
    if failed and failed.array:
        missed = draw_missed(failed)
        body.put_part(missed, 0, body.height + 8)
        body.height += missed.height + 8
    left_out = _notes(data, len(place.sheets), note)
    said = f"{detail(data, data.step, data.thread)} {left_out}".strip()
    return Figure(
        question="What is each thread of this block doing right now?",
        answer=answer(data, data.step),
        detail=said,
        body=body,
        key=_key(data, place),
        findings=len(data.marks),
        data=data,
        live=live_step(data, place, code, slots, left_out),
    )
