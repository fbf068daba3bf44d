"""Owns the typing of calls: builtins, math, other functions; knows no targets."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import types
from collections.abc import Callable

from .captures import Captures
from .errors import TranslationError
from .expressions import SUPPORTED, ExpressionTyping
from .intrinsics import ARITY, PREDICATES, intrinsic_name
from .source import FunctionSource
from .typed import (
    Binary,
    Call,
    Constant,
    Expression,
    Invoke,
    Return,
    Statement,
    TypedFunction,
    Variable,
    as_bool,
    convert,
)
from .types import Type, unify

__all__ = ["CallTyping", "Translate", "typed_builtin"]

#: Translates a function for argument types; the node is the call, for errors.
Translate = Callable[
    [types.FunctionType, tuple[Type, ...], Callable[[str], Exception]], TypedFunction
]
_OPERATORS: dict[object, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
}
_CASTS = {
    "float64": Type.FLOAT64,
    "float32": Type.FLOAT32,
    "int64": Type.INT64,
    "int32": Type.INT32,
    "bool_": Type.BOOL,
    "bool": Type.BOOL,
}


class CallTyping(ExpressionTyping):
    """Adds calls to the expressions of one function."""

    def __init__(
        self,
        function: types.FunctionType,
        source: FunctionSource,
        captures: Captures,
        translate: Translate,
    ) -> None:
        super().__init__(function, source, captures)
        self._translate = translate

    def call(self, node: ast.Call) -> Expression:
        """Type a call of anything that is supported."""
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            raise self.error(node, f"got a call of an expression; need {SUPPORTED}.")
        if isinstance(node.func, ast.Name) and node.func.id in self.local_names:
            raise self.error(
                node, f"got a call of the number {node.func.id!r}; need a function."
            )
        target = self.outside(node.func)
        if isinstance(target, types.FunctionType):
            return self._invoke(node, target)
        if node.keywords:
            raise self.error(
                node, f"got keyword arguments for {_name_of(target)}; need positions."
            )
        arguments = [self.expression(argument) for argument in node.args]
        return self.call_builtin(node, target, arguments)

    def call_builtin(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        """Type a call of a builtin, a function of math, or a NumPy function or type."""
        name = intrinsic_name(target)
        if name is not None:
            return self._math(node, name, arguments)
        if target in (math.degrees, math.radians):
            self._expect(node, target, arguments, 1)
            scale = 180 / math.pi if target is math.degrees else math.pi / 180
            value = self._as_float(arguments[0])
            factor = convert(Constant(Type.FLOAT64, scale), value.type)
            return Binary(value.type, "*", value, factor)
        if target in (builtins.min, builtins.max):
            return self._extreme(node, target, arguments)
        if target is builtins.pow:
            target = operator.pow
        if isinstance(target, types.BuiltinFunctionType) and target in _OPERATORS:
            self._expect(node, target, arguments, 2)
            return self.binary(node, _OPERATORS[target], *arguments)
        cast = _CASTS.get(getattr(target, "__name__", ""))
        if cast is not None and isinstance(target, type) and target is not bool:
            self._expect(node, target, arguments, 1)
            return self._cast(arguments[0], cast)
        if target in (abs, round, int, float, bool):
            self._expect(node, target, arguments, 1)
            return self._unary_builtin(target, arguments[0])
        raise self.error(node, f"got a call of {_name_of(target)}; need {SUPPORTED}.")

    def _cast(self, value: Expression, to: Type) -> Expression:
        return as_bool(value) if to is Type.BOOL else convert(value, to)

    def _unary_builtin(self, target: object, value: Expression) -> Expression:
        if target is bool:
            return as_bool(value)
        if target is float:
            return self._as_float(value)
        if target is int:
            whole = value.type.is_integer
            return value if whole else convert(value, Type.INT64)
        if value.type is Type.BOOL:
            value = convert(value, Type.INT64)
        if target is abs:
            return Call(value.type, "fabs", (value,))
        if value.type.is_integer:  # round
            return value
        return convert(Call(value.type, "rint", (value,)), Type.INT64)

    def _as_float(self, value: Expression) -> Expression:
        return value if value.type.is_float else convert(value, Type.FLOAT64)

    def _math(
        self, node: ast.AST, name: str, arguments: list[Expression]
    ) -> Expression:
        if name == "log" and len(arguments) == 2:
            value, base = (self._math(node, "log", [each]) for each in arguments)
            common = unify(value.type, base.type)
            return Binary(common, "/", convert(value, common), convert(base, common))
        self._expect(node, name, arguments, ARITY[name])
        if name == "pow":
            base, exponent = self._as_float(arguments[0]), arguments[1]
            if isinstance(exponent, Constant) and exponent.type is not Type.FLOAT32:
                exponent = convert(exponent, base.type)
            common = unify(
                base.type, exponent.type if exponent.type.is_float else base.type
            )
            return Call(
                common, name, (convert(base, common), convert(exponent, common))
            )
        floats = [self._as_float(argument) for argument in arguments]
        common = floats[0].type
        for each in floats[1:]:
            common = unify(common, each.type)
        result = Type.BOOL if name in PREDICATES else common
        return Call(result, name, tuple(convert(each, common) for each in floats))

    def _extreme(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        # Python's order decides about NaN and signed zeros: min(a, b) is b if b < a.
        if len(arguments) < 2:
            raise self.error(
                node,
                f"got {_name_of(target)} of one value; need at least two numbers.",
            )
        best = arguments[0]
        for challenger in arguments[1:]:
            common = unify(best.type, challenger.type)
            pair = convert(best, common), convert(challenger, common)
            best = Call(common, _name_of(target), pair)
        return best

    def _invoke(self, node: ast.Call, target: types.FunctionType) -> Expression:
        arguments = self._bind(node, target)

        def fail(problem: str) -> Exception:
            return self.error(node, problem)

        signature = tuple(argument.type for argument in arguments)
        function = self._translate(target, signature, fail)
        return Invoke(function.result, function, tuple(arguments))

    def _bind(self, node: ast.Call, target: types.FunctionType) -> list[Expression]:
        names = target.__code__.co_varnames[: target.__code__.co_argcount]
        given = dict(zip(names, map(self.expression, node.args), strict=False))
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in given:
                raise self.error(
                    node,
                    f"got the argument {keyword.arg!r} for {target.__name__}"
                    f"({', '.join(names)}); need each of them once.",
                )
            given[keyword.arg] = self.expression(keyword.value)
        defaults = target.__defaults__ or ()
        for name, value in zip(
            names[len(names) - len(defaults) :], defaults, strict=True
        ):
            if name not in given:
                given[name] = self.number(node, value)
        if len(node.args) > len(names) or len(given) < len(names):
            count = len(node.args) + len(node.keywords)
            raise self.error(
                node,
                f"got {_arguments(count)} for {target.__name__}({', '.join(names)}); "
                f"need {len(names)}.",
            )
        return [given[name] for name in names]

    def _expect(
        self, node: ast.AST, target: object, arguments: list[Expression], count: int
    ) -> None:
        if len(arguments) != count:
            raise self.error(
                node,
                f"got {_arguments(len(arguments))} for {_name_of(target)}; "
                f"need {count}.",
            )


def typed_builtin(function: object, arguments: tuple[Type, ...]) -> TypedFunction:
    """Give the typed form of a builtin itself, as in `map(math.exp)`.

    Args:
        function: A function of builtins, math, operator or NumPy.
        arguments: Type of each argument.

    Returns:
        A function that calls it.

    Raises:
        TranslationError: It is not supported, or not with so many arguments.
    """
    name = _name_of(function)
    node = ast.Name(name)
    parameters = tuple(
        Variable(type_, f"x{index}") for index, type_ in enumerate(arguments)
    )
    value = _BuiltinTyping().call_builtin(node, function, list(parameters))
    body: list[Statement] = [Return(1, value)]
    return TypedFunction(name, f"/minitorch/py/{name}", parameters, value.type, body)


class _BuiltinTyping(CallTyping):
    """Types a call that no Python line stands for."""

    def __init__(self) -> None:
        """Need no function: only `call_builtin` is used."""

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        return TranslationError(problem)


def _arguments(count: int) -> str:
    return f"{count} argument{'s' if count != 1 else ''}"


def _name_of(target: object) -> str:
    if isinstance(target, str):
        return target
    return str(getattr(target, "__name__", type(target).__name__))
