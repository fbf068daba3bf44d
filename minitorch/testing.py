"""Functions for testing all kinds of variables.

Each exists twice: over plain numbers (MathTest) and over Scalars or tensors
(MathTestVariable). Names ending in `2` take two arguments, in `red` a list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import operators

__all__ = [
    "MathTest",
    "MathTestVariable",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Case = tuple[str, Callable[..., Any]]
Compared = tuple[str, Callable[..., Any], Callable[..., Any]]


class MathTest:
    """Functions of plain numbers."""

    @staticmethod
    def neg(a: Any) -> Any:
        """-a"""
        return -a

    @staticmethod
    def addConstant(a: Any) -> Any:
        """A number on the left of +."""
        return 5 + a

    @staticmethod
    def square(a: Any) -> Any:
        """The same value on both sides."""
        return a * a

    @staticmethod
    def cube(a: Any) -> Any:
        """The same value three times."""
        return a * a * a

    @staticmethod
    def subConstant(a: Any) -> Any:
        """A number on the right of -."""
        return a - 5

    @staticmethod
    def multConstant(a: Any) -> Any:
        """A number on the left of *."""
        return 5 * a

    @staticmethod
    def div(a: Any) -> Any:
        """A number on the right of /."""
        return a / 5

    @staticmethod
    def inv(a: Any) -> Any:
        """The inverse of a shifted value."""
        return operators.inv(a + 3.5)

    @staticmethod
    def sig(a: Any) -> Any:
        """Sigmoid."""
        return operators.sigmoid(a)

    @staticmethod
    def log(a: Any) -> Any:
        """Logarithm, far from 0."""
        return operators.log(a + 100000)

    @staticmethod
    def relu(a: Any) -> Any:
        """Relu with its corner moved."""
        return operators.relu(a + 5.5)

    @staticmethod
    def exp(a: Any) -> Any:
        """Exponential, where it cannot overflow."""
        return operators.exp(a - 200)

    @staticmethod
    def explog(a: Any) -> Any:
        """The sum of `log` and `exp`."""
        return operators.log(a + 100000) + operators.exp(a - 200)

    @staticmethod
    def complex(a: Any) -> Any:
        """Many functions inside one another."""
        inner = operators.relu(operators.relu(a * 10 + 7) * 6 + 5)
        return operators.log(operators.sigmoid(inner * 10)) / 50

    @staticmethod
    def add2(a: Any, b: Any) -> Any:
        """a + b"""
        return a + b

    @staticmethod
    def mul2(a: Any, b: Any) -> Any:
        """a * b"""
        return a * b

    @staticmethod
    def div2(a: Any, b: Any) -> Any:
        """Division by a shifted value."""
        return a / (b + 5.5)

    @staticmethod
    def gt2(a: Any, b: Any) -> Any:
        """A shifted value > b."""
        return operators.lt(b, a + 1.2)

    @staticmethod
    def lt2(a: Any, b: Any) -> Any:
        """A shifted value < b."""
        return operators.lt(a + 1.2, b)

    @staticmethod
    def eq2(a: Any, b: Any) -> Any:
        """a == a shifted value."""
        return operators.eq(a, b + 5.5)

    @staticmethod
    def sum_red(a: Any) -> Any:
        """The sum of a list."""
        return operators.sum(a)

    @staticmethod
    def mean_red(a: Any) -> Any:
        """The mean of a list."""
        return operators.sum(a) / float(len(a))

    @staticmethod
    def mean_full_red(a: Any) -> Any:
        """The mean of a list, again."""
        return operators.sum(a) / float(len(a))

    @classmethod
    def _tests(cls) -> tuple[list[Case], list[Case], list[Case]]:
        """Return this class's functions of one number, of two, and of a list."""
        one: list[Case] = []
        two: list[Case] = []
        many: list[Case] = []
        for name in sorted(vars(MathTest)):
            if name.startswith("_"):
                continue
            kind = two if name.endswith("2") else many if name.endswith("red") else one
            kind.append((name, getattr(cls, name)))
        return one, two, many

    @classmethod
    def _comp_testing(cls) -> tuple[list[Compared], list[Compared], list[Compared]]:
        """Return `_tests`, each with the same function of plain numbers."""
        pairs = zip(MathTest._tests(), cls._tests(), strict=True)
        one, two, many = (
            [
                (name, plain, function)
                for (name, plain), (_, function) in zip(p, o, strict=True)
            ]
            for p, o in pairs
        )
        return one, two, many


class MathTestVariable(MathTest):
    """The same functions of Scalars and tensors, with their own methods."""

    @staticmethod
    def inv(a: Any) -> Any:
        """A number on the left of /."""
        return 1.0 / (a + 3.5)

    @staticmethod
    def sig(a: Any) -> Any:
        """Sigmoid."""
        return a.sigmoid()

    @staticmethod
    def log(a: Any) -> Any:
        """Logarithm, far from 0."""
        return (a + 100000).log()

    @staticmethod
    def relu(a: Any) -> Any:
        """Relu with its corner moved."""
        return (a + 5.5).relu()

    @staticmethod
    def exp(a: Any) -> Any:
        """Exponential, where it cannot overflow."""
        return (a - 200).exp()

    @staticmethod
    def explog(a: Any) -> Any:
        """The sum of `log` and `exp`."""
        return (a + 100000).log() + (a - 200).exp()

    @staticmethod
    def complex(a: Any) -> Any:
        """Many functions inside one another."""
        inner = ((a * 10 + 7).relu() * 6 + 5).relu()
        return (inner * 10).sigmoid().log() / 50

    @staticmethod
    def gt2(a: Any, b: Any) -> Any:
        """A shifted value > b."""
        return a + 1.2 > b

    @staticmethod
    def lt2(a: Any, b: Any) -> Any:
        """A shifted value < b."""
        return a + 1.2 < b

    @staticmethod
    def eq2(a: Any, b: Any) -> Any:
        """a == a shifted value."""
        return a == (b + 5.5)

    @staticmethod
    def sum_red(a: Any) -> Any:
        """The sum along the first dimension."""
        return a.sum(0)

    @staticmethod
    def mean_red(a: Any) -> Any:
        """The mean along the first dimension."""
        return a.mean(0)

    @staticmethod
    def mean_full_red(a: Any) -> Any:
        """The mean of all elements."""
        return a.mean()
