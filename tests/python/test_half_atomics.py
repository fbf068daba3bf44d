"""The tests of atomicAdd on 16-bit floats, against NumPy's float16."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

ADD = """
#include <cuda_fp16.h>
extern "C" __global__ void one(__half* cells, const __half* by, __half* old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) old[i] = atomicAdd(cells + i, by[i]);
}
extern "C" __global__ void two(__half2* cells, const __half2* by, __half2* old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) old[i] = atomicAdd(cells + i, by[i]);
}
extern "C" __global__ void count(__half* cell) {
  __shared__ __half inner;
  if (threadIdx.x == 0) inner = __float2half(0.0f);
  __syncthreads();
  atomicAdd(&inner, __float2half(0.5f));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(cell, inner);
}
"""


@pytest.mark.parametrize(("name", "width"), [("one", 1), ("two", 2)])
def test_sums_round_as_float16_does(name, width):
    # Every kind of pattern: subnormal, infinite, NaN, sums that overflow.
    patterns = np.random.default_rng(0).integers(0, 1 << 16, (2, 1 << 14))
    a, b = patterns.astype(np.uint16).view(np.float16)
    cells, old = cuda.to_device(a), cuda.device_array(a.shape, np.float16)
    n = a.size // width
    cuda.RawKernel(ADD, name)(n // 256, 256, (cells, cuda.to_device(b), old, n))
    cuda.synchronize()
    with np.errstate(all="ignore"):
        expected = a + b
    got = cells.copy_to_host()
    np.testing.assert_array_equal(got, expected)
    numbers = ~np.isnan(expected)
    assert (np.signbit(got) == np.signbit(expected))[numbers].all()
    np.testing.assert_array_equal(old.copy_to_host(), a)


def test_blocks_and_threads_lose_no_addition():
    cell = cuda.to_device(np.zeros(1, np.float16))
    cuda.RawKernel(ADD, "count")(16, 64, (cell,))
    assert cell.copy_to_host()[0] == 16 * 64 / 2
