"""Your own tests of operators (task 0.2): they are handed in, and judged.

They must pass for right operators and fail for wrong ones: the grader tries them on
five files of operators with a fault each, which you do not get to see. Which property
would a fault break? hypothesis finds the numbers.

Keep to `minitorch.operators` and hypothesis: no other file of yours is there.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import floats, lists

from minitorch import operators

small_floats = floats(min_value=-100, max_value=100, allow_nan=False)
five_floats = lists(small_floats, min_size=5, max_size=5)

# Floats are rounded: compare what is computed in two ways with
# `operators.is_close(a, b) == 1.0`, or with a tolerance of your own.


@pytest.mark.task0_2
@given(small_floats)
def test_sigmoid(a: float) -> None:
    """Task 0.2: what is true of the sigmoid at every number?

    It lies between 0 and 1; 1 - sigmoid(a) is sigmoid(-a); it is 0.5 at 0; it never
    falls, and near 0 it rises.
    """
    ### BEGIN SOLUTION
    here = operators.sigmoid(a)
    assert 0.0 <= here <= 1.0
    assert abs(1.0 - here - operators.sigmoid(-a)) < 1e-9
    assert operators.sigmoid(0.0) == 0.5
    assert here <= operators.sigmoid(a + 0.5)
    if abs(a) < 10:
        assert here < operators.sigmoid(a + 0.5)
    ### END SOLUTION


@pytest.mark.task0_2
@given(small_floats, small_floats, small_floats)
def test_transitive(a: float, b: float, c: float) -> None:
    """Task 0.2: if a < b and b < c, what of a and c?"""
    ### BEGIN SOLUTION
    if operators.lt(a, b) == 1.0 and operators.lt(b, c) == 1.0:
        assert operators.lt(a, c) == 1.0
    ### END SOLUTION


@pytest.mark.task0_2
@given(small_floats, small_floats)
def test_symmetric(a: float, b: float) -> None:
    """Task 0.2: a product does not care for the order."""
    ### BEGIN SOLUTION
    assert operators.mul(a, b) == operators.mul(b, a)
    ### END SOLUTION


@pytest.mark.task0_2
@given(small_floats, small_floats, small_floats)
def test_distribute(x: float, y: float, z: float) -> None:
    """Task 0.2: z * (x + y) is z * x + z * y, up to rounding."""
    ### BEGIN SOLUTION
    at_once = operators.mul(z, operators.add(x, y))
    one_by_one = operators.add(operators.mul(z, x), operators.mul(z, y))
    assert abs(at_once - one_by_one) < 1e-6
    ### END SOLUTION


@pytest.mark.task0_2
@given(small_floats, small_floats)
def test_other(a: float, b: float) -> None:
    """Task 0.2: something else that is true, of your choice."""
    ### BEGIN SOLUTION
    larger = operators.max(a, b)
    assert operators.eq(larger, a) == 1.0 or operators.eq(larger, b) == 1.0
    assert operators.lt(larger, a) == 0.0
    assert operators.lt(larger, b) == 0.0
    ### END SOLUTION


@pytest.mark.task0_2
@given(five_floats, five_floats)
def test_sum_distribute(ls1: list[float], ls2: list[float]) -> None:
    """Task 0.2: the sum of `addLists(ls1, ls2)`, and the sums of each list."""
    ### BEGIN SOLUTION
    together = operators.sum(operators.addLists(ls1, ls2))
    apart = operators.sum(ls1) + operators.sum(ls2)
    assert abs(together - apart) < 1e-6
    ### END SOLUTION
