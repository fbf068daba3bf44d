"""Owns the typing of comparisons; must not know statements or targets."""

from __future__ import annotations

import ast

from .expressions import ExpressionTyping
from .outside import describe
from .typed import (
    Constant,
    Expression,
    Logical,
    Static,
    TupleValue,
    Unary,
)
from .types import Type

__all__ = ["ComparisonTyping"]

_COMPARE = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class ComparisonTyping(ExpressionTyping):
    """Adds comparisons to the expressions of one function."""

    def comparison(self, node: ast.Compare) -> Expression:
        left = self.expression(node.left)
        left_node: ast.AST = node.left
        result: Expression | None = None
        last = len(node.ops) - 1
        for index, (op, operand) in enumerate(
            zip(node.ops, node.comparators, strict=True)
        ):
            right = self.expression(operand)
            left, right = self.in_order(node, left, right)
            if index < last:
                right = self.hold(operand, right)
            if isinstance(op, (ast.Is, ast.IsNot)):
                link = self._identity(node, op, left, right)
            elif isinstance(op, (ast.In, ast.NotIn)):
                link = self._membership(node, op, left, right)
            else:
                operator = _COMPARE[type(op)]
                link = self._comparison(node, operator, left, right, left_node, operand)
            result = link if result is None else Logical(Type.BOOL, "and", result, link)
            left, left_node = right, operand
        assert result is not None
        return result

    def _identity(
        self, node: ast.AST, op: ast.cmpop, left: Expression, right: Expression
    ) -> Expression:
        nothing = [
            isinstance(each, Static) and each.value is None for each in (left, right)
        ]
        if not any(nothing):
            word = "is" if isinstance(op, ast.Is) else "is not"
            raise self.error(
                node, f"got the comparison `{word}`; need < <= > >= == or !=."
            )
        return Constant(Type.BOOL, all(nothing) is isinstance(op, ast.Is))

    def _membership(
        self, node: ast.Compare, op: ast.cmpop, left: Expression, right: Expression
    ) -> Expression:
        """`x in (a, b)`: a comparison with each item."""
        if not isinstance(right, TupleValue):
            what = describe(right.value) if isinstance(right, Static) else right.type
            raise self.error(node, f"got `in` {what}; need a tuple: x in (1, 2).")
        left = self.hold(node.left, self.scalar(node.left, left))
        found: Expression = Constant(Type.BOOL, False)
        for item in right.items:
            same = self.compare("==", left, self.scalar(node, item))
            found = Logical(Type.BOOL, "or", found, same)
        return found if isinstance(op, ast.In) else Unary(Type.BOOL, "not", found)

    def _comparison(
        self,
        node: ast.AST,
        operator: str,
        left: Expression,
        right: Expression,
        left_node: ast.AST,
        right_node: ast.AST,
    ) -> Expression:
        if isinstance(left, Static) and isinstance(right, Static):
            return self._objects(node, operator, left, right)
        if isinstance(left, TupleValue) and isinstance(right, TupleValue):
            return self._tuples(node, operator, left, right)
        left, right = self.scalar(left_node, left), self.scalar(right_node, right)
        if (left.type.is_complex or right.type.is_complex) and operator not in (
            "==",
            "!=",
        ):
            raise self.error(
                node,
                f"got {left.type} {operator} {right.type}; need real numbers. Complex "
                "numbers have no order: compare abs(z) or z.real.",
            )
        return self.compare(operator, left, right)

    def _objects(
        self, node: ast.AST, operator: str, left: Static, right: Static
    ) -> Expression:
        """Compare strings, dtypes or functions: decided while compiling."""
        if operator not in ("==", "!="):
            raise self.error(
                node,
                f"got {describe(left.value)} compared by {operator}; need == or !=.",
            )
        same = bool(left.value == right.value)
        return Constant(Type.BOOL, same is (operator == "=="))

    def _tuples(
        self, node: ast.AST, operator: str, left: TupleValue, right: TupleValue
    ) -> Expression:
        if operator not in ("==", "!="):
            raise self.error(node, f"got tuples compared by {operator}; need == or !=.")
        same: Expression = Constant(Type.BOOL, len(left.items) == len(right.items))
        if len(left.items) == len(right.items):
            for one, other in zip(left.items, right.items, strict=True):
                link = self.compare(
                    "==", self.scalar(node, one), self.scalar(node, other)
                )
                same = Logical(Type.BOOL, "and", same, link)
        return same if operator == "==" else Unary(Type.BOOL, "not", same)
