"""Rules for literals, names, operators, comparisons."""

from __future__ import annotations

import ast

from ..advice import describe
from ..operators import binary, compare, truth
from ..scope import Scope
from ..typed import (
    Constant,
    Expression,
    Logical,
    Select,
    Static,
    TupleValue,
    Unary,
    as_bool,
    convert,
)
from ..types import Type, arithmetic_type, unify
from .rules import expression, expression_rule, number_of

_COMPARE = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@expression_rule(ast.Constant)
def _constant(scope: Scope, node: ast.Constant) -> Expression:
    return scope.constant(node, node.value)


@expression_rule(ast.Name)
def _name(scope: Scope, node: ast.Name) -> Expression:
    return scope.name(node)


@expression_rule(ast.Tuple)
def _tuple(scope: Scope, node: ast.Tuple) -> Expression:
    return TupleValue.of(tuple(expression(scope, element) for element in node.elts))


@expression_rule(ast.BinOp)
def _binary(scope: Scope, node: ast.BinOp) -> Expression:
    left, right = expression(scope, node.left), expression(scope, node.right)
    left, right = scope.in_order(node, left, right)
    return binary(scope, node, node.op, left, right)


@expression_rule(ast.UnaryOp)
def _unary(scope: Scope, node: ast.UnaryOp) -> Expression:
    if isinstance(node.op, ast.Not):
        truth = condition(scope, node.operand)
        if isinstance(truth, Constant):
            return Constant(Type.BOOL, not truth.value)
        return Unary(Type.BOOL, "not", truth)
    value = number_of(scope, node.operand)
    if isinstance(node.op, ast.Invert):
        return _inverted(scope, node, value)
    if value.type.is_integer or value.type is Type.BOOL:
        value = convert(value, arithmetic_type("-", value.type, value.type))
    if isinstance(node.op, ast.UAdd):
        return value
    if isinstance(value, Constant) and value.type is not Type.UINT64:
        return Constant(value.type, -value.value)
    return Unary(value.type, "-", value)


def _inverted(scope: Scope, node: ast.UnaryOp, value: Expression) -> Expression:
    if not value.type.is_integer and value.type is not Type.BOOL:
        raise scope.error(node, f"the operator ~ needs an integer, got {value.type}.")
    if value.type is Type.BOOL:
        return Unary(Type.BOOL, "not", value)  # as NumPy and Numba have it
    wide = arithmetic_type("~", value.type, value.type)
    return Unary(wide, "~", convert(value, wide))


# Truth.


def condition(scope: Scope, node: ast.expr) -> Expression:
    """Type `node` as a condition; the result is always bool."""
    if isinstance(node, ast.BoolOp):
        operator = "and" if isinstance(node.op, ast.And) else "or"
        return _logical(scope, operator, node.values)
    return truth(scope, node, expression(scope, node))


def _logical(scope: Scope, operator: str, values: list[ast.expr]) -> Expression:
    """Fold `and` or `or`; constants are pruned at compile time, as by Numba."""
    result: Expression | None = None
    outer = scope.conditional
    for value in values:
        truth = condition(scope, value)
        scope.conditional = True
        if isinstance(truth, Constant) and result is None:
            if bool(truth.value) is (operator == "or"):
                result = truth
                break
            continue
        result = (
            truth if result is None else Logical(Type.BOOL, operator, result, truth)
        )
    scope.conditional = outer
    return result or Constant(Type.BOOL, operator == "and")


@expression_rule(ast.BoolOp)
def _and_or(scope: Scope, node: ast.BoolOp) -> Expression:
    is_and = isinstance(node.op, ast.And)
    outer, values = scope.conditional, list[Expression]()
    for operand in node.values:
        value = number_of(scope, operand)
        values.append(
            scope.hold(operand, value) if operand is not node.values[-1] else value
        )
        scope.conditional = True
    scope.conditional = outer
    result = values[-1]
    for value in reversed(values[:-1]):
        common = unify(value.type, result.type)
        if common is Type.BOOL:
            operator = "and" if is_and else "or"
            result = Logical(common, operator, value, result)
            continue
        first, second = convert(value, common), convert(result, common)
        then, otherwise = (second, first) if is_and else (first, second)
        result = Select(common, as_bool(value), then, otherwise)
    return result


