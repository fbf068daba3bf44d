"""A kernel that must not use one function."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..puzzles import Result
from .task import Task


@dataclass(frozen=True, repr=False)
class TaskWithout(Task):
    """A kernel to write in a lesson without a function of `cuda`.

    Attributes:
        without: the function's name: "grid" is `cuda.grid`.
        instead: what to use in its place.
    """

    without: str
    instead: str

    def check(self, kernel: object, *, tolerate: Iterable[str] = ()) -> Result:
        """Run a kernel on all launches; see `minitorch.learn.puzzles.check`."""
        result = super().check(kernel, tolerate=tolerate)
        if not result.solved or not _uses(kernel, self.without):
            return result
        return replace(
            result,
            state="not as asked",
            advice=f"Values are right on all inputs, but the kernel uses "
            f"cuda.{self.without}, and here it has to do without. {self.instead}",
        )


def _uses(kernel: object, name: str) -> bool:
    """Return whether a Python kernel uses `cuda.name`, or `name` if it was imported."""
    function: Any = getattr(kernel, "py_func", kernel)
    if not inspect.isfunction(function):
        return False
    from ... import cuda
    from ...cuda.language.source import find_source

    meant = getattr(cuda, name)
    return any(
        node.attr == name
        if isinstance(node, ast.Attribute)
        else isinstance(node, ast.Name) and function.__globals__.get(node.id) is meant
        for node in ast.walk(find_source(function).node)
    )
