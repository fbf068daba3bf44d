"""Owns result.json of Classroom 50, `classroom50/result/v1`. Must not know the judge.

Facts: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding (the runner
calls autograder.py in the student's checkout; `./result.json`; identity from CLASSROOM,
ASSIGNMENT, SUBMISSION_TAG, COMMIT_URL, RELEASE_URL, REVIEW_URL; whole numbers; exit 0
unless the grader failed; `owner` is stamped by the runner). All of it can be read by
students, so only public rows are run there.
"""

from __future__ import annotations

import datetime
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..advice import OUTCOMES
from ..report import write_json
from ..words import report_says, row_says
from .running import GraderFault, our_fault

SCHEMA = "classroom50/result/v1"
_IDENTITY = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
}

#: CLASSROOM/autograders/ASSIGNMENT/autograder.py of the teacher's repository.
FILES = {
    "autograder.py": '''\
"""Owns one grading of public rows. -P: a student's files are not the grader's."""

import subprocess
import sys

WANTED = "minitorch-cuda[grading,nvrtc13]"
subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", WANTED], check=True)
MODULE = "minitorch_cuda.grading.report.adapters.classroom50"
sys.exit(subprocess.run([sys.executable, "-P", "-m", MODULE], check=False).returncode)
''',
    "runtime.json": '{ "runs-on": "ubuntu-latest", "python": "3.13" }\n',
}


def result(
    report: Mapping[str, Any],
    environ: Mapping[str, str],
    committed: datetime.datetime,
) -> dict[str, Any]:
    """Write the public rows of a report as Classroom 50 reads them.

    Args:
        report: of `minitorch.grade/1`.
        environ: what the runner says of classroom, assignment and submission.
        committed: when the graded commit was made, with a time zone.

    Returns:
        What result.json holds. Points are whole: part of a point is not given; where
        rows are worth parts of points, all numbers are hundredths.

    Raises:
        GraderFault: a variable is missing, or the report must not count.
    """
    missing = [name for name in _IDENTITY.values() if not environ.get(name)]
    if missing:
        raise GraderFault(
            f"[classroom50] got no {', '.join(missing)} in the environment; need the "
            "variables that Classroom 50's runner gives to autograder.py."
        )
    if our_fault(report):
        raise GraderFault(f"[classroom50] no score: {report['message']}")
    rows = [row for row in report["rows"] if not row["hidden"]]
    whole = all(float(row["max_points"]).is_integer() for row in rows)
    tests = [_test(row, 1 if whole else 100) for row in rows]
    utc = committed.astimezone(datetime.UTC)
    return {
        "schema": SCHEMA,
        **{key: environ[name] for key, name in _IDENTITY.items()},
        "review": environ.get("REVIEW_URL") or environ["COMMIT_URL"],
        "datetime": utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _test(row: Mapping[str, Any], parts: int) -> dict[str, Any]:
    return {
        "test-name": f"{row['task']} {row['title']}",
        "passed": row["outcome"] == "passed",
        "score": math.floor(row["points"] * parts + 1e-6),
        "max-score": round(row["max_points"] * parts),
        "message": f"{OUTCOMES[row['outcome']].word}: " + "\n".join(row_says(row)),
    }


def release_body(report: Mapping[str, Any]) -> str:
    """The text of the release that students open: public rows, as in a terminal."""
    rows = [row for row in report["rows"] if not row["hidden"]]
    sums = {key: sum(row[key] for row in rows) for key in ("points", "max_points")}
    score = {"score": sums["points"], "max_score": sums["max_points"]}
    public = {**report, **score, "rows": rows}
    return f"```text\n{report_says(public).replace('```', '` ` `')}```\n"


def _committed() -> datetime.datetime:
    """When the commit was made that is checked out here; now, where git cannot say."""
    command = ["git", "show", "-s", "--format=%ct", "HEAD"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = told.stdout.strip()
    if told.returncode == 0 and seconds.isdigit():
        return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    return datetime.datetime.now(datetime.UTC)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the public rows of the checkout here, and write result.json.

    Args:
        arguments: none are known.

    Returns:
        0, or 70 where the fault is ours.
    """
    if arguments:
        print(f"[classroom50] got {arguments}; need no arguments.", file=sys.stderr)
        return 2
    check = import_module("...check", __package__)
    try:
        report = check.public_report(Path())
        made = result(report, os.environ, _committed())
    except GraderFault as fault:
        print(fault, file=sys.stderr)
        return 70
    write_json(Path("result.json"), made)
    Path("release-body.md").write_text(release_body(report), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
