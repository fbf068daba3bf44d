"""The tests of page-locked, mapped and managed host memory."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.arrays.page_lock import is_page_locked

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


@pytest.mark.parametrize(
    "make", [cuda.pinned_array, cuda.mapped_array, cuda.managed_array]
)
def test_they_are_numpy_arrays(make):
    host = make((2, 3), np.int32, order="F")
    host[...] = [[1, 2, 3], [4, 5, 6]]
    assert isinstance(host, np.ndarray)
    assert host.strides == (4, 8)
    assert host.flags.writeable
    assert (host + 1).sum() == 27
    assert make(0).size == 0
    assert make(()).shape == ()
    assert make(3, strides=(-8,)).strides == (-8,)
    assert is_page_locked(host[1:])


@pytest.mark.parametrize("make", [cuda.pinned_array_like, cuda.mapped_array_like])
def test_like(make):
    model = np.zeros((2, 3, 4), np.float32).transpose(1, 0, 2)
    made = make(model)
    assert (made.shape, made.dtype, made.strides) == (
        model.shape,
        model.dtype,
        np.empty_like(model).strides,
    )


def test_copies_with_a_stream_do_not_wait(twice):
    stream = cuda.stream()
    host = cuda.pinned_array(1000, np.float32)
    host[:] = np.arange(1000)
    into = cuda.pinned_array_like(host)
    x = cuda.to_device(host, stream=stream)
    twice[4, 256, stream](x, 1000)
    assert x.copy_to_host(into, stream=stream) is into
    stream.synchronize()
    np.testing.assert_array_equal(into, 2 * np.arange(1000, dtype=np.float32))


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_kernels_write_mapped_memory(make, twice):
    host = make(8, np.float32)
    host[:] = 1
    twice[1, 8](host, 8)
    twice[1, 8](host[4:], 4)
    cuda.synchronize()
    assert host.tolist() == [2, 2, 2, 2, 4, 4, 4, 4]
    assert cuda.is_cuda_array(host)
    fields = np.frombuffer(host[::2].kernel_bytes, np.int64).tolist()
    assert fields == [host.pointer, 4, 2]
    assert str(host[::2].kernel_type) == "array(float32, 1d, A)"


def test_a_copy_of_a_mapped_array_is_the_hosts(twice):
    copied = cuda.mapped_array(4, np.float32) + 1
    assert not cuda.is_cuda_array(copied)
    with pytest.raises(AttributeError, match="copy of a mapped array"):
        _ = copied.pointer
    with pytest.raises(TypeError):
        twice[1, 4](copied, 4)


def test_arrays_are_pinned_within_a_block():
    host, other = np.arange(10.0), np.zeros(3, np.int8)
    with cuda.pinned(host, other):
        assert is_page_locked(host)
        assert is_page_locked(host[::-2])
        x = cuda.to_device(host, stream=cuda.stream())
        cuda.synchronize()
    assert not is_page_locked(host)
    np.testing.assert_array_equal(x.copy_to_host(), host)


def test_arrays_are_mapped_within_a_block(twice):
    host = np.ones(8, np.float32)
    with cuda.mapped(host[::-1]) as x:
        twice[1, 8](x.reshape(8)[::-1], 8)
        cuda.synchronize()
        x[0] = 5
        cuda.synchronize()
    assert host.tolist() == [2] * 7 + [5]
    with pytest.raises(cuda.CudaError, match="freed"):
        x[0]
    with cuda.mapped(host, np.ones(2)) as arrays:
        assert [array.shape for array in arrays] == [(8,), (2,)]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: cuda.pinned_array(-1), ValueError),
        (lambda: cuda.mapped_array(2, order="Z"), ValueError),
        (lambda: cuda.mapped_array(2, stream="s"), TypeError),
        (lambda: cuda.pinned_array_like(3), TypeError),
        (lambda: cuda.pinned(np.zeros(0)).__enter__(), ValueError),
        (lambda: cuda.mapped(cuda.device_array(1)).__enter__(), TypeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_the_same_memory_twice():
    host = np.zeros(10)
    with pytest.raises(cuda.CudaError, match="REGISTERED"), cuda.pinned(host, host[2:]):
        pass
    assert not is_page_locked(host)
    with cuda.pinned(host):
        assert is_page_locked(host)
