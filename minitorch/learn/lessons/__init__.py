"""The exercises of the lessons in `notebooks/`, and how they are checked."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module

from ..puzzles import Puzzle, Result
from .function_task import FunctionTask
from .question import Answer, Question
from .tensor_task import Most, ReplayedTask, TensorTask

__all__ = [
    "EXERCISES",
    "Answer",
    "FunctionTask",
    "Most",
    "Question",
    "ReplayedTask",
    "TensorTask",
    "check",
]


Exercise = Question | FunctionTask | TensorTask | Puzzle
_KINDS = (Question, FunctionTask, TensorTask, Puzzle)


def __dir__() -> list[str]:
    return sorted(__all__)


def _exercises() -> Iterator[Exercise]:
    """Yield the exercises of all modules `lesson…` in this folder."""
    for module in sorted(entry.name for entry in pkgutil.iter_modules(__path__)):
        if module.startswith("lesson"):
            names = vars(import_module(f".{module}", __package__))
            yield from (entry for entry in names.values() if isinstance(entry, _KINDS))


#: All exercises by name, in the order of lessons: "01.2" is the second of lesson 1.
EXERCISES: Mapping[str, Exercise] = {
    each.name: each for each in sorted(_exercises(), key=lambda each: each.name)
}


def check(name: str, answer: object) -> Answer | Result:
    """Judge an answer to an exercise, and return what to look at.

    Args:
        name: the lesson and the number of the exercise, such as "01.2".
        answer: for a question a whole number or a word; else the kernel, or the Python
            function where the lesson asks for one. None where there is none yet.

    Returns:
        An `Answer`, or a `minitorch.learn.puzzles.Result` of a kernel: true if it is
        right; its text says the rest.

    Raises:
        ValueError: there is no such exercise.
        TypeError: a kernel or a function is asked for, and this could not be one.

    Example:
        >>> check("02.1", 4)
        Exercise 02.1: right
    """
    exercise = EXERCISES.get(name) if isinstance(name, str) else None
    if exercise is None:
        first, *_, last = EXERCISES
        raise ValueError(
            f"[course] got exercise {name!r}; need a string from '{first}' to '{last}'."
        )
    return exercise.check(answer)
