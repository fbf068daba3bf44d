"""Owns running a process that may crash, hang or break its context, to the last item.

The process writes a RowFile and skips what that says was started. It is started again
until nothing is left; the item at which it died gets a row that says how.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .rows import RowFile, row

#: Exit status of a process whose context is broken: it goes on in a fresh one.
CONTEXT_BROKEN = 77
_LOOK_EVERY = 0.05
_TAIL = 600  # characters of its output that a row quotes


@dataclass(frozen=True)
class Limits:
    """Seconds: for one item, and the moment (time.monotonic) when all has to end."""

    item: float
    end: float


def _tail(log: Path) -> str:
    text = log.read_text("utf-8", "replace").strip() if log.exists() else ""
    return text[-_TAIL:]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _watch(
    process: subprocess.Popen[bytes], rows: RowFile, limits: Limits
) -> str | None:
    """Wait for the end; say why it was stopped, None when it ended by itself."""
    size, since = -1, time.monotonic()
    while process.poll() is None:
        now = time.monotonic()
        there = rows.path.stat().st_size if rows.path.exists() else 0
        if there != size:
            size, since = there, now
        if now > limits.end:
            _stop(process)
            return "the time for all parts was over"
        if now - since > limits.item:
            _stop(process)
            return f"no end after {limits.item:.0f} s"
        time.sleep(_LOOK_EVERY)
    return None


def _how(code: int) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"


def run_to_the_end(
    command: list[str], rows: RowFile, limits: Limits, environment: dict[str, str]
) -> None:
    """Run `command` again and again until it ends without an item under way.

    Args:
        command: writes `rows`, and skips what is started there.
        rows: gets a row also for each item at which a process died.
        limits: after which the process and its children are ended.
        environment: of the process.
    """
    log = rows.path.with_suffix(".log")
    while True:
        before = len(rows.started())
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
            stopped = _watch(process, rows, limits)
        running = rows.running()
        if running is not None:
            outcome = "timed out" if stopped else "crashed"
            why = stopped or f"{_how(process.returncode)}: {_tail(log)}"
            rows.add(row(running, outcome, why))
        elif stopped:
            rows.add(row("(process)", "timed out", stopped))
            return
        elif process.returncode not in (0, CONTEXT_BROKEN):
            why = f"{_how(process.returncode)}: {_tail(log)}"
            rows.add(row("(process)", "failed", why))
            return
        elif process.returncode == 0:
            return
        if time.monotonic() > limits.end or len(rows.started()) == before:
            return
