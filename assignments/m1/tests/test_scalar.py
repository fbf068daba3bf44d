"""The public tests of tasks 1.1, 1.2 and part of 1.4: functions of Scalars."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis.strategies import DrawFn, composite

import minitorch
from minitorch import (
    MathTestVariable,
    Scalar,
    central_difference,
    derivative_check,
    operators,
)

from .strategies import assert_close, small_floats


@composite
def small_scalars(draw: DrawFn) -> Scalar:
    """A leaf from -100 to 100."""
    return Scalar(draw(small_floats))


# Task 1.1


@pytest.mark.task1_1
def test_central_diff() -> None:
    """Functions whose derivatives are known."""
    assert_close(central_difference(operators.id, 5.0), 1.0)
    assert_close(central_difference(operators.add, 5.0, 10.0, arg=0), 1.0)
    assert_close(central_difference(operators.mul, 5.0, 10.0, arg=0), 10.0)
    assert_close(central_difference(operators.mul, 5.0, 10.0, arg=1), 5.0)
    assert_close(central_difference(operators.exp, 2.0), math.exp(2.0))


@pytest.mark.task1_1
def test_central_diff_moves_one_argument() -> None:
    """Both calls are as far from the point, and the others stand still."""
    seen = []

    def watched(x: float, y: float, z: float) -> float:
        seen.append((x, y, z))
        return x + 10 * y + 100 * z

    assert_close(central_difference(watched, 1.0, 2.0, 3.0, arg=1, epsilon=0.5), 10.0)
    assert len(seen) == 2
    assert {(x, z) for x, _, z in seen} == {(1.0, 3.0)}
    assert sum(y for _, y, _ in seen) == pytest.approx(4.0)


# Task 1.2


@pytest.mark.task1_2
@given(small_floats, small_floats)
def test_simple(a: float, b: float) -> None:
    """A Scalar computes as a number does."""
    assert_close((Scalar(a) + Scalar(b)).data, a + b)
    assert_close((Scalar(a) - Scalar(b)).data, a - b)
    assert_close((Scalar(a) * Scalar(b)).data, a * b)
    assert_close((-Scalar(a)).data, -a)
    expected = operators.relu(a) + operators.relu(b)
    assert_close((Scalar(a).relu() + Scalar(b).relu()).data, expected)


@pytest.mark.task1_2
def test_numbers_on_either_side() -> None:
    """Python turns 2 - x into x.__rsub__(2), and so on."""
    x = Scalar(4)
    assert [(x + 2).data, (2 + x).data] == [6.0, 6.0]
    assert [(x - 1).data, (1 - x).data] == [3.0, -3.0]
    assert [(x * 3).data, (3 * x).data] == [12.0, 12.0]
    assert [(x / 2).data, (2 / x).data] == [2.0, 0.5]
    assert [(x < 5).data, (x > 5).data, (x == 4).data] == [1.0, 0.0, 1.0]
    assert [(x < 4).data, (x > 4).data, (x == 5).data] == [0.0, 0.0, 0.0]


@pytest.mark.task1_2
def test_history() -> None:
    """A result knows its function and its arguments, a number of yours does not."""
    x, y = Scalar(2.0), Scalar(3.0)
    product = x * y
    assert product.history is not None
    assert product.history.last_fn is minitorch.scalar_functions.Mul
    assert [each.unique_id for each in product.parents] == [x.unique_id, y.unique_id]
    assert x.is_leaf()
    assert not product.is_leaf()


one_arg, two_arg, _ = MathTestVariable._comp_testing()
Named = tuple[str, Callable[..., Any], Callable[..., Any]]

# Where a function jumps there is no derivative: how far two numbers are from a jump.
JUMPS = {
    "gt2": lambda a, b: a + 1.2 - b,
    "lt2": lambda a, b: a + 1.2 - b,
    "eq2": lambda a, b: a - b - 5.5,
    "div2": lambda a, b: b + 5.5,
    "inv": lambda a: a + 3.5,
    "relu": lambda a: a + 5.5,
    "complex": lambda a: min(abs(a * 10 + 7), abs((a * 10 + 7) * 6 + 5)),
}


def far_from_jumps(name: str, *numbers: float) -> None:
    """Asks hypothesis for other numbers, if there is a jump near these."""
    if name in JUMPS:
        assume(abs(JUMPS[name](*numbers)) > 0.05)


@pytest.mark.task1_2
@pytest.mark.parametrize("fn", one_arg)
@given(small_scalars())
def test_one_args(fn: Named, t1: Scalar) -> None:
    """Functions of one Scalar, beside the same of a number."""
    name, base_fn, scalar_fn = fn
    far_from_jumps(name, t1.data)
    assert scalar_fn(t1).data == pytest.approx(base_fn(t1.data), abs=1e-2)


@pytest.mark.task1_2
@pytest.mark.parametrize("fn", two_arg)
@given(small_scalars(), small_scalars())
def test_two_args(fn: Named, t1: Scalar, t2: Scalar) -> None:
    """Functions of two Scalars, beside the same of numbers."""
    name, base_fn, scalar_fn = fn
    far_from_jumps(name, t1.data, t2.data)
    expected = base_fn(t1.data, t2.data)
    assert scalar_fn(t1, t2).data == pytest.approx(expected, abs=1e-2)


# Task 1.4


@pytest.mark.task1_4
@pytest.mark.parametrize("fn", one_arg)
@given(small_scalars())
def test_one_derivative(fn: Named, t1: Scalar) -> None:
    """`backward` beside a central difference."""
    name, _, scalar_fn = fn
    far_from_jumps(name, t1.data)
    derivative_check(scalar_fn, t1)


@pytest.mark.task1_4
@pytest.mark.parametrize("fn", two_arg)
@given(small_scalars(), small_scalars())
def test_two_derivative(fn: Named, t1: Scalar, t2: Scalar) -> None:
    """By both arguments."""
    name, _, scalar_fn = fn
    far_from_jumps(name, t1.data, t2.data)
    derivative_check(scalar_fn, t1, t2)
