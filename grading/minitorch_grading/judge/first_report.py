"""Report before judging: all rows `not_run`, and the versions of the grader."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata

from minitorch_cuda import _core
from minitorch_cuda.cuda.errors import CudaError

from ..report.report import SCHEMA, GradeReport
from ..rubric.assignment import Assignment
from ..rubric.handed_in import HandedIn
from .rows import blank_row

#: The message of a report in which the grader failed.
FAILED = (
    "The grader failed; nobody loses points by that. Staff find the reason in "
    "staff_message."
)


@cache
def grader_version() -> str:
    """Return the installed library's version, or "unknown"."""
    try:
        return metadata.version("minitorch-cuda")
    except metadata.PackageNotFoundError:
        return "unknown"


def _nvrtc_version() -> str | None:
    try:
        major, minor = divmod(_core.nvrtc_version(), 1000)
    except CudaError:
        return None
    return f"{major}.{minor}"


def first_report(
    assignment: Assignment, handed_in: HandedIn, level: str, bundle: str
) -> GradeReport:
    """Return a valid report in which nothing was judged yet.

    Args:
        assignment: What is judged.
        handed_in: The submission.
        level: Of confinement.
        bundle: A hash of the assignment's files.
    """
    return {
        "schema": SCHEMA,
        "assignment": assignment.name,
        "submission": {
            "sha256": handed_in.sha256,
            "files": sorted(handed_in.files),
        },
        "grader": {
            "version": grader_version(),
            "bundle_sha256": bundle,
            "nvrtc": _nvrtc_version(),
            "python": platform.python_version(),
        },
        "isolation": level,
        "gradable": handed_in.gradable,
        "final": False,
        "message": "The grader has not come to its end.",
        "format_errors": list(handed_in.errors),
        "score": 0,
        "max_score": assignment.max_score,
        "seconds": 0.0,
        "package_file": None,
        "rows": [blank_row(row) for row in assignment.rows],
        "leaderboard": [],
    }
