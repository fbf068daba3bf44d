"""Owns what a function's names mean outside it: constants, modules, device names.

Must not know operators or statements.
"""

from __future__ import annotations

import ast
import enum
import types
from typing import Any

from .advice import describe, refused_object, unknown_attribute, unknown_name
from .captures import Captures, outside_names
from .device_values import device_value
from .errors import TranslationError
from .flow import Binding
from .names import DeviceName
from .source import FunctionSource
from .typed import Constant, Expression, Static, TupleValue, Variable
from .types import ArrayType, TupleType, Type

__all__ = ["OutsideTyping", "describe"]


class OutsideTyping:
    """Gives expressions for the names that one function reads."""

    def __init__(
        self, function: types.FunctionType, source: FunctionSource, captures: Captures
    ) -> None:
        self.function = function
        self.source = source
        self.captures = captures
        self.variables: dict[str, Binding] = {}
        self.local_names: set[str] = set()
        self.zeroed: set[str] = set()

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        """Build the error that shows `node`."""
        return self.source.error(node, problem)

    def constant(self, node: ast.AST, value: Any) -> Expression:
        """Give the expression for a literal or a captured value.

        Numbers become constants of Numba's types, tuples become tuples of them;
        anything else stays a Python object for what uses it to judge.
        """
        if isinstance(value, DeviceName):
            return device_value(value) or Static.of(value)
        if isinstance(value, tuple):
            items = tuple(self.constant(node, each) for each in value)
            return TupleValue.of(items, getattr(type(value), "_fields", ()))
        if isinstance(value, enum.Enum) and not isinstance(value, int):
            return Static.of(value)
        number = _number(value)
        if number is None:
            return Static.of(value)
        if number.type is Type.INT64 and not -(2**63) <= number.value < 2**63:
            if not 0 <= number.value < 2**64:
                raise self.error(
                    node,
                    f"got the integer {number.value}; need one that fits in 64 bits.",
                )
            return Constant(Type.UINT64, number.value)
        return number

    def number(self, node: ast.AST, value: object) -> Expression:
        """Give the constant for a captured value that has to be a number."""
        return self.scalar(node, self.constant(node, value))

    def scalar(self, node: ast.AST, value: Expression) -> Expression:
        """Return `value` if it is a number; else raise what it is instead."""
        if isinstance(value.type, Type):
            return value
        if isinstance(value, Static):
            raise self.error(node, refused_object(value.value))
        if isinstance(value.type, ArrayType):
            index = ", ".join("ijklmn"[: value.type.ndim]) or "()"
            name = ast.unparse(node) if isinstance(node, ast.Name) else "it"
            wanted = f"{name}[{index}]"
            if isinstance(node, ast.Subscript):  # image[i] of two dimensions
                wanted = f"{ast.unparse(node)[:-1]}, {index.replace('i', 'j')}]"
            raise self.error(
                node,
                f"got {value.type}, a whole array; need a number. Kernels compute "
                f"element by element: index it, {wanted}.",
            )
        if isinstance(value.type, TupleType):
            raise self.error(
                node,
                f"got the tuple {value.type}; need a number. Index it, or unpack it: "
                "x, y = ...",
            )
        raise self.error(
            node,
            "got a call that gives no value; need a number. Does the function end "
            "with return ...?",
        )

    def parts_of(self, node: ast.AST) -> str:
        """Tell the types of the two sides of an operation, where they are plain."""
        if not isinstance(node, ast.BinOp):
            return ""
        sides = node.left, node.right
        if not all(isinstance(each, (ast.Name, ast.Constant)) for each in sides):
            return ""
        left, right = (
            self.name(each)
            if isinstance(each, ast.Name)
            else self.constant(each, each.value)  # type: ignore[attr-defined]
            for each in sides
        )
        return (
            f" ({ast.unparse(node.left)} is {left.type}, {ast.unparse(node.right)} is "
            f"{right.type})"
        )

    def outside(self, node: ast.Name | ast.Attribute) -> object:
        """Look up a name, or attributes of a module, outside the function."""
        path, inner = split_attributes(node)
        if not isinstance(inner, ast.Name) or inner.id in self.local_names:
            raise self.error(
                node, f"got the attribute .{path[-1]} of a number; need a number."
            )
        try:
            root = self.captures.read(self.function, inner.id)
        except KeyError:
            raise self.error(inner, self._unknown(inner.id)) from None
        if not path:
            return root
        try:
            return self.captures.read(self.function, inner.id, *path)
        except KeyError:
            raise self._no_attribute(node, inner.id, root, path) from None

    def _no_attribute(
        self, node: ast.AST, name: str, root: Any, path: list[str]
    ) -> TranslationError:
        owner, written = root, name
        for attribute in path:
            if not hasattr(owner, attribute):
                break
            owner, written = getattr(owner, attribute), f"{written}.{attribute}"
        return self.error(node, unknown_attribute(owner, written, attribute))

    def name(self, node: ast.Name) -> Expression:
        """Type a name: a local variable, else what it is outside."""
        binding = self.variables.get(node.id)
        if binding is not None:
            return self._read(node, binding)
        if node.id in self.local_names:
            raise self.error(
                node,
                f"got {node.id!r} before it has a value; need an assignment above.",
            )
        return self.constant(node, self.outside(node))

    def _read(self, node: ast.Name, binding: Binding) -> Expression:
        if binding.conflict:
            raise self.error(
                node,
                f"got {node.id!r}, which is {binding.conflict} on different paths; "
                "need one type. Use two names.",
            )
        if binding.maybe and isinstance(binding.value, Variable):
            self.zeroed.add(binding.value.name)
        return binding.value

    def _unknown(self, name: str) -> str:
        known = {*self.variables, *outside_names(self.function)}
        return unknown_name(name, known)


def split_attributes(node: ast.expr) -> tuple[list[str], ast.expr]:
    """Split `a.b.c` into (["b", "c"], the node of a)."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return path, node


def _number(value: Any) -> Constant | None:
    kind = type(value).__name__
    if isinstance(value, bool) or kind in ("bool_", "bool"):
        return Constant(Type.BOOL, bool(value))
    if type(value).__module__ == "numpy" and kind in _NUMPY_SCALARS:
        return Constant(Type(kind), value.item())
    if isinstance(value, int):
        return Constant(Type.INT64, int(value))
    if isinstance(value, float):
        return Constant(Type.FLOAT64, float(value))
    if isinstance(value, complex):
        return Constant(Type.COMPLEX128, value)  # type: ignore[arg-type]
    return None


_NUMPY_SCALARS = {each.value for each in Type} - {"bool", "bfloat16"}
