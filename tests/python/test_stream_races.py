"""The tests of races between streams: kernels and copies that nothing orders."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import _core, cuda

pytestmark = pytest.mark.cuda

SCALE = """extern "C" __global__ void scale(float* x, int n, int first) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}
"""
N = 256


@pytest.fixture(autouse=True)
def needs_the_emulator():
    if not _core.is_emulated():
        pytest.skip("a GPU does not look for races of streams")
    yield
    cuda.synchronize()


@pytest.fixture(scope="module")
def scale():
    return cuda.RawKernel(SCALE, "scale")


@pytest.fixture
def x():
    made = cuda.to_device(np.ones(N, np.float32))
    cuda.synchronize()
    return made


def test_two_streams_that_nothing_orders_are_told(scale, x):
    one, other = cuda.Stream(), cuda.Stream()
    scale(2, 128, (x, N, 0), stream=one)
    scale(2, 128, (x, N, 0), stream=other)
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    error = caught.value
    assert error.kind == "race_stream"
    assert (error.kernel, error.line) == ("scale", 4)
    assert error.block is None
    assert error.thread is None
    assert error.access in ("read", "write")
    assert error.size == 4 * N
    assert error.allocation is not None
    assert error.allocation.offset == 0
    assert error.other is not None
    assert error.other.line == 4
    assert "nothing orders" in str(error)
    assert "event" in str(error)
    assert error.launch_site.startswith("test_stream_races.py:")
    x[:] = 4  # what the two left is either's, element by element
    scale(2, 128, (x, N, 0))  # and the next launch is right
    np.testing.assert_array_equal(x.copy_to_host(), np.full(N, 8, np.float32))


def copy_all(x, stream):
    x.copy_to_host(stream=stream)


def copy_into(x, stream):
    x.copy_to_host(np.zeros(N, np.float32), stream=stream)


def copy_every_second(x, stream):
    x[::2].copy_to_host(stream=stream)


COPIES = [copy_all, copy_into, copy_every_second]


def copy_and_wait(copy, x, stream):
    copy(x, stream)
    cuda.synchronize()  # the kernel may end after the copy


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * 2


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_to_the_host_in_another_stream_is_told_with_both_lines(scale, x, copy):
    one, other = cuda.Stream(), cuda.Stream()
    scale(2, 128, (x, N, 0), stream=one)
    with pytest.raises(cuda.KernelError) as caught:
        copy_and_wait(copy, x, other)
    error = caught.value
    assert error.kind == "race_host"
    assert (error.kernel, error.line) == ("scale", 4)
    line = copy.__code__.co_firstlineno + 1
    assert f"; the copy at test_stream_races.py:{line}" in str(error)


def test_memory_that_comes_and_goes_orders_nothing(scale, x):
    """Memory is freed when the garbage collector likes; a race is told all the same."""
    third = cuda.Stream()
    on_a_stream = [cuda.to_device(np.ones(N, np.float32))]
    scale(2, 128, (on_a_stream[0], N, 0), stream=third)
    page_locked = [cuda.pinned_array(N, np.float32)]
    cuda.synchronize()
    waits = (
        on_a_stream.clear,
        page_locked.clear,
        lambda: cuda.device_array(N, np.float32),
    )
    for comes_and_goes in waits:
        one, other = cuda.Stream(), cuda.Stream()
        scale(2, 128, (x, N, 0), stream=one)
        comes_and_goes()
        with pytest.raises(cuda.KernelError, match="nothing orders"):
            copy_and_wait(copy_all, x, other)


def test_a_copy_beside_a_python_kernel_is_told_with_both_lines(x):
    one, other = cuda.Stream(), cuda.Stream()
    double[2, 128, one](x)
    with pytest.raises(cuda.KernelError) as caught:
        copy_and_wait(copy_all, x, other)
    error = caught.value
    assert error.kind == "race_host"
    assert error.line == double.py_func.__code__.co_firstlineno + 4
    line = copy_all.__code__.co_firstlineno + 1
    assert f"; the copy at test_stream_races.py:{line}" in str(error)


@pytest.mark.parametrize("copy", COPIES)
def test_copies_to_the_host_that_something_orders_are_silent(scale, x, copy):
    one, other = cuda.Stream(), cuda.Stream()
    scale(2, 128, (x, N, 0), stream=one)
    copy(x, one)
    scale(2, 128, (x, N, 0), stream=one)
    np.testing.assert_array_equal(x.copy_to_host(), np.full(N, 4, np.float32))
    scale(2, 128, (x, N, 0), stream=one)
    other.wait_stream(one)
    copy(x, other)
    copy(x, one)  # two copies read alike
    scale(2, 128, (x, N, 0), stream=one)
    one.synchronize()
    copy(x, other)
    cuda.synchronize()


def test_a_copy_in_another_stream_is_told_by_inspect(scale, x):
    one, other = cuda.Stream(), cuda.Stream()
    with cuda.inspect(tolerate=("race_host",)) as run:
        scale(2, 128, (x, N, 0), stream=one)
        with other:
            x.copy_to_device(np.zeros(N, np.float32))
    (launch,) = run.launches
    (finding,) = launch.findings
    assert finding.kind == "race_host"
    assert finding.severity == "note"
    assert "a copy from the host" in finding.message
