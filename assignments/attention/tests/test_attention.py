"""Holds the public tests of 9.3: values, findings, and bytes."""

import attention
import numpy as np
import pytest
import rows

from minitorch_cuda import cuda


def launched(n):
    """out, total, what they should be, and the launch."""
    __tracebackhide__ = True
    q, k, v = rows.rows(n, 3)
    out = cuda.device_array((n, attention.DIM), np.float32)
    total = cuda.device_array(n, np.float32)
    blocks = -(-n // attention.TILE)
    inputs = map(cuda.to_device, (q, k, v))
    with cuda.inspect(footprint=True) as run:
        attention.attention[blocks, attention.TILE](out, total, *inputs, rows.SCALE)
    run.raise_findings()
    got = out.copy_to_host(), total.copy_to_host()
    return got, rows.attention(q, k, v)[1:], run.launches[0]


@pytest.mark.task9_3
@pytest.mark.parametrize("n", [1, 31, 32, 33, 40, 70])
def test_attention(n):
    (out, total), (expected, logarithms), _ = launched(n)
    np.testing.assert_allclose(out, expected, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(total, logarithms, rtol=1e-3, atol=1e-5)


@pytest.mark.task9_3
def test_no_matrix_is_stored():
    *_, launch = launched(64)
    # out and total, and nothing of n x n: 64 rows of 16 numbers, and 64 numbers.
    assert launch.footprint["written"] <= 64 * (16 + 1) * 4 // 32
