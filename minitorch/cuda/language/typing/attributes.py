"""Rule for attributes: of modules, arrays, numbers."""

from __future__ import annotations

import ast
import difflib

import numpy as np

from ..advice import describe, field_hint
from ..array_views import array_shape, array_strides, int64, times
from ..scope import Scope, split_attributes
from ..typed import (
    ArrayOf,
    Constant,
    Expression,
    Intrinsic,
    Static,
    TupleValue,
    tuple_items,
)
from ..types import ArrayType, TupleType, Type
from .rules import expression, expression_rule

_ARRAY_ATTRIBUTES = [
    "shape",
    "size",
    "ndim",
    "strides",
    "itemsize",
    "nbytes",
    "dtype",
    "T",
    "real",
    "imag",
]


@expression_rule(ast.Attribute)
def _attribute(scope: Scope, node: ast.Attribute) -> Expression:
    """Type an attribute of a module, an array, a tuple or a complex number."""
    _, root = split_attributes(node)
    local = not isinstance(root, ast.Name) or root.id in scope.local_names
    if not local:
        value = scope.outside(node) if _is_object(scope, node) else None
        if value is not None or _is_object(scope, node):
            return scope.constant(node, value)
    base = expression(scope, node.value)
    if isinstance(base, Static):
        if not hasattr(base.value, node.attr):
            raise scope.error(
                node,
                f"{describe(base.value)} has no attribute .{node.attr}.",
            )
        return scope.constant(node, getattr(base.value, node.attr))
    if isinstance(base.type, ArrayType):
        return _array_attribute(scope, node, base)
    if isinstance(base.type, TupleType) and node.attr in base.type.names:
        return tuple_items(base)[base.type.names.index(node.attr)]
    if isinstance(base.type, Type) and node.attr in ("real", "imag"):
        return _part_of_number(base, node.attr)
    raise scope.error(
        node,
        f"{base.type} has no attribute .{node.attr}.",
    )


def _is_object(scope: Scope, node: ast.Attribute) -> bool:
    """Return whether it is an attribute of a module or object, not of an array."""
    path, root = split_attributes(node)
    assert isinstance(root, ast.Name)
    try:
        owner = scope.captures.read(scope.function, root.id)
    except KeyError:
        return True  # `outside` says that the name is unknown
    for name in path[:-1]:
        owner = getattr(owner, name, None)
    return not isinstance(owner, (int, float, complex)) and not hasattr(
        owner, "__array_interface__"
    )


def _array_attribute(
    scope: Scope, node: ast.Attribute, array: Expression
) -> Expression:
    shape = array_shape(array)
    size = int64(1)
    match node.attr:
        case "shape":
            return TupleValue.of(shape)
        case "size" | "nbytes":
            total: Expression = size
            for extent in shape:
                total = times(total, extent)
            bytes_ = int64(array.type.dtype.size)
            return total if node.attr == "size" else times(total, bytes_)
        case "ndim":
            return int64(array.type.ndim)
        case "itemsize":
            return int64(array.type.dtype.size)
        case "strides":
            size = int64(array.type.dtype.size)
            return TupleValue.of(
                tuple(times(extent, size) for extent in array_strides(array))
            )
        case "dtype":
            return Static.of(array.type.dtype)
        case "T":
            return _transposed(array)
    near = difflib.get_close_matches(node.attr, _ARRAY_ATTRIBUTES, 1)
    if hasattr(np.ndarray, node.attr):
        hint = "Kernels compute element by element: write a loop."
    else:
        hint = f"Did you mean .{near[0]}?" if near else field_hint(node.attr)
    raise scope.error(
        node,
        f"{array.type} has no attribute .{node.attr} in a kernel; there is .shape "
        f".size .ndim .strides .T .dtype. {hint}",
    )


def _transposed(array: Expression) -> Expression:
    """Return the view with the dimensions in reverse order."""
    type_ = array.type
    if type_.ndim < 2:
        return array
    layout = {"C": "F", "F": "C"}.get(type_.layout, "A")
    reverse = ArrayType(type_.dtype, type_.ndim, layout, None, type_.readonly)
    return ArrayOf(reverse, array, array_shape(array)[::-1], array_strides(array)[::-1])


def _part_of_number(value: Expression, part: str) -> Expression:
    if not value.type.is_complex:
        zero = Constant(value.type, 0)
        return value if part == "real" else zero
    return Intrinsic(value.type.part, f"{part}_part", (value,), ("complex.cuh",))
