"""Pytest plugin for graded tests: markers, options, fixtures, a report after each test.

Loaded with `-p` by `grade.py`, never by itself. Whatever fails here, in a test or in
the assignment is our fault: the row stays `not_run`, the report is not final, the
status is 70.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Generator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ..errors import AssignmentError
from ..report.report import Picture, ReportFile, RowReport, cut, load_report
from ..rubric.assignment import Assignment, Item, plain_number, read_assignment
from ..rubric.handed_in import read_handed_in
from ..rubric.secret import generator
from ..sandbox import levels, library_subset
from .bench import Bench, OurFault
from .cost import limits_from
from .first_report import FAILED
from .grade import Job
from .rows import Ended, Record, blank_row, rows_of
from .submission import Submission

_SHOWN = 20  # names of files that do not count
OUR_FAULT = 70  # exit status: no student loses points by it
_MARKERS = (
    "task(item): the item of assignment.toml that the test judges",
    "requires(item_or_row, ...): judged only if these were right",
    "max_metric(**limits): counters of all launches; '1.1x' is times the solution's",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mt-job", type=Path, help="a file with a `grade.Job` as JSON")


def pytest_configure(config: pytest.Config) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    job = msgspec.json.decode(config.getoption("--mt-job").read_bytes(), type=Job)
    config.pluginmanager.register(Judge(job), "minitorch-judge")


class _PointsLost(Exception):
    """What pytest shows for a test that loses points: its rows."""


class Judge:
    """Judges one submission: collects each test's results and writes its rows."""

    def __init__(self, job: Job) -> None:
        _end_with(job.alive)
        library_subset.share(Path(job.library))
        self._began = time.monotonic()
        self.assignment: Assignment = read_assignment(job.assignment)
        self._secret = job.secret
        self._handed_in = read_handed_in(job.submission, self.assignment)
        self._to = Path(job.report)
        self._only = set(job.rows)
        blank = load_report(self._to)
        self._file = ReportFile(self._to / "report.json", blank)
        cache = Path(job.cache) if job.cache else None
        bundle = blank["grader"]["bundle_sha256"]
        bench = Bench(self.assignment, self._handed_in, job.level, bundle, cache)
        self._bench = bench
        judged = {
            item.task
            for item in self.assignment.items
            if not item.manual and item.id in (self._only or {item.id})
        }
        bench.begin([task for task in self.assignment.tasks if task.id in judged])
        self._weak = job.level == "process"
        self._records: dict[str, Record] = {}
        self._done: dict[str, RowReport] = {}
        self.faults: list[str] = []

    # What is collected: each item has one test, and each test an item.

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.faults:  # a file that does not load: its tests are not there
            return
        try:
            items[:] = self._in_order(items)
        except AssignmentError as error:
            items[:] = []
            self._all_failed(str(error))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._all_failed(report.longreprtext)

    def _all_failed(self, why: str) -> None:
        self.faults.append(why)
        for row in self._file.report["rows"]:
            row["staff_message"] = cut(why[-3500:])

    def _in_order(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Check all tests and sort them by task, as in assignment.toml."""
        tests = {self._item_of(test).id: test for test in items}
        if len(tests) < len(items):
            raise AssignmentError("[judge] an item has two tests; it must have one.")
        for item in self.assignment.items:
            if item.manual == (item.id in tests):
                need = "no test: it is manual" if item.manual else "a graded test"
                raise AssignmentError(f"[judge] the item {item.id!r} needs {need}.")
        for item in self.assignment.items:
            if not item.manual:
                self._records[item.id] = self._record(item, tests[item.id])
        order = [task.id for task in self.assignment.tasks]
        wanted = [entry for entry in self.assignment.items if entry.id in tests]
        wanted.sort(key=lambda item: order.index(item.task))
        for name in self._only:
            self.assignment.item(name)
        return [
            tests[item.id] for item in wanted if not self._only or item.id in self._only
        ]

    def _item_of(self, test: pytest.Item) -> Item:
        marks = list(test.iter_markers("task"))
        if len(marks) != 1 or len(marks[0].args) != 1:
            raise AssignmentError(
                f"[judge] {test.nodeid} has {len(marks)} `task` marks; need exactly "
                "one, with an item of assignment.toml."
            )
        return self.assignment.item(str(marks[0].args[0]))

    def _record(self, item: Item, test: pytest.Item) -> Record:
        marker = test.get_closest_marker("max_metric")
        limits = limits_from(marker.kwargs, test.nodeid) if marker else ()
        if ("cost" in item.points) != bool(limits) and "" not in item.points:
            raise AssignmentError(
                f"[judge] the item {item.id!r} needs both points for cost and a mark "
                "`max_metric` on its test, or neither."
            )
        return Record(item, limits)

    # How a test is judged.

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> np.random.Generator:
        """Return the row's random numbers, which are seeded by the secret."""
        item = self._item_of(request.node)
        return generator(self._secret, self.assignment.name, item.id)

    @pytest.fixture
    def submission(self, request: pytest.FixtureRequest) -> Submission:
        """Return the submission to judge."""
        item = self._item_of(request.node)
        self._bench.enter(self.assignment.task_of(item.id))
        record = self._records[item.id]
        return Submission(self._bench, record, self._secret, self._save)

    def _save(self, name: str, page: str, label: str) -> Picture:
        folder = self._to / "pictures"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(page, "utf-8")
        return {"label": label, "file": f"pictures/{name}"}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        rubric = self._item_of(item)
        not_now = self._not_now(rubric, item)
        if not_now is not None:
            rows = [blank_row(row, *not_now) for row in rubric.rows]
            for row in rows if not_now[0] == "not_run" else ():
                row["staff_message"] = levels.remedy()
            self._put(rows)
            pytest.skip(not_now[1])

    def _not_now(self, item: Item, test: pytest.Item) -> tuple[str, str] | None:
        """Return outcome and message of a row that is not judged, or None."""
        if item.hidden and self._weak:
            return "not_run", (
                "Hidden rows are judged only where submissions are confined; "
                "this machine does not do that."
            )
        file = self.assignment.task_of(item.id).file
        if file in self._handed_in.broken:
            return "error", self._handed_in.broken[file]
        for wanted in _requires(test):
            if not self._was_right(wanted):
                return "not_yet", f"This is judged once {wanted} is right."
        return None

    def _was_right(self, wanted: str) -> bool:
        rows = [row.id for row in self.assignment.rows if wanted in (row.item, row.id)]
        return all(
            name in self._done and self._done[name]["outcome"] == "passed"
            for name in rows
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(
        self, pyfuncitem: pytest.Function
    ) -> Generator[None, object, object]:
        record = self._records[self._item_of(pyfuncitem).id]
        submission = pyfuncitem.funcargs.get("submission")
        if not isinstance(submission, Submission):
            raise AssignmentError(
                f"[judge] {pyfuncitem.nodeid} must use the fixture `submission`."
            )
        self._bench.clock.begin_row()
        began = time.monotonic()
        ended = None
        try:
            yield
        except Ended as error:
            ended = self._bench.cause(error)
        except (AssignmentError, OurFault, OSError):
            raise
        except AssertionError as error:
            ended = Ended("failed", "The result is not right", str(error))
        except Exception as error:
            if not submission.called:
                raise
            text = traceback.format_exception_only(error)[-1].strip()
            ended = Ended("error", "The result is not of the kind that is needed", text)
        rows = self._judged(record, ended, submission)
        # By its seconds a program could tell what a hidden row gave it.
        took = 0.0 if record.item.hidden else time.monotonic() - began
        rows[0]["seconds"] = round(took, 3)
        self._put(rows)
        if any(row["outcome"] != "passed" for row in rows):
            raise _PointsLost(
                "; ".join(f"{row['id']}: {row['outcome']}" for row in rows)
            )
        return True

    def _judged(
        self, record: Record, ended: Ended | None, submission: Submission
    ) -> list[RowReport]:
        rows = rows_of(record, ended, self._handed_in.position)
        costly = any(row["outcome"] == "too_costly" for row in rows)
        if (costly or record.noted) and not record.item.hidden and submission.kernels:
            submission.kernels[0].draw()
            rows = rows_of(record, ended, self._handed_in.position)
        for row in rows:
            row["message"] = self._handed_in.with_own_lines(row["message"])
            for finding in row["findings"]:
                finding["text"] = self._handed_in.with_own_lines(finding["text"])
        return rows

    def _put(self, rows: list[RowReport]) -> None:
        self._done |= {row["id"]: row for row in rows}
        self._file.put(rows)

    # What is our fault, and the end.

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        error = call.excinfo
        ours = error is not None and not isinstance(
            error.value, _PointsLost | pytest.skip.Exception
        )
        if error is not None and ours:
            text = "".join(traceback.format_exception(error.value, limit=-6))
            self.faults.append(f"{item.nodeid}: {text.strip().splitlines()[-1]}")
            rubric = self._item_of(item)
            rows = [blank_row(row) for row in rubric.rows]
            for row in rows:
                row["message"] = "The grader failed here; this is not your fault."
                row["staff_message"] = cut(text[-3500:])
            self._put(rows)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        package = self._package_file() if not self.faults else None
        self._bench.close()
        rows = self._file.report["rows"]
        complete = all(row["outcome"] != "not_run" for row in rows)
        faults = self.faults or int(session.exitstatus) not in (0, 1)
        self._file.write(
            final=complete and not faults and not self._weak,
            package_file=package,
            message=self._words(bool(faults)),
            seconds=float(round(time.monotonic() - self._began)),
        )
        session.exitstatus = OUR_FAULT if faults else 0

    def _package_file(self) -> str | None:
        if not self.assignment.package or self._bench.task is None:
            return None
        return self._bench.submitted.package_file(self.assignment.package)

    def _words(self, faults: bool) -> str:
        if faults:
            return FAILED
        report = self._file.report
        score = plain_number(sum(row["points"] for row in report["rows"]))
        words = f"{score} of {report['max_score']} points."
        ignored = self._handed_in.ignored
        if ignored:
            rest = len(ignored) - _SHOWN
            others = f" and {rest} other{'s' * (rest > 1)}" if rest > 0 else ""
            words += f" Not looked at: {', '.join(ignored[:_SHOWN])}{others}."
        return words


def _end_with(file: int) -> None:
    """End this process, and with it those it confines, when a pipe is closed."""

    def wait() -> None:
        while os.read(file, 1):
            pass
        os._exit(OUR_FAULT)

    threading.Thread(target=wait, daemon=True).start()


def _requires(test: pytest.Item) -> list[str]:
    return [str(name) for mark in test.iter_markers("requires") for name in mark.args]
