"""Run the parts of parts.py on a card, in processes of their own and in limited time.

A part writes PART.json and PART.md as soon as it ends, with the card, its driver and
the date: a run that is cut off keeps the parts that have finished.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import stand_in

ROOT = Path(__file__).resolve().parents[2]
CONTEXT_BROKEN = 77  # exit status of a process that needs a successor
MAX_TABLE_ROWS = 60  # in PART.md; PART.json has all

Row = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of a run.

    Attributes:
        name: of the part, and of its files.
        shows: what is compared, for the reader of PART.md.
        seconds: budget in a run of nine minutes; what a part leaves, the next ones get.
        item_seconds: after these, an item is stopped.
        processes: how many run at a time; 1 where time is measured.
        columns: heading and key of the columns of the table; without any, the table
            lists only rows that are not ok.
    """

    name: str
    shows: str
    seconds: float
    item_seconds: float
    processes: int
    columns: tuple[tuple[str, str], ...] = ()


PARTS = (
    Part(
        "opcodes",
        "32 rows of operands for every instruction form: the card's bits against exact "
        "results",
        seconds=150,
        item_seconds=30,
        processes=4,
    ),
    Part(
        "cases",
        "every correct kernel of tests/cases: no error, and the expected values",
        seconds=90,
        item_seconds=30,
        processes=4,
    ),
    Part(
        "tests",
        "`pytest -m gpu`: the PTX corpus and the resources of kernels against the "
        "emulator and the driver, and every notebook",
        seconds=150,
        item_seconds=90,
        processes=4,
    ),
    Part(
        "speed",
        "kernels of this library beside PyTorch's (matmul: cuBLAS without TF32)",
        seconds=120,
        item_seconds=60,
        processes=1,
        columns=(
            ("size", "size"),
            ("this library, ms", "ours_ms"),
            ("PyTorch, ms", "torch_ms"),
            ("this library / PyTorch", "ratio"),
            ("GFLOP/s", "gflops"),
            ("GB/s", "gbytes"),
        ),
    ),
)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Complete lines of a JSONL file that a process may still be writing."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


