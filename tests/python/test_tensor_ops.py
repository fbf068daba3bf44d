"""The tests of map, zip and reduce over tensors: shapes, dtypes, devices, errors.

What functions mean is tested in test_language_values.py.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
from minitorch import cuda, tensor_ops

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
DTYPES = [minitorch.float64, minitorch.float32, minitorch.int64, minitorch.int32]
RATE = 0.25

pytestmark = pytest.mark.parametrize("device", DEVICES)
sizes = st.sampled_from([1, 2, 3, 5, 31, 33])
shapes = st.lists(sizes, min_size=1, max_size=3).map(tuple)


def numbers(shape, seed=0):
    return np.random.default_rng(seed).integers(-9, 9, shape).astype(np.float64)


def leaky(x):
    return x if x > 0 else RATE * x


@given(shape=shapes, data=st.data())
@settings(max_examples=25, deadline=None)
def test_map_of_any_view(device, shape, data):
    order = data.draw(st.permutations(range(len(shape))))
    a = numbers(shape)
    t = minitorch.tensor(a.tolist(), device=device).permute(*order)
    got = tensor_ops.map(leaky)(t)
    a = a.transpose(order)
    assert got.device == device
    assert got.is_contiguous()
    np.testing.assert_array_equal(got.to_numpy(), np.where(a > 0, a, RATE * a))


@given(shape=shapes, data=st.data())
@settings(max_examples=25, deadline=None)
def test_zip_broadcasts(device, shape, data):
    kept = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    other = tuple(n if keep else 1 for n, keep in zip(shape, kept, strict=True))
    other = other[data.draw(st.integers(0, len(shape) - 1)) :]
    a, b = numbers(shape, 1), numbers(other, 2)
    x, y = (minitorch.tensor(each.tolist(), device=device) for each in (a, b))
    got = tensor_ops.zip(lambda x, y: x * 2 - y)(x, y)
    np.testing.assert_array_equal(got.to_numpy(), a * 2 - b)
    got = tensor_ops.zip(lambda x, y: x * 2 - y)(y, x)
    np.testing.assert_array_equal(got.to_numpy(), b * 2 - a)


@given(shape=shapes, data=st.data())
@settings(max_examples=25, deadline=None)
def test_reduce_keeps_the_dimension(device, shape, data):
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    a = numbers(shape).transpose(order)
    t = minitorch.tensor(numbers(shape).tolist(), device=device).permute(*order)
    total = tensor_ops.reduce(lambda x, y: x + y, start=3)(t, dim)
    np.testing.assert_array_equal(total.to_numpy(), a.sum(dim, keepdims=True) + 3)
    largest = tensor_ops.reduce(max, start=-1e9)(t, dim)
    np.testing.assert_array_equal(largest.to_numpy(), a.max(dim, keepdims=True))


@pytest.mark.parametrize("length", [255, 256, 257, 1023, 1025, 200003])
def test_reduce_of_any_length(device, length):
    a = minitorch.arange(length, dtype=minitorch.float64, device=device)
    total = tensor_ops.reduce(lambda x, y: x + y)(a, 0)
    assert total.to_numpy().tolist() == [length * (length - 1) / 2]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_the_result_has_the_dtype_of_the_argument(device, dtype):
    t = minitorch.tensor([[1, 2], [3, 4]], dtype=dtype, device=device)
    assert tensor_ops.map(lambda x: x / 2)(t).dtype == dtype
    assert tensor_ops.map(lambda x: x > 2)(t).to_numpy().tolist() == [[0, 0], [1, 1]]
    total = tensor_ops.reduce(lambda x, y: x + y)(t, 0)
    assert total.dtype == dtype
    assert total.to_numpy().tolist() == [[4, 6]]


def test_zip_promotes(device):
    x = minitorch.tensor([1, 2], dtype=minitorch.int64, device=device)
    y = minitorch.tensor([0.5, 0.25], dtype=minitorch.float64, device=device)
    got = tensor_ops.zip(lambda x, y: x * y)(x, y)
    assert got.dtype == minitorch.float64
    assert got.to_numpy().tolist() == [0.5, 0.5]


def test_empty_tensors(device):
    t = minitorch.zeros((0, 3), device=device)
    assert tensor_ops.map(leaky)(t).shape == (0, 3)
    assert tensor_ops.zip(lambda x, y: x)(t, t).shape == (0, 3)
    assert tensor_ops.reduce(lambda x, y: x + y, 2.0)(t, 0).to_numpy().tolist() == [
        [2, 2, 2]
    ]
    assert tensor_ops.reduce(lambda x, y: x + y)(t, 1).shape == (0, 1)


def test_results_have_no_history(device):
    t = minitorch.tensor([1.0], requires_grad=True, device=device)
    assert not tensor_ops.map(leaky)(t).requires_grad


def test_bad_input(device):
    t = minitorch.tensor([1.0, 2.0], device=device)
    with pytest.raises(cuda.CompileError, match=r"is called with 2 arguments"):
        tensor_ops.reduce(lambda x: x)(t, 0)
    with pytest.raises(cuda.CompileError, match="need a function written with def"):
        tensor_ops.map(functools.partial(pow, 2))(t)
    with pytest.raises(TypeError, match=r"\[map\] got a tensor of uint8; need float32"):
        tensor_ops.map(leaky)(t.to(minitorch.uint8))
    with pytest.raises(IndexError, match=r"\[reduce\]"):
        tensor_ops.reduce(lambda x, y: x + y)(t, 1)
    with pytest.raises(ValueError, match=r"\[zip\]"):
        tensor_ops.zip(lambda x, y: x)(t, minitorch.tensor([1.0] * 3, device=device))
    assert tensor_ops.map(leaky)(t).to_numpy().tolist() == [1, 2]


@pytest.mark.cuda
def test_devices_do_not_mix(device):
    x = minitorch.tensor([1.0], device=device)
    y = minitorch.tensor([1.0], device="cpu" if device == "cuda" else "cuda")
    with pytest.raises(ValueError, match=r"one device"):
        tensor_ops.zip(lambda x, y: x + y)(x, y)
