"""Typing of operators."""

from __future__ import annotations

import ast
import operator as operators
from collections.abc import Callable
from typing import Any

from .scope import Scope
from .typed import (
    Binary,
    Compare,
    Constant,
    Expression,
    Intrinsic,
    Static,
    TupleValue,
    Variable,
    as_bool,
    convert,
)
from .types import Type, arithmetic_type, power_type, unify

_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_BITS = ("&", "|", "^", "<<", ">>")
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
    "==": operators.eq,
    "!=": operators.ne,
}


def truth(scope: Scope, node: ast.AST, value: Expression) -> Expression:
    """Return the truth of a value, as in Python."""
    if isinstance(value, Static) and value.value is None:
        return Constant(Type.BOOL, False)
    if isinstance(value, TupleValue):
        return Constant(Type.BOOL, bool(value.items))
    if isinstance(value, Constant):
        return Constant(Type.BOOL, bool(value.value))
    return as_bool(scope.scalar(node, value))


def binary(
    scope: Scope, node: ast.AST, op: ast.operator, left: Expression, right: Expression
) -> Expression:
    """Type `left op right`."""
    operator = _BINARY.get(type(op))
    if operator is None:
        raise scope.error(
            node,
            f"the operator @ is not supported in a kernel ({left.type} @ "
            f"{right.type}). Write a loop over the inner dimension.",
        )
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        if operator != "+":
            raise scope.error(node, f"two tuples support only +, got {operator}.")
        return TupleValue.of(left.items + right.items)
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node, node)
    left, right = scope.scalar(sides[0], left), scope.scalar(sides[1], right)
    folded = _exact(operator, left, right)
    if folded is not None:
        return scope.scalar(node, scope.constant(node, folded))
    if operator in _BITS:
        return _bits(scope, node, operator, left, right)
    if operator == "**":
        return power(left, right)
    common = arithmetic_type(operator, left.type, right.type)
    if common.is_complex and operator in ("//", "%"):
        raise scope.error(
            node,
            f"{operator} needs real numbers, got {left.type} and {right.type}.",
        )
    wide = common.computed if operator in ("//", "%") else common
    left, right = convert(left, wide), convert(right, wide)
    return convert(Binary(wide, operator, left, right), common)


def _bits(
    scope: Scope, node: ast.AST, operator: str, left: Expression, right: Expression
) -> Expression:
    types = left.type, right.type
    if any(type_.is_float or type_.is_complex for type_ in types):
        raise scope.error(
            node,
            f"{operator} needs integers, got {left.type} and {right.type}. Convert "
            "with int(...).",
        )
    if types == (Type.BOOL, Type.BOOL) and operator in "&|^":
        return Binary(Type.BOOL, operator, left, right)
    # Numba shifts in the type of the left side alone.
    shift = operator in ("<<", ">>")
    common = arithmetic_type(operator, left.type, (left if shift else right).type)
    return Binary(common, operator, convert(left, common), convert(right, common))


def power(base: Expression, exponent: Expression) -> Expression:
    """Type `base ** exponent`."""
    result = power_type(base.type, exponent.type)
    if result.is_complex:
        sides = convert(base, result), convert(exponent, result)
        return Intrinsic(result, "py::pow", sides, ("complex_inverse.cuh",))
    if result.computed is not result:
        wide = power(convert(base, result.computed), exponent)
        return convert(wide, result)
    if isinstance(exponent, Constant) and exponent.type is Type.INT64:
        if exponent.value < 0 and result.is_integer:
            result = Type.FLOAT64  # 2 ** -1 is 0.5, as in Python
        if result.is_float:  # repeated multiplication, when the number is small
            return Binary(result, "**", convert(base, result), exponent)
    return Binary(result, "**", convert(base, result), convert(exponent, result))


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """Type one comparison, in the common type of both sides.

    Constants are compared at once, so that a branch on them is pruned.
    """
    if isinstance(left, Constant) and isinstance(right, Constant):
        holds = _COMPARED[operator](left.value, right.value)
        return Constant(Type.BOOL, bool(holds))
    common = unify(left.type, right.type)
    if common is Type.BOOL:
        common = Type.INT64
    left, right = convert(left, common), convert(right, common)
    return Compare(Type.BOOL, operator, left, right)


def _exact(operator: str, left: Expression, right: Expression) -> int | None:
    """Compute with integer constants in Python, so that overflow is detected."""
    a, b = _known(left), _known(right)
    if a is None or b is None:
        return None
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//" if b != 0:
            return a // b
        case "%" if b != 0:
            return a % b
        case "**" if 0 <= b <= 64 or (b > 64 and abs(a) < 2):
            return int(a**b)
        case "**" if b > 64:
            return int(a**64) ** 2  # too large in any case
        case "<<" if 0 <= b < 64:
            return a << b
        case ">>" if 0 <= b < 64:
            return a >> b
    return None


def _known(value: Expression) -> int | None:
    if value.type is not Type.INT64:
        return None
    if isinstance(value, Constant):
        return int(value.value)
    known = value.known if isinstance(value, Variable) else None
    return None if known is None else int(known)
