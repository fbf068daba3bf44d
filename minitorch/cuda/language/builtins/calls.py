"""Table of the functions that a kernel can call from `minitorch.cuda`.

A handler types one call. Modules add theirs with `device_function`, `python_function`
and the like; the package imports them all, so that a table is full once it can be seen.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..names import DEVICE_NAMES
from ..rules import Rules
from ..scope import Scope
from ..typed import Expression, convert
from ..types import Type
from .mathematics import count_of


@dataclass
class CallSite:
    """Call to type, with its typed arguments.

    Attributes:
        scope: What is known of the function that calls.
        node: The call.
        name: What is called: the path of a device name, or a function's name.
        arguments: By position, typed.
        keywords: By name, typed.
    """

    scope: Scope
    node: ast.Call
    name: str
    arguments: list[Expression]
    keywords: dict[str, Expression]

    def place(self, index: int) -> ast.AST:
        """Return the node of an argument, for errors."""
        starred = any(isinstance(argument, ast.Starred) for argument in self.node.args)
        if index < len(self.node.args) and not starred:
            return self.node.args[index]
        return self.node

    def error(self, problem: str, index: int | None = None) -> Exception:
        """Return the error that quotes the call, or one argument."""
        node = self.node if index is None else self.place(index)
        return self.scope.error(node, problem)

    def bind(self, *names: str, **defaults: Expression) -> list[Expression]:
        """Match arguments and keywords to `names`, then to the defaults."""
        every = [*names, *defaults]
        given = dict(zip(every, self.arguments, strict=False))
        for name, value in self.keywords.items():
            if name in given:
                raise self.error(f"{self.name} got two values for {name!r}.")
            if name not in every:
                near = difflib.get_close_matches(name, every, 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise self.error(
                    f"{self.name} has no keyword {name!r}; need "
                    f"{', '.join(every) or 'none'}.{hint}"
                )
            given[name] = value
        count = len(self.arguments) + len(self.keywords)
        if count > len(every) or not given.keys() >= set(names):
            signature = ", ".join([*names, *(f"{name}=..." for name in defaults)])
            raise self.error(
                f"got {count_of(count)} for {self.name}; need {self.name}({signature})."
            )
        given = defaults | given
        return [given[name] for name in every]

    def number(self, value: Expression, index: int, to: Type) -> Expression:
        """Convert an argument to a number of type `to`."""
        return convert(self.scope.scalar(self.place(index), value), to)


#: Types a call; None leaves it to what is done without the handler.
Handler = Callable[[CallSite], Expression | None]

#: Registers the handler of a method of numbers; its first argument is the number.
device_method = Rules[str, Handler]("method")
_of_method = Rules[tuple[str, str], Handler]("method")
_of_name = Rules[str, Handler]("name of cuda")
_of_object = Rules[int, Handler]("Python object with the id")
_objects: list[Any] = []  # kept, so that no other one gets their ids


def device_function(*paths: str) -> Callable[[Handler], Handler]:
    """Register the handler for calls of device names."""
    assert DEVICE_NAMES.keys() >= set(paths), paths
    return _of_name(*paths)


def python_function(*functions: Any) -> Callable[[Handler], Handler]:
    """Register the handler for calls of Python objects, such as `len`."""
    _objects.extend(functions)
    return _of_object(*map(id, functions))


def named_method(module: str, name: str) -> Callable[[Handler], Handler]:
    """Register the handler of a method, bound to any object, by its qualified name."""
    return _of_method((module, name))


def handler_of(site: CallSite) -> Handler:
    """Return the handler of a device name; raise the error that it is no function."""
    handler = _of_name.get(site.name)
    if handler is not None:
        return handler
    below = [path for path in DEVICE_NAMES if path.startswith(f"{site.name}.")]
    need = ", ".join(f"cuda.{path}" for path in below) or "a function"
    raise site.error(f"cuda.{site.name} is not a function; need {need}.")


def handled_paths() -> set[str]:
    """Return the paths of all callable device names."""
    return _of_name.keys()


def handler_of_object(target: Any) -> Handler | None:
    """Return the handler of a Python object, or None."""
    handler = _of_object.get(id(target))
    if handler is not None:
        return handler
    module = getattr(target, "__module__", None) or ""
    return _of_method.get((module, getattr(target, "__qualname__", "")))
