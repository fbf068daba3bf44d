"""Records which thread of which block of a tiled matmul owns which output cell."""

from __future__ import annotations

from importlib import resources

import numpy as np

from .. import cuda

TILE = 8
SHAPE = (20, 16, 24)  # m, k, n: the last row of blocks has threads without a cell


def record() -> dict[str, object]:
    """Multiplies two small integer matrices on `cuda`; each thread says where it is.

    Returns:
        The data of the view ``tiled_matmul.js``: shapes, the three matrices row by row,
        and for each cell of the result [block x, block y, thread x, thread y].

    Kernel:
        ``minitorch/demo/tiled_matmul.cu``.
    """
    m, k, n = SHAPE
    generator = np.random.default_rng(7)
    a, b = (generator.integers(0, 4, size) for size in ((m, k), (k, n)))
    c = cuda.device_array((m, n), np.float32)
    owner = cuda.device_array((m, n, 4), np.int32)
    source = resources.files(__package__).joinpath("tiled_matmul.cu")
    kernel = cuda.RawKernel(source.read_text("utf-8"), "tiled_matmul")
    given = [cuda.to_device(matrix.astype(np.float32)) for matrix in (a, b)]
    grid = (-(-n // TILE), -(-m // TILE))
    kernel(grid, (TILE, TILE), (c, owner, *given, m, k, n))
    return {
        "m": m,
        "k": k,
        "n": n,
        "tile": TILE,
        "a": a.ravel().tolist(),
        "b": b.ravel().tolist(),
        "c": c.copy_to_host().astype(int).ravel().tolist(),
        "owner": owner.copy_to_host().reshape(-1, 4).tolist(),
    }
