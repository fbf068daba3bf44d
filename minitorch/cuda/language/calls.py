"""Owns the typing of calls: builtins, math, other functions; knows no targets."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from typing import Any

from .advice import refused_call
from .builtin_calls import BuiltinTyping, count_of, name_of
from .device_calls import (
    CallSite,
    handler_of,
    handler_of_object,
    method_of_number,
)
from .iterables import Iterable
from .names import DeviceName
from .outside import split_attributes
from .typed import (
    Expression,
    Invoke,
    Static,
    TupleValue,
    TypedFunction,
    Variable,
)
from .typed_kernel import ArrayOf
from .types import ArrayType, TupleType, Type

__all__ = ["CallTyping", "Translate"]

#: Translates a function for arguments; the callable builds errors that show the call.
Translate = Callable[
    [types.FunctionType, tuple[Any, ...], Callable[[str], Exception]], TypedFunction
]


class CallTyping(BuiltinTyping):
    """Adds calls to the expressions of one function."""

    translate: Translate

    def call(self, node: ast.Call) -> Expression:
        """Type a call of anything that is supported."""
        method = self._method(node)
        if method is not None:
            return method
        target = self._target(node)
        if isinstance(target, Expression):  # a method, bound to its value
            raise self.error(
                node.func,
                f"got a call of {ast.unparse(node.func)}, a value of {target.type}; "
                "need a function.",
            )
        arguments = self._arguments(node)
        keywords = {
            each.arg: self.expression(each.value) for each in node.keywords if each.arg
        }
        if len(keywords) < len(node.keywords):
            raise self.error(node, "got ** in a call; need named arguments.")
        found = self._by_table(node, target, arguments, keywords)
        if found is not None:
            return found
        function = getattr(target, "py_func", target)
        if isinstance(function, types.FunctionType):
            if getattr(target, "is_kernel", False):
                raise self.error(
                    node,
                    f"got a call of the kernel {function.__name__!r} inside a kernel; "
                    "need a device function. Decorate it with "
                    "@cuda.jit(device=True), or call the plain function.",
                )
            if _is_of_the_host(function):
                raise self.error(node, refused_call(function, ast.unparse(node.func)))
            return self._invoke(node, function, arguments, keywords)
        fields = getattr(target, "_fields", None)
        if isinstance(target, type) and fields is not None:
            return self._named_tuple(node, target, fields, arguments, keywords)
        if keywords:
            raise self.error(
                node, f"got keyword arguments for {name_of(target)}; need positions."
            )
        return self.call_builtin(node, target, arguments)

    def _named_tuple(
        self,
        node: ast.Call,
        target: type,
        fields: tuple[str, ...],
        arguments: list[Expression],
        keywords: dict[str, Expression],
    ) -> Expression:
        """Make a named tuple: `Point(1, y=2)`."""
        given = {**dict(zip(fields, arguments, strict=False)), **keywords}
        if set(given) != set(fields) or len(arguments) + len(keywords) != len(fields):
            raise self.error(
                node,
                f"got {count_of(len(arguments) + len(keywords))} for "
                f"{target.__name__}; need {', '.join(fields)}.",
            )
        return TupleValue.of(tuple(given[name] for name in fields), fields)

    def _by_table(
        self,
        node: ast.Call,
        target: Any,
        arguments: list[Expression],
        keywords: dict[str, Expression],
    ) -> Expression | None:
        """Type a call that the tables of device functions know, or give None."""
        if isinstance(target, DeviceName):
            site = CallSite(self, node, target.path, arguments, keywords)
            return handler_of(site)(site)
        handler = handler_of_object(target)
        site = CallSite(self, node, name_of(target), arguments, keywords)
        return None if handler is None else handler(site)

    def _target(self, node: ast.Call) -> Any:
        """Give the Python object that is called, or the value of a local name."""
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            value = self.expression(node.func)
        elif isinstance(node.func, ast.Name) and node.func.id in self.local_names:
            if node.func.id not in self.variables:
                return self.name(node.func)
            value = self.variables[node.func.id].value
            if not isinstance(value, Static):
                raise self.error(
                    node, f"got a call of the number {node.func.id!r}; need a function."
                )
        elif isinstance(node.func, ast.Name):
            return self.outside(node.func)
        else:
            value = self.attribute(node.func)
        return value.value if isinstance(value, Static) else value

    def declared_array(
        self, node: ast.AST, space: str, type_: ArrayType, values: Any = None
    ) -> Variable:
        """Declare an array; the class that knows whole functions overrides it."""
        raise NotImplementedError

    def iterable_of(self, node: ast.AST, value: Expression) -> Iterable:
        """Give what a loop goes over; the class that knows loops overrides it."""
        raise NotImplementedError

    def _method(self, node: ast.Call) -> Expression | None:
        """Type a call of a method of a number, such as z.conjugate(); else None."""
        if not isinstance(node.func, ast.Attribute):
            return None
        handler = method_of_number(node.func.attr)
        root = split_attributes(node.func)[1]
        local = not isinstance(root, ast.Name) or root.id in self.local_names
        if handler is None or not local:
            return None
        value = self.expression(node.func.value)
        if not isinstance(value.type, Type):
            return None
        name = ast.unparse(node.func)
        arguments = [value, *self._arguments(node)]
        return handler(CallSite(self, node, name, arguments, {}))

    def _arguments(self, node: ast.Call) -> list[Expression]:
        arguments: list[Expression] = []
        for each in node.args:
            if not isinstance(each, ast.Starred):
                arguments.append(self.expression(each))
                continue
            value = self.expression(each.value)
            if not isinstance(value.type, TupleType):
                raise self.error(each, f"got * of {value.type}; need a tuple.")
            arguments += self.tuple_items(value)
        return list(self.in_order(node, *arguments))

    def _invoke(
        self,
        node: ast.Call,
        target: types.FunctionType,
        positional: list[Expression],
        keywords: dict[str, Expression],
    ) -> Expression:
        arguments = self._bind(node, target, positional, keywords)

        def fail(problem: str) -> Exception:
            return self.error(node, problem)

        function = self.translate(target, tuple(map(_signature, arguments)), fail)
        given = tuple(part for each in arguments for part in _flattened(self, each))
        return Invoke(function.result, function, given)

    def _bind(
        self,
        node: ast.Call,
        target: types.FunctionType,
        positional: list[Expression],
        keywords: dict[str, Expression],
    ) -> list[Expression]:
        names = target.__code__.co_varnames[: target.__code__.co_argcount]
        given = dict(zip(names, positional, strict=False))
        for name, value in keywords.items():
            if name not in names or name in given:
                raise self.error(
                    node,
                    f"got the argument {name!r} for {target.__name__}"
                    f"({', '.join(names)}); need each of them once.",
                )
            given[name] = value
        defaults = target.__defaults__ or ()
        for name, default in zip(
            names[len(names) - len(defaults) :], defaults, strict=True
        ):
            if name not in given:
                given[name] = self.constant(node, default)
        if len(positional) > len(names) or len(given) < len(names):
            count = len(positional) + len(keywords)
            raise self.error(
                node,
                f"got {count_of(count)} for {target.__name__}({', '.join(names)}); "
                f"need {len(names)}.",
            )
        return [given[name] for name in names]


def _signature(argument: Expression) -> Any:
    """What a called function is specialised for: a type, or a Python object."""
    if isinstance(argument, Static):
        return argument
    if isinstance(argument, TupleValue):
        return TupleValue.of(
            tuple(
                each if isinstance(each, Static) else Expression(_signature(each))
                for each in argument.items
            ),
            argument.type.names,
        ).type
    if isinstance(argument.type, ArrayType):
        return argument.type.plain
    return argument.type


def _flattened(typing: CallTyping, argument: Expression) -> list[Expression]:
    """List what is handed over: tuples item by item, Python objects not at all."""
    if isinstance(argument, Static):
        return []
    if isinstance(argument.type, TupleType):
        items = typing.tuple_items(argument)
        return [part for each in items for part in _flattened(typing, each)]
    if isinstance(argument.type, ArrayType) and argument.type.shape is not None:
        return [ArrayOf(argument.type.plain, argument)]
    return [argument]


# How names of the modules of `minitorch.cuda` begin, under whichever of its two names
# the library is loaded.
_OF_THE_HOST = __name__.removesuffix("language.calls")


def _is_of_the_host(function: types.FunctionType) -> bool:
    """Is it a function of `minitorch.cuda` itself, which only Python can call?"""
    name = str(function.__module__)
    module = sys.modules.get(name) if name.startswith(_OF_THE_HOST) else None
    return module is not None and vars(module).get(function.__name__) is function
