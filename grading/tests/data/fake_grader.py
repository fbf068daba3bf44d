"""A grader of one text file, for tests of a class: right, slow, or dying."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from minitorch_grading.judge.first_report import first_report
from minitorch_grading.rubric.assignment import read_assignment
from minitorch_grading.rubric.handed_in import HandedIn
from minitorch_grading.together.submissions import hash_of


def grade_one(
    assignment: Path,
    submission: Path,
    to: Path,
    secret: bytes,
    level: str | None = None,
    *,
    cache: Path,
    library: Path | None,
) -> dict[str, Any]:
    """Do what answer.txt says: a number of points, or a way to go wrong.

    Each call leaves a file in the folder that FAKE_CALLS names.
    """
    assert cache.stat().st_mode & 0o077 == 0
    assert library is None or library.stat().st_mode & 0o022 == 0
    calls = Path(os.environ["FAKE_CALLS"])
    with open(calls / submission.stem, "a") as call:
        call.write(f"{os.getpid()}\n")
    text = "4"
    if submission.is_dir():
        text = (submission / "answer.txt").read_text().strip()
    time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))
    deaths = len((calls / submission.stem).read_text().splitlines())
    if text == "dies" or (text == "dies once" and deaths == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "fails":
        raise RuntimeError("the grader is wrong here")
    handed_in = HandedIn({}, (), {}, (), hash_of(submission))
    rubric = read_assignment(assignment)
    report: dict[str, Any] = {
        **first_report(rubric, handed_in, level or "confined", 64 * "b")
    }
    report.update(final=True, message="", seconds=0.5)
    left = int(text) if text.isdigit() else 4
    for row in report["rows"]:
        row["points"] = min(left, row["max_points"])
        row["outcome"] = "passed" if row["points"] == row["max_points"] else "failed"
        left -= row["points"]
    report["score"] = sum(row["points"] for row in report["rows"])
    report["gradable"] = text != "broken"
    (to / "pictures").mkdir(parents=True, exist_ok=True)
    (to / "pictures" / "race.svg").write_text(
        "<svg xmlns='http://www.w3.org/2000/svg'/>"
    )
    report["rows"][0]["pictures"] = [{"label": "A race.", "file": "pictures/race.svg"}]
    return report
