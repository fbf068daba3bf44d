"""Owns the typing of whole functions: parameters, results, what they call.

Must not know targets.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from . import device_tables  # noqa: F401  (fills the tables of what can be called)
from .captures import Captures
from .device_basics import constant_array
from .errors import TranslationError
from .flow import Binding
from .loops import LoopTyping
from .source import find_source
from .statements import result_type
from .typed import (
    Expression,
    If,
    Return,
    Statement,
    Static,
    TupleValue,
    TypedFunction,
    Variable,
    convert,
)
from .typed_kernel import Access, Declare, Do, Field, For, While
from .types import ArrayType, KernelType, TupleType, Type

__all__ = ["Session", "infer"]

_Fail = Callable[[str], Exception]


def infer(
    function: types.FunctionType, arguments: tuple[Type, ...], captures: Captures
) -> TypedFunction:
    """Type a function of numbers for these argument types.

    Args:
        function: A Python function of numbers.
        arguments: The type of each positional argument.
        captures: Notes what the function reads from outside.

    Returns:
        The typed form; every path gives a value.

    Raises:
        TranslationError: Something in it has no meaning on the device.

    Example:
        >>> def half(x: float) -> float:
        ...     return x / 2
        >>> print(infer(half, (Type.FLOAT32,), Captures(half)).result)
        float64
    """
    session = Session(captures)
    typed = session.translate(function, arguments, TranslationError)
    if typed.result is None or not isinstance(typed.result, Type):
        source = find_source(function)
        got = "no value" if typed.result is None else typed.result
        raise source.error(
            source.node,
            f"got {source.node_name!r}, which can end without a value; need a return "
            "of a number on every path."
            if typed.result is None
            else f"got {source.node_name!r}, which gives {got}; need a number.",
        )
    return typed


class Session:
    """One translation with the functions it calls; each is typed once per signature.

    Args:
        captures: Notes what the functions read from outside.

    Attributes:
        accesses: The subscripts of all functions, by pseudo file.
        variables: Python's names of all variables, by pseudo file and by their own.
    """

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self._done: dict[object, TypedFunction] = {}
        self._active: list[object] = []
        self.accesses: dict[str, list[Access]] = {}
        self.variables: dict[str, dict[str, str]] = {}

    def translate(
        self, function: types.FunctionType, arguments: tuple[Any, ...], fail: _Fail
    ) -> TypedFunction:
        """Type a function that gives a value, or does something, for arguments."""
        key = (function, tuple(map(_key, arguments)))
        if key in self._done:
            return self._done[key]
        if key in self._active or self._active.count(function.__code__) > 32:
            raise fail(
                f"got {function.__name__!r}, which calls itself; need a function "
                "without recursion. Write a loop."
            )
        self._active += [key, function.__code__]
        try:
            self._done[key] = self._typing(function).function_of(arguments)
        finally:
            del self._active[-2:]
        return self._done[key]

    def kernel(
        self, function: types.FunctionType, arguments: tuple[KernelType, ...]
    ) -> TypedFunction:
        """Type a kernel: its parameters are its entry's, and it gives no value."""
        self._active.append((function, arguments))
        return self._typing(function).kernel_of(arguments)

    def _typing(self, function: types.FunctionType) -> _FunctionTyping:
        source = find_source(function)
        typing = _FunctionTyping(function, source, self._captures)
        typing.translate = self.translate
        typing.accesses = self.accesses.setdefault(source.pseudo_file, [])
        typing.names_of_variables = self.variables.setdefault(source.pseudo_file, {})
        return typing


def _key(argument: Any) -> object:
    if isinstance(argument, Static):
        value = argument.value
        return ("object", id(value))
    return argument


