"""`schedule`: the steps of a program that are recorded."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..cuda.tracebacks import learner_frames


class ProfilerActivity(Enum):
    """What to record: the host's events or the work on device cuda."""

    CPU = 0
    CUDA = 2


class ProfilerAction(Enum):
    """What a profile does in a step.

    `NONE`: nothing. `WARMUP`: record, and throw it away. `RECORD`: record.
    `RECORD_AND_SAVE`: record, and call `on_trace_ready` at the end of the step.
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


@learner_frames
def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Say which steps a profile records: cycles of wait, warm-up, active steps.

    Args:
        wait: steps of a cycle that are not recorded.
        warmup: steps after these that are recorded and thrown away, so that the active
            ones find everything compiled and in its place.
        active: steps after these that are recorded, at least 1.
        repeat: cycles; 0: until the profile ends.
        skip_first: steps before the first cycle.

    Returns:
        A function from a step's number to a `ProfilerAction`.

    Raises:
        ValueError: a number that is negative or not whole; no active step.

    Example:
        >>> steps = schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [steps(n).name for n in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    _check_steps(
        (
            ("wait", wait, 0),
            ("warmup", warmup, 0),
            ("active", active, 1),
            ("repeat", repeat, 0),
            ("skip_first", skip_first, 0),
        )
    )
    if warmup == 0:
        warnings.warn(
            "[schedule] with warmup=0 the first recorded step may include compiling "
            "kernels. Try warmup=1.",
            stacklevel=3,
        )
    return _Cycles(wait, warmup, active, repeat, skip_first)


@dataclass(frozen=True)
class _Cycles:
    """The action of each step; cycles begin after the skipped ones."""

    wait: int
    warmup: int
    active: int
    repeat: int
    skipped: int

    def __call__(self, step: int) -> ProfilerAction:
        length = self.wait + self.warmup + self.active
        cycle, position = divmod(step - self.skipped, length)
        if step < self.skipped or (self.repeat and cycle >= self.repeat):
            return ProfilerAction.NONE
        if position < self.wait:
            return ProfilerAction.NONE
        if position < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        last = position == length - 1
        return ProfilerAction.RECORD_AND_SAVE if last else ProfilerAction.RECORD


def _check_steps(numbers: Iterable[tuple[str, Any, int]]) -> None:
    for name, value, least in numbers:
        if not _is_integer(value) or value < least:
            raise ValueError(
                f"[schedule] got {name}={value!r}; need an int of at least {least}."
            )


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def every_step(_step: int) -> ProfilerAction:
    """Record each step: the default schedule."""
    return ProfilerAction.RECORD
