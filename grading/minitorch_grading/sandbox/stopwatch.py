"""How long a process took: the clock's seconds without its waits for a core.

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
        self._waits, self._spent = _waits(process), _spent(process)
        self._cores = _cores(process)

    def seconds(self) -> float:
        """What the process took until now; at least a quarter of the clock's seconds.

        Of several threads counts the one that waited longest: what waits for that one
        sleeps, and Linux counts sleep as no wait. However long it waited, the process
        took what all its threads would have taken with all cores for themselves.
        """
        now = _waits(self._process)
        waited = (each - self._waits.get(thread, 0.0) for thread, each in now.items())
        clock = time.monotonic() - self._begin
        alone = (_spent(self._process) - self._spent) / self._cores
        least = max(min(alone, clock), clock / MOST_CLOCK)
        return max(clock - max(waited, default=0.0), least)


def _spent(process: int) -> float:
    """Seconds of the processor that all its threads had, those that ended, too."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2]
        return sum(map(int, text.split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _cores(process: int) -> float:
    """Cores that a process may use at once: a container may have a part of one."""
    cores = float(os.cpu_count() or 1)
    with contextlib.suppress(OSError, AttributeError):
        cores = len(os.sched_getaffinity(process))
    with contextlib.suppress(OSError, ValueError):
        line = Path(f"/proc/{process}/cgroup").read_text().rpartition("0::/")[2]
        top = Path("/sys/fs/cgroup")
        group = top / line.strip()
        for place in (group, *group.parents):
            if place.is_relative_to(top) and (place / "cpu.max").exists():
                most, period = (place / "cpu.max").read_text().split()
                cores = cores if most == "max" else min(cores, int(most) / int(period))
    return cores


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
