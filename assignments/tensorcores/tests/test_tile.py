"""Holds the public tests of 8.1: one warp, one tile."""

import numpy as np
import pytest
from products import launched


@pytest.mark.task8_1
def test_one_tile():
    out, expected, _ = launched("tile.cu", "wmma_tile", 16, 16, 16, 16, 32)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.task8_1
def test_k_is_walked_in_steps_of_16():
    out, expected, _ = launched("tile.cu", "wmma_tile", 16, 16, 64, 16, 32)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.task8_1
def test_each_warp_has_its_own_tile():
    out, expected, _ = launched("tile.cu", "wmma_tile", 48, 32, 16, 16, 32)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.task8_1
def test_tensor_cores_do_the_work():
    *_, launch = launched("tile.cu", "wmma_tile", 32, 32, 32, 16, 32)
    # A product takes m n k multiplications and as many additions.
    assert launch.counters["tensor_flops"] == 2 * 32 * 32 * 32
    assert launch.counters["flops_f32"] == 0
