"""Draws your kernel: `python picture.py 9.1` writes picture-9.1.html, for a browser."""

import sys

import attention
import numpy as np
import softmax

from minitorch_cuda import cuda, viz


def launch(task):
    """A recorded launch of the kernel of a task, on small inputs."""
    rng = np.random.default_rng(9)
    if task in ("9.1", "9.2"):
        kernel = softmax.fused_softmax if task == "9.1" else softmax.online_softmax
        x = rng.normal(size=(2, 40)).astype(np.float32)
        out = cuda.device_array(x.shape, np.float32)
        return viz.trace(kernel, 2, softmax.THREADS, out, cuda.to_device(x))
    n, scale = 40, np.float32(0.25)
    rows = [rng.normal(size=(n, attention.DIM)).astype(np.float32) for _ in range(3)]
    out = cuda.device_array((n, attention.DIM), np.float32)
    total = cuda.device_array(n, np.float32)
    inputs = (out, total, *map(cuda.to_device, rows), scale)
    blocks = -(-n // attention.TILE)
    return viz.trace(attention.attention, blocks, attention.TILE, *inputs)


if __name__ == "__main__":
    if sys.argv[1:] not in (["9.1"], ["9.2"], ["9.3"]):
        sys.exit("need a task, as in: python picture.py 9.1 or 9.2 or 9.3")
    figure = viz.grid(launch(sys.argv[1]))
    figure.save(f"picture-{sys.argv[1]}.html")
    print(figure.answer)
