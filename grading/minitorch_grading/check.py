"""Run a student's public tests in a new process, and report in sentences.

For oneself: it runs the student's code like any program, on the level `process`. Must
not know hidden rows; it only counts them. In a notebook:

    from minitorch_grading import check as course
    course.check("3.3")
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import UsageError
from .judge.first_report import first_report
from .report.report import cut, without_folders
from .report.words import report_says, sentence
from .rubric.assignment import Assignment, Item, Task, plain_number, read_assignment
from .rubric.handed_in import read_handed_in

# As in minitorch_cuda_pytest/assignment.py.
_RESULTS, _PICTURES = "MINITORCH_PUBLIC_RESULTS", "MINITORCH_PUBLIC_PICTURES"
#: Where a student finds the pictures of a check, beside assignment.toml.
FOUND = "found"
_START_SECONDS = 60.0
_UNWRITTEN = re.compile(r'File "(.+)", line (\d+)\s+raise NotImplementedError\("Task')
_SHOWN = 600  # characters of what a test says


class NotYet(AssertionError):
    """Raised when nothing of a task is right yet: it stops a notebook's cell."""


@dataclass
class _Run:
    """What a run of pytest left behind.

    Attributes:
        results: Results by test, `test_cuda_ops.py::test_zip`, by its full name if
            it is parametrized, and by its file.
        broken: A sentence for each file of tests that does not import.
        ended: Why the process ended early: `timeout`, `crash` or "".
        pictures: Pages by the names that results give them.
    """

    results: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    ended: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)


def check(*tasks: str, folder: str | Path = ".") -> int | float:
    """Run the public tests of tasks on the saved files, and print the results.

    Args:
        tasks: Ids such as "3.3"; none: all tasks.
        folder: The one with assignment.toml.

    Returns:
        the points of rows that are right.

    Raises:
        UsageError: There is no assignment here, or no such task.
        NotYet: No point at all; a cell that calls it fails, which is what graders of
            notebooks count.

    Example:
        >>> check("3.3")  # doctest: +SKIP
        3.3 zip on the GPU: 4 of 4 points
          right     on 6 tests
        all public rows right; 7 hidden rows are not run here
        4
    """
    report = public_report(Path(folder), tasks)
    print(report_text(report, Path(folder), tasks), end="")
    if not report["score"]:
        raise NotYet(f"[check] got 0 of {report['max_score']} points; need at least 1.")
    points: int | float = report["score"]
    return points


