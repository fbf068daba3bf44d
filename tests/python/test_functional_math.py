"""The comparison of functional's elementwise functions with NumPy and math."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
import minitorch.functional as F

from . import elementwise_cases
from .source_tree import ROOT
from .tensors import DEVICES, broadcast_pairs, close, layouts, need, on, shapes

Fn = Callable[..., Any]


UNARY = {
    **{name: case[:3] for name, case in elementwise_cases.UNARY.items()},
    "clamp": (lambda t: F.clamp(t, -1, 2), lambda x: np.clip(x, -1, 2), -4),
    "clamp_low": (lambda t: t.clamp(min=0.5), lambda x: np.maximum(x, 0.5), -4),
}

PAIRS = {
    "add": (lambda a, b: a + b, np.add),
    "sub": (lambda a, b: a - b, np.subtract),
    "mul": (lambda a, b: a * b, np.multiply),
    "div": (lambda a, b: a / b, np.divide),
    "pow": (lambda a, b: abs(a) ** b, lambda a, b: abs(a) ** b),
    "lt": (lambda a, b: a < b, lambda a, b: (a < b).astype(a.dtype)),
    "maximum": (F.maximum, np.maximum),
    "minimum": (F.minimum, np.minimum),
    "atan2": (F.atan2, np.arctan2),
    "copysign": (F.copysign, np.copysign),
    "fmod": (F.fmod, np.fmod),
    "hypot": (F.hypot, np.hypot),
    "floordiv": (lambda a, b: a // b, np.floor_divide),
    "mod": (lambda a, b: a % b, np.mod),
    "where": (lambda a, b: F.where(a.gt(b), a, b), lambda a, b: np.where(a > b, a, b)),
    "masked_fill": (
        lambda a, b: F.masked_fill(b, a.gt(0), 7),
        lambda a, b: np.where(a > 0, b.dtype.type(7), b),
    ),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_unary_agrees_with_numpy(name, device, data):
    need(device)
    ours, reference, low = UNARY[name]
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    x = data.draw(layouts(data.draw(shapes()), dtype, low))
    close(ours(on(device, x)), np.asarray(reference(x)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_pairs_agree_with_numpy(name, device, data):
    need(device)
    ours, reference = PAIRS[name]
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    a, b = data.draw(broadcast_pairs(dtype))
    close(ours(on(device, a), on(device, b)), np.asarray(reference(a, b)))


def test_every_unary_row_of_the_core_has_a_case():
    table = (ROOT / "cpp" / "cpu" / "elementwise.inc").read_text()
    rows = re.findall(r"^MINITORCH_UNARY\(\w+, (\w+)", table, re.MULTILINE)
    assert len(rows) > 15
    assert set(rows) == set(elementwise_cases.UNARY)


EXTREME = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 2.5, -2.5, 3.5, 1e300, -1e300])
ONE_EXTREME = [
    "exp",
    "log",
    "floor",
    "ceil",
    "round",
    "sign",
    "abs",
    "sqrt",
    "reciprocal",
    "isnan",
    "isinf",
    "isfinite",
    "logical_not",
]
OPERATORS = ("truediv", "floordiv", "mod")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
TWO_EXTREMES = [
    *COMPARISONS,
    *("maximum", "minimum", "logical_and", "logical_or", "logical_xor"),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ONE_EXTREME)
def test_extremes_behave_as_in_numpy(name, device):
    need(device)
    with np.errstate(all="ignore"):
        got = getattr(F, name)(on(device, EXTREME)).numpy()
        expected = getattr(np, name)(EXTREME)
    np.testing.assert_array_equal(got, expected)
    if expected.dtype == np.float64:
        zero = expected == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("device", DEVICES)
def test_extremes_are_clamped(device):
    need(device)
    got = F.clamp(on(device, EXTREME), -1, 1).numpy()
    np.testing.assert_array_equal(got, np.clip(EXTREME, -1, 1))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [*OPERATORS, *TWO_EXTREMES])
def test_every_pair_of_extremes_behaves_as_in_numpy(name, device):
    need(device)
    x, y = np.meshgrid(EXTREME, EXTREME)
    pairs = (on(device, x), on(device, y)), (x, y)
    with np.errstate(all="ignore"):
        if name in OPERATORS:
            got, expected = (getattr(operator, name)(*pair) for pair in pairs)
        elif name in COMPARISONS:  # as a method: truth values
            got = getattr(pairs[0][0], name)(pairs[0][1])
            expected = getattr(operator, name)(x, y)
        else:
            got, expected = (
                getattr(each, name)(*pair)
                for each, pair in zip((F, np), pairs, strict=True)
            )
    assert got.numpy().dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected)


def test_conversions_and_their_errors():
    t = minitorch.tensor([0.0, 1.5])
    names = [
        (t.half(), "float16"),
        (t.bfloat16(), "bfloat16"),
        (t.double(), "float64"),
        (t.long(), "int64"),
    ]
    for made, name in names:
        assert made.dtype == name
    with pytest.raises(ValueError, match=r"\[gelu\] got 'erf'; need 'none' or 'tanh'"):
        F.gelu(t, "erf")
    with pytest.raises(ValueError, match=r"\[clamp\] got neither min nor max"):
        t.clamp()
    with pytest.raises(ValueError, match=r"\[where\] shapes"):
        F.where(t.gt(0), minitorch.zeros(3), 0)


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(ValueError, match="cannot be broadcast") as caught:
        minitorch.zeros(2, 3) * minitorch.zeros(4)
    assert str(caught.value) == (
        "[mul] shapes (2, 3) and (4,) cannot be broadcast: dimension -1 has sizes 3 "
        "and 4; they must be equal, or one of them 1."
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_rounding_leaves_integers_alone(dtype, device):
    need(device)
    x = np.array([0, 1, 200], dtype)
    t = on(device, x)
    for ours in (t.floor(), t.ceil(), t.round(), t.abs(), t.relu(), t.clamp(0, 255)):
        assert ours.numpy().dtype == dtype
        assert ours.numpy().tolist() == x.tolist()
    assert t.sign().numpy().tolist() == [0, 1, 1]
    rounded = t.floor()
    rounded.fill_(9)  # a copy: the original keeps its numbers
    assert t.numpy().tolist() == x.tolist()
