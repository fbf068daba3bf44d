"""A kernel that a lesson asks for; it is judged like a puzzle."""

from __future__ import annotations

from dataclasses import dataclass

from ..puzzles import Puzzle


@dataclass(frozen=True, repr=False)
class Task(Puzzle):
    """A kernel to write in a lesson; a puzzle with the name of an exercise.

    Attributes:
        name: the lesson and the number of the exercise, such as "01.2".
    """

    name: str

    @property
    def label(self) -> str:
        """Name in texts, without the title."""
        return f"Exercise {self.name}"
