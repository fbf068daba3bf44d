"""The tests of elementwise functions where they saturate, overflow or vanish."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch.autograd import grad

FLOATS = ["float16", "bfloat16", "float32", "float64"]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, "tanh"),
    "silu": F.silu,
}
# Powers of them overflow in float16, in float32 and in float64.
FAR = {"float16": [300.0, 6e4], "float64": [300.0, 1e200]}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_far_from_0_are_the_line_or_0(name, dtype, device):
    far = FAR.get(dtype, [300.0, 1e30])
    x = minitorch.tensor(far + [-value for value in far], device=device).to(dtype)
    x.requires_grad_(True)
    y = ACTIVATIONS[name](x)
    expected = [*x.to("float64").numpy()[:2], 0, 0]
    np.testing.assert_allclose(y.to("float64").numpy(), expected, atol=1e-100)
    ones = minitorch.ones(4, device=device).to(dtype)
    for create_graph in (False, True):
        (slope,) = grad(y, x, ones, retain_graph=True, create_graph=create_graph)
        found = slope.to("float64").numpy()
        np.testing.assert_allclose(found, [1, 1, 0, 0], atol=1e-100)


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh"])
def test_slopes_at_infinity_are_limits(name):
    x = minitorch.tensor([math.inf, -math.inf, math.nan], requires_grad=True)
    (slope,) = grad(ACTIVATIONS[name](x).sum(), x)
    assert slope.numpy()[:2].tolist() == [1, 0]
    assert np.isnan(slope.numpy()[2])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_fused_slopes_are_those_of_the_graph(name, dtype):
    x = minitorch.tensor(np.linspace(-12, 12, 1001)).to(dtype).requires_grad_(True)
    y = ACTIVATIONS[name](x)
    ones = minitorch.ones(1001).to(dtype)
    (fused,) = grad(y, x, ones, retain_graph=True)
    (recorded,) = grad(y, x, ones, create_graph=True)
    within = 1e-6 if dtype == "float32" else 1e-14
    np.testing.assert_allclose(fused.numpy(), recorded.numpy(), rtol=0, atol=within)


BASES = [0.0, 1e-40, 1e-30, 0.25, 1.0, 1.5, 3.0, 1e10, 1e30, math.inf]
EXPONENTS = [0, 1, 2, 3, 4, 5, -1, -2, -3, 0.5, -0.5, 1.7, -1.7, 2.5, 100, -100]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [*EXPONENTS, math.inf, -math.inf, math.nan])
def test_powers_are_numpys_to_the_last_places(exponent, dtype):
    base = np.array(BASES + [-x for x in BASES] + [math.nan], dtype)
    # One by one, and enough of them for the loops of whole rows.
    for bases in (
        *np.split(base, base.size),
        np.tile(base[1:9], 99),
        np.tile(base, 99),
    ):
        same = np.full_like(bases, exponent)
        with np.errstate(all="ignore"):
            wide = np.power(bases.astype(np.float64), same.astype(np.float64))
            expected = wide.astype(dtype)
        x, y = minitorch.tensor(bases).to(dtype), minitorch.tensor(same).to(dtype)
        for got in (x**y, x**exponent):
            np.testing.assert_allclose(got.numpy(), expected, rtol=3e-7, atol=1e-44)
            signs = np.signbit(got.numpy()) == np.signbit(expected)
            assert np.all(signs | np.isnan(expected))


@pytest.mark.parametrize("base", [2.0, 0.5, -3.0, 0.0])
def test_powers_of_a_number_are_numpys(base):
    exponents = np.linspace(-8, 8, 1033, dtype=np.float32)
    with np.errstate(all="ignore"):
        expected = np.power(base, exponents.astype(np.float64)).astype(np.float32)
    got = base ** minitorch.tensor(exponents)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_are_float32_rounded_once(dtype):
    wide = minitorch.tensor(np.linspace(-5, 5, 2003, dtype=np.float32)).to(dtype)
    x, y = wide.to("float32"), wide.to("float32").permute(0)
    for function in (F.gelu, F.silu, F.tanh, F.sin, F.abs, F.relu, lambda x: -x):
        got = function(wide).to("float32").numpy()
        assert np.array_equal(got, function(x).to(dtype).to("float32").numpy())
    for found, exact in (
        (wide + wide, x + y), (wide * wide, x * y), (wide / 3, x / 3), (3 - wide, 3 - x)
    ):  # fmt: skip
        assert found.to("float32").numpy().tolist() == (
            exact.to(dtype).to("float32").numpy().tolist()
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits_broadcast_and_stride(dtype):
    wide = np.arange(600, dtype=np.float32).reshape(20, 30) % 101
    x = minitorch.tensor(wide).to(dtype)
    row, turned = x[:1], x.permute(1, 0)
    assert np.array_equal((x + row).to("float32").numpy(), wide + wide[:1])
    assert np.array_equal((turned * 2).to("float32").numpy(), wide.T * 2)
    assert np.array_equal((turned + row.permute(1, 0)).to("float32").numpy(),
                          wide.T + wide[:1].T)  # fmt: skip
    assert (x[:0] + row).shape == (0, 30)


def test_far_angles_keep_their_digits():
    angles = np.array([1e5, -3e5, 1e10, 16367173.0, 3.4e38, -1e22], np.float32)
    for ours, exact in ((F.sin, np.sin), (F.cos, np.cos)):
        got = ours(minitorch.tensor(angles)).numpy()
        np.testing.assert_allclose(got, exact(angles.astype(np.float64)), rtol=2e-7)
    lost = F.sin(minitorch.tensor([math.inf, -math.inf, math.nan])).numpy()
    assert np.isnan(lost).all()
    assert math.copysign(1, F.sin(minitorch.tensor([-0.0])).item()) == -1


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, 0.5, -0.5, 1.7])
def test_powers_in_place_are_those_beside(exponent):
    values = np.linspace(0.1, 9, 1034, dtype=np.float32).reshape(22, 47)
    for turned in (False, True):
        x = minitorch.tensor(values)
        x = x.permute(1, 0) if turned else x
        expected = (x**exponent).numpy().copy()
        x.pow_(exponent)
        assert np.array_equal(x.numpy(), expected)
