"""Holds ways to hand in the tiny assignment and to read the report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source
from minitorch_grading.judge.grade import grade_one
from minitorch_grading.report import report as report_module
from minitorch_grading.sandbox import levels

SECRET = b"a secret of tests, 32 bytes long"
SCHEMA = json.loads(
    Path(report_module.__file__).with_name("report.schema.json").read_text()
)
CONFINED = levels.best() != "process"
NEEDS_CONFINED = "this machine confines nothing: hidden rows are not run"


class Desk:
    """Hands in files of the tiny assignment, by default the solution's."""

    def __init__(self, tiny: Path, place: Path, cache: Path) -> None:
        self.tiny, self._place, self._cache = tiny, place, cache
        self.report_folder = place / "report"
        source = read_source(tiny)
        whole = trees.sources_tree(source, "solution")
        self.solution = {name: whole[name] for name in source.files}

    def hand_in(self, **files: Any) -> Path:
        """A folder with the solution's files, some changed (None: left out)."""
        folder = self._place / "handed_in"
        shutil.rmtree(folder, ignore_errors=True)
        for name, data in (self.solution | files).items():
            if data is not None:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data.encode() if isinstance(data, str) else data)
        return folder

    def grade(self, *rows: str, level: str | None = None, **files: Any) -> Any:
        """The report of what is handed in, valid by its schema."""
        return self.grade_folder(self.hand_in(**files), *rows, level=level)

    def grade_folder(self, folder: Path, *rows: str, **options: Any) -> Any:
        report = grade_one(
            *(self.tiny, folder, self.report_folder, SECRET),
            rows=rows,
            cache=self._cache,
            **options,
        )
        jsonschema.validate(report, SCHEMA)
        return report


def outcomes(report: Any) -> dict[str, str]:
    return {row["id"]: row["outcome"] for row in report["rows"]}


def row_of(report: Any, name: str) -> Any:
    return next(row for row in report["rows"] if row["id"] == name)


def for_students(report: Any) -> str:
    """All that a student may read of a report."""
    shown = json.loads(json.dumps(report))
    for row in shown["rows"]:
        del row["staff_message"]
        if row["visibility"] == "hidden":
            row.clear()
    return json.dumps(shown)


def without_times(report: Any) -> Any:
    shown = json.loads(json.dumps(report))
    for each in (shown, *shown["rows"]):
        del each["seconds"]
    return shown
