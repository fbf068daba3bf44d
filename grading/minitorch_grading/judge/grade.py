"""Grade one submission: run a judge in its own process, with a deadline.

Whatever happens to the judge, there is a valid report: it is written before anything is
judged, and a judge that fails or is too late leaves rows `not_run`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from ..report.report import GradeReport, ReportFile, cut, load_report
from ..rubric.assignment import Assignment, read_assignment
from ..rubric.handed_in import read_handed_in
from ..rubric.secret import checked
from ..sandbox import levels
from ..sandbox.library_subset import own_folder
from .bench import bundle_hash
from .first_report import FAILED, first_report

_PLUGIN = "minitorch_grading.judge.plugin"


class Job(msgspec.Struct):
    """What one judge is asked to do, read by its pytest plugin.

    Attributes:
        assignment, submission: Paths.
        report: The folder for report.json and pictures/.
        secret: What inputs follow from.
        level: Of confinement.
        rows: Items to judge; all if empty.
        cache: A folder for what the solution gave, or "".
        library: A folder for what confined processes see of the library.
        alive: A file descriptor that closes when nobody waits any more.
    """

    assignment: str
    submission: str
    report: str
    secret: bytes
    level: str
    rows: tuple[str, ...]
    cache: str
    library: str
    alive: int


_SPARE = 120.0  # seconds beyond what submissions may take: starts, the solution


def grade_one(
    assignment: Path,
    submission: Path,
    to: Path,
    secret: bytes,
    level: str | None = None,
    *,
    rows: Sequence[str] = (),
    cache: Path | None = None,
    library: Path | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """Judge one submission and write `to`/report.json and `to`/pictures/.

    Args:
        assignment: The folder with assignment.toml, source/ and graded/; earlier
            assignments that it needs lie beside it.
        submission: What was handed in: a folder, a zip or a notebook.
        to: A folder for the report; made if it is not there.
        secret: 16 bytes or more; inputs follow from it.
        level: `confined`, `uid` or `process`; None takes the best of this machine.
        rows: Items to judge; all if empty. Else the report is not final.
        cache: A folder that no submission can read, to keep what the solution gave
            for the next submission.
        library: A folder of this user alone, in which all judges of a class find what
            confined processes see of the library; None: one for this process.
        seconds: Deadline from now on; None: what its tasks may take, and some more.

    Returns:
        the report, as it is in the file. A fault of the grader's is no exception:
        `final` is false, and rows tell staff why.

    Raises:
        AssignmentError: assignment.toml or the secret is wrong.
        FileNotFoundError: There is no such submission.
        ValueError: There is no such level, or not on this machine.

    Example:
        >>> report = grade_one(m3, handed_in, to, secret)  # doctest: +SKIP
        >>> report["score"], report["max_score"]  # doctest: +SKIP
        (34, 40)
    """
    began = time.monotonic()
    read = read_assignment(assignment)
    checked(secret)
    level = _given_level(level)
    handed_in = read_handed_in(submission, read)
    to = Path(to).resolve()
    blank = first_report(read, handed_in, level, bundle_hash(read))
    file = ReportFile(to / "report.json", blank)
    with TemporaryDirectory(prefix="minitorch-grade-") as folder:
        private = Path(folder)
        # The judge ends when our end of this pipe closes: also if we are killed.
        alive, ours = os.pipe()
        job = Job(
            assignment=str(read.folder.resolve()),
            submission=str(Path(submission).resolve()),
            report=str(to),
            secret=secret,
            level=level,
            rows=tuple(rows),
            cache=str(cache.resolve()) if cache else "",
            library=str(library or own_folder()),
            alive=alive,
        )
        left = _deadline(read)
        if seconds is not None:
            left = max(0.0, seconds - (time.monotonic() - began))
        with os.fdopen(ours, "wb"):
            error = _run(job, private, left)
    report = load_report(to)
    if error is not None:
        report = _failed(file, report, error)
    return dict(report)


def _given_level(level: str | None) -> str:
    """Return the requested level, or the best. Raises ValueError if unavailable."""
    if level is not None and (reason := levels.missing(level)):
        raise ValueError(
            f"[grade] this machine does not support the level {level!r} ({reason}). "
            f"Use {levels.best()!r}, or None for the best."
        )
    return level or levels.best()


def _deadline(assignment: Assignment) -> float:
    """Return the seconds that a judge may take: all rows' limits plus a reserve."""
    total = _SPARE
    for task in assignment.tasks:
        items = [item for item in assignment.items if item.task == task.id]
        # After a row that used all of a task's seconds, each has a quarter of them.
        total += 2 * task.limits.seconds * (1 + len(items) / 4)
    return total


def _run(job: Job, private: Path, seconds: float) -> str | None:
    """Run the judge to its end; return None, or why its report cannot be trusted."""
    (private / "pytest.ini").write_text("[pytest]\n")
    (private / "job").write_bytes(msgspec.json.encode(job))
    tests = Path(job.assignment, "graded")
    command = [sys.executable, "-P", "-B", "-m", "pytest", str(tests)]
    command += ["-c", str(private / "pytest.ini"), f"--rootdir={tests}", "-q"]
    command += ["-p", _PLUGIN, "-p", "no:cacheprovider", "--strict-markers", "-rN"]
    command.append(f"--mt-job={private / 'job'}")
    output = private / "output"
    with output.open("wb") as out:
        judge = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=_environment(private),
            cwd=private,
            start_new_session=True,
            pass_fds=(job.alive,),
        )
        os.close(job.alive)
        try:
            status = judge.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"The judge did not end within {seconds:g} seconds."
        finally:
            with suppress(ProcessLookupError):
                os.killpg(judge.pid, signal.SIGKILL)
            judge.wait()
    if status == 0:
        return None
    tail = output.read_bytes()[-3000:].decode("utf-8", "replace")
    return f"The judge ended with status {status}.\n{tail}"


def _environment(private: Path) -> dict[str, str]:
    """Return the grader's environment without pytest's variables; temporary files go
    into `private`.
    """
    kept = {key: value for key, value in os.environ.items() if "PYTEST" not in key}
    more = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "MINITORCH_DETERMINISTIC": "1"}
    return kept | more | {"TMPDIR": str(private)}


def _failed(file: ReportFile, report: GradeReport, reason: str) -> GradeReport:
    """Return the report of a failed judge: not final, with the reason for staff."""
    for row in report["rows"]:
        if row["outcome"] == "not_run" and not row["staff_message"]:
            row["staff_message"] = cut(reason)
    file.report = report
    file.write(final=False, message=FAILED)
    return load_report(file.path)
