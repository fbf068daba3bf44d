"""Grade one submission on Gradescope; `run_autograder` of the zip starts this."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from .judge.grade import grade_one
from .report.adapters.gradescope import results
from .report.report import write_json
from .rubric.secret import read_secret

_SECONDS = 540  # of the 600 that the platform gives


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
    try:
        report = grade_one(
            options.assignment,
            options.submission,
            options.results.parent / "minitorch",
            read_secret(options.secret),
            seconds=_SECONDS,
        )
        write_json(options.results, results(report))
    except Exception:
        traceback.print_exc()
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
