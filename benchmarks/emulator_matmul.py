"""Measures the emulator's tiled matmul against OpenBLAS, and two cores against one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from statistics import median

from .report import ROOT, Row, child

_N = 512
_MEASURE = f"""
import numpy as np
from benchmarks.report import best_seconds, KERNELS
from minitorch import cuda
n = {_N}
generator = np.random.default_rng(0)
a, b = (generator.random((n, n), dtype=np.float32) for _ in range(2))
source = (KERNELS / "matmul_tiled16.cu").read_text()
kernel = cuda.RawKernel(source, "matmul_tiled16")
c = cuda.device_array((n, n), np.float32)
da, db = cuda.to_device(a), cuda.to_device(b)
def run():
    kernel((n // 16, n // 16), (16, 16), (c, da, db, np.int32(n)))
    cuda.synchronize()
run()
np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-4)
ours = best_seconds(run)
blas = best_seconds(lambda: a @ b, 20)
print(ours, blas)
"""
_SPIN = """
import time
start = time.perf_counter()
total = 0
for i in range(6_000_000):
    total += i
print(time.perf_counter() - start)
"""


def _measure(threads: int) -> tuple[float, float]:
    line = child(
        _MEASURE,
        MINITORCH_CUDA="emulator",
        MINITORCH_EMULATOR_THREADS=str(threads),
        OPENBLAS_NUM_THREADS="1",
        PYTHONPATH=str(ROOT),
    )
    ours, blas = line.split()
    return float(ours), float(blas)


def _spin_control() -> float:
    """How much two busy processes get done beside one: 2.0 on two free cores."""
    alone = float(child(_SPIN))
    with ThreadPoolExecutor(2) as pool:
        together = max(pool.map(lambda _: float(child(_SPIN)), range(2)))
    return 2 * alone / together


def rows() -> list[Row]:
    flops = 2 * _N**3
    measured = [_measure(1) for _ in range(3)]
    ratio = median(ours / blas for ours, blas in measured)
    ours = min(ours for ours, _ in measured)
    result = [
        Row(
            f"emulator tiled 16x16 matmul n={_N}, one core",
            f"OpenBLAS/{ratio:.0f} ({flops / ours / 1e9:.2f} GFLOP/s)",
            ">= OpenBLAS/60",
            ratio <= 60,
        )
    ]
    for _ in range(5):
        control = _spin_control()
        one, _ = _measure(1)
        two, _ = _measure(2)
        if control >= 1.9:
            break
    speedup = one / two
    counts = control >= 1.9
    result.append(
        Row(
            f"two cores / one (spin control {control:.2f} x)",
            f"{speedup:.2f} x",
            ">= 1.6 x at control >= 1.9 x",
            speedup >= 1.6 if counts else None,
        )
    )
    return result
