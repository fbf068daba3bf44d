"""Measures what counters and checks cost, on seven kernels against their plain runs."""

from __future__ import annotations

from statistics import median

from .report import ROOT, Row, child

_MEASURE = """
import time
import numpy as np
from benchmarks.report import ROOT
from minitorch import cuda
source = (ROOT / "benchmarks" / "emulator" / "kernels.cu").read_text()
cells, n = 4_000_000, 512
a = cuda.to_device(np.ones(cells, np.float32))
b = cuda.to_device(np.ones(cells, np.float32))
launches = {
    "map": (cells // 256, 256, (b, a, np.int32(cells))),
    "reduce": (cells // 256, 256, (b, a, np.int32(cells))),
    "naive": ((16, 16), (16, 16), (b, a, a, np.int32(256))),
    "tiled16": ((32, 32), (16, 16), (b, a, a, np.int32(n))),
    "tiled32": ((16, 16), (32, 32), (b, a, a, np.int32(n))),
    "regblock": ((8, 8), 256, (b, a, a, np.int32(n))),
    "vector4": ((8, 8), 256, (b, a, a, np.int32(n))),
}
modes = {
    "plain": {"checks": "memory", "counters": False},
    "counters": {"checks": "memory", "counters": True},
    "checks": {"checks": "full", "counters": True},
}
def seconds(kernel, grid, block, arguments, mode):
    with cuda.inspect(**modes[mode]):
        cuda.synchronize()
        start = time.process_time()  # other work on the machine does not count
        kernel[grid, block](*arguments)
        cuda.synchronize()
        return time.process_time() - start
ratios = []
for name, (grid, block, arguments) in launches.items():
    kernel = cuda.RawKernel(source, name)
    best = {mode: 1e9 for mode in modes}
    for _ in range(5):
        for mode in modes:
            best[mode] = min(best[mode], seconds(kernel, grid, block, arguments, mode))
    ratios += [best["counters"] / best["plain"], best["checks"] / best["plain"]]
print(*ratios)
"""


def _row(what: str, ratios: list[float], typical: float, worst: float) -> Row:
    return Row(
        what,
        f"median {median(ratios):.2f} x, worst {max(ratios):.2f} x",
        f"<= {typical} x, worst <= {worst} x",
        median(ratios) <= typical and max(ratios) <= worst,
    )


def rows() -> list[Row]:
    line = child(
        _MEASURE,
        MINITORCH_CUDA="emulator",
        MINITORCH_EMULATOR_THREADS="1",
        PYTHONPATH=str(ROOT),
    )
    ratios = [float(word) for word in line.split()]
    return [
        _row("all counters on, time against a plain run", ratios[::2], 1.4, 2.2),
        _row("counters and all checks on", ratios[1::2], 2.0, 3.5),
    ]
