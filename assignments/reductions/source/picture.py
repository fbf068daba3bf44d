"""Pictures of your own launches: `python picture.py 6.2` writes 6.2.html.

6.1 shows where threads of a warp go separate ways; the others compare your kernel with
the one before it. A kernel with a fault is shown at that moment. Change sizes here as
you like: this file is not graded.
"""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ["MINITORCH_CUDA"] = "emulator"  # pictures are of what it has seen

import numpy as np
import reductions

from minitorch_cuda import cuda, viz

KERNELS = {
    "6.1": reductions.sum_divergent,
    "6.2": reductions.sum_sequential,
    "6.3": reductions.sum_shuffles,
    "6.4": reductions.sum_all,
}
BLOCKS = 2


def traced(kernel: Any) -> Any:
    """The record of one launch."""
    a = cuda.to_device(np.ones(BLOCKS * reductions.BLOCK, np.float32))
    out = cuda.to_device(np.zeros(BLOCKS, np.float32))
    with cuda.inspect(trace=True) as run:
        kernel[BLOCKS, reductions.BLOCK](out, a)
    return run.launches[0]


def main(task: str) -> None:
    """Draw the launch of a task and say what the picture says."""
    launch = traced(KERNELS[task])
    for finding in launch.findings[:1]:
        print(finding)
    if launch.findings:
        figure = launch.show()
    elif task == "6.1":
        figure = viz.divergence(launch)
    else:
        tasks = list(KERNELS)
        before = traced(KERNELS[tasks[tasks.index(task) - 1]])
        figure = viz.compare(before, launch)
    figure.save(f"{task}.html")
    print(launch.counters.table())
    print(f"{figure.answer}\nThe picture is in {task}.html.")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in KERNELS:
        sys.exit("Which task? For example: python picture.py 6.2")
    main(sys.argv[1])
