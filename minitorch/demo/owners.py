"""Records which thread of which block of the tiled matmul owns which output cell."""

from __future__ import annotations

import numpy as np

import minitorch
from minitorch import cuda

TILE = 8
SHAPE = (24, 16, 32)  # m, k, n

# The index arithmetic of matmul_tiled.cu, storing who computed the cell.
_SOURCE = """\
extern "C" __global__ void owners(int* owner, int m, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  int* cell = owner + 4 * (row * n + col);
  cell[0] = blockIdx.x;
  cell[1] = blockIdx.y;
  cell[2] = threadIdx.x;
  cell[3] = threadIdx.y;
}
"""


def record() -> dict[str, object]:
    """Multiplies two small integer matrices on `cuda` and asks each thread where it is.

    Returns:
        The data of the view ``tiled_matmul.js``: shapes, the three matrices row by row,
        and for each cell of the result [block x, block y, thread x, thread y].
    """
    m, k, n = SHAPE
    generator = np.random.default_rng(7)
    a = generator.integers(0, 4, (m, k))
    b = generator.integers(0, 4, (k, n))
    on_card = [
        minitorch.tensor(x.astype(np.float32), dtype="float32").to("cuda")
        for x in (a, b)
    ]
    c = (on_card[0] @ on_card[1]).numpy()
    owner = cuda.device_array((m, n, 4), np.int32)
    grid = (-(-n // TILE), -(-m // TILE))
    cuda.RawKernel(_SOURCE, "owners")(grid, (TILE, TILE), (owner, m, n))
    return {
        "m": m,
        "k": k,
        "n": n,
        "tile": TILE,
        "a": a.ravel().tolist(),
        "b": b.ravel().tolist(),
        "c": c.astype(int).ravel().tolist(),
        "owner": owner.copy_to_host().reshape(-1, 4).tolist(),
    }
