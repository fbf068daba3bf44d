"""Measure a process's time: the clock's seconds without its waits for a core.

A submission that fills its memory must not become one that is too slow because others
use the machine, too: what it could not run does not count. Linux tells it of each
thread (CONFIG_SCHED_INFO); where it does not, all of the clock's seconds count. Threads
that wait for other threads of the same process use the cores that they wait for.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

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
        self._waits, self._spent = _waits(process), _spent(process)
        self._cores = _cores(process)

    def seconds(self) -> float:
        """Return the seconds that the process took, at least a quarter of the clock's.

        Of several threads counts the one that waited longest: what waits for that one
        sleeps, and Linux counts sleep as no wait. However long it waited, the process
        took what all its threads would have taken with all cores for themselves.
        """
        now = _waits(self._process)
        waited = (
            seconds - self._waits.get(thread, 0.0) for thread, seconds in now.items()
        )
        clock = time.monotonic() - self._begin
        alone = (_spent(self._process) - self._spent) / self._cores
        least = max(min(alone, clock), clock / MOST_CLOCK)
        return max(clock - max(waited, default=0.0), least)


def _spent(process: int) -> float:
    """Return the CPU seconds of all its threads, including ended ones."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2]
        return sum(map(int, text.split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _cores(process: int) -> float:
    """Return the cores that a process may use: a container may have a fraction."""
    cores = float(os.cpu_count() or 1)
    with contextlib.suppress(OSError, AttributeError):
        cores = len(os.sched_getaffinity(process))
    with contextlib.suppress(OSError, ValueError):
        line = Path(f"/proc/{process}/cgroup").read_text().rpartition("0::/")[2]
        top = Path("/sys/fs/cgroup")
        group = top / line.strip()
        for directory in (group, *group.parents):
            if directory.is_relative_to(top) and (directory / "cpu.max").exists():
                most, period = (directory / "cpu.max").read_text().split()
                cores = cores if most == "max" else min(cores, int(most) / int(period))
    return cores


def _waits(process: int) -> dict[str, float]:
    """Return each living thread's seconds in which it was runnable without a core."""
    folder, waits = f"/proc/{process}/task", {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(folder):
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"{folder}/{thread}/schedstat", encoding="ascii") as file,
            ):
                waits[thread] = int(file.read().split()[1]) / 1e9
    return waits
