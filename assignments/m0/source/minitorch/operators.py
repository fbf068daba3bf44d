"""The functions of plain numbers that everything later is built from.

Each takes and returns Python floats. Must not know tensors or graphs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

# Task 0.1: elementary functions.


def mul(x: float, y: float) -> float:
    """x * y"""
    ### BEGIN SOLUTION
    return x * y
    ### END SOLUTION


def id(x: float) -> float:
    """x itself"""
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION


def add(x: float, y: float) -> float:
    """x + y"""
    ### BEGIN SOLUTION
    return x + y
    ### END SOLUTION


def neg(x: float) -> float:
    """-x, as a float"""
    ### BEGIN SOLUTION
    return -float(x)
    ### END SOLUTION


def lt(x: float, y: float) -> float:
    """1.0 if x is less than y, else 0.0: a number, for later it has a derivative."""
    ### BEGIN SOLUTION
    return 1.0 if x < y else 0.0
    ### END SOLUTION


def eq(x: float, y: float) -> float:
    """1.0 if x equals y, else 0.0"""
    ### BEGIN SOLUTION
    return 1.0 if x == y else 0.0
    ### END SOLUTION


def max(x: float, y: float) -> float:
    """The larger of two numbers."""
    ### BEGIN SOLUTION
    return x if x > y else y
    ### END SOLUTION


def is_close(x: float, y: float) -> float:
    """1.0 if x and y differ by less than 0.01, else 0.0"""
    ### BEGIN SOLUTION
    return 1.0 if abs(x - y) < 1e-2 else 0.0
    ### END SOLUTION


def sigmoid(x: float) -> float:
    """1 / (1 + e^-x), an S from 0 to 1.

    e^1000 is no float. So that no call overflows, take the same fraction for negative
    x, with both sides multiplied by e^x.

    Example:
        >>> sigmoid(0.0), sigmoid(-1000.0)
        (0.5, 0.0)
    """
    ### BEGIN SOLUTION
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))
    ### END SOLUTION


def relu(x: float) -> float:
    """x where it is positive, else 0.0: a float for every argument."""
    ### BEGIN SOLUTION
    return float(x) if x > 0 else 0.0
    ### END SOLUTION


EPS = 1e-6  # added before the logarithm, so that log(0) is a number


def log(x: float) -> float:
    """The natural logarithm of x + EPS."""
    return math.log(x + EPS)


def exp(x: float) -> float:
    """e to the power of x"""
    return math.exp(x)


def log_back(x: float, d: float) -> float:
    """d times the derivative of `log` (with its EPS) at x"""
    ### BEGIN SOLUTION
    return d / (x + EPS)
    ### END SOLUTION


def inv(x: float) -> float:
    """1 / x"""
    ### BEGIN SOLUTION
    return 1.0 / x
    ### END SOLUTION


def inv_back(x: float, d: float) -> float:
    """d times the derivative of `inv` at x"""
    ### BEGIN SOLUTION
    return -d / (x * x)
    ### END SOLUTION


def relu_back(x: float, d: float) -> float:
    """d times the derivative of `relu` at x, which is 0 at 0"""
    ### BEGIN SOLUTION
    return float(d) if x > 0 else 0.0
    ### END SOLUTION


# Task 0.3: functions that make functions.


def map(fn: Callable[[float], float]) -> Callable[[Iterable[float]], list[float]]:
    """Turns a function of one number into a function of lists.

    Args:
        fn: A function of one number.

    Returns:
        A function of anything that can be iterated over once. It gives a new list and
        leaves the old one as it was.

    Example:
        >>> map(lambda x: 10 * x)([1.0, 2.0])
        [10.0, 20.0]
    """
    ### BEGIN SOLUTION
    return lambda values: [fn(x) for x in values]
    ### END SOLUTION


def negList(ls: Iterable[float]) -> list[float]:
    """Every element negated, by `map` and `neg`."""
    ### BEGIN SOLUTION
    return map(neg)(ls)
    ### END SOLUTION


def zipWith(
    fn: Callable[[float, float], float],
) -> Callable[[Iterable[float], Iterable[float]], list[float]]:
    """Turns a function of two numbers into a function of two lists.

    Args:
        fn: A function of two numbers.

    Returns:
        A function of two sequences, walked side by side until the shorter one ends.

    Example:
        >>> zipWith(lambda x, y: x - y)([3.0, 4.0], [1.0, 1.0])
        [2.0, 3.0]
    """
    ### BEGIN SOLUTION
    return lambda xs, ys: [fn(x, y) for x, y in zip(xs, ys, strict=False)]
    ### END SOLUTION


def addLists(ls1: Iterable[float], ls2: Iterable[float]) -> list[float]:
    """The sums of two lists, element by element, by `zipWith` and `add`."""
    ### BEGIN SOLUTION
    return zipWith(add)(ls1, ls2)
    ### END SOLUTION


def reduce(
    fn: Callable[[float, float], float], start: float
) -> Callable[[Iterable[float]], float]:
    """Turns a function of two numbers into a fold: fn(x3, fn(x2, fn(x1, start))).

    Args:
        fn: Joins an element (first) with what the elements before gave (second).
        start: What an empty list gives.

    Returns:
        A function of anything that can be iterated over.

    Example:
        >>> reduce(lambda x, total: 10 * total + x, 0.0)([1.0, 2.0, 3.0])
        123.0
    """

    ### BEGIN SOLUTION
    def fold(values: Iterable[float]) -> float:
        total = start
        for x in values:
            total = fn(x, total)
        return total

    return fold
    ### END SOLUTION


def sum(ls: Iterable[float]) -> float:
    """The sum of a list, by `reduce`; 0.0 of an empty one."""
    ### BEGIN SOLUTION
    return reduce(add, 0.0)(ls)
    ### END SOLUTION


def prod(ls: Iterable[float]) -> float:
    """The product of a list, by `reduce`; 1.0 of an empty one."""
    ### BEGIN SOLUTION
    return reduce(mul, 1.0)(ls)
    ### END SOLUTION
