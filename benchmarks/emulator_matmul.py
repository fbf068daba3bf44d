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
c = cuda.device_array((n, n), np.float32)
da, db = cuda.to_device(a), cuda.to_device(b)
cuda.checks("memory")  # bounds, without the search for races
def seconds(path, name, grid, block):
    kernel = cuda.RawKernel(path.read_text(), name)
    def run():
        kernel(grid, block, (c, da, db, np.int32(n)))
        cuda.synchronize()
    run()
    np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-4)
    return best_seconds(run)
blocked = KERNELS.parent / "emulator" / "kernels.cu"
tiled, tiles, large = KERNELS / "matmul_tiled16.cu", (n // 16,) * 2, (n // 64,) * 2
ours = seconds(tiled, "matmul_tiled16", tiles, (16, 16))
regblock = seconds(blocked, "regblock", large, (256,))
vector4 = seconds(blocked, "vector4", large, (256,))
blas = best_seconds(lambda: a @ b, 20)
print(ours, regblock, vector4, blas)
"""
_SPIN = """
import time
start = time.perf_counter()
total = 0
for i in range(6_000_000):
    total += i
print(time.perf_counter() - start)
"""


def _measure(threads: int) -> list[float]:
    """Seconds of the tiled, register-blocked and float4 kernels, and of OpenBLAS."""
    line = child(
        _MEASURE,
        MINITORCH_CUDA="emulator",
        MINITORCH_EMULATOR_THREADS=str(threads),
        OPENBLAS_NUM_THREADS="1",
        PYTHONPATH=str(ROOT),
    )
    return [float(word) for word in line.split()]


def _spin_control() -> float:
    """How much two busy processes get done beside one: 2.0 on two free cores."""
    alone = float(child(_SPIN))
    with ThreadPoolExecutor(2) as pool:
        together = max(pool.map(lambda _: float(child(_SPIN)), range(2)))
    return 2 * alone / together


def rows() -> list[Row]:
    flops = 2 * _N**3
    measured = [_measure(1) for _ in range(3)]
    result = []
    for index, (what, bar) in enumerate(
        [("tiled 16x16", 30), ("register-blocked", 18), ("float4", 18)]
    ):
        ratio = median(times[index] / times[-1] for times in measured)
        ours = min(times[index] for times in measured)
        result.append(
            Row(
                f"emulator {what} matmul n={_N}, one core",
                f"OpenBLAS/{ratio:.0f} ({flops / ours / 1e9:.2f} GFLOP/s)",
                f">= OpenBLAS/{bar}",
                ratio <= bar,
            )
        )
    for _ in range(5):
        control = _spin_control()
        one, two = _measure(1)[0], _measure(2)[0]
        if control >= 1.9:
            break
    speedup = one / two
    counts = control >= 1.9
    result.append(
        Row(
            f"two cores / one (spin control {control:.2f} x)",
            f"{speedup:.2f} x",
            ">= 1.7 x at control >= 1.9 x",
            speedup >= 1.7 if counts else None,
        )
    )
    return result
