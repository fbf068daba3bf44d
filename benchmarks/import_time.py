"""Measures `import minitorch` against `import numpy`, each in fresh interpreters."""

from __future__ import annotations

from statistics import median

from .report import Row, child

_TIMED = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""
_LOADED = """
import minitorch
maps = open("/proc/self/maps").read()
print(any(name in maps for name in ("libnvrtc", "libcuda.so", "minitorch_emulator")))
"""


def rows() -> list[Row]:
    ratios = []
    for _ in range(9):
        ours = float(child(_TIMED.format(module="minitorch")))
        ratios.append(ours / float(child(_TIMED.format(module="numpy"))))
    ratio = median(ratios)
    touched = child(_LOADED) == "True"
    return [
        Row("import minitorch / import numpy", f"{ratio:.2f} x", "<= 3 x", ratio <= 3),
        Row("import touches NVRTC or a driver", str(touched), "False", not touched),
    ]