class _FunctionTyping(LoopTyping):
    """Types one function for one signature."""

    def function_of(self, arguments: tuple[Any, ...]) -> TypedFunction:
        """Type a function that another one calls."""
        parameters = self._begin(arguments, entry=False)
        body, falls = self._body(len(arguments))
        result = self._result()
        if falls and result is not None:
            node = self.source.node
            raise self.error(
                node,
                f"got {self.source.node_name!r}, which can end without a value; need "
                "a return of a number on every path.",
            )
        return self._typed(parameters, result, body)

    def kernel_of(self, arguments: tuple[KernelType, ...]) -> TypedFunction:
        """Type a kernel's entry."""
        parameters = self._begin(arguments, entry=True)
        body, _ = self._body(len(arguments))
        for node, value in self.returns:
            if value is not None:
                raise self.error(
                    node,
                    f"got a return of {value.type} from the kernel "
                    f"{self.source.node_name!r}; need none: kernels give no value. "
                    "Write the result to an array that is a parameter: out[i] = ...",
                )
        return self._typed(parameters, None, body)

    def _typed(
        self,
        parameters: list[Variable],
        result: KernelType | None,
        body: list[Statement],
    ) -> TypedFunction:
        if result is not None:
            body = _with_result(body, result)
        return TypedFunction(
            self.source.name,
            self.source.pseudo_file,
            tuple(parameters),
            result,
            body,
            frozenset(self.zeroed),
            tuple(self._arrays.values()),
        )

    def _begin(self, arguments: tuple[Any, ...], entry: bool) -> list[Variable]:
        self._names, self.results, self.returns, self._loops = {}, [], [], []
        self._arrays: dict[int, Declare] = {}
        self.array_names: dict[int, str] = {}
        self.body = []
        names = self._parameter_names(self.source.node.args, len(arguments))
        self.local_names = set(self.function.__code__.co_varnames)
        stored = {
            each.id
            for each in ast.walk(self.source.node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        self.constant_parameters = set()
        parameters: list[Variable] = []
        for name, argument in zip(names, arguments, strict=False):
            value = self._parameter(name, argument, entry, parameters)
            self.variables[name] = Binding(value)
            if name not in stored:
                self.constant_parameters.add(getattr(value, "name", name))
        return parameters

    def _parameter(
        self, name: str, argument: Any, entry: bool, parameters: list[Variable]
    ) -> Expression:
        """Bind a parameter; a tuple comes whole in an entry, else item by item."""
        if isinstance(argument, Static):
            return argument
        if isinstance(argument, TupleType):
            if entry:
                whole = self.declare(name, argument)
                parameters.append(whole)
                return self._fields(whole)
            items = tuple(
                self._parameter(f"{name}_{index}", each, entry, parameters)
                for index, each in enumerate(argument.items)
            )
            return TupleValue.of(items, argument.names)
        variable = self.declare(name, argument)
        parameters.append(variable)
        return variable

    def _fields(self, value: Expression) -> Expression:
        if not isinstance(value.type, TupleType):
            return value
        items = tuple(
            self._fields(Field(each, value, index))
            for index, each in enumerate(value.type.items)
        )
        return TupleValue.of(items, value.type.names)

    def _body(self, given: int) -> tuple[list[Statement], bool]:
        node = self.source.node
        body = self._defaults(given)
        if isinstance(node, ast.Lambda):
            self.body = body
            value = self.expression(node.body)
            if isinstance(value, Static) and value.value is None:
                return body, True
            if value.type is None:  # a call for its effect
                body.append(Do(self.line(node.body), value))
                return body, True
            self.results.append(value)
            self.returns.append((node.body, value))
            body.append(Return(self.line(node.body), value))
            return body, False
        return body, self.block(node.body, body)

    def _result(self) -> KernelType | None:
        nothing = [node for node, value in self.returns if value is None]
        if self.results and nothing:
            raise self.error(nothing[0], "got a return without a value; need a number.")
        try:
            return result_type(self.results)
        except TypeError as error:
            raise self.error(
                self.source.node,
                f"got {self.source.node_name!r}, which gives {error}; need one type.",
            ) from None

    def _parameter_names(self, arguments: ast.arguments, given: int) -> list[str]:
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise self.error(
                self.source.node,
                f"got {self.function.__name__!r} with * or ** or keyword-only "
                "parameters; need plain ones.",
            )
        required = len(names) - len(arguments.defaults)
        if not required <= given <= len(names):
            raise self.error(
                self.source.node,
                f"got the parameters ({', '.join(names)}); need {given}.",
            )
        return names

    def _defaults(self, given: int) -> list[Statement]:
        """Give the parameters that no argument is for their default values."""
        arguments = self.source.node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)][given:]
        values = (self.function.__defaults__ or ())[::-1][: len(names)][::-1]
        body: list[Statement] = []
        self.body = body
        for name, value in zip(names, values, strict=True):
            self.bind(self.source.node, name, self.constant(self.source.node, value))
        return body

    def declared_array(
        self, node: ast.AST, space: str, type_: ArrayType, values: Any = None
    ) -> Variable:
        """Declare an array for the whole function, once for each call in its text."""
        for each in self._arrays.values():
            if values is not None and each.values is values:
                return each.variable  # the same host array, read at two places
        if id(node) not in self._arrays:
            name = self.array_names.get(id(node), "array")
            variable = self.declare(name, type_)
            while any(
                each.variable.name == variable.name for each in self._arrays.values()
            ):
                variable = self.fresh(name, type_)
            declaration = Declare(self.line(node), variable, space, values)
            self._arrays[id(node)] = declaration
        return self._arrays[id(node)].variable

    def constant_array(self, node: ast.AST, value: object) -> Expression:
        """Declare a host array as a constant."""
        return constant_array(self, node, value)


def _with_result(body: list[Statement], result: KernelType) -> list[Statement]:
    """Convert the value of every return to the function's one result type."""
    converted: list[Statement] = []
    for statement in body:
        match statement:
            case Return(line=line, value=Expression() as value):
                if isinstance(result, Type):
                    value = convert(value, result)
                converted.append(Return(line, value))
            case If(line=line, test=test, then=then, otherwise=otherwise):
                then, otherwise = (
                    _with_result(then, result),
                    _with_result(otherwise, result),
                )
                converted.append(If(line, test, then, otherwise))
            case While(line=line, prelude=prelude, test=test, body=inner):
                inner = _with_result(inner, result)
                converted.append(While(line, prelude, test, inner))
            case For():
                converted.append(
                    For(
                        statement.line,
                        statement.counter,
                        statement.start,
                        statement.stop,
                        statement.step,
                        _with_result(statement.body, result),
                    )
                )
            case _:
                converted.append(statement)
    return converted
