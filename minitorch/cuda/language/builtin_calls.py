"""Owns the typing of builtins, math and operators as functions; knows no targets."""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import operator
import types
from typing import Any

from .advice import refused_call
from .dtypes import dtype_of
from .elements import ElementTyping
from .errors import TranslationError
from .intrinsics import ARITY, PREDICATES, intrinsic_name
from .typed import (
    Binary,
    Call,
    Constant,
    Expression,
    Return,
    Statement,
    TypedFunction,
    Variable,
    as_bool,
    convert,
)
from .types import TupleType, Type, unify

__all__ = ["BuiltinTyping", "count_of", "name_of", "typed_builtin"]

_OPERATORS: dict[object, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
    operator.and_: ast.BitAnd(),
    operator.or_: ast.BitOr(),
    operator.xor: ast.BitXor(),
    operator.lshift: ast.LShift(),
    operator.rshift: ast.RShift(),
}


_CONVERSIONS = (abs, round, int, float, bool)
_OTHERS = (math.degrees, math.radians, builtins.min, builtins.max, builtins.pow)


def _is_known(target: Any) -> bool:
    operates = isinstance(target, types.BuiltinFunctionType) and target in _OPERATORS
    known = intrinsic_name(target) is not None or dtype_of(target) is not None
    return operates or known or any(target is each for each in _CONVERSIONS + _OTHERS)


class BuiltinTyping(ElementTyping):
    """Adds calls of what Python and NumPy bring to the expressions of one function."""

    def call_builtin(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        """Type a call of a builtin, a function of math, or a NumPy function or type."""
        if target in (builtins.min, builtins.max) and len(arguments) == 1:
            arguments = self._items_of(arguments[0])
        if not _is_known(target):
            raise self._refused(node, target)
        places = node.args if isinstance(node, ast.Call) else []
        if len(places) == len(arguments):
            for place, each in zip(places, arguments, strict=True):
                self.scalar(place, each)
        name = intrinsic_name(target)
        if name is not None:
            return self.math_call(node, name, arguments)
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
        if target in _CONVERSIONS:
            self._expect(node, target, arguments, 1)
            if target is not bool:
                self._need_real(node, name_of(target), arguments)
            return self._unary_builtin(target, arguments[0])
        return self._cast_call(node, target, arguments)

    def _cast_call(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        cast = dtype_of(target)
        if cast is not None:
            self._expect(node, target, arguments, 1)
            if not cast.is_complex and cast is not Type.BOOL:
                self._need_real(node, str(cast), arguments)
            return self._cast(arguments[0], cast)
        raise self._refused(node, target)

    def _refused(self, node: ast.AST, target: object) -> Exception:
        written = name_of(target)
        if isinstance(node, ast.Call):
            written = ast.unparse(node.func)
        return self.error(node, refused_call(target, written))

    def _need_real(self, node: ast.AST, name: str, arguments: list[Expression]) -> None:
        for each in arguments:
            if each.type.is_complex:
                hint = f" Use cmath.{name}." if hasattr(cmath, name) else ""
                raise self.error(
                    node, f"got {each.type} for {name}; need a real number.{hint}"
                )

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
            unsigned = value.type.is_integer and not value.type.is_signed
            return value if unsigned else self._wide_call("fabs", value)
        if value.type.is_integer:  # round
            return convert(value, Type.INT64)
        return convert(self._wide_call("rint", value), Type.INT64)

    def _wide_call(self, name: str, value: Expression) -> Expression:
        wide = value.type.computed
        return convert(Call(wide, name, (convert(value, wide),)), value.type)

    def _as_float(self, value: Expression) -> Expression:
        return value if value.type.is_float else convert(value, Type.FLOAT64)

    def math_call(
        self, node: ast.AST, name: str, arguments: list[Expression]
    ) -> Expression:
        if name == "log" and len(arguments) == 2:
            value, base = (self.math_call(node, "log", [each]) for each in arguments)
            common = unify(value.type, base.type)
            return Binary(common, "/", convert(value, common), convert(base, common))
        self._expect(node, name, arguments, ARITY[name])
        self._need_real(node, name, arguments)
        if name == "pow":
            base, exponent = self._as_float(arguments[0]), arguments[1]
            if isinstance(exponent, Constant) and exponent.type is not Type.FLOAT32:
                exponent = convert(exponent, base.type)
            common = unify(
                base.type, exponent.type if exponent.type.is_float else base.type
            )
            wide = common.computed
            call = Call(wide, name, (convert(base, wide), convert(exponent, wide)))
            return convert(call, common)
        floats = [self._as_float(argument) for argument in arguments]
        common = floats[0].type
        for each in floats[1:]:
            common = unify(common, each.type)
        wide = common.computed
        result = Type.BOOL if name in PREDICATES else wide
        call = Call(result, name, tuple(convert(each, wide) for each in floats))
        return call if result is Type.BOOL else convert(call, common)

    def _items_of(self, value: Expression) -> list[Expression]:
        """`min(pair)` of a tuple is that of its items."""
        if isinstance(value.type, TupleType):
            return list(self.tuple_items(value))
        return [value]

    def _extreme(
        self, node: ast.AST, target: object, arguments: list[Expression]
    ) -> Expression:
        # Python's order decides about NaN and signed zeros: min(a, b) is b if b < a.
        if len(arguments) < 2:
            raise self.error(
                node,
                f"got {name_of(target)} of one value; need at least two numbers.",
            )
        self._need_real(node, name_of(target), arguments)
        best = arguments[0]
        for challenger in arguments[1:]:
            common = unify(best.type, challenger.type)
            pair = convert(best, common), convert(challenger, common)
            best = Call(common, name_of(target), pair)
        return best

    def _expect(
        self, node: ast.AST, target: object, arguments: list[Expression], count: int
    ) -> None:
        if len(arguments) != count:
            raise self.error(
                node,
                f"got {count_of(len(arguments))} for {name_of(target)}; need {count}.",
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
    name = name_of(function)
    node: ast.AST = ast.Name(name)
    parameters = tuple(
        Variable(type_, f"x{index}") for index, type_ in enumerate(arguments)
    )
    value = _AloneTyping().call_builtin(node, function, list(parameters))
    body: list[Statement] = [Return(1, value)]
    return TypedFunction(name, f"/minitorch/py/{name}", parameters, value.type, body)


class _AloneTyping(BuiltinTyping):
    """Types a call that no Python line stands for."""

    def __init__(self) -> None:
        """Need no function: only `call_builtin` is used."""
        self.body = []

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        return TranslationError(problem)


def count_of(count: int) -> str:
    """Say how many arguments there are."""
    return f"{count} argument{'s' if count != 1 else ''}"


def name_of(target: object) -> str:
    """Name what is called."""
    if isinstance(target, str):
        return target
    return str(getattr(target, "__name__", type(target).__name__))
