"""Functions of plain numbers that everything else is built from (module 0).

Each takes and returns Python floats, so that it can be read, tested, handed to
`TensorOps.map` and translated into a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

__all__ = [
    "EPS",
    "add",
    "addLists",
    "eq",
    "exp",
    "inv",
    "inv_back",
    "is_close",
    "log",
    "log_back",
    "lt",
    "mul",
    "neg",
    "negList",
    "prod",
    "reduce",
    "relu",
    "relu_back",
    "sigmoid",
    "zipWith",
]

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("id", "map", "max", "sum")


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])


EPS = 1e-6  # added before the logarithm, so that log(0) is a number


def mul(x: float, y: float) -> float:
    """Return x * y."""
    return x * y


def id(x: float) -> float:
    """Return x."""
    return x


def add(x: float, y: float) -> float:
    """Return x + y."""
    return x + y


def neg(x: float) -> float:
    """Return -x."""
    return -x


def lt(x: float, y: float) -> float:
    """Return 1.0 if x < y, else 0.0."""
    return 1.0 if x < y else 0.0


def eq(x: float, y: float) -> float:
    """Return 1.0 if x == y, else 0.0."""
    return 1.0 if x == y else 0.0


def max(x: float, y: float) -> float:
    """Return the larger of two numbers."""
    return x if x > y else y


def is_close(x: float, y: float) -> float:
    """Return 1.0 if the two differ by less than 0.01, else 0.0."""
    return 1.0 if abs(x - y) < 1e-2 else 0.0


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)), written so that exp never overflows.

    Example:
        >>> sigmoid(0.0), sigmoid(-1000.0)
        (0.5, 0.0)
    """
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


def relu(x: float) -> float:
    """Return x if it is positive, else 0.0."""
    return x if x > 0 else 0.0


def log(x: float) -> float:
    """Return the natural logarithm of x + EPS."""
    return math.log(x + EPS)


def exp(x: float) -> float:
    """Return e to the power of x."""
    return math.exp(x)


def log_back(x: float, d: float) -> float:
    """Return d times the derivative of `log` at x."""
    return d / (x + EPS)


def inv(x: float) -> float:
    """Return 1 / x."""
    return 1.0 / x


def inv_back(x: float, d: float) -> float:
    """Return d times the derivative of `inv` at x."""
    return -d / (x * x)


def relu_back(x: float, d: float) -> float:
    """Return d times the derivative of `relu` at x, which is 0 at 0."""
    return d if x > 0 else 0.0


def map(fn: Callable[[float], float]) -> Callable[[Iterable[float]], list[float]]:
    """Return a function that applies `fn` to each element of a list.

    Example:
        >>> map(neg)([1.0, 2.0])
        [-1.0, -2.0]
    """
    return lambda values: [fn(x) for x in values]


def negList(ls: Iterable[float]) -> list[float]:
    """Negate each element."""
    return map(neg)(ls)


def zipWith(
    fn: Callable[[float, float], float],
) -> Callable[[Iterable[float], Iterable[float]], list[float]]:
    """Return a function that applies `fn` to pairs of two lists, up to the shorter's
    end.

    Example:
        >>> zipWith(mul)([1.0, 2.0], [3.0, 4.0])
        [3.0, 8.0]
    """
    return lambda xs, ys: [fn(x, y) for x, y in zip(xs, ys, strict=False)]


def addLists(ls1: Iterable[float], ls2: Iterable[float]) -> list[float]:
    """Add two lists element by element."""
    return zipWith(add)(ls1, ls2)


def reduce(
    fn: Callable[[float, float], float], start: float
) -> Callable[[Iterable[float]], float]:
    """Return a function that folds a list: fn(x2, fn(x1, start)).

    Example:
        >>> reduce(lambda x, total: total * 10 + x, 0.0)([1.0, 2.0])
        12.0
    """

    def fold(values: Iterable[float]) -> float:
        total = start
        for x in values:
            total = fn(x, total)
        return total

    return fold


def sum(ls: Iterable[float]) -> float:
    """Return the sum of a list, 0.0 if it is empty."""
    return reduce(add, 0.0)(ls)


def prod(ls: Iterable[float]) -> float:
    """Return the product of a list, 1.0 if it is empty."""
    return reduce(mul, 1.0)(ls)