@expression_rule(ast.IfExp)
def _choice(scope: Scope, node: ast.IfExp) -> Expression:
    test = condition(scope, node.test)
    if isinstance(test, Constant):
        return expression(scope, node.body if test.value else node.orelse)
    outer, scope.conditional = scope.conditional, True
    then, otherwise = number_of(scope, node.body), number_of(scope, node.orelse)
    scope.conditional = outer
    common = unify(then.type, otherwise.type)
    return Select(common, test, convert(then, common), convert(otherwise, common))


# Comparisons.


@expression_rule(ast.Compare)
def _compare(scope: Scope, node: ast.Compare) -> Expression:
    left = expression(scope, node.left)
    left_node: ast.AST = node.left
    result: Expression | None = None
    last = len(node.ops) - 1
    for index, (op, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = expression(scope, operand)
        left, right = scope.in_order(node, left, right)
        if index < last:
            right = scope.hold(operand, right)
        if isinstance(op, (ast.Is, ast.IsNot)):
            link = _identity(scope, node, op, left, right)
        elif isinstance(op, (ast.In, ast.NotIn)):
            link = _membership(scope, node, op, left, right)
        else:
            operator = _COMPARE[type(op)]
            link = _comparison(scope, node, operator, left, right, left_node, operand)
        result = link if result is None else Logical(Type.BOOL, "and", result, link)
        left, left_node = right, operand
    assert result is not None
    return result


def _identity(
    scope: Scope, node: ast.AST, op: ast.cmpop, left: Expression, right: Expression
) -> Expression:
    nothing = [
        isinstance(side, Static) and side.value is None for side in (left, right)
    ]
    if not any(nothing):
        word = "is" if isinstance(op, ast.Is) else "is not"
        raise scope.error(node, f"`{word}` is supported only with None. Use == or !=.")
    return Constant(Type.BOOL, all(nothing) is isinstance(op, ast.Is))


def _membership(
    scope: Scope, node: ast.Compare, op: ast.cmpop, left: Expression, right: Expression
) -> Expression:
    """Type `x in (a, b)` as a comparison with each item."""
    if not isinstance(right, TupleValue):
        container = describe(right.value) if isinstance(right, Static) else right.type
        raise scope.error(
            node, f"`in` needs a tuple, as in x in (1, 2); got {container}."
        )
    if isinstance(left, TupleValue):
        items = tuple(scope.hold(node.left, element) for element in left.items)
        left = TupleValue.of(items)
    else:
        left = scope.hold(node.left, scope.scalar(node.left, left))
    result: Expression = Constant(Type.BOOL, False)
    for item in right.items:
        same = _comparison(scope, node, "==", left, item, node.left, node)
        result = Logical(Type.BOOL, "or", result, same)
    return result if isinstance(op, ast.In) else Unary(Type.BOOL, "not", result)


def _comparison(
    scope: Scope,
    node: ast.AST,
    operator: str,
    left: Expression,
    right: Expression,
    left_node: ast.AST,
    right_node: ast.AST,
) -> Expression:
    if isinstance(left, Static) and isinstance(right, Static):
        return _objects(scope, node, operator, left, right)
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return _tuples(scope, node, operator, left, right)
    left, right = scope.scalar(left_node, left), scope.scalar(right_node, right)
    if (left.type.is_complex or right.type.is_complex) and operator not in (
        "==",
        "!=",
    ):
        raise scope.error(
            node,
            f"cannot compare {left.type} {operator} {right.type}: complex numbers have "
            "no order. Compare abs(z) or z.real.",
        )
    return compare(operator, left, right)


def _objects(
    scope: Scope, node: ast.AST, operator: str, left: Static, right: Static
) -> Expression:
    """Compare strings, dtypes or functions at compile time."""
    if operator not in ("==", "!="):
        raise scope.error(
            node,
            f"{describe(left.value)} can be compared only with == or !=, got "
            f"{operator}.",
        )
    same = bool(left.value == right.value)
    return Constant(Type.BOOL, same is (operator == "=="))


def _tuples(
    scope: Scope, node: ast.AST, operator: str, left: TupleValue, right: TupleValue
) -> Expression:
    if operator not in ("==", "!="):
        raise scope.error(
            node, f"tuples can be compared only with == or !=, got {operator}."
        )
    same: Expression = Constant(Type.BOOL, len(left.items) == len(right.items))
    if len(left.items) == len(right.items):
        for one, other in zip(left.items, right.items, strict=True):
            link = _comparison(scope, node, "==", one, other, node, node)
            same = Logical(Type.BOOL, "and", same, link)
    return same if operator == "==" else Unary(Type.BOOL, "not", same)
