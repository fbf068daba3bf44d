"""Owns the launches whose counters are compared, and their counters on the emulator.

python -m benchmarks.gpu.counted KERNEL

launches one of them, for a tool that watches the process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from minitorch import cuda
from minitorch.cuda.inspecting.counters import counter_meanings

_N = 4096  # cells of a buffer; matrices are 64 x 64

#: Grid and block of each kernel of counted.cu.
SHAPES: dict[str, tuple[object, object]] = {
    "map": (_N // 256, 256),
    "every_second": (_N // 512, 256),
    "shifted": (_N // 256, 256),
    "copy_float4": (_N // 1024, 256),
    "transpose_naive": ((2, 2), (32, 8)),
    "transpose_tile": ((2, 2), (32, 8)),
    "transpose_padded": ((2, 2), (32, 8)),
    "reduce": (_N // 256, 256),
    "matmul_naive": ((4, 4), (16, 16)),
    "matmul_tiled": ((4, 4), (16, 16)),
    "gather": (_N // 256, 256),
    "local_array": (_N // 256, 256),
}

#: Nsight Compute's metric by our name, where it has one.
METRICS = {name: metric for name, (metric, _) in counter_meanings().items() if metric}


def launch(name: str) -> None:
    """Launch a kernel once."""
    code = Path(__file__).with_name("counted.cu").read_text()
    values = np.random.default_rng(0).integers(0, 100, _N).astype(np.float32)
    out, given = cuda.device_array(_N, np.float32), cuda.to_device(values)
    grid, block = SHAPES[name]
    cuda.RawModule(code=code).get_function(name)(grid, block, (out, given, _N))
    cuda.synchronize()


def our_counters(name: str) -> dict[str, int]:
    """Counters of that launch on the emulator, those that have a metric."""
    with cuda.inspect() as seen:
        launch(name)
    counters = seen.launches[-1].counters
    return {each: int(counters[each]) for each in METRICS}


if __name__ == "__main__":
    launch(sys.argv[1])
