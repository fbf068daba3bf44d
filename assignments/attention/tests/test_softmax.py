"""Holds the public tests of 9.1 and 9.2: values, findings, and what is read."""

import numpy as np
import pytest
import softmax

from minitorch_cuda import cuda


def launched(kernel, x):
    """The result of a kernel on the rows of x, under all checks, and the launch."""
    __tracebackhide__ = True
    out = cuda.device_array(x.shape, np.float32)
    with cuda.inspect() as run:
        kernel[x.shape[0], softmax.THREADS](out, cuda.to_device(x))
    run.raise_findings()
    return out.copy_to_host(), run.launches[0]


def expected(x):
    shares = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


@pytest.mark.task9_1
@pytest.mark.parametrize("n", [1, 31, 32, 33, 128])
def test_fused(n):
    x = np.random.default_rng(n).normal(size=(3, n)).astype(np.float32)
    out, _ = launched(softmax.fused_softmax, x)
    np.testing.assert_allclose(out, expected(x), rtol=1e-4, atol=1e-6)


@pytest.mark.task9_1
def test_large_values_do_not_overflow():
    x = np.array([[200.0, 199.0, -200.0]], np.float32)  # exp(200) is infinite
    out, _ = launched(softmax.fused_softmax, x)
    np.testing.assert_allclose(out, expected(x), rtol=1e-4, atol=1e-6)


@pytest.mark.task9_1
def test_fused_touches_each_cell_once():
    x = np.ones((4, 128), np.float32)
    _, launch = launched(softmax.fused_softmax, x)
    sectors = x.nbytes // 32
    assert launch.counters["global_load_sectors"] == sectors
    assert launch.counters["global_store_sectors"] == sectors


@pytest.mark.task9_2
@pytest.mark.parametrize("n", [1, 7, 127, 128, 129, 300, 1000])
def test_online(n):
    x = np.random.default_rng(n).normal(size=(2, n)).astype(np.float32) * 50
    out, _ = launched(softmax.online_softmax, x)
    np.testing.assert_allclose(out, expected(x), rtol=1e-4, atol=1e-6)


@pytest.mark.task9_2
def test_online_reads_twice():
    x = np.ones((1, 1024), np.float32)
    _, launch = launched(softmax.online_softmax, x)
    assert launch.counters["global_load_sectors"] == 2 * x.nbytes // 32
