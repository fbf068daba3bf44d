"""Draws your kernel: `python picture.py 8.1` writes picture-8.1.html, for a browser."""

import sys
from pathlib import Path

import numpy as np

from minitorch_cuda import cuda, viz

# The kernel's file and name, its tile of C, its threads.
TASKS = {
    "8.1": ("tile.cu", "wmma_tile", 16, 32),
    "8.2": ("staged.cu", "wmma_staged", 32, 128),
}


def picture(task):
    """A figure of which cells each warp touches, for a product of 32 x 32 cells."""
    file, name, side, threads = TASKS[task]
    kernel = cuda.RawKernel(Path(__file__).with_name(file).read_text(), name)
    a, b = np.ones((2, 32, 32), np.float16)
    out = cuda.device_array((32, 32), np.float32)
    grid = (32 // side, 32 // side)
    inputs = (out, cuda.to_device(a), cuda.to_device(b), 32, 32, 32)
    return viz.grid(viz.trace(kernel, grid, threads, *inputs))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in TASKS:
        sys.exit(f"need a task, as in: python picture.py {' or '.join(TASKS)}")
    figure = picture(sys.argv[1])
    figure.save(f"picture-{sys.argv[1]}.html")
    print(figure.answer)
