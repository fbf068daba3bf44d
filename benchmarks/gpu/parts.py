"""What the parts measure on device cuda, in a process of its own.

    python -m benchmarks.gpu.parts facts
    python -m benchmarks.gpu.parts PART ROWS SHARE OF ITEMS

writes a JSON line `{"start": item}` before each item and `{"row": ...}` after it, for
the items SHARE, SHARE + OF, ... of the first ITEMS (0: of all), without those in ROWS.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import operator
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda
from minitorch import functional as F

from .nine_minutes import CONTEXT_BROKEN, ROOT, Row, read_lines

TABLES = Path(os.environ.get("MINITORCH_TABLES", ROOT / "build" / "gpu" / "tables"))
STAND_IN = "MINITORCH_STAND_IN" in os.environ


def row(name: str, outcome: str = "ok", why: str = "", **figures: Any) -> Row:
    """A row; `outcome` is ok, differs, failed, crashed, timed out or skipped."""
    return {"name": name, "outcome": outcome, "why": why, **figures}


def torch_on_card() -> Any:
    """PyTorch, without TF32, if it is installed and sees a card; else None."""
    try:
        import torch
    except ImportError:
        return None
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    return torch if torch.cuda.is_available() else None


def facts() -> dict[str, str]:
    """The card and the versions that matter."""
    torch = torch_on_card()
    driver, nvrtc = _core.driver_version(), _core.nvrtc_version()
    return {
        "card": cuda.device_name(),
        "cuda": f"{driver // 1000}.{driver % 1000 // 10}",
        "nvrtc": f"{nvrtc // 1000}.{nvrtc % 1000}",
        "torch": torch.__version__ if torch else "",
    }


def context_works() -> bool:
    """Whether device cuda takes more work after an item."""
    for _ in range(2):  # the first call raises what the item left
        with contextlib.suppress(Exception):
            cuda.synchronize()
            return True
    return False


# Opcodes: the instruction tables.


def opcode_items() -> dict[str, Callable[[], Row]]:
    from tests.python.conformance_tables import THREADS, WARPS, Form, read_forms
    from tests.python.test_gpu_validation import needs, wrong_words

    major, minor = cuda.get_current_device().compute_capability
    card = 10 * major + minor

    def measure(name: str, form: Form) -> Row:
        target = needs(form.ptx)
        if target > card:  # the driver refuses what an older card cannot do
            older = form.ptx.replace(f"sm_{target}", f"sm_{card}")
            form = dataclasses.replace(form, ptx=older)
        try:
            wrong = wrong_words(form)
        except cuda.PtxError as error:
            if target <= card:
                raise
            return row(name, "skipped", f"not on sm_{card}: {error}".split("\n")[0])
        why = f"{len(wrong)} of {form.results.size} words: {wrong[0]}" if wrong else ""
        return row(name, "differs" if wrong else "ok", why)

    return {
        f"{family}/{form.name}": partial(measure, f"{family}/{form.name}", form)
        for family in (*THREADS, *WARPS)
        for form in read_forms(family, TABLES)
    }


# Cases: correct kernels.


def case_items() -> dict[str, Callable[[], Row]]:
    from tests.cases.case import DATA, Case, read_cases
    from tests.cases.judge import compile_case, run_case

    def measure(name: str, case: Case) -> Row:
        verdict = run_case(case, compile_case(case))
        return row(name, "ok" if verdict.passed else "differs", verdict.why)

    return {
        f"{folder}/{case.name}": partial(measure, f"{folder}/{case.name}", case)
        for folder in ("sample", "rules", "algorithms")
        for case in read_cases(DATA / folder)
        if case.expect == "ok"
    }


# Speed.


def milliseconds(run: Callable[[], object], event: Any, synchronize: Any) -> float:
    """Milliseconds of one call among many: median of five rounds of some 40 ms."""
    for _ in range(2):  # the first call compiles
        begin = time.perf_counter()
        run()
        synchronize()
    calls = max(1, min(1000, int(0.04 / (time.perf_counter() - begin))))
    rounds = []
    for _ in range(5):
        start, end = event(), event()
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        rounds.append(start.elapsed_time(end) / calls)
    return median(rounds)


def time_beside_torch(
    name: str,
    shapes: Iterable[tuple[int, ...]],
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    *,
    flops: float = 0,
    moved: float = 0,
) -> Row:
    """Time a call on random arrays, and PyTorch's if it is there; compare the values.

    Args:
        name: of the row.
        shapes: of the arrays.
        ours: what is timed, on tensors of this library.
        theirs: the same on PyTorch's.
        flops: operations of one call.
        moved: bytes of one call.
    """
    torch, random = torch_on_card(), np.random.default_rng(0)
    arrays = [random.random(shape, np.float32) for shape in shapes]
    mine = [minitorch.tensor(array, device="cuda") for array in arrays]
    taken = milliseconds(lambda: ours(*mine), cuda.Event, cuda.synchronize)
    made = row(name, size=" x ".join(map(str, arrays[0].shape)), ours_ms=rounded(taken))
    if flops:
        made["gflops"] = rounded(flops / taken / 1e6)
    if moved:
        made["gbytes"] = rounded(moved / taken / 1e6)
    if torch is None:
        return made
    its = [torch.from_numpy(array).cuda() for array in arrays]
    event = partial(torch.cuda.Event, enable_timing=True)
    other = milliseconds(lambda: theirs(*its), event, torch.cuda.synchronize)
    made |= {"torch_ms": rounded(other), "ratio": round(taken / other, 2)}
    got, want = ours(*mine).to_numpy(), theirs(*its).cpu().numpy()
    if not np.allclose(got, want, rtol=1e-3, atol=1e-3 * np.abs(want).max()):
        made |= {"outcome": "differs", "why": "not the values of PyTorch"}
    return made


def rounded(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")


def speed_items() -> dict[str, Callable[[], Row]]:
    torch = torch_on_card()
    n, images = (1 << 12, 1) if STAND_IN else (1 << 24, 32)
    sides = {size: 64 if STAND_IN else size for size in (1024, 4096, 512, 2048)}
    both = {name: (getattr(operator, name),) * 2 for name in ("matmul", "add")}
    both |= {name: (operator.methodcaller(name),) * 2 for name in ("sum", "exp")}
    both["softmax"] = F.softmax, lambda x: torch.softmax(x, -1)
    both["conv2d"] = F.conv2d, lambda x, w: torch.conv2d(x, w)
    table: list[tuple[str, list[tuple[int, ...]], dict[str, float]]] = [
        *(
            (f"matmul {size}", [(side, side)] * 2, {"flops": 2.0 * side**3})
            for size, side in sides.items()
        ),
        ("add", [(n,)] * 2, {"moved": 12.0 * n}),
        ("add: cost of a launch", [(32,)] * 2, {}),
        ("sum", [(n,)], {"moved": 4.0 * n}),
        ("softmax", [(n // 1024, 1024)], {"moved": 8.0 * n}),
        (
            "conv2d",
            [(images, 16, 64, 64), (32, 16, 3, 3)],
            {"flops": 2.0 * images * 32 * 62**2 * 16 * 9},
        ),
        ("exp", [(n,)], {"moved": 8.0 * n}),
    ]
    return {
        name: partial(
            time_beside_torch, name, shapes, *both[re.split("[: ]", name)[0]], **work
        )
        for name, shapes, work in table
    }


# Tests: pytest writes their rows.


class RowWriter:
    """The pytest plugin that writes a row for each test of this process's share."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @pytest.hookimpl(trylast=True)  # behind `-m gpu`
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        chosen = set(self._rows.left([item.nodeid for item in items]))
        items[:] = [item for item in items if item.nodeid in chosen]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._rows.start(nodeid)
        self._made = row(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = crash.message if crash else str(report.longrepr)
            self._made = row(report.nodeid, "failed", why[:300])
        elif report.skipped:
            why = report.longrepr[2].removeprefix("Skipped: ")
            self._made = row(report.nodeid, "skipped", why)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._rows.add(self._made)


def run_tests(rows: Rows) -> None:
    words = ["-q", "-p", "no:cacheprovider", "-m", "gpu", f"--rootdir={ROOT}"]
    words += ["-W", "ignore:Module already imported"]  # minitorch, by this process
    # The rows of the instruction tables are the part opcodes.
    words += ["--deselect=tests/python/test_gpu_validation.py::test_rows_on_the_card"]
    words += [str(ROOT / "tests" / "python" / f"test_{name}.py") for name in GPU_TESTS]
    pytest.main(words, plugins=[RowWriter(rows)])


GPU_TESTS = ("gpu_validation", "notebooks")


class Rows:
    """The rows of this process's share of a part."""

    def __init__(self, path: Path, share: int, of: int, items: int) -> None:
        self._path = path
        self._share, self._of, self._items = share, of, items

    def left(self, names: list[str]) -> list[str]:
        """Of all items: those of this process that have not started."""
        started = {line.get("start") for line in read_lines(self._path)}
        mine = names[: self._items or None][self._share :: self._of]
        return [name for name in mine if name not in started]

    def start(self, name: str) -> None:
        self._write({"start": name})

    def add(self, made: Row) -> None:
        """Write a row; a broken context ends the process, and another one goes on."""
        self._write({"row": made})
        if not context_works():
            os._exit(CONTEXT_BROKEN)  # destructors may hang

    def _write(self, line: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


ITEMS = {"opcodes": opcode_items, "cases": case_items, "speed": speed_items}


def main(words: list[str]) -> None:
    if words == ["facts"]:
        print(json.dumps(facts()))
        return
    part, path, *numbers = words
    rows = Rows(Path(path), *map(int, numbers))
    warnings.simplefilter("ignore")
    if part == "tests":
        run_tests(rows)
        return
    items = ITEMS[part]()
    for name in rows.left(list(items)):
        rows.start(name)
        try:
            made = items[name]()
        except Exception as error:
            made = row(name, "failed", f"{type(error).__name__}: {error}"[:300])
        rows.add(made)


if __name__ == "__main__":
    main(sys.argv[1:])
