"""The tests of page-locked and mapped host memory."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.arrays.array_copies import is_page_locked

pytestmark = pytest.mark.cuda

DOUBLE = """
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"""


@pytest.fixture
def twice():
    return cuda.RawKernel(DOUBLE, "twice")


@pytest.mark.parametrize("make", [cuda.pinned_array, cuda.mapped_array])
def test_they_are_numpy_arrays(make):
    host = make((2, 3), np.int32)
    host[...] = [[1, 2, 3], [4, 5, 6]]
    assert isinstance(host, np.ndarray)
    assert host.strides == (12, 4)
    assert host.flags.writeable
    assert (host + 1).sum() == 27
    assert make(0).size == 0
    assert make(()).shape == ()
    assert is_page_locked(host[1:])


def test_copies_with_a_stream_do_not_wait(twice):
    stream = cuda.stream()
    host = cuda.pinned_array(1000, np.float32)
    host[:] = np.arange(1000)
    into = cuda.pinned_array(1000, np.float32)
    x = cuda.to_device(host, stream=stream)
    twice[4, 256, stream](x, 1000)
    assert x.copy_to_host(into, stream=stream) is into
    stream.synchronize()
    np.testing.assert_array_equal(into, 2 * np.arange(1000, dtype=np.float32))


def test_kernels_write_mapped_memory(twice):
    host = cuda.mapped_array(8, np.float32)
    host[:] = 1
    twice[1, 8](host, 8)
    twice[1, 8](host[4:], 4)
    cuda.synchronize()
    assert host.tolist() == [2, 2, 2, 2, 4, 4, 4, 4]
    assert cuda.is_cuda_array(host)


def test_a_copy_of_a_mapped_array_is_the_hosts(twice):
    copied = cuda.mapped_array(4, np.float32) + 1
    assert not cuda.is_cuda_array(copied)
    with pytest.raises(AttributeError, match="copy of a mapped array"):
        _ = copied.pointer
    with pytest.raises(TypeError):
        twice[1, 4](copied, 4)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: cuda.pinned_array(-1), ValueError),
        (lambda: cuda.mapped_array(2, "text"), TypeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