def public_report(folder: Path, tasks: Sequence[str] = ()) -> dict[str, Any]:
    """Run the public tests of an assignment in a new process, and return their report.

    Launches with a finding are drawn into `found/` beside assignment.toml; older
    pictures of these rows go.

    Args:
        folder: The one with assignment.toml.
        tasks: Ids; empty: all.

    Returns:
        a report of `minitorch.grade/1` with a row for each item that has public tests.
        Its isolation is `process`: hidden rows are not in it.

    Raises:
        UsageError: There is no assignment here, no such task, or pytest refuses.
    """
    assignment = read_assignment(folder)
    wanted = [assignment.task(task).id for task in tasks]
    wanted = wanted or [task.id for task in assignment.tasks]
    items = [item for item in assignment.items if item.public and item.task in wanted]
    start, run = time.monotonic(), _Run()
    handed_in = read_handed_in(folder, assignment)
    if items:
        run = _run_tests(folder, assignment, wanted)
    if handed_in.errors:
        # Tests that import a broken file do not import: that is said of the file.
        run.broken = dict.fromkeys(run.broken, handed_in.errors[0])
    _drop_pictures(folder, items)
    errors = handed_in.errors or tuple(run.broken.values())
    rows = [_row(item, run, folder) for item in items]
    tests = sorted((folder / "tests").glob("**/*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in tests)).hexdigest()
    return {
        **first_report(assignment, handed_in, "process", digest),
        "gradable": not errors,
        "final": True,
        "message": "",
        "format_errors": list(map(cut, errors)),
        "score": plain_number(sum(row["points"] for row in rows)),
        "max_score": plain_number(sum(row["max_points"] for row in rows)),
        "seconds": round(time.monotonic() - start, 3),
        "rows": rows,
    }


def _run_tests(folder: Path, assignment: Assignment, tasks: Sequence[str]) -> _Run:
    """Run pytest on the saved files in a new process."""
    with tempfile.TemporaryDirectory(prefix="minitorch-check-") as scratch:
        results = Path(scratch, "results.jsonl")
        results.touch()
        marks = " or ".join(f"task{task.replace('.', '_')}" for task in tasks)
        command = [sys.executable, "-m", "pytest", "tests", "-q", "-m", marks]
        command += ["-p", "minitorch_cuda_pytest", "-p", "no:cacheprovider"]
        drawn = Path(scratch, "pictures")
        drawn.mkdir()
        given = {**os.environ, _RESULTS: str(results), _PICTURES: str(drawn)}
        for name in ("PYTEST_ADDOPTS", "PYTHONSAFEPATH"):  # one's own folder is read
            given.pop(name, None)
        seconds = _START_SECONDS + sum(
            assignment.task(task).limits.seconds for task in tasks
        )
        run = _Run()
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=given,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
            if done.returncode in (3, 4):
                output = done.stdout.decode("utf-8", "replace")
                raise UsageError(f"[check] pytest refuses the run:\n{output[-4000:]}")
            run.ended = "" if done.returncode in (0, 1, 2, 5) else "crash"
        except subprocess.TimeoutExpired:
            run.ended = "timeout"
        run.pictures = {path.name: path.read_bytes() for path in drawn.iterdir()}
        _read(results.read_text("utf-8"), folder, run)
        return run


def _read(lines: str, folder: Path, run: _Run) -> None:
    """Read the results that the tests wrote, with paths relative to the folder."""
    here = json.dumps(f"{folder.resolve()}{os.sep}")[1:-1]
    for line in lines.replace(here, "").splitlines():
        result = json.loads(line)
        name = str(result["test"]).removeprefix("tests/")
        if result["outcome"] == "collect":
            file = f"tests/{name}"
            run.broken[file] = f"{file} {_why_not_imported(result['message'])}"
        else:
            plain = name.partition("[")[0]
            for key in {name, plain, plain.partition("::")[0]}:
                run.results.setdefault(key, []).append(result)


def _why_not_imported(traceback: str) -> str:
    """Return the lines of pytest's traceback that state the error."""
    marked = [row for row in traceback.splitlines() if row.startswith("E ")]
    errors = [row[1:] for row in marked] or [traceback.strip()[-_SHOWN:]]
    text = without_folders("\n".join(row for row in errors if row.strip()))
    return "does not import: " + " / ".join(text.split("\n")).strip()[:_SHOWN]


def _row(item: Item, run: _Run, folder: Path) -> dict[str, Any]:
    """Return the row of an item: passed if all its public tests passed."""
    most = sum(item.points.values())
    results = _results(item, run)
    outcome, message, findings, advised = _outcome(item, results, run)
    return {
        "id": item.id,
        "task": item.task,
        "title": item.title,
        "points": plain_number(most if outcome == "passed" else 0),
        "max_points": plain_number(most),
        "hidden": False,
        "visibility": "visible",
        "message": cut(message),
        "advised": advised,
        "staff_message": "",
        "outcome": outcome,
        "findings": findings,
        "metrics": {},
        "pictures": _put_picture(folder, item, run),
        "seconds": 0,
    }


def _results(item: Item, run: _Run) -> list[dict[str, Any]]:
    """Return the results of an item's public tests, in their order."""
    return [result for test in item.public for result in _of_test(test, item, run)]


def _of_test(test: str, item: Item, run: _Run) -> list[dict[str, Any]]:
    """Return the results of one public test, without those marked for other tasks."""
    results = run.results.get(test, [])
    return [
        result for result in results if item.task in (result["tasks"] or [item.task])
    ]


def _wrong(item: Item, run: _Run) -> list[dict[str, Any]]:
    return [result for result in _results(item, run) if result["outcome"] == "failed"]


def _drop_pictures(folder: Path, items: Sequence[Item]) -> None:
    """Delete old pictures of rows that were run again."""
    try:
        for item in items:
            for form in (".svg", ".html"):
                (folder / FOUND / f"{item.id}{form}").unlink(missing_ok=True)
        (folder / FOUND).rmdir()
    except OSError:  # there is none, others are in it, or nobody may write
        pass


def _to_report(wrong: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the result to report: the first with a finding, as it has a line."""
    return next((result for result in wrong if "finding" in result), wrong[0])


def _put_picture(folder: Path, item: Item, run: _Run) -> list[dict[str, str]]:
    """Copy the picture of the reported test, if any, into the student's folder."""
    wrong = _wrong(item, run)
    drawn = _to_report(wrong).get("picture") if wrong else None
    page = run.pictures.get(drawn["file"]) if drawn else None
    if drawn is None or page is None:
        return []
    name = f"{FOUND}/{item.id}{Path(drawn['file']).suffix}"
    try:
        (folder / FOUND).mkdir(exist_ok=True)
        (folder / name).write_bytes(page)
    except OSError:  # a folder that cannot be written to
        return []
    return [{"label": cut(drawn["label"]), "file": name}]


def _outcome(
    item: Item, results: list[dict[str, Any]], run: _Run
) -> tuple[str, str, list[dict[str, Any]], bool]:
    """Return outcome, message, findings, and whether the message says more than what
    is wrong, of the first failing test.
    """
    wrong = _wrong(item, run)
    if wrong:
        first = _to_report(wrong)
        outcome, message, advised = _why(first)
        if len(wrong) > 1 and not _is_unwritten(first):
            many = f"{len(wrong)} of {len(results)} tests fail."
            message, advised = f"{sentence(message)} {many}".strip(), True
        finding = first.get("finding")
        return outcome, message, [finding] if finding else [], advised
    missing = [test for test in item.public if not _of_test(test, item, run)]
    if missing:
        outcome, message = _missing(missing[0], run)
        return outcome, message, [], outcome == "error"
    skipped = [result for result in results if result["outcome"] == "skipped"]
    if skipped:
        why = skipped[0].get("message", "")
        return "not_run", sentence(f"Skipped: {why}" if why else "Skipped"), [], False
    count = len(results)
    return "passed", f"on {count} test{'s' * (count != 1)}", [], False


def _missing(test: str, run: _Run) -> tuple[str, str]:
    """Return outcome and message of a test without a result."""
    file = f"tests/{test.partition('::')[0]}"
    if file in run.broken:
        return "error", run.broken[file]
    if run.broken and not run.results:
        return "error", next(iter(run.broken.values()))
    if run.ended == "timeout":
        return "timeout", "The tests before this one took all the time."
    if run.ended:
        return "crash", "The tests' process ended before this one was done."
    return "not_run", f"There is no test {test} here; take it from the starter again."


def _why(result: Mapping[str, Any]) -> tuple[str, str, bool]:
    """Return outcome and message of a failed test, and whether it is advice."""
    kind, text = str(result.get("type", "")), str(result.get("message", ""))
    position = f"{result['file']}:{result['line']}" if result.get("file") else ""
    test = str(result["test"]).partition("::")[2]
    if "finding" in result:
        return "reported", "", False
    if _is_unwritten(result):
        quoted = _UNWRITTEN.search(text)
        if quoted is not None:
            position = f"{Path(quoted[1]).name}:{quoted[2]}"
        return "failed", f"Not written yet{': ' + position if position else ''}.", True
    short = without_folders(text).strip()[:_SHOWN]
    if kind in ("CompileError", "PtxError", "TranslationError", "TypingError"):
        return "does_not_compile", short, True
    if kind == "AssertionError":
        # Without what pytest adds below it.
        statement = re.split(r"\n(?:assert | *\+ )", text.strip())[0].strip()[:_SHOWN]
        see = f"{sentence(statement)} See " if statement else ""
        return "failed", f"{see}{test} at {position}.", bool(statement)
    where = f" at {position}" if position else ""
    return "error", f"{kind}{where}: {short}", False


def _is_unwritten(result: Mapping[str, Any]) -> bool:
    """Return whether a test reached a task's `raise`; the compiler quotes kernels'."""
    quoted = _UNWRITTEN.search(str(result.get("message", "")))
    kind = result.get("type")
    return "finding" not in result and (kind == "NotImplementedError" or bool(quoted))


def report_text(
    report: Mapping[str, Any], folder: Path, tasks: Sequence[str] = ()
) -> str:
    """Return a public report in sentences, with what to try and what is not run here.

    Args:
        report: By `public_report`.
        folder, tasks: As there.
    """
    assignment = read_assignment(folder)
    wanted = [task for task in assignment.tasks if not tasks or task.id in tasks]
    lines = report_says(report).splitlines()
    for task in wanted:
        lines += _next(task, report["rows"])
    lines.append(_end(assignment, [task.id for task in wanted], report["rows"]))
    return "\n".join(lines) + "\n"


def _next(task: Task, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    own_rows = [row for row in rows if row["task"] == task.id]
    if own_rows and all(row["outcome"] == "passed" for row in own_rows):
        if task.next:
            yield f"  next      {task.next}"
    elif task.question:
        yield f"  ask       {task.id}: {task.question}"


def _end(assignment: Assignment, tasks: list[str], rows: Sequence[Any]) -> str:
    """Return the last line: rows that are right, and rows that are not run here."""
    items = [
        item for item in assignment.items if item.task in tasks and not item.manual
    ]
    hidden = [row for item in items if item.hidden for row in item.rows]
    others = [row for i in items if not (i.hidden or i.public) for row in i.rows]
    right = sum(row["outcome"] == "passed" for row in rows)
    words = f"{right} of {len(rows)} public rows right"
    if rows and right == len(rows):
        words = "all public rows right" if right > 1 else "the public row is right"
    for count, noun in ((len(hidden), "hidden row"), (len(others), "other row")):
        if count:
            words += f"; {count} {noun}{'s are' if count > 1 else ' is'} not run here"
    return words


def main(tasks: Sequence[str], folder: Path | None = None) -> int:
    """`minitorch course check`: prints; 0 if all public rows are right, else 1.

    Raises:
        UsageError: As `public_report`.
    """
    folder = folder or Path()
    report = public_report(folder, tasks)
    sys.stdout.write(report_text(report, folder, tasks))
    return int(any(row["outcome"] != "passed" for row in report["rows"]))
