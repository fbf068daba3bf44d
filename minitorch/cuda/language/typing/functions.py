"""Typing of whole functions: parameters, results, callees."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..builtins.mathematics import call_builtin, name_of
from ..captures import Captures
from ..errors import TranslationError
from ..scope import Binding, Scope
from ..source import FunctionSource, find_source
from ..typed import (
    Access,
    Do,
    Expression,
    Field,
    For,
    If,
    Return,
    Statement,
    Static,
    TupleValue,
    TypedFunction,
    Variable,
    While,
    convert,
)
from ..types import KernelType, TupleType, Type, unify
from .assignments import bind
from .rules import block, expression, stored_names

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
    if not isinstance(typed.result, Type):
        source = find_source(function)
        if typed.result is None:
            raise _no_value(source)
        raise source.error(
            source.node,
            f"{source.node_name!r} returns {typed.result}; it must return a number.",
        )
    return typed


def _no_value(source: FunctionSource) -> TranslationError:
    return source.error(
        source.node,
        f"{source.node_name!r} can end without returning a value. Return a number on "
        "every path.",
    )


class Session:
    """Translation of a function and its callees; each is typed once per signature.

    Args:
        captures: Notes what the functions read from outside.

    Attributes:
        accesses: The subscripts of all functions, by pseudo file.
        variables: Python's names of all variables, by pseudo file and by their own.
        notes: What a learner should know of the functions.
    """

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self._done: dict[object, TypedFunction] = {}
        self._active: list[object] = []
        self.accesses: dict[str, list[Access]] = {}
        self.variables: dict[str, dict[str, str]] = {}
        self.notes: list[str] = []

    def translate(
        self,
        function: types.FunctionType,
        arguments: tuple[Any, ...],
        fail: _Fail,
        result: Type | None = None,
    ) -> TypedFunction:
        """Type a called function for its argument types.

        Args:
            function: By `def` or `lambda`.
            arguments: The type of each, or a Python object.
            fail: Builds the error of a call that cannot be.
            result: The number that its value becomes if that holds every value of its
                own type; None: it stays as it is.
        """
        kinds = (
            ("object", id(argument.value)) if isinstance(argument, Static) else argument
            for argument in arguments
        )
        key = (function, tuple(kinds), result)
        if key in self._done:
            return self._done[key]
        if key in self._active or self._active.count(function.__code__) > 32:
            raise fail(
                f"{function.__name__!r} is recursive, which a kernel does not support. "
                "Write a loop."
            )
        self._active += [key, function.__code__]
        try:
            scope = self._scope(function)
            self._done[key] = _function_of(scope, arguments, result)
        finally:
            del self._active[-2:]
        return self._done[key]

    def kernel(
        self, function: types.FunctionType, arguments: tuple[KernelType, ...]
    ) -> TypedFunction:
        """Type a kernel: its parameters are the entry's, and it returns nothing."""
        self._active.append((function, arguments))
        return _kernel_of(self._scope(function), arguments)

    @property
    def functions(self) -> list[TypedFunction]:
        """Typed functions that were called."""
        return list(self._done.values())

    def builtin(self, function: Any, arguments: tuple[Type, ...]) -> TypedFunction:
        """Return the typed form of a builtin itself, as in `map(math.exp)`.

        Args:
            function: A function of builtins, math, operator or NumPy.
            arguments: Type of each argument.

        Returns:
            A function that calls it.

        Raises:
            TranslationError: It is not supported, or not with so many arguments.
        """
        source = FunctionSource.of_builtin(name_of(function))
        scope = self._scope_of(function, source)
        parameters = tuple(
            Variable(type_, f"x{index}") for index, type_ in enumerate(arguments)
        )
        value = call_builtin(scope, source.node, function, list(parameters))
        body: list[Statement] = [Return(1, value)]
        name, file = source.name, source.pseudo_file
        return TypedFunction(name, file, parameters, value.type, body)

    def _scope(self, function: types.FunctionType) -> Scope:
        scope = self._scope_of(function, find_source(function))
        scope.local_names = set(function.__code__.co_varnames)
        return scope

    def _scope_of(self, function: types.FunctionType, source: FunctionSource) -> Scope:
        file = source.pseudo_file
        accesses = self.accesses.setdefault(file, [])
        names = self.variables.setdefault(file, {})
        translate = self.translate
        scope = Scope(function, source, self._captures, translate, accesses, names)
        scope.notes = self.notes
        return scope


def _function_of(
    scope: Scope, arguments: tuple[Any, ...], declared: Type | None
) -> TypedFunction:
    """Type a function that another one calls."""
    parameters = _begin(scope, arguments, entry=False)
    body, falls = _body(scope, len(arguments))
    result = _result(scope)
    if falls and result is not None:
        raise _no_value(scope.source)
    if declared and isinstance(result, Type) and unify(result, declared) is declared:
        result = declared
    if result is not None:
        body = _with_result(body, result)
    return _typed(scope, parameters, result, body)


