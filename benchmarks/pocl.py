"""Ten kernels on the emulator beside PoCL, which compiles the same text with LLVM.

PoCL (Debian: pocl-opencl-icd) runs OpenCL on the processor, vectorised, and checks
nothing. Both use one core, in turns, best of nine. Needs the package pyopencl.
"""

from __future__ import annotations

import os
from math import prod

from .report import ROOT, Row, child, instruction_sets

# Name, n, blocks, threads; milliseconds are of 2^22 numbers or as said.
KERNELS = (
    ("map", 1 << 22, (1 << 14, 1), (256, 1)),
    ("saxpy", 1 << 22, (1 << 14, 1), (256, 1)),
    ("tiled", 512, (32, 32), (16, 16)),
    ("naive", 256, (16, 16), (16, 16)),
    ("tree", 1 << 22, (1 << 14, 1), (256, 1)),
    ("scan", 1 << 22, (1 << 14, 1), (256, 1)),
    ("transpose", 1024, (64, 64), (16, 16)),
    ("stencil", 1024, (64, 64), (16, 16)),
    ("softmax", 1 << 22, (1 << 14, 1), (256, 1)),
    ("mandelbrot", 1024, (64, 64), (16, 16)),
)

_MEASURE = """
import os, sys, time
import numpy as np
cores = int(os.environ["CORES"])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
from benchmarks.pocl import KERNELS
from benchmarks.report import KERNELS as FOLDER
from minitorch import cuda
try:
    import pyopencl as cl
except ImportError:
    cl = None
if cl:
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    program = cl.Program(context, (FOLDER / "ten.cl").read_text()).build()
SOURCE = (FOLDER / "ten.cl").read_text()
for name, n, blocks, threads in KERNELS:
    cells = n if n >= 1 << 22 else n * n
    generator = np.random.default_rng(0)
    a, b = (generator.random(cells, np.float32) for _ in range(2))
    mine = [cuda.device_array(cells, np.float32), cuda.to_device(a), cuda.to_device(b)]
    kernel = cuda.RawKernel(SOURCE, name)
    def emulated():
        kernel[blocks, threads](*mine, np.int32(n))
        cuda.synchronize()
    runs = [("memory", emulated), ("full", emulated)]
    if cl:
        flags = cl.mem_flags.READ_WRITE
        theirs = [cl.Buffer(context, flags, a.nbytes) for _ in range(3)]
        cl.enqueue_copy(queue, theirs[1], a)
        cl.enqueue_copy(queue, theirs[2], b)
        compiled = cl.Kernel(program, name)
        sizes = tuple(x * y for x, y in zip(blocks, threads))
        def pocl():
            compiled(queue, sizes, threads, *theirs, np.int32(n))
            queue.finish()
        runs.append(("pocl", pocl))
    best = {}
    for _ in range(10):
        for level, run in runs:
            with cuda.checks(level if level != "pocl" else "full"):
                start = time.perf_counter()
                run()
                best.setdefault(level, []).append(time.perf_counter() - start)
    if cl:
        result = np.empty(cells, np.float32)
        cl.enqueue_copy(queue, result, theirs[0])
        used = cells if name != "tree" else cells // 256
        same = np.isclose(result[:used], mine[0].copy_to_host()[:used], 1e-3)
        assert same.mean() > 0.99, name  # where rounding decides, rounds differ
    shortest = (f"{level}={min(times[1:])}" for level, times in best.items())
    print(name, *shortest, end=";")
print()
"""


def measured(cores: int, instructions: str) -> dict[str, dict[str, float]]:
    """Return seconds of each kernel by "memory", "full" and, if it is here, "pocl".

    The emulator is held to an instruction set; PoCL takes what it finds.
    """
    line = child(
        _MEASURE,
        CORES=str(cores),
        MINITORCH_CUDA="emulator",
        MINITORCH_EMULATOR_THREADS=str(cores),
        MINITORCH_ISA=instructions,
        POCL_MAX_PTHREAD_COUNT=str(cores),
        PYTHONPATH=str(ROOT),
    )
    kernels = (kernel.split() for kernel in line.split(";") if kernel)
    return {
        name: {level: float(time) for level, time in (t.split("=") for t in times)}
        for name, *times in kernels
    }


def rows() -> list[Row]:
    result = []
    for instructions in instruction_sets():
        one = measured(1, instructions)
        if any("pocl" not in seconds for seconds in one.values()):
            absent = "not here: pip install pyopencl and pocl-opencl-icd"
            return [Row("ten kernels beside PoCL", absent, "", None)]
        result += _beside_pocl(one, instructions)
        if len(os.sched_getaffinity(0)) > 1:
            result.append(_gain(one, measured(2, instructions), instructions))
    return result


def _beside_pocl(one: dict[str, dict[str, float]], instructions: str) -> list[Row]:
    result = []
    ratios: dict[str, list[float]] = {"memory": [], "full": []}
    for name, seconds in one.items():
        for level, values in ratios.items():
            values.append(seconds[level] / seconds["pocl"])
        result.append(
            Row(
                f"{name}, {instructions}: PoCL {1e3 * seconds['pocl']:.1f} ms; "
                "memory, full to it",
                ", ".join(f"{values[-1]:.2f} x" for values in ratios.values()),
                "",
                None,
            )
        )
    for (level, values), mean, worst in zip(
        ratios.items(), (1.2, 1.6), (2.0, 3.0), strict=True
    ):
        average = prod(values) ** (1 / len(values))
        result.append(
            Row(
                f"ten kernels to PoCL, {instructions}, {level}: geometric mean, worst",
                f"{average:.2f} x, {max(values):.2f} x",
                f"<= {mean} x, {worst} x",
                average <= mean and max(values) <= worst,
            )
        )
    return result


def _gain(
    one: dict[str, dict[str, float]],
    two: dict[str, dict[str, float]],
    instructions: str,
) -> Row:
    gains = {
        name: one[name]["full"] / two[name]["full"]
        for name in one
        if one[name]["full"] > 2e-3
    }
    worst = min(gains, key=lambda name: gains[name])
    return Row(
        f"two cores to one, {instructions}, worst of the ten: {worst}",
        f"{gains[worst]:.2f} x",
        ">= 1.8 x",
        gains[worst] >= 1.8,
    )
