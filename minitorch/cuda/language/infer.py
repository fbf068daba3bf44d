"""Owns the typing of whole functions: statements, variables, results; knows no targets.

A Python variable becomes one typed variable for each type that it takes. Where two
branches leave it with different types, it gets the type that holds both.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable

from .calls import CallTyping
from .captures import Captures
from .errors import TranslationError
from .source import find_source
from .typed import (
    Assign,
    Constant,
    Expression,
    If,
    Return,
    Statement,
    TypedFunction,
    Variable,
    convert,
)
from .types import Type, unify

__all__ = ["infer"]

_SUPPORTED = "assignments to names, if/elif/else and return"
_NOUNS: dict[type[ast.AST], str] = {
    ast.For: "a for loop",
    ast.While: "a while loop",
    ast.With: "a with statement",
    ast.Try: "a try statement",
    ast.Raise: "a raise statement",
    ast.Assert: "an assert statement",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.FunctionDef: "a function inside the function",
    ast.ClassDef: "a class",
    ast.Global: "a global statement",
    ast.Nonlocal: "a nonlocal statement",
    ast.Delete: "a del statement",
    ast.Match: "a match statement",
    ast.Expr: "an expression whose value is not used",
}
_Fail = Callable[[str], Exception]


def infer(
    function: types.FunctionType, arguments: tuple[Type, ...], captures: Captures
) -> TypedFunction:
    """Type `function` for these argument types.

    Args:
        function: A Python function of numbers.
        arguments: The type of each positional argument.
        captures: Notes what the function reads from outside.

    Returns:
        The typed form.

    Raises:
        TranslationError: Something in it has no meaning on the device.

    Example:
        >>> def half(x: float) -> float:
        ...     return x / 2
        >>> print(infer(half, (Type.FLOAT32,), Captures(half)).result)
        float64
    """
    return _Session(captures).translate(function, arguments, TranslationError)


class _Session:
    """One translation with the functions it calls; each is typed once per signature."""

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self._done: dict[
            tuple[types.FunctionType, tuple[Type, ...]], TypedFunction
        ] = {}
        self._active: list[types.CodeType] = []

    def translate(
        self, function: types.FunctionType, arguments: tuple[Type, ...], fail: _Fail
    ) -> TypedFunction:
        key = (function, arguments)
        if key in self._done:
            return self._done[key]
        if function.__code__ in self._active:
            raise fail(
                f"got {function.__name__!r}, which calls itself; need a function "
                "without recursion."
            )
        self._active.append(function.__code__)
        try:
            source = find_source(function)
            typing = _FunctionTyping(function, source, self._captures, self.translate)
            self._done[key] = typing.function_of(arguments)
        finally:
            self._active.pop()
        return self._done[key]


class _FunctionTyping(CallTyping):
    """Types the statements of one function."""

    _names: dict[tuple[str, Type], str]
    _results: list[Type]

    def function_of(self, arguments: tuple[Type, ...]) -> TypedFunction:
        self._names, self._results = {}, []
        node = self.source.node
        names = self._parameters(node.args, len(arguments))
        self.local_names = set(self.function.__code__.co_varnames)
        parameters = tuple(
            self._declare(name, type_)
            for name, type_ in zip(names, arguments, strict=False)
        )
        body = self._defaults(names[len(arguments) :])
        if isinstance(node, ast.Lambda):
            value = self.expression(node.body)
            self._results.append(value.type)
            body.append(Return(self.source.relative_line(node.body), value))
        else:
            statements, falls_through = self._block(node.body)
            body += statements
            if falls_through:
                raise self.error(
                    node,
                    f"got {node.name!r}, which can end without a value; need a return "
                    "of a number on every path.",
                )
        result = self._results[0]
        for other in self._results[1:]:
            result = unify(result, other)
        return TypedFunction(
            self.source.name,
            self.source.pseudo_file,
            parameters,
            result,
            _with_result(body, result),
        )

    def _parameters(self, arguments: ast.arguments, given: int) -> list[str]:
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

    def _defaults(self, names: list[str]) -> list[Statement]:
        """Give the parameters that no argument is for their default values."""
        values = (self.function.__defaults__ or ())[::-1][: len(names)][::-1]
        body: list[Statement] = []
        for name, value in zip(names, values, strict=True):
            number = self.number(self.source.node, value)
            body.append(Assign(1, self._declare(name, number.type), number))
        return body

    def _declare(self, name: str, type_: Type) -> Variable:
        key = (name, type_)
        if key not in self._names:
            taken = set(self._names.values()) | (self.local_names - {name})
            unique, number = name, 1
            while unique in taken:
                number += 1
                unique = f"{name}_{number}"
            self._names[key] = unique
        variable = Variable(type_, self._names[key])
        self.variables[name] = variable
        return variable

    def _block(self, nodes: list[ast.stmt]) -> tuple[list[Statement], bool]:
        body: list[Statement] = []
        for node in nodes:
            if not self._statement(node, body):
                return body, False
        return body, True

    def _statement(self, node: ast.stmt, body: list[Statement]) -> bool:
        """Add the typed statement; is what follows reachable?"""
        match node:
            case ast.Return(value=None):
                raise self.error(node, "got a return without a value; need a number.")
            case ast.Return(value=ast.expr() as result):
                value = self.expression(result)
                self._results.append(value.type)
                body.append(Return(self.source.relative_line(node), value))
                return False
            case ast.If():
                return self._if(node, body)
            case ast.Assign(targets=[ast.Name(id=name)], value=value_node):
                self._assign(node, name, self.expression(value_node), body)
            case ast.AnnAssign(
                target=ast.Name(id=name), value=ast.expr() as value_node
            ):
                self._assign(node, name, self.expression(value_node), body)
            case ast.AugAssign(target=ast.Name(id=name) as target):
                left = self.expression(ast.copy_location(ast.Name(name), target))
                right = self.expression(node.value)
                self._assign(node, name, self.binary(node, node.op, left, right), body)
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                raise self.error(
                    node, "got an assignment that is not to a name; need name = value."
                )
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case _:
                noun = _NOUNS.get(type(node), f"a {type(node).__name__} statement")
                raise self.error(node, f"got {noun}; need {_SUPPORTED}.")
        return True

    def _assign(
        self, node: ast.stmt, name: str, value: Expression, body: list[Statement]
    ) -> None:
        target = self._declare(name, value.type)
        body.append(Assign(self.source.relative_line(node), target, value))

    def _if(self, node: ast.If, body: list[Statement]) -> bool:
        test = self.condition(node.test)
        before = dict(self.variables)
        then, then_falls = self._block(node.body)
        after_then = self.variables
        self.variables = dict(before)
        otherwise, otherwise_falls = self._block(node.orelse)
        body.append(If(self.source.relative_line(node), test, then, otherwise))
        if then_falls and otherwise_falls:
            self._join(node, then, after_then, otherwise)
        elif then_falls:
            self.variables = after_then
        return then_falls or otherwise_falls

    def _join(
        self,
        node: ast.If,
        then: list[Statement],
        after_then: dict[str, Variable],
        otherwise: list[Statement],
    ) -> None:
        after_otherwise = self.variables
        line = self.source.relative_line(node)
        for name in {**after_then, **after_otherwise}:
            first, second = after_then.get(name), after_otherwise.get(name)
            if first and second and first.name == second.name:
                continue
            known = [each.type for each in (first, second) if each]
            joined = self._declare(name, unify(known[0], known[-1]))
            for branch, variable in ((then, first), (otherwise, second)):
                # A variable set in one branch only is 0 after the other, as in Numba.
                value = variable or Constant(joined.type, 0)
                if not variable or variable.name != joined.name:
                    branch.append(Assign(line, joined, convert(value, joined.type)))


def _with_result(body: list[Statement], result: Type) -> list[Statement]:
    """Convert the value of every return to the function's one result type."""
    converted: list[Statement] = []
    for statement in body:
        match statement:
            case Return(line=line, value=value):
                converted.append(Return(line, convert(value, result)))
            case If(line=line, test=test, then=then, otherwise=otherwise):
                then, otherwise = (
                    _with_result(then, result),
                    _with_result(otherwise, result),
                )
                converted.append(If(line, test, then, otherwise))
            case _:
                converted.append(statement)
    return converted
