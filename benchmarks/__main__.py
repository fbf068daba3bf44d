"""Runs every benchmark: `python -m benchmarks`. Ratios are taken within one run.

With `--page FILE` the rows are written to a Markdown page as well, with the machine
that they are of: `python -m benchmarks waits --page docs/benchmarks.md`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
from pathlib import Path

from .report import Row, instruction_sets

_ALL = (
    "import_time",
    "cpu_tensors",
    "cpu_matmul",
    "cpu_memory",
    "torch",
    "training",
    "profiler",
    "explain",
    "resnet50",
    "cached_launch",
    "python_launch",
    "graph_replay",
    "emulator_matmul",
    "emulator_host_loops",
    "emulator_observers",
    "emulator_cudasim",
    "emulator_memory",
    "python_kernels",
    "grading",
    "viz",
    "waits",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", default=_ALL, help=", ".join(_ALL))
    parser.add_argument("--page", type=Path, help="write the rows to this page, too")
    asked = parser.parse_args()
    every = []
    for name in asked.only:
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(row, flush=True)
            every.append(row)
    if asked.page:
        asked.page.write_text(page(every, " ".join(asked.only)), "utf-8")


def page(rows: list[Row], names: str) -> str:
    """Return rows as a page in Markdown."""
    kind = Path("/proc/cpuinfo").read_text("utf-8")
    model = re.search(r"model name\s*: (.*)", kind)
    lines = [
        "# Benchmarks",
        "",
        f"Made by `python -m benchmarks {names} --page docs/benchmarks.md` on "
        f"{model[1] if model else 'an unknown processor'} with "
        f"{len(os.sched_getaffinity(0))} cores ({', '.join(instruction_sets())}). "
        "Seconds differ from machine to machine; ratios are taken within one run.",
        "",
        "| what | measured | wanted | |",
        "|---|---|---|---|",
    ]
    verdicts = {True: "reached", False: "missed", None: ""}
    lines += [
        f"| {row.what} | {row.measured} | {row.bar} | {verdicts[row.reached]} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
