"""Owns one grading within a platform's time: it always ends, and with a whole report.

Must not know platforms' forms.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: What the process that grades is told, as JSON on its standard input.
_PROGRAM = """
import json, sys
from pathlib import Path
told = json.load(sys.stdin)
from minitorch_cuda.grading.judge.grade import grade_one
grade_one(Path(told["assignment"]), Path(told["submission"]), Path(told["to"]),
          bytes.fromhex(told["secret"]), told["level"], seconds=told["seconds"])
"""


_SPARE = 15.0  # seconds between the judge's own end and ours


class GraderFault(Exception):
    """Our fault, not a student's: nobody may lose points by it."""


def our_fault(report: Mapping[str, Any]) -> bool:
    """Whether a report must not count because the grader did not come to its end.

    A report of the level `process` is not final either, but right in what it says.

    Example:
        >>> our_fault({"final": False, "isolation": "confined"})
        True
    """
    return not report["final"] and report["isolation"] != "process"


def read_secret(path: Path) -> bytes:
    """The secret that inputs follow from, of the file beside a released assignment.

    Raises:
        GraderFault: no such file, or shorter than 16 bytes.
    """
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        raise GraderFault(f"[grade] got {error}; need the secret's file.") from None
    if len(secret) < 16:
        raise GraderFault(
            f"[grade] got a secret of {len(secret)} bytes in {path.name}; need 16 or "
            "more. Take the file that `minitorch course new` wrote."
        )
    return secret


def grade_within(
    assignment: Path,
    submission: Path,
    to: Path,
    secret: bytes,
    seconds: float,
    level: str | None = None,
    program: str = _PROGRAM,
) -> dict[str, Any]:
    """Grade one submission, and end after `seconds` whatever happens.

    The report on disk is whole at each moment: rows not reached are `not_run`.

    Args:
        assignment: the folder with assignment.toml.
        submission: what was handed in, a folder or a zip.
        to: folder for report.json and pictures.
        secret: what the hidden inputs follow from.
        seconds: of the clock.
        level: isolation; None takes the best of this machine.
        program: what the process runs; tests give another.

    Returns:
        The report. One that was cut off has `final` false and says so.

    Raises:
        GraderFault: there is no report at all.
    """
    to.mkdir(parents=True, exist_ok=True)
    told = {
        "assignment": str(assignment.resolve()),
        "submission": str(submission.resolve()),
        "to": str(to.resolve()),
        "secret": secret.hex(),
        "level": level,
        # The judge ends itself first: it knows its processes, and says what it lacks.
        "seconds": max(seconds - _SPARE, seconds / 2),
    }
    # -P and its own folder: a json.py that was handed in is not imported.
    command = [sys.executable, "-P", "-c", program]
    ended = _run(command, json.dumps(told), seconds, to)
    try:
        report: dict[str, Any] = json.loads((to / "report.json").read_text("utf-8"))
    except (OSError, ValueError):
        raise GraderFault(
            f"[grade] the grader left no report: {ended or 'end'}"
        ) from None
    if ended and report["final"]:
        report["final"] = False
    if ended:
        report["message"] = (
            "The grader did not come to its end. Rows that were not judged say so; "
            "please tell your teacher."
        )
    return report


def _run(command: Sequence[str], told: str, seconds: float, to: Path) -> str:
    """Run it with all its children; what went wrong, or ""."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=to,
            text=True,
            start_new_session=True,
        )
        try:
            process.communicate(told, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"no end within {seconds:g} seconds"
        finally:
            _kill_group(process)
        errors.seek(0)
        last = errors.read()[-2000:]
    if process.returncode:
        sys.stderr.write(last)
        return f"exit status {process.returncode}"
    return ""


def _kill_group(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        # The leader is not waited for yet, so its number still names this group.
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
