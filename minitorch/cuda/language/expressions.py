"""Owns the typing of operators and comparisons; must not know statements or targets."""

from __future__ import annotations

import ast
import operator as operators
from collections.abc import Callable
from typing import Any

from .advice import refused_syntax
from .outside import OutsideTyping
from .typed import (
    Assign,
    Binary,
    Compare,
    Constant,
    Expression,
    Logical,
    Select,
    Statement,
    Static,
    TupleValue,
    Unary,
    Variable,
    as_bool,
    convert,
)
from .typed_kernel import Intrinsic, changes_memory, has_effect, is_simple, reads_memory
from .types import Type, arithmetic_type, power_type, unify

__all__ = ["ExpressionTyping"]

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


class ExpressionTyping(OutsideTyping):
    """Gives typed expressions for the nodes of one function.

    `body` takes the statements that an expression needs before it; inside `and`, `or`
    and `a if c else b` there is no such place (`conditional`).
    """

    body: list[Statement]
    conditional: bool = False

    def expression(self, node: ast.expr) -> Expression:
        """Type `node`; the result's value is what Python would compute."""
        match node:
            case ast.Constant():
                return self.constant(node, node.value)
            case ast.Name():
                return self.name(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Tuple():
                return TupleValue.of(tuple(map(self.expression, node.elts)))
            case ast.BinOp():
                left, right = self.expression(node.left), self.expression(node.right)
                left, right = self.in_order(node, left, right)
                return self.binary(node, node.op, left, right)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self.comparison(node)
            case ast.BoolOp():
                return self._and_or(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self.call(node)
        raise self.error(node, refused_syntax(node))

    def call(self, node: ast.Call) -> Expression:
        """Type a call; the class that knows functions overrides it."""
        raise NotImplementedError

    def comparison(self, node: ast.Compare) -> Expression:
        """Type a chain of comparisons; the class that knows them overrides it."""
        raise NotImplementedError

    def attribute(self, node: ast.Attribute) -> Expression:
        """Type `a.b`; the class that knows arrays overrides it."""
        return self.constant(node, self.outside(node))

    def subscript(self, node: ast.Subscript) -> Expression:
        """Type `a[i]`; the class that knows arrays overrides it."""
        raise NotImplementedError

    def fresh(self, stem: str, type_: object) -> Variable:
        """Make a variable that no Python name has."""
        raise NotImplementedError

    def hold(self, node: ast.AST, value: Expression) -> Expression:
        """Give `value` so that it may be used several times."""
        if is_simple(value) or not isinstance(value.type, Type):
            return value
        if self.conditional:
            if not has_effect(value):
                return value
            raise self.error(
                node,
                "got a call that changes memory where its value is used twice; need "
                "a name for it. Assign it in a line above.",
            )
        held = self.fresh("value", value.type)
        self.body.append(Assign(self.source.relative_line(node), held, value))
        return held

    def in_order(self, node: ast.AST, *values: Expression) -> tuple[Expression, ...]:
        """Give values so that memory is read and changed in this order.

        C++ may compute the operands of `a + b` in any order. What comes before a value
        that changes memory is computed in a line above.
        """
        places = [index for index, each in enumerate(values) if changes_memory(each)]
        if not places or self.conditional:
            return values
        return tuple(
            self.hold(node, each)
            if index < places[-1] and (changes_memory(each) or reads_memory(each))
            else each
            for index, each in enumerate(values)
        )

    def number_of(self, node: ast.expr) -> Expression:
        """Type `node` where only a number will do."""
        return self.scalar(node, self.expression(node))

    def condition(self, node: ast.expr) -> Expression:
        """Type `node` where only its truth counts; always bool."""
        if isinstance(node, ast.BoolOp):
            operator = "and" if isinstance(node.op, ast.And) else "or"
            return self._logical(operator, node.values)
        return self.truth(node, self.expression(node))

    def truth(self, node: ast.AST, value: Expression) -> Expression:
        """Give the truth of a value, as Python has it."""
        if isinstance(value, Static) and value.value is None:
            return Constant(Type.BOOL, False)
        if isinstance(value, TupleValue):
            return Constant(Type.BOOL, bool(value.items))
        if isinstance(value, Constant):
            return Constant(Type.BOOL, bool(value.value))
        return as_bool(self.scalar(node, value))

    def _logical(self, operator: str, values: list[ast.expr]) -> Expression:
        """Fold `and` or `or`; constants decide while compiling, as Numba prunes."""
        result: Expression | None = None
        outer = self.conditional
        for value in values:
            truth = self.condition(value)
            self.conditional = True
            if isinstance(truth, Constant) and result is None:
                if bool(truth.value) is (operator == "or"):
                    result = truth
                    break
                continue
            result = (
                truth if result is None else Logical(Type.BOOL, operator, result, truth)
            )
        self.conditional = outer
        return result or Constant(Type.BOOL, operator == "and")

    def binary(
        self, node: ast.AST, op: ast.operator, left: Expression, right: Expression
    ) -> Expression:
        """Type `left op right`."""
        operator = _BINARY.get(type(op))
        if operator is None:
            raise self.error(
                node,
                f"got the operator @ on {left.type} and {right.type}; need one of "
                "+ - * / // % **. Write the loop over the inner dimension.",
            )
        if isinstance(left, TupleValue) and isinstance(right, TupleValue):
            return self._joined_tuples(node, operator, left, right)
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node, node)
        left, right = self.scalar(sides[0], left), self.scalar(sides[1], right)
        folded = _exact(operator, left, right)
        if folded is not None:
            return self.number(node, folded)
        if operator in _BITS:
            return self._bits(node, operator, left, right)
        if operator == "**":
            return self.power(left, right)
        common = arithmetic_type(operator, left.type, right.type)
        if common.is_complex and operator in ("//", "%"):
            raise self.error(
                node,
                f"got {operator} on {left.type} and {right.type}; need real numbers.",
            )
        wide = common.computed if operator in ("//", "%") else common
        left, right = convert(left, wide), convert(right, wide)
        return convert(Binary(wide, operator, left, right), common)

    def _joined_tuples(
        self, node: ast.AST, operator: str, left: TupleValue, right: TupleValue
    ) -> Expression:
        if operator != "+":
            raise self.error(node, f"got {operator} on two tuples; need +.")
        return TupleValue.of(left.items + right.items)

    def _bits(
        self, node: ast.AST, operator: str, left: Expression, right: Expression
    ) -> Expression:
        types = left.type, right.type
        if any(each.is_float or each.is_complex for each in types):
            raise self.error(
                node,
                f"got the bit operator {operator} on {left.type} and {right.type}; "
                "need integers. Convert with int(...).",
            )
        if types == (Type.BOOL, Type.BOOL) and operator in "&|^":
            return Binary(Type.BOOL, operator, left, right)
        # Numba shifts in the type of the left side alone.
        shift = operator in ("<<", ">>")
        common = arithmetic_type(operator, left.type, (left if shift else right).type)
        return Binary(common, operator, convert(left, common), convert(right, common))

    def power(self, base: Expression, exponent: Expression) -> Expression:
        """Type `base ** exponent`."""
        result = power_type(base.type, exponent.type)
        if result.is_complex:
            sides = convert(base, result), convert(exponent, result)
            return Intrinsic(result, "py::pow", sides, ("complex_inverse.cuh",))
        if result.computed is not result:
            wide = self.power(convert(base, result.computed), exponent)
            return convert(wide, result)
        if isinstance(exponent, Constant) and exponent.type is Type.INT64:
            if exponent.value < 0 and result.is_integer:
                result = Type.FLOAT64  # 2 ** -1 is 0.5, as in Python
            if result.is_float:  # repeated multiplication, when the number is small
                return Binary(result, "**", convert(base, result), exponent)
        return Binary(result, "**", convert(base, result), convert(exponent, result))

    def _unary(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Not):
            truth = self.condition(node.operand)
            if isinstance(truth, Constant):
                return Constant(Type.BOOL, not truth.value)
            return Unary(Type.BOOL, "not", truth)
        value = self.number_of(node.operand)
        if isinstance(node.op, ast.Invert):
            if not value.type.is_integer and value.type is not Type.BOOL:
                raise self.error(
                    node, f"got the bit operator ~ on {value.type}; need an integer."
                )
            if value.type is Type.BOOL:
                return Unary(Type.BOOL, "not", value)  # as NumPy and Numba have it
            wide = arithmetic_type("~", value.type, value.type)
            return Unary(wide, "~", convert(value, wide))
        if value.type.is_integer or value.type is Type.BOOL:
            value = convert(value, arithmetic_type("-", value.type, value.type))
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, Constant) and value.type is not Type.UINT64:
            return Constant(value.type, -value.value)
        return Unary(value.type, "-", value)

    def compare(self, operator: str, left: Expression, right: Expression) -> Expression:
        """Type one comparison, in the type that holds both sides.

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

    def _and_or(self, node: ast.BoolOp) -> Expression:
        is_and = isinstance(node.op, ast.And)
        outer, values = self.conditional, list[Expression]()
        for each in node.values:
            value = self.number_of(each)
            values.append(
                self.hold(each, value) if each is not node.values[-1] else value
            )
            self.conditional = True
        self.conditional = outer
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

    def _choice(self, node: ast.IfExp) -> Expression:
        test = self.condition(node.test)
        if isinstance(test, Constant):
            return self.expression(node.body if test.value else node.orelse)
        outer, self.conditional = self.conditional, True
        then, otherwise = self.number_of(node.body), self.number_of(node.orelse)
        self.conditional = outer
        common = unify(then.type, otherwise.type)
        return Select(common, test, convert(then, common), convert(otherwise, common))


def _exact(operator: str, left: Expression, right: Expression) -> int | None:
    """Compute with integer constants in Python, so that an overflow is seen."""
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
