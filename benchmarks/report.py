"""The form of a benchmark row and its verdict."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "benchmarks" / "kernels"


@dataclass(frozen=True)
class Row:
    """One measured ratio beside the bar it must reach."""

    what: str
    measured: str
    bar: str
    reached: bool | None  # None: recorded without a bar

    def __str__(self) -> str:
        verdict = {True: "ok", False: "SHORT", None: "-"}[self.reached]
        return f"{self.what:<58} {self.measured:>30}   {self.bar:<26} {verdict}"


def best_seconds(run: Callable[[], object], repeats: int = 7) -> float:
    """The shortest of ``repeats`` timed calls: noise only ever adds time."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def child(script: str, **environment: str) -> str:
    """Runs ``script`` in a fresh interpreter and returns its last output line."""
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"benchmark child failed:\n{result.stderr}")
    return result.stdout.strip().splitlines()[-1]


def instruction_sets() -> list[str]:
    """Return those that this processor has, the widest first."""
    flags = Path("/proc/cpuinfo").read_text("utf-8")
    known = {"avx512": " avx512f ", "avx2": " avx2 "}
    return [name for name, flag in known.items() if flag in flags] or ["portable"]