class Worker:
    """A process that writes `{"start": item}` and a row for each item it measures.

    A crash, a broken context or an item without end costs one row: the process is
    started again and skips what has started.
    """

    def __init__(
        self, command: list[str], rows: Path, item_seconds: float, env: dict[str, str]
    ) -> None:
        self._command = command
        self._rows = rows
        self._item_seconds = item_seconds
        self._env = env
        self._log = rows.with_suffix(".log")
        self._start()

    def _start(self) -> None:
        self._size, self._since = self._rows_size(), time.monotonic()
        self._size_at_start = self._size
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._env,
                cwd=ROOT,
                start_new_session=True,
            )

    def _rows_size(self) -> int:
        return self._rows.stat().st_size if self._rows.exists() else 0

    def rows(self) -> list[Row]:
        """Rows so far."""
        return [line["row"] for line in read_lines(self._rows) if "row" in line]

    def runs(self) -> bool:
        """Look after the process; False when no item is left."""
        status = self._process.poll()
        if status is None:
            size = self._rows_size()
            if size != self._size:
                self._size, self._since = size, time.monotonic()
            if time.monotonic() - self._since < self._item_seconds:
                return True
            self.stop("timed out", f"no end after {self._item_seconds:g} s")
        elif status != 0:
            tail = self._log.read_text("utf-8", "replace").strip()[-600:]
            self._end_item("crashed", f"exit status {status}: {tail}")
            if self._rows_size() == self._size_at_start:  # it cannot even start
                self._write("(start)", "failed", f"exit status {status}: {tail}")
                return False
        else:
            return False
        self._start()
        return True

    def stop(self, outcome: str, why: str) -> None:
        """Kill the process with its children; the running item gets a row."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._end_item(outcome, why)

    def _end_item(self, outcome: str, why: str) -> None:
        lines = read_lines(self._rows)
        if lines and "start" in lines[-1]:
            self._write(lines[-1]["start"], outcome, why)

    def _write(self, name: str, outcome: str, why: str) -> None:
        row = {"name": name, "outcome": outcome, "why": why}
        with self._rows.open("r+b") as file:  # behind the last complete line
            file.seek(file.read().rfind(b"\n") + 1)
            file.truncate()
            file.write(json.dumps({"row": row}).encode() + b"\n")


def run_part(
    part: Part, end: float, options: argparse.Namespace, env: dict[str, str]
) -> dict[str, Any]:
    """Run a part until `end` (of time.monotonic()) at the latest."""
    start = time.monotonic()
    processes = min(part.processes, len(os.sched_getaffinity(0)))
    processes = min(processes, options.items or processes)
    folder = options.out / "rows" / part.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    workers: list[Worker] = []
    try:
        for share in range(processes):
            rows = folder / f"{share}.jsonl"
            rows.write_text("")
            command = [sys.executable, "-m", "benchmarks.gpu.parts", part.name]
            command += [str(rows), str(share), str(processes), str(options.items)]
            workers.append(Worker(command, rows, part.item_seconds, env))
        running = workers
        while running and time.monotonic() < end:
            time.sleep(0.05)
            running = [worker for worker in running if worker.runs()]
    finally:
        for worker in workers:
            worker.stop("timed out", "the time of this part was over")
    return {
        "part": part.name,
        "shows": part.shows,
        "finished": not running,
        "items_at_most": options.items,
        "seconds": round(time.monotonic() - start, 1),
        "rows": [row for worker in workers for row in worker.rows()],
    }


def _output(command: list[str], **options: Any) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=True, **options
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def read_facts(options: argparse.Namespace, env: dict[str, str]) -> dict[str, Any]:
    """The card, its driver, the versions and the date.

    Raises:
        SystemExit: device cuda does not open, or is the emulator.
    """
    command = [sys.executable, "-m", "benchmarks.gpu.parts", "facts"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode:
        sys.exit(done.stderr.strip().splitlines()[-1])
    smi = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    driver = "stand-in" if options.stand_in else _output(smi).split("\n")[0]
    return {
        **json.loads(done.stdout.splitlines()[-1]),
        "driver": driver or "unknown",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": _output(["git", "describe", "--always", "--dirty"], cwd=ROOT)
        or "unknown",
        "stand_in": options.stand_in,
    }


def count_outcomes(rows: list[Row]) -> str:
    """`12 ok, 1 differs`."""
    counts = Counter(row["outcome"] for row in rows)
    return ", ".join(f"{n} {outcome}" for outcome, n in counts.most_common()) or "none"


def _table(heads: list[str], lines: list[list[Any]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for line in lines:
        cells = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in line)
        yield "| " + " | ".join(cells) + " |"


def markdown(part: Part, result: dict[str, Any]) -> str:
    """The section about a part, ready for docs/gpu.md."""
    facts, rows = result["facts"], result["rows"]
    card = "rehearsal, no card" if facts["stand_in"] else facts["card"]
    lines = [f"### {part.name.capitalize()}: {card}, {facts['date']}", ""]
    lines += [f"{part.shows[:1].upper()}{part.shows[1:]}.", ""]
    if facts["stand_in"]:
        lines += ["The emulator was the driver: this says nothing about hardware.", ""]
    if result["items_at_most"]:
        lines += [f"Only the first {result['items_at_most']} items ran.", ""]
    if not result["finished"]:
        lines += ["The time was over before the last item.", ""]
    lines += [
        f"**{count_outcomes(rows)}** in {result['seconds']:.0f} s. Driver "
        f"{facts['driver']}, CUDA {facts['cuda']}, NVRTC {facts['nvrtc']}, "
        f"PyTorch {facts['torch'] or 'not installed'}, commit {facts['commit']}.",
        "",
    ]
    if part.name == "speed" and not facts["torch"]:
        lines += ["PyTorch with CUDA is not installed: nothing to compare with.", ""]
    skipped = Counter(row["why"] for row in rows if row["outcome"] == "skipped")
    lines += [f"- {count} skipped: {why}" for why, count in skipped.most_common(8)]
    lines += [""] if skipped else []
    listed = (None,) if part.columns else ("ok", "skipped")
    shown = [row for row in rows if row["outcome"] not in listed]
    if shown:
        heads = ["", "outcome", *(head for head, _ in part.columns), "why"]
        keys = ["name", "outcome", *(key for _, key in part.columns), "why"]
        cells = [[row.get(key, "") for key in keys] for row in shown]
        lines += [*_table(heads, cells[:MAX_TABLE_ROWS]), ""]
    if len(shown) > MAX_TABLE_ROWS:
        lines += [f"{len(shown) - MAX_TABLE_ROWS} more rows: {part.name}.json.", ""]
    return "\n".join(lines)


def prepare(options: argparse.Namespace) -> dict[str, str]:
    """Environment of the processes that run the parts."""
    tree = options.out / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    for name in ("tests", "benchmarks"):  # importable, but not ROOT/minitorch:
        if not (tree / name).is_symlink():  # the installed package is measured
            (tree / name).symlink_to(ROOT / name)
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(tree), os.environ.get("PYTHONPATH")])
        ),
        "PYTHONSAFEPATH": "1",
        "MINITORCH_CUDA": "gpu",
        "MINITORCH_CACHE_DIR": str(options.out / "cache"),
        "MINITORCH_TABLES": str(options.out / "tables"),
    }
    if options.stand_in:
        env |= {"MINITORCH_EMULATED_GPU": "h100"}
        env |= stand_in.make(sys.executable, options.out / "stand-in")
    return env


def main(words: list[str]) -> int:
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(prog="benchmarks/gpu/run", description=__doc__)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--items", type=int, default=0, help="first N of each part")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "gpu")
    parser.add_argument(
        "--stand-in", action="store_true", help="rehearse: the emulator is the driver"
    )
    options = parser.parse_args(words)
    options.out = options.out.resolve()
    start = time.monotonic()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    env = prepare(options)
    facts = read_facts(options, env)
    print(
        f"{facts['card']}, driver {facts['driver']}, CUDA {facts['cuda']}", flush=True
    )
    parts = [part for part in PARTS if part.name in options.only]
    if any(part.name == "opcodes" for part in parts):
        maker = ROOT / "tests" / "emulator_instructions" / "make_expected.py"
        subprocess.run([sys.executable, maker, options.out / "tables"], check=True)
    total, ended = sum(part.seconds for part in parts), 0.0
    for part in parts:
        ended += part.seconds
        end = start + 60 * options.minutes * ended / total
        result = run_part(part, end, options, env) | {"facts": facts}
        for suffix, text in (
            ("json", json.dumps(result, indent=1) + "\n"),
            ("md", markdown(part, result)),
        ):
            temporary = options.out / f".{part.name}.{suffix}"
            temporary.write_text(text, "utf-8")
            temporary.replace(options.out / f"{part.name}.{suffix}")
        counts = count_outcomes(result["rows"])
        print(f"{part.name:<8} {result['seconds']:5.0f} s  {counts}", flush=True)
    return 0
