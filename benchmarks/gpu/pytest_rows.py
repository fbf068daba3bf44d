"""Owns the pytest plugin that writes a row for each test as it comes.

    MINITORCH_ROWS=FILE [MINITORCH_TESTS=NAMES] pytest -p benchmarks.gpu.pytest_rows

Tests that FILE says were started are left out, so that a run can go on after a crash;
with NAMES, a JSON list in a file, all others are, too.
After each test the context is asked whether it lives; if not, the process ends, and
the next one goes on. Failures are rows, not an exit status.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from .place import NEEDS_EMULATOR
from .rows import RowFile, row
from .supervise import CONTEXT_BROKEN

_ROWS = RowFile(Path(os.environ["MINITORCH_ROWS"]))
_REASON = 300  # characters of it that are kept


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    started = _ROWS.started()
    items[:] = [item for item in items if name_of(item.nodeid) not in started]
    if "MINITORCH_TESTS" in os.environ:
        names = json.loads(Path(os.environ["MINITORCH_TESTS"]).read_text("utf-8"))
        items[:] = [item for item in items if name_of(item.nodeid) in names]


def name_of(nodeid: str) -> str:
    """A test's name, the same in each process: some hold addresses of objects."""
    return re.sub(r" at 0x[0-9a-f]+", "", nodeid)


def _note_inspections() -> None:
    """See to it that `_inspected` grows when a test opens an inspection."""
    from minitorch import _core

    class Noted:
        @staticmethod
        def open(**options: Any) -> Any:
            _inspected.append(True)
            return inspection.open(**options)

    inspection = _core.Inspection
    _core.Inspection = Noted  # type: ignore[misc,assignment]


def pytest_sessionstart(session: pytest.Session) -> None:
    _note_inspections()


_inspected: list[bool] = []


def _forget_findings() -> None:
    from minitorch import _core

    _core.clear_findings()
    _inspected.clear()


def _findings() -> list[str]:
    """Kinds of errors that the device told in this test; a GPU tells none."""
    from minitorch import cuda

    return sorted({each.kind for each in cuda.last_findings()})


def _context_lives() -> bool:
    from minitorch import cuda

    with contextlib.suppress(Exception):
        cuda.synchronize()
    try:
        cuda.synchronize()
    except Exception:
        return False
    return True


def _made(
    name: str, reports: list[pytest.TestReport], seconds: float
) -> dict[str, Any]:
    """The row of a test, from its reports of set-up, call and clean-up."""
    failed = next((each for each in reports if each.failed), None)
    skipped = next((each for each in reports if each.skipped), None)
    made = row(name, "ok", seconds=round(seconds, 3))
    if failed is not None:
        text = str(failed.longrepr)
        crash = getattr(failed.longrepr, "reprcrash", None)
        why = crash.message if crash else text
        made.update(outcome="failed", why=why[:_REASON])
        if NEEDS_EMULATOR in text:
            made.update(outcome="skipped", why="asks for what only the emulator tells")
    elif skipped is not None:
        reason = skipped.longrepr
        why = reason[2] if isinstance(reason, tuple) else str(reason)
        made.update(outcome="skipped", why=why.removeprefix("Skipped: ")[:_REASON])
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[_REPORTS] = []
    name = name_of(item.nodeid)
    _ROWS.start(name)
    _forget_findings()
    begin = time.perf_counter()
    result = yield
    made = _made(name, item.stash[_REPORTS], time.perf_counter() - begin)
    made["findings"] = _findings()
    made["inspected"] = bool(_inspected)
    _ROWS.add(made)
    if not _context_lives():
        os._exit(CONTEXT_BROKEN)
    return result


_REPORTS = pytest.StashKey[list[pytest.TestReport]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    item.stash[_REPORTS].append(report)
    return report


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.OK
