"""Measures the emulator against Numba's CUDA simulator on the same tiled product.

Needs an interpreter with Numba (0.60 was compared): this one, or the one that
``MINITORCH_NUMBA_PYTHON`` names.
"""

from __future__ import annotations

import os
import subprocess
import sys

from .report import ROOT, Row, child

_N = 64
_EMULATOR = f"""
import numpy as np
from benchmarks.report import best_seconds, KERNELS
from minitorch import cuda
n = {_N}
generator = np.random.default_rng(0)
a, b = (generator.random((n, n), dtype=np.float32) for _ in range(2))
c = cuda.device_array((n, n), np.float32)
da, db = cuda.to_device(a), cuda.to_device(b)
cuda.checks("memory")  # the simulator looks for no races
kernel = cuda.RawKernel((KERNELS / "matmul_tiled16.cu").read_text(), "matmul_tiled16")
def run():
    kernel((n // 16,) * 2, (16, 16), (c, da, db, np.int32(n)))
    cuda.synchronize()
run()
np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-4)
print(best_seconds(run, 200))
"""
_SIMULATOR = f"""
import time
import numba
import numpy as np
from numba import cuda, float32
n = {_N}
@cuda.jit
def matmul(c, a, b):
    tile_a = cuda.shared.array((16, 16), float32)
    tile_b = cuda.shared.array((16, 16), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    col, row = cuda.grid(2)
    total = float32(0)
    for start in range(0, c.shape[0], 16):
        tile_a[y, x] = a[row, start + x]
        tile_b[y, x] = b[start + y, col]
        cuda.syncthreads()
        for k in range(16):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[row, col] = total
generator = np.random.default_rng(0)
a, b = (generator.random((n, n), dtype=np.float32) for _ in range(2))
c = cuda.device_array((n, n), np.float32)
da, db = cuda.to_device(a), cuda.to_device(b)
times = []
for _ in range(2):
    start = time.perf_counter()
    matmul[(n // 16, n // 16), (16, 16)](c, da, db)
    times.append(time.perf_counter() - start)
np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-4)
print(numba.__version__, min(times))
"""


def _simulate() -> tuple[str, float] | None:
    """Numba's version and its simulator's seconds; None without Numba."""
    python = os.environ.get("MINITORCH_NUMBA_PYTHON", sys.executable)
    result = subprocess.run(
        [python, "-c", _SIMULATOR],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named 'numba'" in result.stderr:
        return None
    if result.returncode != 0:
        raise RuntimeError(f"Numba's simulator failed:\n{result.stderr}")
    version, seconds = result.stdout.split()
    return version, float(seconds)


def rows() -> list[Row]:
    what = f"tiled matmul n={_N} / Numba's CUDASIM"
    simulated = _simulate()
    if simulated is None:
        return [Row(what, "Numba is not installed", "", None)]
    version, seconds = simulated
    ours = float(
        child(
            _EMULATOR,
            MINITORCH_CUDA="emulator",
            MINITORCH_EMULATOR_THREADS="1",
            PYTHONPATH=str(ROOT),
        )
    )
    return [
        Row(
            f"{what} {version}",
            f"{seconds / ours:,.0f} x as fast",
            ">= 20,000 x",
            seconds / ours >= 20_000,
        )
    ]
