"""Owns results.json of PrairieLearn's external grader, and a question's files.

Facts: https://docs.prairielearn.com/externalGrading/ (/grade/student, /grade/tests,
/grade/results/results.json, whose folder the grader makes; 1 MB at most; `score` from 0
to 1; `gradable`, `format_errors`; `tests` with points; `images` of label and url; 30
seconds by default, 600 at most; no network). Must not know the judge.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..advice import OUTCOMES
from ..report import write_json
from ..words import headline, is_for_staff, row_says
from .running import (
    GraderFault,
    grade_within,
    our_fault,
    read_secret,
    size_of,
)

SECONDS = 570  # of the 600 that a question may ask for
BYTES = 1_000_000  # of results.json
_IMAGES = {".png": "image/png", ".svg": "image/svg+xml"}

#: The files of a question, beside `tests/assignment/` and `tests/secret`. The image is
#: the teacher's: any with Python 3.11 or newer and `minitorch-cuda[grading,nvrtc13]`.
FILES = {
    "tests/run.sh": """\
#!/usr/bin/env bash
# Owns one grading: -P keeps what was handed in out of the grader's imports.
chmod -R go-rwx /grade/tests
cd /
exec python3 -P -m minitorch_cuda.grading.report.adapters.prairielearn \\
  --assignment /grade/tests/assignment --secret /grade/tests/secret \\
  --submission /grade/student --results /grade/results/results.json
""",
    "Dockerfile": """\
FROM python:3.13-slim
RUN pip install --no-cache-dir "minitorch-cuda[grading,nvrtc13]"
""",
}


def question(title: str, files: Sequence[str], image: str, uuid: str) -> dict[str, str]:
    """The question's own files: info.json and question.html.

    Args:
        title: the assignment's title.
        files: what students hand in.
        image: name of the Docker image made from `FILES["Dockerfile"]`.
        uuid: of the question; PrairieLearn wants it to stay.
    """
    info = {
        "uuid": uuid,
        "title": title,
        "topic": "GPU programming",
        "type": "v3",
        "gradingMethod": "External",
        "singleVariant": True,
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": 600,
            "enableNetworking": False,
        },
    }
    names = ",".join(files)
    page = (
        "<pl-question-panel><p>Hand in the files that you worked on.</p>"
        "</pl-question-panel>\n"
        f'<pl-file-upload file-names="{names}"></pl-file-upload>\n'
        "<pl-submission-panel><pl-external-grader-results></pl-external-grader-results>"
        "</pl-submission-panel>\n"
    )
    return {"info.json": json.dumps(info, indent=2) + "\n", "question.html": page}


def results(report: Mapping[str, Any], pictures: Path | None = None) -> dict[str, Any]:
    """Write a report as PrairieLearn reads it.

    Args:
        report: of `minitorch.grade/1`.
        pictures: the folder that the report's `pictures/` lies in; None: no images.

    Returns:
        What results.json holds, 1 MB at most: images are left out first, then the
        longest messages are cut. A submission with syntax errors or missing files, and
        any fault of ours, is not gradable: it costs no attempt.
    """
    if our_fault(report):
        said = report["message"] or "The grader did not come to its end."
        return {"gradable": False, "format_errors": [f"Not your fault: {said}"]}
    if not report["gradable"]:
        errors = list(report["format_errors"]) or [report["message"] or "not gradable"]
        return {"gradable": False, "format_errors": errors}
    rows = [row for row in report["rows"] if not is_for_staff(row)]
    most = report["max_score"]
    made: dict[str, Any] = {
        "gradable": True,
        "score": min(1.0, max(0.0, report["score"] / most)) if most else 0.0,
        "message": headline(report, rows),
        "tests": [_test(row) for row in rows],
    }
    if pictures is not None:
        _add_images(made, rows, pictures)
    longest = 2000
    while size_of(made) > BYTES and longest > 50:
        for test in made["tests"]:
            test["message"] = test["message"][:longest]
        longest //= 2
    return made


def _test(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["visibility"] == "visible":
        said = "\n".join(row_says(row))
    else:
        said = "What was found is told when the grades are published."
    return {
        "name": f"{row['task']} {row['title']}",
        "points": row["points"],
        "max_points": row["max_points"],
        "message": f"{OUTCOMES[row['outcome']].word}: {said}",
    }


def _add_images(made: dict[str, Any], rows: Sequence[Any], pictures: Path) -> None:
    """Pictures that browsers take as an image, while the file stays small enough."""
    for test, row in zip(made["tests"], rows, strict=True):
        for picture in row["pictures"]:
            path = pictures / picture["file"]
            kind = _IMAGES.get(path.suffix)
            if kind is None or row["visibility"] != "visible" or not path.is_file():
                continue
            data = base64.b64encode(path.read_bytes()).decode()
            image = {"label": picture["label"], "url": f"data:{kind};base64,{data}"}
            test.setdefault("images", []).append(image)
            if size_of(made) > BYTES:
                test["images"].pop()


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade what PrairieLearn put in place, and write results.json; the status is 0.

    A fault of ours is a file that says so: PrairieLearn then takes no attempt.
    """
    parser = argparse.ArgumentParser("prairielearn")
    for name in ("--assignment", "--secret", "--submission", "--results"):
        parser.add_argument(name, type=Path, required=True)
    told = parser.parse_args(arguments)
    to = told.results.parent / "minitorch"
    try:
        secret = read_secret(told.secret)
        report = grade_within(told.assignment, told.submission, to, secret, SECONDS)
        write_json(told.results, results(report, to))
    except GraderFault as fault:
        print(fault, file=sys.stderr)
        said = ["Not your fault: the grader failed. Please tell your teacher."]
        write_json(told.results, {"gradable": False, "format_errors": said})
    return 0


if __name__ == "__main__":
    sys.exit(main())
