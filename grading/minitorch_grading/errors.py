"""Errors of wrong files, folders and options."""

from __future__ import annotations


class UsageError(ValueError):
    """A wrong file, folder or option; `minitorch course` prints only its message."""


class AssignmentError(UsageError):
    """A fault of the teacher's files: no student loses points.

    Args:
        words: What is there and what is needed instead.
        position: A file or `file:line`; "" where the words name it.

    Example:
        >>> raise AssignmentError("got no [[task]]; need one.", "m3/assignment.toml")
        Traceback (most recent call last):
        minitorch_grading.errors.AssignmentError: [m3/assignment.toml] got no ...
    """

    def __init__(self, words: str, position: str = "") -> None:
        super().__init__(f"[{position}] {words}" if position else words)
        self.words, self.position = words, position
