"""Owns running a process that may crash, hang or break its context, to the last item.

The process writes a RowFile and skips what that says was started. It is started again
until nothing is left; the item at which it died gets a row that says how.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .place import ROOT
from .rows import RowFile, row

#: Exit status of a process whose context is broken: it goes on in a fresh one.
CONTEXT_BROKEN = 77
_LOOK_EVERY = 0.05
_GRACE = 2.0  # seconds between asking a process to end and ending it
_TAIL = 600  # characters of its output that a row quotes

_ending = threading.Event()


@dataclass(frozen=True)
class Limits:
    """Seconds: for one item, and the moment (time.monotonic) when all has to end."""

    item: float
    end: float


def _tail(log: Path) -> str:
    text = log.read_text("utf-8", "replace").strip() if log.exists() else ""
    return text[-_TAIL:]


def end_on_signals() -> None:
    """Let SIGTERM and Ctrl-C end this process and all that run in its care."""

    def end(number: int, frame: object) -> None:
        _ending.set()
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def stop(process: subprocess.Popen[Any]) -> None:
    """End a process of its own session and all that it started.

    It may end others in its care first; what is stuck in the driver cannot.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE if number == signal.SIGTERM else None)


def _watch(
    process: subprocess.Popen[bytes], rows: RowFile, limits: Limits
) -> str | None:
    """Wait for the end; say why it was stopped, None when it ended by itself."""
    size, since = -1, time.monotonic()
    while process.poll() is None:
        if _ending.is_set():
            return "was ended from outside"
        now = time.monotonic()
        there = rows.path.stat().st_size if rows.path.exists() else 0
        if there != size:
            size, since = there, now
        if now > limits.end:
            return "the time for all parts was over"
        if now - since > limits.item:
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
                cwd=ROOT,
                start_new_session=True,
            )
            try:
                stopped = _watch(process, rows, limits)
            finally:
                if process.poll() is None:
                    stop(process)
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
        if _ending.is_set() or time.monotonic() > limits.end:
            return
        if len(rows.started()) == before:
            return
