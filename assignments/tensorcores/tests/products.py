"""The products that public tests ask for, and how a kernel is launched on them."""

from pathlib import Path

import numpy as np

from minitorch_cuda import cuda

HERE = Path(__file__).resolve().parents[1]


def launched(file, name, m, n, k, side, threads):
    """Launch a kernel on a (m, k) and b (k, n); the result, NumPy's, the launch.

    Entries are small halves: their products and sums are exact in float32, so that
    the two results must be equal, whatever the order of the additions.
    """
    __tracebackhide__ = True
    kernel = cuda.RawKernel((HERE / file).read_text(), name)
    rng = np.random.default_rng(8)
    a = rng.integers(-4, 5, size=(m, k)).astype(np.float16) / 2
    b = rng.integers(-4, 5, size=(k, n)).astype(np.float16) / 2
    out = cuda.device_array((m, n), np.float32)
    grid = (-(-n // side), -(-m // side))
    with cuda.inspect() as run:
        kernel[grid, threads](out, cuda.to_device(a), cuda.to_device(b), m, n, k)
    run.raise_findings()
    expected = a.astype(np.float32) @ b.astype(np.float32)
    return out.copy_to_host(), expected, run.launches[0]
