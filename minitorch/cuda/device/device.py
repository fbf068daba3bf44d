"""Functions of device cuda as a whole: synchronize, reset, checks, limits."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Literal

from ... import _core
from ..errors import Coordinates, Finding, finding_from
from ..tracebacks import learner_frames


def is_available() -> bool:
    """Return whether kernels can run: on a GPU, or on the emulator."""
    return _core.cuda_available()


@learner_frames
def is_emulated() -> bool:
    """Return whether device cuda is the emulator. Opens the device."""
    return _core.is_emulated()


@learner_frames
def device_name() -> str:
    """Return the name of the GPU, or of the emulated GPU. Opens the device."""
    return _core.device_name()


@learner_frames
def synchronize() -> None:
    """Wait for all work of the device; Ctrl-C cancels it within a second.

    Raises:
        KernelError: a kernel had a fault since the last synchronisation.
    """
    _core.synchronize()


@learner_frames
def reset() -> None:
    """Destroy and recreate the device's context; all device arrays are lost.

    A real GPU needs this after a fault; the emulator does not.
    """
    _core.reset()


_LEVELS = {"full": _core.CheckLevel.full, "memory": _core.CheckLevel.memory}


def check_level(where: str, level: str) -> _core.CheckLevel:
    """Return the core's check level for "full" or "memory"; ValueError for others."""
    if level not in _LEVELS:
        raise ValueError(
            f"[{where}] got check level {level!r}; need 'full' or 'memory'."
        )
    return _LEVELS[level]


@learner_frames
def checks(level: Literal["full", "memory"]) -> AbstractContextManager[object]:
    """Set what user kernels are checked for, from now on or for a `with` block.

    Bounds, alignment, lifetime, barriers, deadlock and the instruction budget are
    always checked on the emulator. "full" (the default, or MINITORCH_CHECKS) adds races
    and the use of uninitialized values.

    Args:
        level: "full" or "memory".

    Raises:
        ValueError: another level.

    Example:
        >>> from minitorch import cuda
        >>> with cuda.checks("memory"):
        ...     pass
    """
    former = _core.checks()
    _core.set_checks(check_level("checks", level))
    block = ExitStack()
    block.callback(_core.set_checks, former)
    return block


@learner_frames
def set_launch_limits(
    *, seconds: float | None = None, instructions: int | None = None
) -> None:
    """Set how long a user kernel may run on the emulator before it is stopped.

    A launch ends as `timeout` when it has used `seconds` of processor time without one
    of its blocks ending or a barrier of its whole grid completing, or when one block
    has executed `instructions` warp instructions. A busy or suspended machine uses up
    nothing. With MINITORCH_DETERMINISTIC=1 steps stand for time, 2**28 for a second,
    so that every run ends alike. The library's own kernels have no limits.

    Args:
        seconds: 0 for no limit; a minute, or MINITORCH_TIME_LIMIT, at the start.
        instructions: 0 for no limit; 2**30, or MINITORCH_INSTRUCTION_LIMIT, at the
            start.

    Raises:
        ValueError: a negative number, or more than 1e9 seconds.

    Example:
        >>> from minitorch import cuda
        >>> cuda.set_launch_limits(seconds=300)
        >>> cuda.set_launch_limits(seconds=60, instructions=2**30)
    """
    if seconds is not None:
        if not 0 <= seconds <= 1e9:
            raise ValueError(
                f"[set_launch_limits] got seconds={seconds!r}; need 0 (no limit) to "
                "1e9."
            )
        _core.set_time_limit(round(seconds * 1e9))
    if instructions is not None:
        if not 0 <= instructions < 2**64:
            raise ValueError(
                f"[set_launch_limits] got instructions={instructions!r}; need 0 (no "
                "limit) or a positive number."
            )
        _core.set_budget(instructions)


def last_findings() -> list[Finding]:
    """Return the findings of the last synchronization that had any."""
    return [finding_from(fields) for fields in _core.last_findings()]


@dataclass(frozen=True)
class LaunchRow:
    """Launches of one kernel with one grid and block; `seconds` of timed ones."""

    kernel: str
    file: str
    grid: Coordinates
    block: Coordinates
    launches: int
    seconds: float


def launch_table() -> list[LaunchRow]:
    """Return kernels launched so far, by launch shape, in order of first launch."""
    return [LaunchRow(*row) for row in _core.launch_table()]


def clear_launch_table() -> None:
    """Clear `launch_table`."""
    _core.clear_launch_table()


def time_launches(on: bool = True) -> None:
    """Time later launches for `launch_table`, with a pair of events each."""
    _core.set_launch_timing(on)
