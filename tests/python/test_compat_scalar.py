"""Tests of modules 0 and 1: numbers, Scalars, modules, points, numba."""

from __future__ import annotations

import math
import random

import pytest

import minitorch
from minitorch import Context, Scalar, ScalarFunction, ScalarHistory, operators


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (operators.sigmoid(-800.0), 0.0),
        (operators.sigmoid(800.0), 1.0),
        (operators.sigmoid(1.0), 1 / (1 + math.exp(-1))),
        (operators.log(0.0), math.log(1e-6)),
        (operators.log_back(1.0, 3.0), 3 / (1 + 1e-6)),
        (operators.inv_back(2.0, 3.0), -0.75),
        (operators.relu_back(0.0, 3.0), 0.0),
        (operators.is_close(1.0, 1.0099), 1.0),
        (operators.is_close(1.0, 1.0101), 0.0),
        (operators.max(2.0, -3.0), 2.0),
        (operators.prod([]), 1.0),
        (operators.sum([0.5, 0.25]), 0.75),
        (operators.addLists([1.0], [2.0]), [3.0]),
        (operators.negList(iter([1.0])), [-1.0]),
    ],
)
def test_functions_of_numbers(found, expected):
    assert found == pytest.approx(expected, abs=1e-15)
    assert type(found) is type(expected)


def test_a_fold_gives_the_element_first():
    assert operators.reduce(lambda x, total: x - total, 1.0)([5.0, 7.0]) == 3.0


def test_derivatives_of_every_operator():
    def f(x, y):
        a = (x * y - 3) / (y + 2) + (1.5 - x).sigmoid() * 2.0
        return a + (x / 4).exp() + y.log() - (-x).relu() + 1 / y

    minitorch.derivative_check(f, Scalar(1.25), Scalar(0.75))


def test_a_value_used_twice_gets_both_derivatives():
    x = Scalar(3.0)
    y = x * x
    (y * y).backward()
    assert x.derivative == 4 * 27.0
    assert y.derivative is None


def test_constants_take_no_part():
    constant = Scalar(5.0, None)
    x = Scalar(2.0)
    (x * constant).backward()
    assert x.derivative == 5.0
    assert constant.derivative is None
    assert constant.is_constant()
    assert not constant.is_leaf()
    assert not minitorch.topological_sort(constant)


def test_the_chain_rule_lists_every_input():
    y = minitorch.scalar_functions.Mul.apply(3, Scalar(4.0))
    (first, d_first), (_, d_second) = y.chain_rule(2.0)
    assert (first.data, d_first, d_second) == (3.0, 8.0, 6.0)


def test_comparisons_are_flat():
    x, y = Scalar(1.0), Scalar(2.0)
    out = (x < y) + (x > y) * 10 + (x == y) * 100
    out.backward()
    assert (out.data, x.derivative, y.derivative) == (1.0, 0.0, 0.0)


def test_a_graph_may_be_deep():
    x = Scalar(1.0)
    y = x
    for _ in range(50_000):
        y = y + 1.0
    y.backward()
    assert x.derivative == 1.0


class Whole(ScalarFunction):
    """Returns an int, which is a mistake."""

    @staticmethod
    def forward(ctx, x):
        return 1


class Twice(ScalarFunction):
    """Returns one derivative for two arguments, which is a mistake."""

    @staticmethod
    def forward(ctx, x, y):
        return float(x + y)

    @staticmethod
    def backward(ctx, d):
        return d


def test_mistakes_in_a_function_are_named():
    with pytest.raises(AssertionError, match=r"\[Whole\] got int .* need a float"):
        Whole.apply(1.0)
    with pytest.raises(
        ValueError, match=r"\[Twice\] .* per argument \(2\), but returned 1"
    ):
        Twice.apply(Scalar(1.0), 2.0).backward()
    with pytest.raises(ValueError, match="not the result of an operation"):
        Scalar(1.0).chain_rule(1.0)


def test_names_and_histories():
    x = Scalar(1, name="x")
    assert (x.name, Scalar(0.5).history) == ("x", ScalarHistory())
    assert Scalar(2.0).name != Scalar(2.0).name
    step = ScalarHistory(minitorch.scalar_functions.Add, Context(), [x, x])
    assert [d for _, d in Scalar(2.0, step).chain_rule(5)] == [5, 5]
    assert repr(Scalar(0.5)) == "Scalar(0.5)"


# The share of the unit square that is labelled 1, from its geometry.
AREAS = {
    "Simple": 0.5,
    "Diag": 0.125,
    "Split": 0.4,
    "Xor": 0.5,
    "Circle": 1 - math.pi * 0.1,
    "Spiral": 0.5,
}


@pytest.mark.parametrize("name", minitorch.datasets)
def test_points(name):
    random.seed(7)
    found = minitorch.datasets[name](4000)
    assert found.N == len(found.X) == len(found.y) == 4000
    assert all(-0.5 <= x <= 1.5 and -0.5 <= y <= 1.5 for x, y in found.X)
    assert sum(found.y) / found.N == pytest.approx(AREAS[name], abs=0.03)


def test_modes():
    class Inner(minitorch.Module):
        pass

    class Outer(minitorch.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

    net = Outer()
    assert net.training
    net.eval()
    assert (net.training, net.inner.training) == (False, False)
    with pytest.raises(AttributeError, match="parameter, buffer or module 'x'"):
        _ = net.x
