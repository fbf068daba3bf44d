"""Owns the hour: build, then each part in processes of its own, results as they come.

Must not know what a part measures.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from . import machine, report_page, stand_in
from .build import BuildError, build, environment
from .place import EMULATED, WORK, on_the_emulator
from .plan import NAMES, Part, part
from .rows import Row, RowFile, row
from .supervise import Limits, end_on_signals, run_to_the_end

_BACKENDS = {"card": "gpu", "emulator": "emulator", "stand-in": "gpu"}
Result = dict[str, Any]


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/gpu/run", description=__doc__)
    parser.add_argument("--device", choices=list(_BACKENDS), default="card")
    parser.add_argument("--quick", action="store_true", help="a few items of each part")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--list", action="store_true", help="say what would run")
    parser.add_argument("--minutes", type=float, default=60, help="for everything")
    parser.add_argument("--out", type=Path, default=WORK / "results")
    parser.add_argument("--python", help="has the library already: nothing is built")
    parser.add_argument("--publish", type=Path, metavar="JSON", help="into docs/gpu.md")
    return parser.parse_args(words)


def _built(given: argparse.Namespace) -> tuple[str, Row]:
    """The interpreter to use and the row of the build."""
    start = time.monotonic()
    if given.python:
        named = shutil.which(given.python) or given.python
        return str(Path(named).absolute()), row(
            "build", "skipped", "--python was given", seconds=0.0
        )
    try:
        python = build(given.out / "build.log")
        made = row("build", "ok")
    except BuildError as error:
        python, made = "", row("build", "failed", str(error))
    made["seconds"] = round(time.monotonic() - start, 1)
    return python, made


def _environment(given: argparse.Namespace, python: str) -> dict[str, str]:
    """That of a process whose device cuda is the one to measure."""
    made = environment() | {
        "MINITORCH_CACHE_DIR": str(given.out / "cache"),
        "MINITORCH_CUDA": _BACKENDS[given.device],
    }
    if given.device == "emulator":
        return on_the_emulator(made)
    if given.device == "stand-in":
        made |= {"MINITORCH_EMULATED_GPU": EMULATED}
        made |= stand_in.make(python, given.out / "stand-in")
    return made


def _run_role(
    one_part: Part,
    role: str,
    python: str,
    surroundings: dict[str, str],
    given: argparse.Namespace,
    end: float,
) -> list[Row]:
    """All items of a part in one role, in as many processes as the part allows."""
    folder = given.out / "parts" / one_part.name
    folder.mkdir(parents=True, exist_ok=True)
    processes = min(one_part.workers, len(os.sched_getaffinity(0)))
    files = [RowFile(folder / f"{role}.{n}.jsonl") for n in range(processes)]

    def one(number: int) -> None:
        words = ["benchmarks.gpu.worker", one_part.name, role]
        words += [str(files[number].path)]
        words += [str(number), str(processes), *(["--quick"] if given.quick else [])]
        limits = Limits(item=one_part.item_seconds, end=end)
        run_to_the_end([python, "-m", *words], files[number], limits, surroundings)

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(one, range(processes)))
    return [made for file in files for made in file.rows()]


def _run_part(
    one_part: Part,
    python: str,
    surroundings: dict[str, str],
    given: argparse.Namespace,
    end: float,
) -> Result:
    """A part, on the emulator first where it compares with that."""
    start = time.monotonic()
    shutil.rmtree(given.out / "parts" / one_part.name, ignore_errors=True)
    before: list[Row] = []
    if one_part.compares:
        there = on_the_emulator(surroundings)
        before = _run_role(one_part, "reference", python, there, given, end)
    rows = _run_role(one_part, "card", python, surroundings, given, end)
    return one_part.as_json() | {
        "rows": sorted(rows, key=lambda made: made["name"]),
        "reference_not_ok": [made for made in before if made["outcome"] != "ok"],
        "seconds": round(time.monotonic() - start, 1),
    }


def _not_run(name: str, outcome: str, why: str) -> Result:
    return part(name).as_json() | {"rows": [row("(all)", outcome, why)], "seconds": 0.0}


def _write(result: Result, out: Path) -> None:
    """Keep what there is so far; a reader never finds half of it."""
    for name, text in (
        ("results.json", json.dumps(result, indent=1) + "\n"),
        ("results.md", report_page.markdown(result)),
    ):
        temporary = out / f".{name}"
        temporary.write_text(text, "utf-8")
        temporary.replace(out / name)


def _earlier(given: argparse.Namespace) -> dict[str, Result]:
    """Parts of an earlier run into the same folder, on the same device."""
    path = given.out / "results.json"
    if not path.exists():
        return {}
    result = json.loads(path.read_text("utf-8"))
    same = (result["device"], result["quick"]) == (given.device, given.quick)
    return result["parts"] if same else {}


def _say(name: str, made: Result) -> None:
    counted = report_page.counted(made["rows"])
    print(f"{name:<10} {made['seconds']:6.0f} s  {counted}", flush=True)


def _measure(given: argparse.Namespace) -> int:
    end_on_signals()
    end = time.monotonic() + 60 * given.minutes
    given.out = given.out.resolve()
    given.out.mkdir(parents=True, exist_ok=True)
    python, built = _built(given)
    print(f"{'build':<10} {built['seconds']:6.0f} s  {built['outcome']} {built['why']}")
    result: Result = {
        "format": 1,
        "device": given.device,
        "claim": report_page.CLAIMS[given.device],
        "quick": given.quick,
        "started": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "build": built,
        "machine": {},
        "parts": _earlier(given),
    }
    surroundings = _environment(given, python) if python else {}
    if python:
        result["machine"] = machine.facts(python, surroundings)
    complaint = built["why"] if not python else result["machine"].get("complaint", "")
    for name in given.only:
        if complaint:
            made = _not_run(name, "failed", complaint)
        elif time.monotonic() > end:
            made = _not_run(name, "skipped", f"no time was left: --only {name}")
        else:
            made = _run_part(part(name), python, surroundings, given, end)
        result["parts"].pop(name, None)
        result["parts"][name] = made
        _say(name, made)
        _write(result, given.out)
    print(given.out / "results.md")
    return 1 if complaint else 0


def main(words: list[str]) -> int:
    given = _arguments(words)
    if given.publish:
        kept = report_page.publish(json.loads(given.publish.read_text("utf-8")))
        print(f"wrote {report_page.PAGE} and {kept}")
        return 0
    if given.list:
        for name in given.only:
            print(f"{name:<10} {part(name).title}: {part(name).shows}")
        return 0
    return _measure(given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
