"""Holds the public tests of 8.2: any size, staged in shared memory."""

import numpy as np
import pytest
from products import launched


@pytest.mark.task8_2
@pytest.mark.parametrize(("m", "n", "k"), [(32, 32, 16), (64, 32, 48)])
def test_whole_tiles(m, n, k):
    out, expected, _ = launched("staged.cu", "wmma_staged", m, n, k, 32, 128)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.task8_2
@pytest.mark.parametrize(("m", "n", "k"), [(33, 31, 17), (1, 1, 1), (7, 50, 40)])
def test_edges(m, n, k):
    out, expected, _ = launched("staged.cu", "wmma_staged", m, n, k, 32, 128)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.task8_2
def test_a_block_reads_each_part_once():
    *_, launch = launched("staged.cu", "wmma_staged", 32, 32, 64, 32, 128)
    # A and B, 32 x 64 halves each: 128 sectors of 32 bytes each.
    assert launch.counters["global_load_sectors"] == 256
