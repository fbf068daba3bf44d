"""Owns the report of a submission that the grader failed on: not final, no zero.

Must not know why: the reason is told to staff.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from ..rubric.assignment import Row, read_assignment
from .key import versions

MESSAGE = (
    "The grader did not come to its end with this submission. That is not your fault, "
    "and no points are lost by it: your teacher sees it."
)


def fault_report(
    assignment: Path, submission: str, bundle: str, level: str | None, why: str
) -> dict[str, Any]:
    """A report without points in which nothing was run.

    Args:
        assignment: its folder.
        submission: hash of what was handed in.
        bundle: hash of the assignment.
        level: the isolation that was asked for.
        why: what happened, for staff.
    """
    rubric = read_assignment(assignment)
    made_of = versions()
    return {
        "schema": "minitorch.grade/1",
        "assignment": rubric.name,
        "submission": {"sha256": submission, "files": list(rubric.files)},
        "grader": {
            "version": made_of["minitorch_cuda"],
            "bundle_sha256": bundle,
            "nvrtc": made_of["nvrtc"],
            "python": platform.python_version(),
        },
        "isolation": level or "confined",
        "gradable": True,
        "final": False,
        "message": MESSAGE,
        "format_errors": [],
        "score": 0,
        "max_score": rubric.max_score,
        "seconds": 0,
        "package_file": None,
        "rows": [_row(row, why) for row in rubric.rows],
        "leaderboard": [],
    }


def _row(row: Row, why: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "task": row.task,
        "title": row.title,
        "points": 0,
        "max_points": row.points,
        "hidden": row.hidden,
        "visibility": row.visibility,
        "message": "",
        "staff_message": why[:4000],
        "outcome": "manual" if row.manual else "not_run",
        "findings": [],
        "metrics": {},
        "pictures": [],
        "seconds": 0,
    }
