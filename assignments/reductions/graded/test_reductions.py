"""The graded launches of tasks 6.2 to 6.4."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

BLOCK = 256
TYPES = ("float32[::1]", "float32[::1]")


def _numbers(rng, n):
    """Whole numbers as float32: sums are exact in any order."""
    return rng.integers(-99, 99, n).astype(np.float32)


def _judge_blocks(kernel, rng):
    for blocks in (1, 2, int(rng.integers(3, 9))):
        a = _numbers(rng, blocks * BLOCK)
        expected = a.reshape(blocks, BLOCK).sum(axis=1)
        kernel.check(expected)[blocks, BLOCK](poisoned(blocks, "float32"), a)


@pytest.mark.task("6.2-sum")
@pytest.mark.max_metric(
    global_sectors="1.0x", shared_bank_conflicts=0, ptx_warp_instructions="1.25x"
)
def test_sequential(submission, rng):
    kernel = submission.kernel("reductions", "sum_sequential", types=TYPES)
    _judge_blocks(kernel, rng)


@pytest.mark.task("6.3-sum")
@pytest.mark.max_metric(
    global_sectors="1.0x",
    shared_bank_conflicts=0,
    shared_passes="1.0x",
    barriers="1.0x",
    ptx_warp_instructions="1.25x",
)
def test_shuffles(submission, rng):
    kernel = submission.kernel("reductions", "sum_shuffles", types=TYPES)
    _judge_blocks(kernel, rng)


@pytest.mark.task("6.4-sum")
@pytest.mark.max_metric(
    global_sectors="1.0x", shared_bank_conflicts=0, ptx_warp_instructions="1.25x"
)
def test_all(submission, rng):
    kernel = submission.kernel("reductions", "sum_all", types=TYPES)
    for n in (1, 31, 33, 257, int(rng.integers(2000, 3000)), 7919):
        a = _numbers(rng, n)
        begin = np.zeros(1, np.float32)
        kernel.check(a.sum(keepdims=True))[int(rng.integers(2, 5)), BLOCK](begin, a)
