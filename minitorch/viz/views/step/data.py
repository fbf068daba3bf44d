"""The numbers of the step view: one block's steps, and its state after each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....cuda import Launch, Trace
from ....cuda.inspecting.accesses import READ, accesses_of
from ....cuda.inspecting.trace import LANES
from ...figure.scenes import Interned
from ...scene.code_view import lines_of
from ...scene.drawing import shortened
from ...traces.arrays import Array
from ...traces.faults import Fault, block_of, fault_of
from ...traces.launches import number_of, require_trace
from ...traces.steps import Steps, steps_of
from .marks import Mark, marks_of
from .uses import Changes, Uses, changes_of, uses_of

_MOST_STEPS, _MOST_VALUES = 2000, 40_000
Columns = NDArray[Any]
Numbers = Columns


@dataclass(frozen=True)
class StepData:
    """The steps of one block, and what its threads did in each.

    Attributes:
        launch: That ran.
        file: Of the lines.
        lines: The kernel's text; empty where nobody has it.
        block: Its number.
        steps: See there.
        arrays: Whose cells have names, those of shared memory first.
        uses: What the threads did to them, by row of the trace.
        changes: What they did to variables.
        words: Of the values that `uses` and `changes` have numbers for.
        marks: Findings of the block.
        step, thread: The focus; steps count from 0 here, from 1 in words.
        start, end: Which steps the picture has.
    """

    launch: Launch
    file: str
    lines: list[str]
    block: int
    steps: Steps
    arrays: tuple[Array, ...]
    uses: Uses
    changes: Changes
    words: list[str]
    marks: tuple[Mark, ...]
    step: int
    thread: int
    start: int
    end: int

    @property
    def fault(self) -> Fault | None:
        """What went wrong in the launch."""
        return fault_of(self.launch)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        x, y, z = self.launch.block
        return x * y * z

    @cached_property
    def use_step(self) -> Columns:
        """The step of each use."""
        return np.searchsorted(self.steps.last, self.uses.row)

    @cached_property
    def change_step(self) -> Columns:
        """The step of each change of a variable."""
        return np.searchsorted(self.steps.last, self.changes.row)

    def failed(self, step: int) -> Mark | None:
        """What went wrong in the launch, at its step."""
        return next(
            (mark for mark in self.marks if mark.fault and mark.step == step), None
        )

    def race(self, step: int) -> str:
        """The two threads of the first race of a step, as a sentence; "": none."""
        return next((mark.race for mark in self.marks if mark.step == step), "")

    def first_write(self, array: int) -> Columns:
        """The step in which each cell was first written; all steps where never."""
        own = (self.uses.array == array) & (self.uses.kind != READ)
        first = np.full(self.arrays[array].count, len(self.steps))
        np.minimum.at(first, self.uses.cell[own], self.use_step[own])
        return first


def _middle_of_busiest(steps: Steps, rows: Columns) -> int:
    """The middle one of the steps on the line that touches cells most often.

    Args:
        steps: Of the block.
        rows: Of the trace, in which threads touch cells; without any, all lines count.
    """
    used = np.unique(np.searchsorted(steps.last, rows))
    known = used[steps.line[used] > 0] if len(used) else np.nonzero(steps.line > 0)[0]
    known = known if len(known) else np.arange(len(steps))
    lines, often = np.unique(steps.line[known], return_counts=True)
    own = known[steps.line[known] == lines[often.argmax()]]
    return int(own[len(own) // 2])


def _most_urgent(marks: tuple[Mark, ...]) -> Mark | None:
    """What went wrong in the launch, else the first finding."""
    return next((mark for mark in marks if mark.fault), marks[0] if marks else None)


def _step_of(step: Any, steps: Steps, marks: tuple[Mark, ...], used: Any) -> int:
    if step is None:
        first = _most_urgent(marks)
        return first.step if first else _middle_of_busiest(steps, used)
    if not hasattr(step, "__index__"):
        raise TypeError(f"[viz.step] got step {step!r}; need an int.")
    if not 1 <= step.__index__() <= len(steps):
        raise IndexError(f"[viz.step] got step {step}; need 1 to {len(steps):,}.")
    return int(step.__index__()) - 1


def _thread_of(steps: Steps, step: int, marks: tuple[Mark, ...]) -> int:
    """The thread of the finding, else one in the first half of those that run."""
    warp = int(steps.warp[step])
    for mark in sorted(marks, key=lambda each: not each.fault):
        if mark.step == step and (mark.fault or mark.thread // LANES == warp):
            return mark.thread
    lanes = np.nonzero(int(steps.mask[step]) >> np.arange(LANES) & 1)[0]
    return warp * LANES + int(lanes[len(lanes) // 3])


def _window(steps: Steps, step: int, values: int) -> tuple[int, int]:
    """Which steps a picture has room for: those around one, cut at barriers.

    Args:
        steps: Of the block.
        step: One of them.
        values: How many all steps have.
    """
    half = min(_MOST_STEPS, _MOST_VALUES * len(steps) // max(values, 1)) // 2
    low, high = step - max(half, 16), step + max(half, 16)
    cuts = np.nonzero(steps.opens)[0] + 1
    first = min(cuts[(low <= cuts) & (cuts <= step)], default=low) if low > 0 else 0
    end = max(cuts[(step < cuts) & (cuts <= high)], default=high)
    return int(first), int(end) if high < len(steps) else len(steps)


def _steps(launch: Launch, trace: Trace, block: int) -> Steps:
    steps = steps_of(trace, block, int(np.prod(launch.block)))
    if not len(steps):
        blocks = f"{np.unique(trace.block).size:,} of {np.prod(launch.grid):,}"
        raise ValueError(
            f"[viz.step] the trace of {shortened(launch.kernel)} has no steps of block "
            f"{block}: it has {blocks} blocks. To record more, increase trace_bytes."
        )
    return steps


def _file_of(launch: Launch, steps: Steps) -> str:
    """The kernel's own file; else that of the busiest line."""
    files = launch.trace.file
    busiest = str(files[steps.first[_middle_of_busiest(steps, steps.last[:0])]])
    return launch.source_file if launch.source_file in files else busiest


