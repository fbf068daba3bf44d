"""Tests of the first kernel that notes of a course show."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

THREADS = (4, 3)
BLOCKS = (1, 3)


def times(a, b):
    return a * b


@cuda.jit
def my_func(inp, out):
    # Five cells that belong to this thread alone.
    local = cuda.local.array(5)
    local[1] = 10
    # Where the thread is, among all threads of the launch.
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if x < out.shape[0] and y < out.shape[1]:
        local[2] = times(inp[x, y], 2)
        out[x, y] = local[1] + local[2]


def values(shape):
    return np.random.default_rng(0).integers(-99, 99, shape).astype(np.float64) / 8


@pytest.mark.parametrize("shape", [(4, 9), (3, 8), (1, 1), (4, 1), (2, 9)])
def test_host_arrays(shape):
    inp, out = values(shape), np.zeros(shape)
    with pytest.warns(cuda.NumbaPerformanceWarning):  # of host arrays
        my_func[BLOCKS, THREADS](inp, out)
    np.testing.assert_array_equal(out, 2 * inp + 10)
