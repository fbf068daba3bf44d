"""Runs one family in this process: `python -m benchmarks.torch elementwise 1`.

The environment must have set the threads, as `rows` of the package does: libraries read
it when they are loaded. Prints a row of JSON for each case.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
from pathlib import Path

import torch

from ..report import Row
from . import FAMILIES
from .case import Case, Times, measure


def processor() -> str:
    """The name of the processor, as Linux has it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "an unnamed processor"


def row(case: Case, times: Times, threads: int) -> Row:
    ours, theirs = (1e6 * seconds for seconds in (times.ours, times.theirs))
    ratio = ours / theirs
    return Row(
        f"{case.what}, {threads} thread{'s' * (threads > 1)} / PyTorch",
        f"{ratio:.2f} x ({ours:,.0f} / {theirs:,.0f} us)",
        f"<= {case.bar} x" if case.bar else "",
        ratio <= case.bar if case.bar else None,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("threads", type=int)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    where = Row(
        f"{asked.family} beside PyTorch {torch.__version__}", processor(), "", None
    )
    print(json.dumps(dataclasses.asdict(where)), flush=True)
    module = importlib.import_module(f"benchmarks.torch.{asked.family}")
    for case in module.cases():
        found = row(case, measure(case), asked.threads)
        print(json.dumps(dataclasses.asdict(found)), flush=True)


if __name__ == "__main__":
    main()
