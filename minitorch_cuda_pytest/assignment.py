"""What pytest does beside an assignment.toml, for the student who runs it.

Markers of all tasks; a test fails if its kernels were found to be wrong, and shows the
student's own lines. Results as JSON for `minitorch course check`. PYTEST_DONT_REWRITE:
it has no asserts.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tomllib
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

#: Names a file to which a line of JSON is written for each test.
RESULTS = "MINITORCH_PUBLIC_RESULTS"
#: Names a folder for pictures of launches that were found to be wrong.
PICTURES = "MINITORCH_PUBLIC_PICTURES"
_MOST_PICTURES = 8  # of a run; each costs its test once more
_TEXT = 4000  # characters of a message
#: Of a launch in which no block ends, at first: a minute is long for a small test.
LAUNCH_SECONDS = 10
_AGAIN_SECONDS = 2  # once that was waited for
_SMALL = r"ignore:\[launch\] got a (grid of|host array):UserWarning"


def read_toml(root: Path) -> dict[str, Any]:
    """What assignment.toml says.

    Raises:
        UsageError: it is no TOML; pytest ends with status 4.
    """
    path = root / "assignment.toml"
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise pytest.UsageError(
            f"[minitorch] {path} is not valid TOML: {error}."
        ) from None


class Assignment:
    """The plugin of a run beside an assignment.toml."""

    def __init__(self, root: Path) -> None:
        self._root = root
        facts = read_toml(root)
        self._tasks = [str(each["id"]) for each in facts.get("task", [])]
        self._files = [str(each) for each in facts.get("files", [])]
        self._results = os.environ.get(RESULTS)
        self._pictures = os.environ.get(PICTURES)
        self._drawn: dict[tuple[str, Any], dict[str, str] | None] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        for task in self._tasks:
            for word in ("task", "test"):
                name = word + task.replace(".", "_")
                config.addinivalue_line("markers", f"{name}: tests of task {task}")
        # Small launches and host arrays are what tests are made of.
        config.addinivalue_line("filterwarnings", _SMALL)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """A test that ends before its kernels are checked waits for that."""
        __tracebackhide__ = True
        try:
            yield
            self._wait_for_findings()
        except BaseException as error:
            self._leave_out_the_library(error)
            self._draw(item, error)
            _wait_less(error)
            raise

    def _wait_for_findings(self) -> None:
        __tracebackhide__ = True
        library = sys.modules.get("minitorch_cuda")
        if library is not None and library.cuda.launch_table():
            library.cuda.synchronize()

    def _draw(self, item: pytest.Item, error: BaseException) -> None:
        """Run a test with a finding once more, traced, and draw the launch."""
        finding = _finding_of(error)
        if finding is None or not self._pictures:
            return
        place = _place_of(finding)
        if place in self._drawn or len(self._drawn) >= _MOST_PICTURES:
            return
        self._drawn[place] = None
        cuda = sys.modules["minitorch_cuda"].cuda
        place_of_views = "minitorch_grading.runner.launch_picture"
        picture_of = importlib.import_module(place_of_views).picture_of
        try:
            with cuda.inspect(trace=True, trace_bytes=64 << 20) as run:
                try:
                    item.runtest()
                    cuda.synchronize()
                except Exception:  # it fails again: that is what is drawn
                    pass
            for launch in run.launches:
                if finding.kind in {each.kind for each in launch.findings}:
                    words, page = picture_of(launch)
                    break
            else:
                return
            if words is not None:
                name = f"{len(self._drawn)}.{words['form']}"
                Path(self._pictures, name).write_bytes(page.tobytes())
                self._drawn[place] = {"file": name, "label": words["alt"]}
        except Exception:  # without a picture the sentences are still true
            return

    def _leave_out_the_library(self, error: BaseException) -> None:
        """The traceback of a fault of a kernel ends at the student's line."""
        if os.environ.get("MINITORCH_TRACEBACK") == "full":
            return
        folder = _library_folder()
        kept = [each for each in _steps(error) if not _is_below(each, folder)]
        if folder is None or not kept:
            return
        chain: TracebackType | None = None
        for each in reversed(kept):
            chain = TracebackType(chain, each.tb_frame, each.tb_lasti, each.tb_lineno)
        error.__traceback__ = chain

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        finding = _finding_of(error)
        if finding is not None:
            text = self._quoted(finding)
            if text:
                report.sections.append((f"found: {finding.kind}, in your lines", text))
        if self._results and (call.when == "call" or error is not None):
            self._write(self._told(item, report, error))
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that does not even import: its tests are not known."""
        if self._results and report.failed:
            text = str(report.longrepr)[-_TEXT:]
            self._write({"test": report.nodeid, "outcome": "collect", "message": text})

    def _quoted(self, finding: Any) -> str:
        """The lines that a finding names, as they stand in the student's files."""
        rows = []
        for site in (finding.site, finding.other):
            path = self._own(site.file if site is not None else None)
            if site is None or path is None or not site.line:
                continue
            lines = path.read_text("utf-8", "replace").splitlines()
            if site.line <= len(lines):
                name = path.relative_to(self._root).as_posix()
                who = f"   <- thread {_shown(site.thread)}" if site.thread else ""
                rows.append(f"{name}:{site.line}: {lines[site.line - 1].strip()}{who}")
        return "\n".join(dict.fromkeys(rows))

    def _own(self, file: str | None) -> Path | None:
        """The student's file of that name, None if it is none of theirs."""
        if not file:
            return None
        path = self._root / file
        if not path.is_file():
            # Of CUDA C++ the compiler knows a name, and a folder that is not there.
            named = [each for each in self._files if Path(each).name == path.name]
            path = self._root / named[0] if len(named) == 1 else path
        path = path.resolve()
        return path if path.is_file() and path.is_relative_to(self._root) else None

    def _told(
        self, item: pytest.Item, report: pytest.TestReport, error: BaseException | None
    ) -> dict[str, Any]:
        """A test's result for `minitorch course check`."""
        told: dict[str, Any] = {"test": item.nodeid, "outcome": report.outcome}
        names = {mark.name[4:] for mark in item.iter_markers()}
        told["tasks"] = [e for e in self._tasks if e.replace(".", "_") in names]
        if error is None:
            return told
        told["type"] = type(error).__name__
        told["message"] = str(error)[:_TEXT]
        for frame in _steps(error):
            path = self._own(frame.tb_frame.f_code.co_filename)
            # What a test's helper says is said of the line that calls it.
            hidden = frame.tb_frame.f_locals.get("__tracebackhide__") is True
            if path is not None and not hidden:
                name = path.relative_to(self._root).as_posix()
                told["file"], told["line"] = name, frame.tb_lineno
        finding = _finding_of(error)
        if finding is not None:
            told["finding"] = self._finding(finding)
            told["picture"] = self._drawn.get(_place_of(finding))
        return told

    def _finding(self, finding: Any) -> dict[str, Any]:
        race = None
        if finding.other is not None and finding.kind in ("race_global", "race_shared"):
            names = ("element", "access", "other_access", "remedy")
            race = {name: getattr(finding, name) for name in names}
            race["other"] = self._site(finding.other)
        return {
            "kind": finding.kind,
            "severity": finding.severity,
            **self._site(finding.site),
            "text": str(finding.message)[:_TEXT],
            "race": race,
        }

    def _site(self, site: Any) -> dict[str, Any]:
        path = self._own(site.file if site is not None else None)
        return {
            "file": path.relative_to(self._root).as_posix() if path else None,
            "line": site.line if site is not None else None,
            "block": list(site.block) if site is not None and site.block else None,
            "thread": list(site.thread) if site is not None and site.thread else None,
            "values": [],
        }

    def _write(self, told: dict[str, Any]) -> None:
        with Path(str(self._results)).open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")


