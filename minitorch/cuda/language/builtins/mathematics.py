"""Typing of Python's math functions: int, min, math.sin, operator.add.

They need no call, so that `map(math.exp)` has them, too.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import operator
import types
from typing import Any

from ..advice import refused_call
from ..intrinsics import ARITY, PREDICATES, intrinsic_name
from ..operators import binary
from ..scope import Scope
from ..typed import (
    Binary,
    Call,
    Constant,
    Expression,
    as_bool,
    as_float,
    convert,
    tuple_items,
)
from ..types import TupleType, Type, dtype_of, unify

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
    if intrinsic_name(target) is not None or dtype_of(target) is not None:
        return True
    if isinstance(target, types.BuiltinFunctionType) and target in _OPERATORS:
        return True
    return any(target is known for known in _CONVERSIONS + _OTHERS)


def call_builtin(
    scope: Scope, node: ast.AST, target: object, arguments: list[Expression]
) -> Expression:
    """Type a call of a builtin, a function of math, or a NumPy function or type."""
    alone = len(arguments) == 1 and isinstance(arguments[0].type, TupleType)
    if alone and target in (builtins.min, builtins.max):  # as in min(pair)
        arguments = list(tuple_items(arguments[0]))
    if not _is_known(target):
        raise _refused(scope, node, target)
    nodes = node.args if isinstance(node, ast.Call) else []
    if len(nodes) == len(arguments):
        for argument_node, argument in zip(nodes, arguments, strict=True):
            scope.scalar(argument_node, argument)
    name = intrinsic_name(target)
    if name is not None:
        return math_call(scope, node, name, arguments)
    if target in (math.degrees, math.radians):
        _expect(scope, node, target, arguments, 1)
        scale = 180 / math.pi if target is math.degrees else math.pi / 180
        value = as_float(arguments[0])
        factor = convert(Constant(Type.FLOAT64, scale), value.type)
        return Binary(value.type, "*", value, factor)
    if target in (builtins.min, builtins.max):
        return _extreme(scope, node, target, arguments)
    if target is builtins.pow:
        target = operator.pow
    if isinstance(target, types.BuiltinFunctionType) and target in _OPERATORS:
        _expect(scope, node, target, arguments, 2)
        return binary(scope, node, _OPERATORS[target], *arguments)
    if target in _CONVERSIONS:
        _expect(scope, node, target, arguments, 1)
        if target is not bool:
            _need_real(scope, node, name_of(target), arguments)
        return _unary_builtin(target, arguments[0])
    return _cast_call(scope, node, target, arguments)


def _cast_call(
    scope: Scope, node: ast.AST, target: object, arguments: list[Expression]
) -> Expression:
    cast = dtype_of(target)
    if cast is not None:
        _expect(scope, node, target, arguments, 1)
        if not cast.is_complex and cast is not Type.BOOL:
            _need_real(scope, node, str(cast), arguments)
        value = arguments[0]
        return as_bool(value) if cast is Type.BOOL else convert(value, cast)
    raise _refused(scope, node, target)


def _refused(scope: Scope, node: ast.AST, target: object) -> Exception:
    written = name_of(target)
    if isinstance(node, ast.Call):
        written = ast.unparse(node.func)
    return scope.error(node, refused_call(target, written))


def _need_real(
    scope: Scope, node: ast.AST, name: str, arguments: list[Expression]
) -> None:
    for argument in arguments:
        if argument.type.is_complex:
            hint = f" Use cmath.{name}." if hasattr(cmath, name) else ""
            raise scope.error(
                node, f"{name} needs a real number, got {argument.type}.{hint}"
            )


def _unary_builtin(target: object, value: Expression) -> Expression:
    if target is bool:
        return as_bool(value)
    if target is float:
        return as_float(value)
    if target is int:
        is_integer = value.type.is_integer
        return value if is_integer else convert(value, Type.INT64)
    if value.type is Type.BOOL:
        value = convert(value, Type.INT64)
    if target is abs:
        unsigned = value.type.is_integer and not value.type.is_signed
        return value if unsigned else wide_call("fabs", value)
    if value.type.is_integer:  # round
        return convert(value, Type.INT64)
    return convert(wide_call("rint", value), Type.INT64)


def wide_call(name: str, value: Expression) -> Expression:
    """Call a function of one number in the type in which it is computed."""
    wide = value.type.computed
    return convert(Call(wide, name, (convert(value, wide),)), value.type)


def math_call(
    scope: Scope, node: ast.AST, name: str, arguments: list[Expression]
) -> Expression:
    if name == "log" and len(arguments) == 2:
        value, base = (math_call(scope, node, "log", [number]) for number in arguments)
        common = unify(value.type, base.type)
        return Binary(common, "/", convert(value, common), convert(base, common))
    _expect(scope, node, name, arguments, ARITY[name])
    _need_real(scope, node, name, arguments)
    if name == "pow":
        base, exponent = as_float(arguments[0]), arguments[1]
        if isinstance(exponent, Constant) and exponent.type is not Type.FLOAT32:
            exponent = convert(exponent, base.type)
        common = unify(
            base.type, exponent.type if exponent.type.is_float else base.type
        )
        wide = common.computed
        call = Call(wide, name, (convert(base, wide), convert(exponent, wide)))
        return convert(call, common)
    floats = [as_float(argument) for argument in arguments]
    common = floats[0].type
    for number in floats[1:]:
        common = unify(common, number.type)
    wide = common.computed
    result = Type.BOOL if name in PREDICATES else wide
    call = Call(result, name, tuple(convert(number, wide) for number in floats))
    return call if result is Type.BOOL else convert(call, common)


def _extreme(
    scope: Scope, node: ast.AST, target: object, arguments: list[Expression]
) -> Expression:
    # Python's order decides about NaN and signed zeros: min(a, b) is b if b < a.
    if len(arguments) < 2:
        raise scope.error(
            node,
            f"{name_of(target)} needs at least two numbers, got "
            f"{count_of(len(arguments))}.",
        )
    _need_real(scope, node, name_of(target), arguments)
    best = arguments[0]
    for challenger in arguments[1:]:
        common = unify(best.type, challenger.type)
        pair = convert(best, common), convert(challenger, common)
        best = Call(common, name_of(target), pair)
    return best


def _expect(
    scope: Scope, node: ast.AST, target: object, arguments: list[Expression], count: int
) -> None:
    if len(arguments) != count:
        raise scope.error(
            node,
            f"{name_of(target)} takes {count_of(count)}, got {len(arguments)}.",
        )


def count_of(count: int) -> str:
    """Return "1 argument", "2 arguments" and so on."""
    return f"{count} argument{'s' if count != 1 else ''}"


def name_of(target: object) -> str:
    """Return the name of the called function."""
    if isinstance(target, str):
        return target
    return str(getattr(target, "__name__", type(target).__name__))
