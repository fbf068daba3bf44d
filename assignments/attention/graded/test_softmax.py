"""Holds the graded tests of 9.1 and 9.2."""

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

TYPES = ("float32[:, ::1]", "float32[:, ::1]")
THREADS = 128


def softmax(x):
    """Of each row, (rows, n), in double precision."""
    parts = np.exp((x.T - x.max(1)).astype(float))
    return (parts / parts.sum(0)).T.astype(np.float32)


def rows(kernel, rng, count, n, spread):
    x = (rng.normal(size=(count, n)) * spread).astype(np.float32)
    checked = kernel.check(softmax(x), rtol=1e-4, atol=1e-6)
    checked[count, THREADS](poisoned((count, n), "float32"), x)


@pytest.mark.task("9.1-small")
def test_fused_small(submission, rng):
    kernel = submission.kernel("softmax", "fused_softmax", types=TYPES)
    rows(kernel, rng, 3, 20, 1)


@pytest.mark.task("9.1-fused")
@pytest.mark.max_metric(global_bytes="1.1x", ptx_warp_instructions="8x")
def test_fused(submission, rng):
    kernel = submission.kernel("softmax", "fused_softmax", types=TYPES)
    for count, n in ((1, 1), (2, 31), (3, 33), (2, THREADS)):
        rows(kernel, rng, count, n, 3)
    rows(kernel, rng, int(rng.integers(2, 5)), int(rng.integers(40, 120)), 60)


@pytest.mark.task("9.2-small")
def test_online_small(submission, rng):
    kernel = submission.kernel("softmax", "online_softmax", types=TYPES)
    rows(kernel, rng, 2, 300, 1)


@pytest.mark.task("9.2-online")
@pytest.mark.max_metric(global_bytes="1.1x", ptx_warp_instructions="8x")
def test_online(submission, rng):
    kernel = submission.kernel("softmax", "online_softmax", types=TYPES)
    for count, n in ((1, 1), (2, 17), (2, THREADS), (2, THREADS + 1)):
        rows(kernel, rng, count, n, 3)
    rows(kernel, rng, 2, int(rng.integers(200, 900)), 60)
