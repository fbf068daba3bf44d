"""Owns the former name of `minitorch.learn.lessons`, which stays for one release."""

from __future__ import annotations

from ..learn.lessons import (
    EXERCISES,
    Answer,
    FunctionTask,
    Most,
    Question,
    ReplayedTask,
    Task,
    TensorTask,
    check,
)

__all__ = [
    "EXERCISES",
    "Answer",
    "FunctionTask",
    "Most",
    "Question",
    "ReplayedTask",
    "Task",
    "TensorTask",
    "check",
]


def __dir__() -> list[str]:
    return sorted(__all__)
