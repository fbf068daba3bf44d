"""Owns how long a process took: the clock's seconds without its waits for a core.

A submission that fills its memory must not become one that is too slow because others
use the machine, too: what it could not run does not count. Linux tells it of each
thread (CONFIG_SCHED_INFO); where it does not, all of the clock's seconds count.
"""

from __future__ import annotations

import contextlib
import os
import time

__all__ = ["Stopwatch"]

#: No process makes the grader wait longer than so many times the seconds it has.
MOST_CLOCK = 4.0


class Stopwatch:
    """Runs from the moment it is made.

    Args:
        process: Number of a process.

    Example:
        >>> watch = Stopwatch(os.getpid())
        >>> 0 <= watch.seconds() < 60
        True
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._begin = time.monotonic()
        self._waits = _waits(process)

    def seconds(self) -> float:
        """What the process took until now; at least a quarter of the clock's seconds.

        Of several threads counts the one that waited longest: what waits for that one
        sleeps, and Linux counts sleep as no wait.
        """
        now = _waits(self._process)
        waited = (each - self._waits.get(thread, 0.0) for thread, each in now.items())
        clock = time.monotonic() - self._begin
        return max(clock - max(waited, default=0.0), clock / MOST_CLOCK)


def _waits(process: int) -> dict[str, float]:
    """Seconds in which each living thread could have run and had no core."""
    folder, found = f"/proc/{process}/task", {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(folder):
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"{folder}/{thread}/schedstat", encoding="ascii") as file,
            ):
                found[thread] = int(file.read().split()[1]) / 1e9
    return found
