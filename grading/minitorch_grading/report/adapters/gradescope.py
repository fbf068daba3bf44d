"""Gradescope adapter: results.json, and the files of its zip.

Facts: https://gradescope-autograders.readthedocs.io/en/latest/specs/ (setup.sh and
run_autograder in the zip's root; /autograder/source, submission, results/results.json;
fields; `visibility` hidden, after_due_date, after_published, visible), and its
"Technical details": 10 minutes unless the assignment says more, half a CPU and 768 MB
by default, root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..advice import OUTCOMES
from ..words import headline, is_for_staff, row_says

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
exec {HOME}/venv/bin/python -P -m minitorch_grading.autograder \\
  --assignment /autograder/source/assignment --secret /autograder/source/secret \\
  --submission /autograder/submission --results /autograder/results/results.json
""",
}


class GraderFault(Exception):
    """A fault of the grader: no student may lose points by it."""


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
    # A report of the level `process` is not final either, but right in what it says.
    if not report["final"] and report["isolation"] != "process":
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
    return "after_published" if row["hidden"] else "visible"
