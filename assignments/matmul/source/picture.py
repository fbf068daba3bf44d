"""Pictures of your own launches: `python picture.py 7.2` writes 7.2.html.

7.1 shows what one warp asks of memory; the others compare your kernel with the one
before it. A kernel with a fault is shown at that moment. Change sizes here as you like:
this file is not graded.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["MINITORCH_CUDA"] = "emulator"  # pictures are of what it has seen

import matmul
import numpy as np

from minitorch_cuda import cuda, viz

M, K, N = 64, 32, 64  # multiples of all tiles; try others
TASKS = "7.1", "7.2", "7.3", "7.4"


def kernel_of(task: str) -> tuple[Any, tuple[int, int], tuple[int, int]]:
    """A task's kernel, its block, and how many cells of c (x, y) a block makes."""
    if task == "7.1":
        return matmul.matmul_coalesced, (32, 8), (32, 8)
    if task == "7.2":
        tile = matmul.TILE, matmul.TILE
        return matmul.matmul_tiled, tile, tile
    if task == "7.3":
        block = matmul.SIDE, matmul.SIDE
        return matmul.matmul_blocked, block, (matmul.WIDE, matmul.WIDE)
    source = Path(__file__).parent / "matmul_float4.cu"
    kernel = cuda.RawKernel(source.read_text("utf-8"), "matmul_float4")
    return kernel, (16, 16), (64, 64)


def traced(task: str) -> Any:
    """The record of one launch."""
    kernel, block, cells = kernel_of(task)
    shapes = (M, N), (M, K), (K, N)
    matrices = [cuda.to_device(np.ones(shape, np.float32)) for shape in shapes]
    sizes = (M, K, N) if task == "7.4" else ()
    grid = -(-N // cells[0]), -(-M // cells[1])
    with cuda.inspect(trace=True) as run:
        kernel[grid, block](*matrices, *sizes)
    return run.launches[0]


def main(task: str) -> None:
    """Draw the launch of a task and say what the picture says."""
    launch = traced(task)
    for finding in launch.findings[:1]:
        print(finding)
    if launch.findings:
        figure = launch.show()
    elif task == "7.1":
        figure = viz.memory(launch)
    else:
        figure = viz.compare(traced(TASKS[TASKS.index(task) - 1]), launch)
    figure.save(f"{task}.html")
    print(launch.counters.table())
    print(f"{figure.answer}\nThe picture is in {task}.html.")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in TASKS:
        sys.exit("Which task? For example: python picture.py 7.2")
    main(sys.argv[1])
