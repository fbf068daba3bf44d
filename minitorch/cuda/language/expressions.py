"""Owns the typing of Python expressions; must not know statements or targets."""

from __future__ import annotations

import ast
import difflib
import types

from .captures import Captures, outside_names
from .errors import TranslationError
from .source import FunctionSource
from .typed import (
    Binary,
    Compare,
    Constant,
    Expression,
    Logical,
    Select,
    Unary,
    Variable,
    as_bool,
    convert,
)
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
}
_COMPARE = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_NOUNS: dict[type[ast.AST], str] = {
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.ListComp: "a list comprehension",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dictionary comprehension",
    ast.GeneratorExp: "a generator",
    ast.JoinedStr: "a formatted string",
    ast.Lambda: "a function inside the function",
    ast.Subscript: "an index",
    ast.NamedExpr: "an assignment inside an expression",
    ast.Starred: "a starred argument",
    ast.Await: "an await",
    ast.Yield: "a yield",
    ast.YieldFrom: "a yield",
}
SUPPORTED = (
    "a number. Supported: + - * / // % **, comparisons, and/or/not, `a if c else b`, "
    "math.*, abs min max round int float bool pow, calls of such functions"
)


class ExpressionTyping:
    """Gives typed expressions for the nodes of one function."""

    def __init__(
        self, function: types.FunctionType, source: FunctionSource, captures: Captures
    ) -> None:
        self.function = function
        self.source = source
        self.captures = captures
        self.variables: dict[str, Variable] = {}
        self.local_names: set[str] = set()

    def expression(self, node: ast.expr) -> Expression:
        """Type `node`; the result's value is what Python would compute."""
        match node:
            case ast.Constant():
                return self.number(node, node.value)
            case ast.Name():
                return self._name(node)
            case ast.Attribute():
                return self.number(node, self.outside(node))
            case ast.BinOp():
                left, right = self.expression(node.left), self.expression(node.right)
                return self.binary(node, node.op, left, right)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                return self._and_or(node)
            case ast.IfExp():
                return self._conditional(node)
            case ast.Call():
                return self.call(node)
        noun = _NOUNS.get(type(node), f"a {type(node).__name__}")
        raise self.error(node, f"got {noun}; need {SUPPORTED}.")

    def call(self, node: ast.Call) -> Expression:
        """Type a call; the class that knows functions overrides it."""
        raise self.error(node, f"got a call; need {SUPPORTED}.")

    def condition(self, node: ast.expr) -> Expression:
        """Type `node` where only its truth counts; always bool."""
        if isinstance(node, ast.BoolOp):
            operator = "and" if isinstance(node.op, ast.And) else "or"
            result = self.condition(node.values[0])
            for value in node.values[1:]:
                result = Logical(Type.BOOL, operator, result, self.condition(value))
            return result
        return as_bool(self.expression(node))

    def binary(
        self, node: ast.AST, op: ast.operator, left: Expression, right: Expression
    ) -> Expression:
        """Type `left op right`."""
        operator = _BINARY.get(type(op))
        if operator is None:
            raise self.error(
                node,
                f"got the bit operator {_bit_operator(op)} on {left.type} and "
                f"{right.type}; need one of + - * / // % **.",
            )
        folded = _exact(operator, left, right)
        if folded is not None:
            return self.number(node, folded)
        if operator == "**":
            return self.power(left, right)
        common = arithmetic_type(operator, left.type, right.type)
        left, right = convert(left, common), convert(right, common)
        return Binary(common, operator, left, right)

    def power(self, base: Expression, exponent: Expression) -> Expression:
        """Type `base ** exponent`."""
        result = power_type(base.type, exponent.type)
        if isinstance(exponent, Constant) and exponent.type is Type.INT64:
            if exponent.value < 0 and not result.is_float:
                result = Type.FLOAT64  # 2 ** -1 is 0.5, as in Python
            if result.is_float:  # repeated multiplication, when the number is small
                return Binary(result, "**", convert(base, result), exponent)
        return Binary(result, "**", convert(base, result), convert(exponent, result))

    def number(self, node: ast.AST, value: object) -> Expression:
        """Give the constant for a literal or a captured value."""
        kind = type(value).__name__
        if isinstance(value, bool) or kind in ("bool_", "bool"):
            return Constant(Type.BOOL, bool(value))
        if type(value).__module__ == "numpy" and kind in ("int32", "float32"):
            exact = value.item()  # type: ignore[attr-defined]
            return Constant(Type(kind), exact)
        if isinstance(value, int) or kind == "int64":
            exact = int(value)  # type: ignore[call-overload]
            if not -(2**63) <= exact < 2**63:
                raise self.error(
                    node, f"got the integer {exact}; need one that fits in 64 bits."
                )
            return Constant(Type.INT64, exact)
        if isinstance(value, float):
            return Constant(Type.FLOAT64, float(value))
        raise self.error(node, f"got {_describe(value)}; need {SUPPORTED}.")

    def outside(self, node: ast.Name | ast.Attribute) -> object:
        """Look up a name, or attributes of a module, outside the function."""
        path: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id in self.local_names:
            raise self.error(
                node, f"got the attribute .{path[-1]} of a number; need {SUPPORTED}."
            )
        try:
            root = self.captures.read(self.function, inner.id)
        except KeyError:
            raise self.error(inner, self._unknown(inner.id)) from None
        if not path:
            return root
        if not isinstance(root, types.ModuleType):
            raise self.error(
                node,
                f"got the attribute .{path[-1]} of {_describe(root)}; need one of a "
                "module. Assign the value to a name outside the function.",
            )
        try:
            return self.captures.read(self.function, inner.id, *path)
        except KeyError:
            near = difflib.get_close_matches(path[-1], dir(root), 1)
            raise self.error(
                node,
                f"got {inner.id}.{'.'.join(path)}, which does not exist; need a "
                f"function or number of {root.__name__}.{_hint(near)}",
            ) from None

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        """Build the error that shows `node`."""
        return self.source.error(node, problem)

    def _name(self, node: ast.Name) -> Expression:
        variable = self.variables.get(node.id)
        if variable is not None:
            return variable
        if node.id in self.local_names:
            raise self.error(
                node,
                f"got {node.id!r} before it has a value; need an assignment above.",
            )
        return self.number(node, self.outside(node))

    def _unknown(self, name: str) -> str:
        known = {*self.variables, *outside_names(self.function)}
        near = difflib.get_close_matches(name, sorted(known), 1)
        return f"got {name!r}, which is not defined; need a known name.{_hint(near)}"

    def _unary(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Not):
            return Unary(Type.BOOL, "not", self.condition(node.operand))
        if isinstance(node.op, ast.Invert):
            raise self.error(node, "got the bit operator ~; need - + or `not`.")
        value = self.expression(node.operand)
        if not value.type.is_float:
            value = convert(value, Type.INT64)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, Constant):
            return Constant(value.type, -value.value)
        return Unary(value.type, "-", value)

    def _compare(self, node: ast.Compare) -> Expression:
        left = self.expression(node.left)
        result: Expression | None = None
        for op, operand in zip(node.ops, node.comparators, strict=True):
            operator = _COMPARE.get(type(op))
            if operator is None:
                words = {"In": "in", "NotIn": "not in", "Is": "is"}
                word = words.get(type(op).__name__, "is not")
                problem = f"got the comparison `{word}`; need < <= > >= == or !=."
                raise self.error(node, problem)
            right = self.expression(operand)
            link = self.compare(operator, left, right)
            result = link if result is None else Logical(Type.BOOL, "and", result, link)
            left = right
        assert result is not None
        return result

    def compare(self, operator: str, left: Expression, right: Expression) -> Compare:
        """Type one comparison, in the type that holds both sides."""
        common = unify(left.type, right.type)
        if not common.is_float:
            common = Type.INT64
        left, right = convert(left, common), convert(right, common)
        return Compare(Type.BOOL, operator, left, right)

    def _and_or(self, node: ast.BoolOp) -> Expression:
        is_and = isinstance(node.op, ast.And)
        values = [self.expression(value) for value in node.values]
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

    def _conditional(self, node: ast.IfExp) -> Expression:
        test = self.condition(node.test)
        then, otherwise = self.expression(node.body), self.expression(node.orelse)
        common = unify(then.type, otherwise.type)
        return Select(common, test, convert(then, common), convert(otherwise, common))


def _exact(operator: str, left: Expression, right: Expression) -> int | None:
    """Compute with integer constants in Python, so that an overflow is seen."""
    if not isinstance(left, Constant) or not isinstance(right, Constant):
        return None
    if not left.type is right.type is Type.INT64:
        return None
    a, b = int(left.value), int(right.value)
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "**" if 0 <= b <= 64 or (b > 64 and abs(a) < 2):
            return int(a**b)
        case "**" if b > 64:
            return int(a**64) ** 2  # too large in any case
    return None


def _bit_operator(op: ast.operator) -> str:
    signs = {"BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>"}
    return signs.get(type(op).__name__, "@")


def _hint(near: list[str]) -> str:
    return f" Did you mean {near[0]!r}?" if near else ""


def _describe(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the string {value!r}"
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        return f"the function {name} without a call"
    return f"an object of type {type(value).__name__}"
