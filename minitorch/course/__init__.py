"""Owns the exercises of the lessons in `notebooks/`, and how they are checked.

Must not know the notebooks, nor kernels that solve an exercise.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..puzzles import Result
from . import (
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
    lesson_11,
    lesson_12,
    lesson_13,
    lesson_14,
    lessons_00_to_03,
)
from .function_task import FunctionTask
from .question import Answer, Question
from .task import Task

__all__ = ["EXERCISES", "Answer", "FunctionTask", "Question", "Task", "check"]


def __dir__() -> list[str]:
    return sorted(__all__)


#: All exercises by name: "01.2" is the second of lesson 1.
EXERCISES: Mapping[str, Question | FunctionTask | Task] = {
    each.name: each
    for lesson in (
        lessons_00_to_03,
        lesson_04,
        lesson_05,
        lesson_06,
        lesson_07,
        lesson_08,
        lesson_09,
        lesson_10,
        lesson_11,
        lesson_12,
        lesson_13,
        lesson_14,
    )
    for each in lesson.EXERCISES
}


def check(name: str, answer: object) -> Answer | Result:
    """Judge what a reader hands in for an exercise, and say what to look at.

    Args:
        name: the lesson and the number of the exercise, such as "01.2".
        answer: for a question a whole number or a word; else the kernel, or the Python
            function where the lesson asks for one. None where there is none yet.

    Returns:
        An `Answer`, or a `minitorch.puzzles.Result` of a kernel: true if it is right;
        its text says the rest.

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
            f"[course] got exercise {name!r}; need a name from '{first}' to '{last}', "
            f"as a text.{_nearest(name)}"
        )
    return exercise.check(answer)


def _nearest(name: object) -> str:
    """A name that could be meant, or the names of its lesson."""
    lesson, dot, number = str(name).strip().partition(".")
    lesson = lesson and lesson.zfill(2)
    whole = f"{lesson}{dot}{number.lstrip('0')}"
    if whole in EXERCISES:
        return f" Did you mean '{whole}'?"
    names = [each for each in EXERCISES if each.startswith(f"{lesson}.")]
    return f" Lesson {lesson} has {', '.join(names)}." if names else ""
