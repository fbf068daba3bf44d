"""Owns what an assignment asks for, what was handed in, and secret inputs.

Must not know how a submission is run, or what a report looks like.
"""

from __future__ import annotations

from .assignment import (
    Assignment,
    AssignmentError,
    Item,
    Limits,
    Row,
    Task,
    read_assignment,
)

__all__ = [
    "Assignment",
    "AssignmentError",
    "Item",
    "Limits",
    "Row",
    "Task",
    "read_assignment",
]
