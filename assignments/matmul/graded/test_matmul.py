"""The graded launches of module 7.

One product is large, with rows that begin at sectors: costs are compared there, as two
good kernels can ask for the sectors of crooked rows in different ways. The others are
too small to weigh much. The limits of instructions leave room for sums in float64 and
for indices that are computed anew; idle threads and empty rounds cost more.
"""

from __future__ import annotations

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

MATRIX = "float32[:, ::1]"
FLOATS = "float32[::1]"
TYPES = (MATRIX, MATRIX, MATRIX)


def _sizes(rng):
    """(m, k, n): one cell, two crooked ones, one around a warp, and the large one."""
    crooked = [int(each) for each in rng.integers(2, 20, 3)]
    m, k, n = (int(rng.integers(*each)) for each in ((50, 80), (5, 8), (11, 14)))
    return (1, 1, 1), tuple(crooked), (9, 17, 33), (m, 8 * k, 8 * n)


def _matrix(rng, rows, columns):
    """Whole numbers, so that sums are exact however they are ordered."""
    return rng.integers(-5, 6, (rows, columns)).astype(np.float32)


def _judge(kernel, rng, block, cells):
    for m, k, n in _sizes(rng):
        a, b = _matrix(rng, m, k), _matrix(rng, k, n)
        wide, high = cells
        grid = -(-n // wide), -(-m // high)
        kernel.check(a @ b)[grid, block](poisoned((m, n), "float32"), a, b)


@pytest.mark.task("7.1-product")
@pytest.mark.max_metric(global_sectors="1.05x", ptx_warp_instructions="2.5x")
def test_coalesced(submission, rng):
    kernel = submission.kernel("matmul", "matmul_coalesced", types=TYPES)
    _judge(kernel, rng, (32, 8), (32, 8))


@pytest.mark.task("7.2-product")
@pytest.mark.max_metric(
    global_sectors="1.05x",
    shared_passes="1.1x",
    shared_bank_conflicts=0,
    ptx_warp_instructions="2.5x",
)
def test_tiled(submission, rng):
    kernel = submission.kernel("matmul", "matmul_tiled", types=TYPES)
    _judge(kernel, rng, (16, 16), (16, 16))


@pytest.mark.task("7.3-product")
@pytest.mark.max_metric(
    global_sectors="1.05x", shared_passes="1.1x", ptx_warp_instructions="2.5x"
)
def test_blocked(submission, rng):
    kernel = submission.kernel("matmul", "matmul_blocked", types=TYPES)
    _judge(kernel, rng, (8, 8), (32, 32))


@pytest.mark.task("7.4-product")
@pytest.mark.max_metric(
    global_sectors="1.05x",
    shared_passes="1.1x",
    global_load_requests="1.05x",
    global_store_requests="1.05x",
    ptx_warp_instructions="1.75x",
)
def test_float4(submission, rng):
    types = (FLOATS, FLOATS, FLOATS, "int32", "int32", "int32")
    kernel = submission.kernel("matmul_float4.cu", "matmul_float4", types=types)
    for m, k, n in _sizes(rng):
        k, n = k + -k % 4, n + -n % 4
        a, b = _matrix(rng, m, k), _matrix(rng, k, n)
        grid = -(-n // 64), -(-m // 64)
        ready = kernel.check((a @ b).ravel())
        out = poisoned(m * n, "float32")
        ready[grid, (16, 16)](out, a.ravel(), b.ravel(), m, k, n)
