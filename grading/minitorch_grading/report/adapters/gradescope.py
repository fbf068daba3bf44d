"""Gradescope adapter: results.json, the files of its zip, and grading within its time.

Facts: https://gradescope-autograders.readthedocs.io/en/latest/specs/ (setup.sh and
run_autograder in the zip's root; /autograder/source, submission, results/results.json;
fields; `visibility` hidden, after_due_date, after_published, visible; a leaderboard's
`order`), and its "Technical details": 10 minutes unless the assignment says more, half
a CPU and 768 MB by default, root.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..advice import OUTCOMES
from ..report import write_json
from ..words import headline, is_for_staff, row_says

SECONDS = 540  # of the 600 that the platform gives
_JUDGE = ("-m", "minitorch_grading.judge.grade")  # arguments on standard input
_SPARE = 15.0  # seconds between the judge's own end and ours
HOME = "/opt/minitorch"  # not below /root: another user runs submissions

#: The files of the zip's root beside `assignment/`, `secret` and `wheels/`.
FILES = {
    "setup.sh": f"""\
#!/usr/bin/env bash
# Owns what the image gets: a Python of its own that every user may read, the grader.
set -euo pipefail
export UV_PYTHON_INSTALL_DIR={HOME}/python UV_INSTALL_DIR={HOME}/bin
apt-get update && apt-get install -y --no-install-recommends curl ca-certificates
curl -LsSf https://astral.sh/uv/install.sh | env UV_NO_MODIFY_PATH=1 sh
{HOME}/bin/uv venv --python 3.13 {HOME}/venv
mkdir -p /autograder/source/wheels
{HOME}/bin/uv pip install --python {HOME}/venv/bin/python \\
  --find-links /autograder/source/wheels "minitorch-cuda[nvrtc13]" minitorch-grading
chmod -R go+rX {HOME}
chmod 700 /autograder/source
""",
    "run_autograder": f"""\
#!/usr/bin/env bash
# Owns one grading: -P keeps what was handed in out of the grader's imports.
chmod 700 /autograder/source
cd /
exec {HOME}/venv/bin/python -P -m \\
  minitorch_grading.report.adapters.gradescope \\
  --assignment /autograder/source/assignment --secret /autograder/source/secret \\
  --submission /autograder/submission --results /autograder/results/results.json
""",
}


class GraderFault(Exception):
    """A fault of the grader: no student may lose points by it."""


def our_fault(report: Mapping[str, Any]) -> bool:
    """Return whether a report must not count because the grader did not finish.

    A report of the level `process` is not final either, but right in what it says.

    Example:
        >>> our_fault({"final": False, "isolation": "confined"})
        True
    """
    return not report["final"] and report["isolation"] != "process"


def read_secret(path: Path) -> bytes:
    """Return the secret of a released assignment.

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
    program: Sequence[str] = _JUDGE,
) -> dict[str, Any]:
    """Grade one submission within `seconds`.

    The report on disk is whole at each moment: rows not reached are `not_run`.

    Args:
        assignment: the folder with assignment.toml.
        submission: what was handed in, a folder or a zip.
        to: folder for report.json and pictures.
        secret: what the hidden inputs follow from.
        seconds: of the clock.
        level: isolation; None takes the best of this machine.
        program: what Python runs; tests give another.

    Returns:
        The report. One that was cut off has `final` false and says so.

    Raises:
        GraderFault: there is no report at all.
    """
    to.mkdir(parents=True, exist_ok=True)
    arguments = {
        "assignment": str(assignment.resolve()),
        "submission": str(submission.resolve()),
        "to": str(to.resolve()),
        "secret": secret.hex(),
        "level": level,
        # The judge ends itself first: it knows its processes, and says what it lacks.
        "seconds": max(seconds - _SPARE, seconds / 2),
    }
    # -P and its own folder: a json.py that was handed in is not imported.
    command = [sys.executable, "-P", *program]
    ended = _run(command, json.dumps(arguments), seconds, to)
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


def _run(command: Sequence[str], text: str, seconds: float, to: Path) -> str:
    """Run the command with all its children; return what went wrong, or ""."""
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
            process.communicate(text, timeout=seconds)
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


def results(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report in Gradescope's format.

    Args:
        report: of `minitorch.grade/1`.

    Returns:
        What results.json holds: a test for each row. Hidden rows with points are seen
        when the grades are published, hidden rows without points by staff alone.

    Raises:
        GraderFault: the report must not count; Gradescope then keeps no score.

    Example:
        >>> results(report)["score"]  # doctest: +SKIP
        2
    """
    if our_fault(report):
        raise GraderFault(f"[gradescope] no score: {report['message']}")
    rows = report["rows"]
    seen = [row for row in rows if _visibility(row) == "visible"]
    messages = [headline(report, seen) if seen else "", report["message"]]
    messages += report["format_errors"]
    if not report["final"]:
        messages.append("This report is not final: hidden rows were not run.")
    return {
        "score": report["score"],
        "execution_time": round(report["seconds"]),
        "output": "\n".join(part for part in messages if part),
        "output_format": "text",
        "test_output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [_test(row) for row in rows],
        "leaderboard": [dict(part) for part in report["leaderboard"]],
        "extra_data": {
            "isolation": report["isolation"],
            "final": report["final"],
            "bundle_sha256": report["grader"]["bundle_sha256"],
        },
    }


def _test(row: Mapping[str, Any]) -> dict[str, Any]:
    outcome = OUTCOMES[row["outcome"]]
    message = "\n".join(row_says(row))
    test = {
        "number": row["task"],
        "name": row["title"],
        "score": row["points"],
        "max_score": row["max_points"],
        "output": f"{outcome.word}: {message}",
        "visibility": _visibility(row),
        "extra_data": {"row": row["id"], "outcome": row["outcome"]},
    }
    if row["outcome"] == "passed" or outcome.lost:
        test["status"] = "failed" if outcome.lost else "passed"
    return test


def _visibility(row: Mapping[str, Any]) -> str:
    if is_for_staff(row):
        return "hidden"
    visibility = str(row["visibility"])
    return (
        "after_published" if row["hidden"] and visibility == "visible" else visibility
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade the submission where Gradescope put it, and write results.json.

    Returns:
        0, or 70 where the fault is ours: then there is no results.json, so that
        Gradescope says that the grader failed and keeps no score.
    """
    parser = argparse.ArgumentParser("gradescope")
    for name in ("--assignment", "--secret", "--submission", "--results"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args(arguments)
    options.results.unlink(missing_ok=True)
    to = options.results.parent / "minitorch"
    try:
        secret = read_secret(options.secret)
        report = grade_within(
            options.assignment, options.submission, to, secret, SECONDS
        )
        write_json(options.results, results(report))
    except GraderFault as fault:
        print(fault, file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
