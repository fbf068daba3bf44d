"""Measures emulated kernels against the same work as plain loops of a C++ compiler."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from .report import ROOT, Row, child

_LOOPS = """
extern "C" void product(float* c, const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
extern "C" void map(float* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
}
"""
_MEASURE = """
import ctypes, os, time
import numpy as np
from benchmarks.report import ROOT
from minitorch import cuda
loops = ctypes.CDLL(os.environ["LOOPS"])
pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
source = (ROOT / "benchmarks" / "emulator" / "kernels.cu").read_text()
generator = np.random.default_rng(0)
def best_seconds(run):
    times = []
    for _ in range(5):
        start = time.process_time()  # other work on the machine does not count
        run()
        times.append(time.process_time() - start)
    return min(times)
def timed(name, grid, block, count, inputs, loop):
    hosts = [generator.random(count, dtype=np.float32) for _ in range(inputs)]
    out = np.zeros(count, np.float32)
    device = [cuda.to_device(host) for host in hosts]
    result = cuda.device_array(count, np.float32)
    kernel = cuda.RawKernel(source, name)
    size = count if name == "map" else int(count ** 0.5)
    def run():
        kernel[grid, block](result, *device, np.int32(size))
        cuda.synchronize()
    def host():
        loop(pointer(out), *map(pointer, hosts), size)
    run(), host()
    np.testing.assert_allclose(result.copy_to_host(), out, rtol=1e-4)
    return best_seconds(host) / best_seconds(run)
with cuda.checks("memory"):
    tiled = timed("tiled16", (32, 32), (16, 16), 512 * 512, 2, loops.product)
    blocked = timed("regblock", (8, 8), 256, 512 * 512, 2, loops.product)
    mapped = timed("map", 39063, 256, 10_000_000, 1, loops.map)
print(tiled, blocked, mapped)
"""


def rows() -> list[Row]:
    compiler = shutil.which("g++")
    if compiler is None:
        return [Row("emulated kernels / g++ loops", "no g++", "", None)]
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "loops.cpp", Path(folder) / "loops.so"
        source.write_text(_LOOPS)
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([*command, "-o", str(library), str(source)], check=True)
        line = child(
            _MEASURE,
            LOOPS=str(library),
            MINITORCH_CUDA="emulator",
            MINITORCH_EMULATOR_THREADS="1",
            PYTHONPATH=str(ROOT),
        )
    tiled, blocked, mapped = (float(word) for word in line.split())
    return [
        Row(
            "tiled 16x16 n=512 / g++ -O3 triple loop",
            f"{tiled:.1f} x as fast",
            ">= 2.5 x",
            tiled >= 2.5,
        ),
        Row(
            "register-blocked n=512 / g++ -O3 triple loop",
            f"{blocked:.1f} x as fast",
            ">= 2.5 x",
            blocked >= 2.5,
        ),
        Row(
            "map over 1e7 / g++ -O3 loop",
            f"{mapped:.2f} x as fast",
            ">= 0.5 x",
            mapped >= 0.5,
        ),
    ]
