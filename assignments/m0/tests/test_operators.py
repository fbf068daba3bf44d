"""The public tests of tasks 0.1 and 0.3: functions, and what makes them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis.strategies import lists

from minitorch import MathTest
from minitorch.operators import (
    EPS,
    add,
    addLists,
    eq,
    id,
    inv,
    inv_back,
    is_close,
    log,
    log_back,
    lt,
    map,
    max,
    mul,
    neg,
    negList,
    prod,
    reduce,
    relu,
    relu_back,
    sigmoid,
    sum,
    zipWith,
)

from .strategies import assert_close, small_floats

# Task 0.1: hypothesis draws numbers, and looks for the ones that hurt.


@pytest.mark.task0_1
@given(small_floats, small_floats)
def test_same_as_python(x: float, y: float) -> None:
    """Python has these functions as operators."""
    assert_close(mul(x, y), x * y)
    assert_close(add(x, y), x + y)
    assert_close(neg(x), -x)
    assert_close(max(x, y), x if x > y else y)
    if abs(x) > 1e-5:
        assert_close(inv(x), 1.0 / x)


@pytest.mark.task0_1
@pytest.mark.parametrize("x", [-3, 0, 2])
def test_always_a_float(x: int) -> None:
    """A later module refuses what is no float, even where integers come in."""
    for function in (neg, relu):
        assert isinstance(function(x), float), function.__name__
    for function in (lt, eq, is_close):
        assert isinstance(function(x, 2), float), function.__name__
    assert isinstance(relu_back(x, 5), float)


@pytest.mark.task0_1
@given(small_floats)
def test_relu(a: float) -> None:
    """relu keeps what is positive."""
    if a > 0:
        assert relu(a) == a
    if a <= 0:
        assert relu(a) == 0.0


@pytest.mark.task0_1
@given(small_floats, small_floats)
def test_relu_back(a: float, b: float) -> None:
    """relu_back lets a derivative through where relu let the number through."""
    if a > 0:
        assert relu_back(a, b) == b
    if a <= 0:
        assert relu_back(a, b) == 0.0


@pytest.mark.task0_1
@given(small_floats)
def test_id(a: float) -> None:
    """id does nothing, and that is all."""
    assert id(a) == a


@pytest.mark.task0_1
@given(small_floats)
def test_lt(a: float) -> None:
    """Less than: not equal, and not the other way round."""
    assert lt(a - 1.0, a) == 1.0
    assert lt(a, a - 1.0) == 0.0
    assert lt(a, a) == 0.0


@pytest.mark.task0_1
@given(small_floats)
def test_max(a: float) -> None:
    """The larger one, wherever it stands."""
    assert max(a - 1.0, a) == a
    assert max(a, a - 1.0) == a
    assert max(a + 1.0, a) == a + 1.0
    assert max(a, a + 1.0) == a + 1.0


@pytest.mark.task0_1
@given(small_floats)
def test_eq(a: float) -> None:
    """Equal to itself alone."""
    assert eq(a, a) == 1.0
    assert eq(a, a - 1.0) == 0.0
    assert eq(a, a + 1.0) == 0.0


@pytest.mark.task0_1
def test_is_close() -> None:
    """A hundredth is the limit, on both sides."""
    assert is_close(2.0, 2.009) == 1.0
    assert is_close(2.009, 2.0) == 1.0
    assert is_close(2.0, 2.02) == 0.0
    assert is_close(2.02, 2.0) == 0.0


@pytest.mark.task0_1
def test_sigmoid_of_large_numbers() -> None:
    """math.exp(1000) is an OverflowError; a sigmoid is never one."""
    assert sigmoid(1000.0) == 1.0
    assert sigmoid(-1000.0) == 0.0
    assert_close(sigmoid(2.0), 1 / (1 + math.exp(-2.0)))


@pytest.mark.task0_1
def test_derivatives() -> None:
    """d times the slope: compare it with the slope of a chord."""
    x, d, h = 1.7, 3.0, 1e-6
    for function, back in ((log, log_back), (inv, inv_back), (relu, relu_back)):
        chord = (function(x + h) - function(x - h)) / (2 * h)
        assert back(x, d) == pytest.approx(d * chord, rel=1e-4), back.__name__


# Task 0.3: functions of functions.


@pytest.mark.task0_3
@given(small_floats, small_floats, small_floats, small_floats)
def test_zip_with(a: float, b: float, c: float, d: float) -> None:
    """Two lists side by side."""
    x1, x2 = addLists([a, b], [c, d])
    assert_close(x1, a + c)
    assert_close(x2, b + d)


@pytest.mark.task0_3
def test_zip_with_ends_with_the_shorter() -> None:
    """Whatever is left of the longer list is not looked at."""
    assert list(zipWith(mul)([1.0, 2.0, 3.0], [4.0])) == [4.0]


@pytest.mark.task0_3
@given(lists(small_floats))
def test_sum(ls: list[float]) -> None:
    """As Python adds."""
    total = 0.0
    for x in ls:
        total += x
    assert_close(sum(ls), total)


@pytest.mark.task0_3
@given(small_floats, small_floats, small_floats)
def test_prod(x: float, y: float, z: float) -> None:
    """As Python multiplies."""
    assert_close(prod([x, y, z]), x * y * z)


@pytest.mark.task0_3
@given(lists(small_floats))
def test_negList(ls: list[float]) -> None:
    """A new list; the old one is somebody else's."""
    before = list(ls)
    after = list(negList(ls))
    assert after == [-x for x in before]
    assert ls == before


@pytest.mark.task0_3
def test_map_of_what_is_seen_once() -> None:
    """A generator has no length and can be walked once."""
    assert list(map(neg)(float(i) for i in range(3))) == [0.0, -1.0, -2.0]


@pytest.mark.task0_3
def test_reduce_from_the_left() -> None:
    """fn(x3, fn(x2, fn(x1, start))): digits show the order."""
    digits = reduce(lambda x, total: 10 * total + x, 7.0)
    assert digits([1.0, 2.0, 3.0]) == 7123.0
    assert digits([]) == 7.0


# All functions that later modules are tested with: none may fail.

one_arg, two_arg, _ = MathTest._tests()


@pytest.mark.parametrize("fn", one_arg)
@given(small_floats)
def test_one_args(fn: tuple[str, Callable[[float], float]], t1: float) -> None:
    """Every function of one number has a value everywhere."""
    assert isinstance(fn[1](t1), float)


@pytest.mark.parametrize("fn", two_arg)
@given(small_floats, small_floats)
def test_two_args(
    fn: tuple[str, Callable[[float, float], float]], t1: float, t2: float
) -> None:
    """Every function of two numbers has a value, but for a division by 0."""
    if fn[0] != "div2" or t2 != -5.5:
        assert isinstance(fn[1](t1, t2), float)


@given(small_floats, small_floats)
def test_backs(a: float, b: float) -> None:
    """Derivatives where there is one."""
    relu_back(a, b)
    if a != -2.4:
        inv_back(a + 2.4, b)
    log_back(abs(a) + 4 - EPS, b)