def step_data(
    launch: Any,
    step: Any = None,
    block: Any = None,
    thread: Any = None,
) -> StepData:
    """Look at the steps of one block.

    Args:
        launch: With a trace.
        step: From 1; None: the first finding, else the middle of the busiest line.
        block: Its number, or (x, y, z); None: where the launch failed, else the first.
        thread: In focus; its number in the block, or (x, y, z).

    Raises:
        ValueError: No trace, or none of this block.
        IndexError: No such step, block or thread.
        TypeError: Not a launch, or numbers that are none.
    """
    trace, at = require_trace(launch, "step"), block_of(launch, block, "step")
    steps = _steps(launch, trace, at)
    file = _file_of(launch, steps)
    lines, words = lines_of(None, file, launch.source), Interned()
    every = accesses_of(trace)
    arrays, uses = uses_of(launch, every, at, lines, words)
    marks = marks_of(launch, every.where(every.block == at), steps, at, arrays)
    changes = changes_of(trace, at, words)
    chosen = _step_of(step, steps, marks, uses.row)
    focus = (
        _thread_of(steps, chosen, marks)
        if thread is None
        else number_of(thread, launch.block, "thread", "step")
    )
    start, end = _window(steps, chosen, len(uses) + changes.value.size)
    return StepData(
        launch=launch,
        file=file,
        lines=lines,
        block=at,
        steps=steps,
        arrays=tuple(arrays),
        uses=uses,
        changes=changes,
        words=words.all,
        marks=marks,
        step=chosen,
        thread=focus,
        start=start,
        end=end,
    )
