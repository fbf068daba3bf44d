"""Owns the tests marked `cuda` and `gpu`, run on the card, a process for each file.

A test that fails on the card runs once more on the emulator: if it fails there too, it
is no news of the card; if the emulator reported something in it, or was inspected, the
test asks for what only the emulator tells; what is left differs.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path

from ..place import ROOT, on_the_emulator
from ..rows import Row, RowFile, row
from ..supervise import Limits, run_to_the_end

_MARKED = re.compile(r"\bmark\.(cuda|gpu)\b|\bDEVICES\b")
_TEST_SECONDS = 90.0
_FILE_SECONDS = 380.0


def items(quick: bool) -> list[str]:
    """Files that have such tests."""
    files = sorted(ROOT.glob("tests/*/test_*.py"))
    names = [
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.parent.name in ("python", "cases") and _MARKED.search(path.read_text())
    ]
    return ["tests/python/test_elementwise_kernel.py"] if quick else names


def _run(rows: RowFile, file: str, environment: dict[str, str]) -> list[Row]:
    limits = Limits(item=_TEST_SECONDS, end=time.monotonic() + _FILE_SECONDS)
    words = ["-m", "pytest", "-q", "-p", "benchmarks.gpu.pytest_rows"]
    words += ["-p", "no:cacheprovider", "-m", "cuda or gpu", file]
    environment = environment | {"MINITORCH_ROWS": str(rows.path)}
    run_to_the_end([sys.executable, *words], rows, limits, environment)
    return rows.rows()


def _sorted(failed: list[Row], again: list[Row]) -> list[Row]:
    """What failed on the card, each with its class, from the run on the emulator."""
    there = {each["name"]: each for each in again}
    for each in failed:
        other = there.get(each["name"])
        if other is None or other["outcome"] == "skipped":
            each["class"] = "differ"
        elif other["outcome"] != "ok":
            each["class"] = "both"
        elif other["findings"] or other["inspected"]:
            each["class"] = "emulator"
        else:
            each["class"] = "differ"
    return failed


def measure(name: str, folder: Path) -> Row:
    """Run a file's tests on the card, and those that failed on the emulator."""
    place = folder / "suite"
    place.mkdir(parents=True, exist_ok=True)
    stem = name.removesuffix(".py").replace("/", "-")
    found = _run(RowFile(place / f"{stem}.jsonl"), name, dict(os.environ))
    failed = [each for each in found if each["outcome"] not in ("ok", "skipped")]
    names = [each["name"] for each in failed if "::" in each["name"]]
    again: list[Row] = []
    if names and os.environ.get("MINITORCH_CUDA") != "emulator":
        chosen = place / f"{stem}.names.json"
        chosen.write_text(json.dumps(names), "utf-8")
        there = on_the_emulator(dict(os.environ)) | {"MINITORCH_TESTS": str(chosen)}
        again = _run(RowFile(place / f"{stem}.emulator.jsonl"), name, there)
    classes = Counter(each["class"] for each in _sorted(failed, again))
    outcomes = Counter(each["outcome"] for each in found)
    made = row(
        name,
        "ok",
        passed=outcomes["ok"],
        skipped=outcomes["skipped"],
        **{each: classes[each] for each in ("differ", "both", "emulator")},
        not_ok=failed,
    )
    apart = [each for each in failed if each["class"] != "emulator"]
    if apart:
        first = apart[0]
        why = f"{first['name'].split('::')[-1]}: {first['why']}"
        made.update(outcome="differs", why=why)
    return made
