"""What an assignment asks for, what was handed in, and secret inputs."""

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