def _finding_of(error: BaseException | None) -> Any:
    """What a check found, if that is what an exception says."""
    library = sys.modules.get("minitorch_cuda")
    if library is None or not isinstance(error, library.cuda.KernelError):
        return None
    return error.finding


def _wait_less(error: BaseException) -> None:
    """A loop without an end was waited for: the next tests, which run it too, wait for
    a moment, so that a run ends in minutes and says what else there is."""
    finding = _finding_of(error)
    if finding is not None and finding.kind == "timeout":
        sys.modules["minitorch_cuda"].cuda.set_launch_limits(seconds=_AGAIN_SECONDS)


def _place_of(finding: Any) -> tuple[str, Any]:
    """Findings of one kind on one line have one picture."""
    site = finding.site
    return finding.kind, (site.file, site.line) if site is not None else None


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def _library_folder() -> Path | None:
    library = sys.modules.get("minitorch_cuda")
    file = getattr(library, "__file__", None)
    return Path(file).resolve().parent if file else None


def _is_below(step: TracebackType, folder: Path | None) -> bool:
    file = step.tb_frame.f_code.co_filename
    return folder is not None and Path(file).is_relative_to(folder)


def _shown(thread: tuple[int, int, int]) -> str:
    return f"({','.join(map(str, thread))})"
