"""Convert a learner's submission to a launchable kernel, or explain why not."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ... import cuda
from .exercise import Exercise


class NotAKernel(ValueError):
    """Raised when a submission cannot be launched; the message is for the learner."""


def launchable(kernel: object, puzzle: Exercise) -> Any:
    """Return a kernel for `[grid, block](...)`, from any supported form.

    Args:
        kernel: a Python function, a `cuda.jit` kernel, a `cuda.RawKernel`, or a
            function of one argument, `cuda`, that returns the kernel.
        puzzle: whose arguments it must take.

    Raises:
        NotAKernel: a kernel with other arguments, or a factory that returns none.
        TypeError: the object cannot be a kernel.
    """
    if inspect.isfunction(kernel) and len(_parameters(kernel)) == 1:
        kernel = _made_by(kernel)
    _check_arguments(getattr(kernel, "py_func", kernel), puzzle)
    # Not all that has brackets: it could compute with NumPy and launch nothing.
    if isinstance(kernel, (cuda.Dispatcher, cuda.Kernel)):
        return kernel
    if inspect.isfunction(kernel):
        return cuda.jit(kernel)
    raise TypeError(
        f"[puzzles] got {type(kernel).__name__}; need a kernel: a Python function, a "
        "cuda.jit kernel or a cuda.RawKernel."
    )


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def rebound_output(kernel: object) -> str:
    """Return the name of the output if a kernel assigns to the name: `out = ...`.

    Python allows this, but it leaves the array as it was.
    """
    names = {
        node.id
        for node in _nodes(kernel)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    function: Any = getattr(kernel, "py_func", None)
    out = _parameters(function)[0] if names else ""
    return out if out in names else ""


def uses(kernel: object, name: str) -> bool:
    """Return whether a Python kernel uses `cuda.name`, or `name` if it was imported."""
    meant = getattr(cuda, name)
    scope = getattr(getattr(kernel, "py_func", None), "__globals__", {})
    return any(
        node.attr == name
        if isinstance(node, ast.Attribute)
        else isinstance(node, ast.Name) and scope.get(node.id) is meant
        for node in _nodes(kernel)
    )


def _nodes(kernel: object) -> Iterator[ast.AST]:
    """Yield the nodes of a Python kernel's source."""
    function = getattr(kernel, "py_func", None)
    if inspect.isfunction(function):
        from ...cuda.language.source import find_source

        yield from ast.walk(find_source(function).node)


def _made_by(factory: Callable[..., Any]) -> object:
    """Return the kernel of `def name(cuda): def call(...): ...; return call`."""
    kernel = factory(cuda)
    if kernel is None:
        raise NotAKernel(
            f"{factory.__name__}({_parameters(factory)[0]}) returned None; it must "
            "return the kernel. End it with: return call"
        )
    return kernel


def _check_arguments(function: object, puzzle: Exercise) -> None:
    if not inspect.isfunction(function):
        return
    names = _parameters(function)
    if len(names) != len(puzzle.arguments):
        raise NotAKernel(
            f"{function.__name__} takes ({', '.join(names)}), but the launch passes "
            f"({', '.join(puzzle.arguments)}). Change the parameters."
        )
