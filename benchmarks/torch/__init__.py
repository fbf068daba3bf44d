"""Measures this library against PyTorch on `cpu`: `python -m benchmarks torch`.

A file here is a family of cases, each the same work for both. Both run in one process,
in turn, with equal threads: a fresh process for each family and number of threads.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

from ..report import ROOT, Row

FAMILIES = ("elementwise", "fused", "tensors", "networks", "waits")
THREADS = (1, 2)


def rows() -> list[Row]:
    """The ratios of every family; one row that says so where PyTorch is missing."""
    if importlib.util.find_spec("torch") is None:
        return [Row("time / PyTorch's", "PyTorch is not installed", "", None)]
    return [
        row for family in FAMILIES for count in THREADS for row in run(family, count)
    ]


def _free_environment() -> dict[str, str]:
    """The environment without choices that hold one library's kernels back."""
    held = {"OPENBLAS_CORETYPE", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA"}
    return {name: value for name, value in os.environ.items() if name not in held}


def run(family: str, threads: int) -> list[Row]:
    """The rows of one family with this many threads for each library."""
    count = str(threads)
    environment = dict.fromkeys(
        (
            "MINITORCH_NUM_THREADS",
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
        ),
        count,
    )
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.torch", family, count],
        cwd=ROOT,
        env={**_free_environment(), **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [Row(**json.loads(line)) for line in done.stdout.splitlines()]
