"""Exercises that ask for a function, and their checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .question import Answer


@dataclass(frozen=True)
class CalledTask:
    """A function to write; subclasses define how one call of it is judged."""

    name: str
    specification: Callable[..., Any]
    cases: tuple[tuple[Any, ...], ...]
    hint: str

    def check(self, answer: object) -> Answer:
        """Judge a function, as `minitorch.learn.lessons.check` does.

        Raises:
            TypeError: it is no function.
        """
        if answer is None or answer is ...:
            return Answer(self.name, "not yet", self.hint)
        if not callable(answer):
            raise TypeError(
                f"[course] got {type(answer).__name__} for exercise {self.name}; need "
                "a Python function."
            )
        judged = Answer(self.name, "right")
        for case in self.cases:
            try:
                judged = self._judge(answer, case)
            except Exception as error:  # a learner's function may raise anything
                message = f"{call_of(answer, case)} raised {type(error).__name__}"
                judged = Answer(self.name, "wrong", f"{message}: {error}")
            if not judged:
                break
        return judged

    def _judge(self, function: Callable[..., Any], case: tuple[Any, ...]) -> Answer:
        raise NotImplementedError


@dataclass(frozen=True)
class FunctionTask(CalledTask):
    """A function to write; it is called with a few arguments and its results compared.

    Attributes:
        name: the lesson and the number of the exercise, such as "12.3".
        specification: gives the right results.
        cases: arguments of the calls.
        hint: said where nothing is returned yet.
    """

    def _judge(self, function: Callable[..., Any], case: tuple[Any, ...]) -> Answer:
        got = function(*case)
        if got is None or got is Ellipsis:
            return Answer(self.name, "not yet", self.hint)
        expected = self.specification(*case)
        if _same(got, expected):
            return Answer(self.name, "right")
        message = f"{call_of(function, case)} gave {got!r}; need {expected!r}."
        return Answer(self.name, "wrong", message)


def call_of(function: Any, case: tuple[Any, ...]) -> str:
    """Return a call as text: "f(2, a tensor (3, 4))"."""
    given = [
        f"a tensor {value.shape}"
        if isinstance(value, np.ndarray)
        else getattr(value, "__name__", repr(value))
        for value in case
    ]
    return f"{getattr(function, '__name__', 'f')}({', '.join(given)})"


def _same(got: Any, expected: Any) -> bool:
    """Return whether shapes are equal and numbers equal up to rounding."""
    try:
        one, other = np.asarray(got, float), np.asarray(expected, float)
    except (TypeError, ValueError):
        return False
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-6, atol=1e-9)
