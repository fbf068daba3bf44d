"""The comparison of elementwise ops with NumPy, on both devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch

from .tensors import DEVICES, broadcast_pairs, close, layouts, need, numbers, on, shapes

Fn = Callable[..., Any]

UNARY: dict[str, tuple[Fn, Fn, float]] = {
    "neg": (lambda t: -t, np.negative, -4),
    "abs": (abs, np.abs, -4),
    "relu": (lambda t: t.relu(), lambda x: np.maximum(x, 0), -4),
    "sigmoid": (lambda t: t.sigmoid(), lambda x: 1 / (1 + np.exp(-x)), -4),
    "exp": (lambda t: t.exp(), np.exp, -4),
    "log": (lambda t: t.log(), np.log, 0.05),
    "sqrt": (lambda t: t.sqrt(), np.sqrt, 0.05),
    "tanh": (lambda t: t.tanh(), np.tanh, -4),
}

BINARY: dict[str, tuple[Fn, Fn, float]] = {
    "add": (lambda a, b: a + b, np.add, -4),
    "sub": (lambda a, b: a - b, np.subtract, -4),
    "mul": (lambda a, b: a * b, np.multiply, -4),
    "div": (lambda a, b: a / b, np.divide, -4),
    "pow": (lambda a, b: a**b, np.power, 0.05),
    "maximum": (lambda a, b: a.maximum(b), np.maximum, -4),
    "minimum": (lambda a, b: a.minimum(b), np.minimum, -4),
    "lt": (lambda a, b: a < b, lambda a, b: (a < b).astype(a.dtype), -4),
    "gt": (lambda a, b: a > b, lambda a, b: (a > b).astype(a.dtype), -4),
    "eq": (lambda a, b: a == b, lambda a, b: (a == b).astype(a.dtype), -4),
    "ne": (lambda a, b: a != b, lambda a, b: (a != b).astype(a.dtype), -4),
    "le": (lambda a, b: a <= b, lambda a, b: (a <= b).astype(a.dtype), -4),
    "ge": (lambda a, b: a >= b, lambda a, b: (a >= b).astype(a.dtype), -4),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_unary_agrees_with_numpy(name: str, device: str, data: st.DataObject) -> None:
    need(device)
    ours, reference, low = UNARY[name]
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    x = data.draw(layouts(data.draw(shapes()), dtype, low))
    close(ours(on(device, x)), reference(x))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_binary_agrees_with_numpy(name: str, device: str, data: st.DataObject) -> None:
    need(device)
    ours, reference, low = BINARY[name]
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    a, b = data.draw(broadcast_pairs(dtype, low))
    close(ours(on(device, a), on(device, b)), reference(a, b))


@pytest.mark.parametrize("device", DEVICES)
def test_equal_numbers_are_equal(device: str) -> None:
    need(device)
    x = np.array([1.0, 2.0, np.nan, np.inf])
    y = np.array([1.0, 3.0, np.nan, np.inf])
    t, u = on(device, x), on(device, y)
    assert (t == u).numpy().tolist() == [1, 0, 0, 1]
    assert (t <= u).numpy().tolist() == [1, 1, 0, 1]
    assert (t != u).numpy().tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_on_either_side(device: str, dtype: str) -> None:
    need(device)
    x = numbers((2, 3), 1, dtype)
    t = on(device, x)
    close(t + 1, x + np.asarray(1, dtype))
    close(1 - t, (1 - x).astype(dtype))
    close(t * 0.5, x * np.asarray(0.5, dtype))
    close(2 / t, (2 / x).astype(dtype))
    close(t**2, x**2)
    close(2**t, (2**x).astype(dtype))
    close(np.float64(3) * t, (3 * x).astype(dtype))


@pytest.mark.parametrize("device", DEVICES)
def test_extreme_values_behave_as_in_numpy(device: str) -> None:
    need(device)
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1000.0, -1000.0])
    t = on(device, x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(t.exp().numpy(), np.exp(x))
        np.testing.assert_array_equal(t.log().numpy(), np.log(x))
        np.testing.assert_array_equal((t / t).numpy(), x / x)
        np.testing.assert_array_equal((1 / t).numpy(), 1 / x)
        np.testing.assert_array_equal(t.maximum(0).numpy(), np.maximum(x, 0))
        np.testing.assert_array_equal(t.minimum(0).numpy(), np.minimum(x, 0))
    expected = [np.nan, 1, 0, 0.5, 0.5, 1, 0]
    np.testing.assert_array_equal(t.sigmoid().numpy(), expected)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_stay_integers_where_numpy_keeps_them(device: str, dtype: str) -> None:
    need(device)
    x = np.array([[1, -2, 3], [7, 0, -5]], dtype=dtype)
    t = on(device, x)
    for ours, expected in [
        (t + t, x + x),
        (t * 3, x * 3),
        (-t, -x),
        (abs(t), abs(x)),
        (t.sum(1), x.sum(1, keepdims=True)),
        (t.amax(0, True), x.max(0, keepdims=True)),
    ]:
        assert ours.numpy().dtype == expected.dtype
        np.testing.assert_array_equal(ours.numpy(), expected)
    assert (t / 2).dtype == "float64"
    assert (t + 0.5).dtype == "float64"
    np.testing.assert_array_equal((t / 2).numpy(), x / 2)


@pytest.mark.parametrize("device", DEVICES)
def test_dtypes_promote_as_in_numpy(device: str) -> None:
    need(device)
    names = ["float32", "float64", "int32", "int64", "uint8", "bool"]
    for left in names:
        for right in names:
            both = np.result_type(left, right)
            if both.itemsize == 1:
                continue  # no arithmetic on bytes and truth values
            a = minitorch.ones(2, dtype=left, device=device)
            b = minitorch.ones(2, dtype=right, device=device)
            assert (a + b).numpy().dtype == both, (left, right)


@pytest.mark.cuda
def test_devices_do_not_mix() -> None:
    need("cuda")
    a, b = minitorch.ones(2), minitorch.ones(2, device="cuda")
    message = r"\[add\] got tensors on cpu and cuda; need one device\. Move the data"
    with pytest.raises(ValueError, match=message):
        a + b


def test_shapes_that_do_not_broadcast_are_named() -> None:
    with pytest.raises(ValueError, match="need sizes that are equal or 1") as caught:
        minitorch.zeros(2, 3) * minitorch.zeros(4)
    assert str(caught.value) == (
        "[mul] got shapes (2, 3) and (4,); need sizes that are equal or 1, but dim -1 "
        "has 3 and 4."
    )