def _kernel_of(scope: Scope, arguments: tuple[KernelType, ...]) -> TypedFunction:
    """Type a kernel's entry."""
    parameters = _begin(scope, arguments, entry=True)
    body, _ = _body(scope, len(arguments))
    for node, value in scope.returns:
        if value is not None:
            raise scope.error(
                node,
                f"the kernel {scope.source.node_name!r} returns {value.type}, but a "
                "kernel cannot return a value. Write the result to an array "
                "parameter: out[i] = ...",
            )
    return _typed(scope, parameters, None, body)


def _typed(
    scope: Scope,
    parameters: list[Variable],
    result: KernelType | None,
    body: list[Statement],
) -> TypedFunction:
    return TypedFunction(
        scope.source.name,
        scope.source.pseudo_file,
        tuple(parameters),
        result,
        body,
        frozenset(scope.zeroed),
        tuple(scope.arrays.values()),
        scope.source.relative_line(scope.source.node),
    )


def _begin(scope: Scope, arguments: tuple[Any, ...], entry: bool) -> list[Variable]:
    names = _parameter_names(scope, scope.source.node.args, len(arguments))
    stored = stored_names(scope.source.node)
    parameters: list[Variable] = []
    for name, argument in zip(names, arguments, strict=False):
        value = _parameter(scope, name, argument, entry, parameters)
        scope.variables[name] = Binding(value)
        if name not in stored:
            scope.constant_parameters.add(getattr(value, "name", name))
    return parameters


def _parameter(
    scope: Scope, name: str, argument: Any, entry: bool, parameters: list[Variable]
) -> Expression:
    """Bind a parameter; a tuple is one variable in an entry, else one per item."""
    if isinstance(argument, Static):
        return argument
    if isinstance(argument, TupleType):
        if entry:
            variable_ = scope.declare(name, argument)
            parameters.append(variable_)
            return _fields(variable_)
        items = tuple(
            _parameter(scope, f"{name}_{index}", element, entry, parameters)
            for index, element in enumerate(argument.items)
        )
        return TupleValue.of(items, argument.names)
    variable = scope.declare(name, argument)
    parameters.append(variable)
    return variable


def _fields(value: Expression) -> Expression:
    if not isinstance(value.type, TupleType):
        return value
    items = tuple(
        _fields(Field(type_, value, index))
        for index, type_ in enumerate(value.type.items)
    )
    return TupleValue.of(items, value.type.names)


def _body(scope: Scope, given: int) -> tuple[list[Statement], bool]:
    node = scope.source.node
    body = _defaults(scope, given)
    if isinstance(node, ast.Lambda):
        scope.body = body
        value = expression(scope, node.body)
        if isinstance(value, Static) and value.value is None:
            return body, True
        if value.type is None:  # a call for its effect
            body.append(Do(scope.line(node.body), value))
            return body, True
        scope.returns.append((node.body, value))
        body.append(Return(scope.line(node.body), value))
        return body, False
    return body, block(scope, node.body, body)


def _result(scope: Scope) -> KernelType | None:
    """Return the common type of all return values, or None if there are none."""
    nothing = [node for node, value in scope.returns if value is None]
    given = [value.type for _, value in scope.returns if value is not None]
    if given and nothing:
        raise scope.error(
            nothing[0],
            "this return has no value, but another return has one. Return a number.",
        )
    result: KernelType | None = given[0] if given else None
    for type_ in given[1:]:
        if isinstance(type_, Type) and isinstance(result, Type):
            result = unify(result, type_)
        elif type_ != result:
            raise scope.error(
                scope.source.node,
                f"{scope.source.node_name!r} returns {result} and {type_}; it must "
                "always return the same type.",
            )
    return result


def _parameter_names(scope: Scope, arguments: ast.arguments, given: int) -> list[str]:
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        raise scope.error(
            scope.source.node,
            f"{scope.function.__name__!r} has *, ** or keyword-only parameters, which "
            "a kernel does not support. Use positional parameters.",
        )
    required = len(names) - len(arguments.defaults)
    if not required <= given <= len(names):
        raise scope.error(
            scope.source.node,
            f"{scope.function.__name__}({', '.join(names)}) is called with {given} "
            f"argument{'s' * (given != 1)}.",
        )
    return names


def _defaults(scope: Scope, given: int) -> list[Statement]:
    """Bind parameters without an argument to their default values."""
    arguments = scope.source.node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][
        given:
    ]
    values = (scope.function.__defaults__ or ())[::-1][: len(names)][::-1]
    body: list[Statement] = []
    scope.body = body
    for name, value in zip(names, values, strict=True):
        bind(scope, scope.source.node, name, scope.constant(scope.source.node, value))
    return body


def _with_result(body: list[Statement], result: KernelType) -> list[Statement]:
    """Convert the value of every return to the function's result type."""
    converted: list[Statement] = []
    for statement in body:
        match statement:
            case Return(value=Expression() as value) if isinstance(result, Type):
                converted.append(Return(statement.line, convert(value, result)))
            case If(then=then, otherwise=otherwise):
                branches = _with_result(then, result), _with_result(otherwise, result)
                converted.append(If(statement.line, statement.test, *branches))
            case While(body=inner) | For(body=inner):
                inner = _with_result(inner, result)
                converted.append(replace(statement, body=inner))
            case _:
                converted.append(statement)
    return converted
