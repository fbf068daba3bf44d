"""Holds the graded tests of 8.1 and 8.2: products of halves, sums in float32."""

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

MATRICES = ("float32[:, ::1]", "float16[:, ::1]", "float16[:, ::1]")
TYPES = (*MATRICES, "int32", "int32", "int32")
TENSOR_CORES_ALONE = {
    "tensor_flops": "1.0x",
    "flops_f32": "1.1x",
    "flops_f16": "1.1x",
    "flops_f64": "1.1x",
}


def matrices(rng, m, n, k):
    """a (m, k), b (k, n) in float16, and their product of exact terms."""
    sides = ((m, k), (k, n))
    a, b = (np.float16(0.5) * rng.integers(-4, 5, size=side) for side in sides)
    a, b = a.astype(np.float16), b.astype(np.float16)
    # Products and sums of small quarters are exact in float32, in any order.
    return a, b, a.astype(np.float32) @ b.astype(np.float32)


def tiles(size, side):
    return -(-size // side)


def product(kernel, rng, m, n, k, side, threads):
    a, b, expected = matrices(rng, m, n, k)
    out = poisoned((m, n), "float32")
    grid = (tiles(n, side), tiles(m, side))
    kernel.check(expected)[grid, threads](out, a, b, m, n, k)


@pytest.mark.task("8.1-small")
def test_one_tile(submission, rng):
    kernel = submission.kernel("tile.cu", "wmma_tile", types=TYPES)
    product(kernel, rng, 16, 16, 16, 16, 32)


@pytest.mark.task("8.1-tile")
@pytest.mark.max_metric(
    **TENSOR_CORES_ALONE, global_sectors="1.1x", ptx_warp_instructions="8x"
)
def test_tile(submission, rng):
    kernel = submission.kernel("tile.cu", "wmma_tile", types=TYPES)
    product(kernel, rng, 32, 16, 48, 16, 32)
    for _ in range(2):
        m, n, k = (16 * int(each) for each in rng.integers(1, 5, size=3))
        product(kernel, rng, m, n + 16, k, 16, 32)


@pytest.mark.task("8.2-small")
def test_edges(submission, rng):
    kernel = submission.kernel("staged.cu", "wmma_staged", types=TYPES)
    product(kernel, rng, 33, 31, 17, 32, 128)


@pytest.mark.task("8.2-staged")
@pytest.mark.max_metric(
    **TENSOR_CORES_ALONE, global_sectors="1.1x", ptx_warp_instructions="8x"
)
def test_staged(submission, rng):
    kernel = submission.kernel("staged.cu", "wmma_staged", types=TYPES)
    for m, n, k in ((1, 1, 1), (32, 32, 32), (64, 33, 50)):
        product(kernel, rng, m, n, k, 32, 128)
    m, n, k = (int(each) for each in rng.integers(17, 80, size=3))
    product(kernel, rng, m, n, k, 32, 128)
