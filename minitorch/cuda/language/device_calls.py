"""Owns the table of what a kernel can call by the names of `minitorch.cuda`.

A handler types one call. Modules add theirs with `device_function` and
`python_function`; `device_tables` imports them all.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
from collections.abc import Callable
from typing import Any

from .names import DEVICE_NAMES
from .typed import Expression, convert
from .types import Type

__all__ = [
    "CallSite",
    "device_function",
    "device_method",
    "handled_paths",
    "handler_of",
    "handler_of_object",
    "method_of_number",
    "named_method",
    "python_function",
]


@dataclasses.dataclass
class CallSite:
    """One call to type.

    Attributes:
        typing: The typing of the function (`infer`): errors, variables, statements.
        node: The call.
        name: What is called: the path of a device name, or a function's name.
        arguments: By position, typed.
        keywords: By name, typed.
    """

    typing: Any
    node: ast.Call
    name: str
    arguments: list[Expression]
    keywords: dict[str, Expression]

    def place(self, index: int) -> ast.AST:
        """The node of an argument, for errors."""
        starred = any(isinstance(each, ast.Starred) for each in self.node.args)
        if index < len(self.node.args) and not starred:
            return self.node.args[index]
        return self.node

    def error(self, problem: str, index: int | None = None) -> Exception:
        """Build the error that shows the call, or one argument."""
        at = self.node if index is None else self.place(index)
        error: Exception = self.typing.error(at, problem)
        return error

    def bind(self, *names: str, optional: int = 0) -> list[Expression | None]:
        """Match arguments and keywords to names; the last `optional` may be missing."""
        given: dict[str, Expression] = dict(zip(names, self.arguments, strict=False))
        for name, value in self.keywords.items():
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise self.error(
                    f"got the keyword {name!r} for {self.name}; need "
                    f"{', '.join(names) or 'none'}.{hint}"
                )
            given[name] = value
        needed = names[: len(names) - optional]
        count = len(self.arguments) + len(self.keywords)
        if count > len(names) or any(name not in given for name in needed):
            shown = ", ".join(
                name if name in needed else f"{name}=..." for name in names
            )
            plural = "argument" if count == 1 else "arguments"
            raise self.error(
                f"got {count} {plural} for {self.name}; need {self.name}({shown})."
            )
        return [given.get(name) for name in names]

    def number(self, value: Expression, index: int, to: Type) -> Expression:
        """Give an argument as a number of the type `to`."""
        return convert(self.typing.scalar(self.place(index), value), to)


#: Types a call; None leaves it to what is done without the handler.
Handler = Callable[[CallSite], Expression | None]
_BY_METHOD: dict[str, Handler] = {}
_BY_PATH: dict[str, Handler] = {}
_BY_OBJECT: dict[int, tuple[Any, Handler]] = {}
_BY_NAME: dict[tuple[str, str], Handler] = {}


def device_function(*paths: str) -> Callable[[Handler], Handler]:
    """Register the handler of calls of device names."""

    def register(handler: Handler) -> Handler:
        for path in paths:
            assert path in DEVICE_NAMES, path
            _BY_PATH[path] = handler
        return handler

    return register


def python_function(*functions: Any) -> Callable[[Handler], Handler]:
    """Register the handler of calls of Python objects, such as `len`."""

    def register(handler: Handler) -> Handler:
        for function in functions:
            _BY_OBJECT[id(function)] = (function, handler)
        return handler

    return register


def named_method(module: str, name: str) -> Callable[[Handler], Handler]:
    """Register the handler of a method, bound to any object, by its qualified name."""

    def register(handler: Handler) -> Handler:
        _BY_NAME[module, name] = handler
        return handler

    return register


def device_method(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of a method of numbers; its first argument is the number."""

    def register(handler: Handler) -> Handler:
        _BY_METHOD.update(dict.fromkeys(names, handler))
        return handler

    return register


def handler_of(site: CallSite) -> Handler:
    """Find the handler of a device name; the error says that it is no function."""
    found = _BY_PATH.get(site.name)
    if found is not None:
        return found
    below = [path for path in DEVICE_NAMES if path.startswith(f"{site.name}.")]
    need = ", ".join(f"cuda.{path}" for path in below) or "a function"
    raise site.error(f"got a call of cuda.{site.name}; need {need}.")


def method_of_number(name: str) -> Handler | None:
    """Find the handler of a method of numbers, or None."""
    return _BY_METHOD.get(name)


def handled_paths() -> set[str]:
    """Give the paths of all device names that can be called."""
    return set(_BY_PATH)


def handler_of_object(target: Any) -> Handler | None:
    """Find the handler of a Python object, or None."""
    found = _BY_OBJECT.get(id(target))
    if found is not None:
        return found[1]
    module = getattr(target, "__module__", None) or ""
    return _BY_NAME.get((module, getattr(target, "__qualname__", "")))
