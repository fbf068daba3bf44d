"""The tests of softmax and its logarithm: every dim, dtype and limit, on both devices.

Its kernels under all checks: test_checked_kernels.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
import minitorch.functional as F

from .tensors import DEVICES, RTOL, need, on

FUNCTIONS = {"softmax": F.softmax, "log_softmax": F.log_softmax}
# Lines shorter and longer than a vector and than a run, alone and side by side.
CASES = [
    ((1,), 0),
    ((5, 7), -1),
    ((3, 65), 1),
    ((2, 2050), 1),
    ((65, 3), 0),
    ((4, 70, 300), 1),
    ((3, 4, 5), 0),
    ((2, 1, 6), 1),
]


def shares(x, dim):
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def expected(name, x, dim):
    found = shares(x.astype(np.float64), dim)
    return found if name == "softmax" else np.log(found)


def expected_gradient(name, x, g, dim):
    p = shares(x.astype(np.float64), dim)
    if name == "softmax":
        return p * (g - (g * p).sum(dim, keepdims=True))
    return g - p * g.sum(dim, keepdims=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "dim"), CASES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name, shape, dim, dtype, device):
    need(device)
    drawn = np.random.default_rng(0)
    x = (drawn.standard_normal(shape) * 3).astype(dtype)
    g = drawn.standard_normal(shape).astype(dtype)
    tensor = on(device, x, requires_grad=True)
    y = FUNCTIONS[name](tensor, dim)
    y.backward(on(device, g))
    close = {"rtol": RTOL[dtype], "atol": RTOL[dtype]}
    assert y.dtype == dtype
    np.testing.assert_allclose(y.numpy(), expected(name, x, dim), **close)
    gradient = expected_gradient(name, x, g, dim)
    np.testing.assert_allclose(tensor.grad.numpy(), gradient, **close)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_16_bits_are_rounded_once(name, dtype, device):
    need(device)
    drawn = np.random.default_rng(1).standard_normal((40, 33)).astype(np.float32) * 4
    x = minitorch.tensor(drawn, device=device).to(dtype)
    g = minitorch.tensor(drawn[::-1].copy(), device=device).to(dtype)
    half, whole = x.clone().requires_grad_(), x.to("float32").requires_grad_()
    y, wide = FUNCTIONS[name](half, 1), FUNCTIONS[name](whole, 1)
    assert y.dtype == dtype
    once = wide.detach().to(dtype)
    np.testing.assert_array_equal(y.to("float32").numpy(), once.to("float32").numpy())
    # The gradient uses the result as it was given out.
    y.backward(g)
    y32, g32 = (each.detach().to("float32").numpy() for each in (y, g))
    if name == "softmax":
        want = y32 * (g32 - (g32 * y32).sum(1, keepdims=True))
    else:
        want = g32 - np.exp(y32) * g32.sum(1, keepdims=True)
    unit = {"float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype]
    np.testing.assert_allclose(
        half.grad.to("float32").numpy(), want, rtol=1.01 * unit, atol=1e-5
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("inner", [1, 3])
def test_limits(inner, device):
    need(device)
    inf, nan = np.inf, np.nan
    lines = np.array(
        [[1e4, 0, -1e4], [-inf, 0, -inf], [-inf] * 3, [inf, 0, 1], [nan, 0, 1]],
        np.float32,
    )
    x = on(device, np.repeat(lines[:, :, None], inner, 2))
    soft, log = F.softmax(x, 1).numpy(), F.log_softmax(x, 1).numpy()
    want = np.array([[1, 0, 0], [0, 1, 0], [nan] * 3, [nan] * 3, [nan] * 3])
    logs = np.array([[0, -1e4, -2e4], [-inf, 0, -inf], [nan] * 3, [nan] * 3, [nan] * 3])
    np.testing.assert_array_equal(soft[:, :, -1], want)
    np.testing.assert_array_equal(log[:, :, -1], logs)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_cells_and_integers(name, device):
    need(device)
    for shape in ((0, 3), (3, 0)):
        empty = on(device, np.zeros(shape), requires_grad=True)
        y = FUNCTIONS[name](empty, 1)
        assert y.shape == shape
        y.backward(on(device, np.zeros(shape)))
        assert empty.grad.shape == shape
    whole = on(device, np.array([[1, 2, 4]]))
    got = FUNCTIONS[name](whole, 1)
    assert got.dtype == "float64"
    want = expected(name, np.array([[1.0, 2.0, 4.0]]), 1)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


def causal(x, targets):
    """Lines (…, sources) in blocks of `targets`, one by one."""
    out = np.zeros_like(x)
    for i, line in enumerate(x):
        seen = min(i % targets + 1, x.shape[1])
        out[i, :seen] = shares(line[:seen], 0)
    return out


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 5), (5, 3), (2, 70, 70), (3, 2, 4, 2050)]
)
def test_causal(shape, device):
    need(device)
    drawn = np.random.default_rng(4)
    x, g = drawn.standard_normal(shape), drawn.standard_normal(shape)
    tensor = on(device, x, requires_grad=True)
    y = tensor._causal_softmax()
    want = causal(x.reshape(-1, shape[-1]), shape[-2]).reshape(shape)
    np.testing.assert_allclose(y.numpy(), want, rtol=1e-12, atol=1e-14)
    y.backward(on(device, g))
    dx = want * (g - (g * want).sum(-1, keepdims=True))
    np.testing.assert_allclose(tensor.grad.numpy(), dx, rtol=1e-10, atol=1e-12)
    # What a target does not see has no part, whatever it is.
    x[..., 0, 1:] = np.nan
    hidden = on(device, x)._causal_softmax().numpy()
    np.testing.assert_array_equal(hidden[..., 0, 1:], 0)
