"""The tests of `cuda.reduce`; NumPy says what is expected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda


@cuda.reduce
def total(a, b):
    return a + b


@cuda.reduce
def largest(a, b):
    return max(a, b)


@cuda.jit(device=True)
def multiplied(a, b):
    return a * b


SIZES = [1, 2, 31, 63, 64, 65, 127, 128, 129, 255, 1000, 8191, 8192, 8193, 20_011]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_sums_of_whole_numbers_are_exact(size, dtype):
    host = np.random.default_rng(size).integers(-9, 9, size).astype(dtype)
    found = total(host)
    assert type(found) is dtype
    assert found == host.sum(dtype=dtype)


@pytest.mark.parametrize("size", SIZES)
def test_the_largest_is_found_wherever_it_is(size):
    for place in {0, size // 2, size - 1}:
        host = np.zeros(size)
        host[place] = 5
        assert largest(cuda.to_device(host)) == 5


@given(
    st.lists(st.integers(-1000, 1000), max_size=300),
    st.integers(-50, 50),
)
@settings(deadline=None, max_examples=40)
def test_init(values, init):
    host = np.array(values, np.int64)
    assert total(host, init=init) == host.sum() + init
    assert largest(host, init=init) == max([init, *values])


def test_init_counts_once():
    for size in (1, 100, 100_000):
        assert total(np.ones(size), init=1000) == size + 1000


def test_device_functions_and_functions_that_capture():
    step = 3.0
    assert cuda.reduce(multiplied)(np.arange(1, 11.0), init=1) == 3628800
    stepped = cuda.Reduce(lambda a, b: a + b + step - 3.0)
    assert stepped(np.ones(500)) == 500


def test_complex_numbers():
    host = np.arange(300) + 1j * np.arange(300)[::-1]
    assert total(host) == host.sum()


def test_views_and_tensors():
    host = np.arange(2000.0)
    array = cuda.to_device(host)
    assert total(array[::-3]) == host[::-3].sum()
    assert total(minitorch.tensor(host).cuda()) == host.sum()


def test_a_stream():
    stream = cuda.stream()
    array = cuda.to_device(np.arange(1000), stream=stream)
    assert total(array, stream=stream) == 499500


def test_nothing_to_fold():
    assert total(np.zeros(0, np.float32)) == 0
    assert type(total(np.zeros(0, np.float32), init=3)) is np.float32


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: cuda.reduce(3), TypeError, "need a function"),
        (lambda: total([1, 2, 3]), TypeError, r"Try np\.array"),
        (lambda: total(None), TypeError, "got NoneType"),
        (lambda: total(np.ones((2, 2))), TypeError, "need 1 dimension"),
        (lambda: total(minitorch.zeros(3)), TypeError, "got Tensor"),
        (lambda: total(np.array(["a"])), TypeError, "need a numeric dtype"),
        (lambda: total(np.ones(3), stream="s"), TypeError, "stream 's'"),
        (lambda: total(np.ones(3), init="x"), ValueError, "x"),
        (lambda: cuda.reduce(lambda a: a)(np.ones(3)), cuda.CompileError, "argument"),
        (lambda: cuda.reduce(lambda a, b: [a])(np.ones(3)), cuda.CompileError, "list"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
