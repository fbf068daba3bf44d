"""What students see of tasks 6.2 to 6.4: sums, and what they may cost.

The numbers are whole, so that sums are exact in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import reductions
from launches import compare, launched, poisoned

BLOCK = reductions.BLOCK


def some(n: int) -> np.ndarray:
    """Whole numbers, no two neighbours alike."""
    return (np.arange(n) * 7 % 23 - 11).astype(np.float32)


def check_blocks(kernel: Any, blocks: int) -> Any:
    """Sum whole blocks and compare with NumPy."""
    __tracebackhide__ = True
    a = some(blocks * BLOCK)
    (sums, _), launch = launched(kernel, blocks, BLOCK, poisoned(blocks), a)
    np.testing.assert_array_equal(sums, a.reshape(blocks, BLOCK).sum(axis=1))
    return launch


def check_tree(blocks: int) -> Any:
    """The record of the given kernel, to compare with."""
    __tracebackhide__ = True
    return check_blocks(reductions.sum_divergent, blocks)


def instructions(launch: Any) -> int:
    """Of its warps. Compilers differ in them, so that only ratios say something."""
    return int(launch.counters["ptx_warp_instructions"])


@pytest.mark.task6_1
@pytest.mark.parametrize("blocks", [1, 3])
def test_given(blocks: int) -> None:
    """The given kernel is right; its price is the question."""
    check_blocks(reductions.sum_divergent, blocks)


@pytest.mark.task6_2
@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_sequential(blocks: int) -> None:
    """One sum for each block."""
    check_blocks(reductions.sum_sequential, blocks)


@pytest.mark.task6_2
def test_cost_of_sequential() -> None:
    """Each number is read once; instructions of warps are a fifth less than before."""
    launch, tree = check_blocks(reductions.sum_sequential, 4), check_tree(4)
    compare(launch, global_sectors=4 * BLOCK // 8 + 4, shared_bank_conflicts=0)
    compare(launch, ptx_warp_instructions=instructions(tree) * 80 // 100)


@pytest.mark.task6_3
@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_shuffles(blocks: int) -> None:
    """One sum for each block, from the registers of its lanes."""
    check_blocks(reductions.sum_shuffles, blocks)


@pytest.mark.task6_3
def test_cost_of_shuffles() -> None:
    """One barrier; of shared memory one cell for each warp, written and read once."""
    launch, tree = check_blocks(reductions.sum_shuffles, 4), check_tree(4)
    compare(launch, global_sectors=4 * BLOCK // 8 + 4, shared_bank_conflicts=0)
    compare(launch, barriers=4 * 8, shared_passes=4 * (8 + 1))
    compare(launch, ptx_warp_instructions=instructions(tree) * 90 // 100)


@pytest.mark.task6_4
@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("n", [1, 31, 32, 33, 257, 1009])
def test_all(n: int, blocks: int) -> None:
    """Fewer numbers than threads, as many, and many more."""
    a = some(n)
    args = np.zeros(1, np.float32), a
    (out, _), _ = launched(reductions.sum_all, blocks, BLOCK, *args)
    np.testing.assert_array_equal(out, [a.sum()])


@pytest.mark.task6_4
def test_cost_of_all() -> None:
    """Each sector is read once, and each block touches out once."""
    n, blocks = 8000, 3
    args = np.zeros(1, np.float32), some(n)
    _, launch = launched(reductions.sum_all, blocks, BLOCK, *args)
    compare(launch, global_sectors=n // 8 + blocks, shared_bank_conflicts=0)
