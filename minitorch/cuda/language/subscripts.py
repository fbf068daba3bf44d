"""Owns the typing of arrays and tuples: attributes, indices, slices.

Must not know calls or statements.
"""

from __future__ import annotations

import ast
import difflib

import numpy as np

from .array_views import (
    array_shape,
    array_strides,
    int64,
    known_index,
    times,
    wrapped,
)
from .comparisons import ComparisonTyping
from .outside import describe, split_attributes
from .typed import (
    Constant,
    Expression,
    Static,
    TupleValue,
    Variable,
    convert,
)
from .typed_kernel import (
    Access,
    ArrayOf,
    Checked,
    Field,
    Intrinsic,
    Pick,
)
from .types import ArrayType, TupleType, Type

__all__ = ["SubscriptTyping"]

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


_COMPUTED = " Kernels compute element by element: write a loop."


class SubscriptTyping(ComparisonTyping):
    """Adds arrays and tuples to the expressions of one function."""

    accesses: list[Access]

    def access(
        self, node: ast.AST, array: Expression, text: str, indices: tuple[str, ...]
    ) -> Access:
        """Describe a subscript that is read, for the words of a finding."""
        root = array
        while isinstance(root, ArrayOf):
            root = root.base
        name = root.name if isinstance(root, Variable) else ""
        return Access(
            self.source.relative_line(node), name, text, False, False, indices
        )

    def attribute(self, node: ast.Attribute) -> Expression:
        """Type an attribute of a module, an array, a tuple or a complex number."""
        _, root = split_attributes(node)
        local = not isinstance(root, ast.Name) or root.id in self.local_names
        if not local:
            value = self.outside(node) if self._is_object(node) else None
            if value is not None or self._is_object(node):
                return self.constant(node, value)
        base = self.expression(node.value)
        if isinstance(base, Static):
            if not hasattr(base.value, node.attr):
                raise self.error(
                    node,
                    f"got the attribute .{node.attr} of {describe(base.value)}; it has "
                    "none.",
                )
            return self.constant(node, getattr(base.value, node.attr))
        if isinstance(base.type, ArrayType):
            return self._array_attribute(node, base)
        if isinstance(base.type, TupleType) and node.attr in base.type.names:
            return self.tuple_items(base)[base.type.names.index(node.attr)]
        if isinstance(base.type, Type) and node.attr in ("real", "imag"):
            return self._part_of_number(base, node.attr)
        raise self.error(
            node,
            f"got the attribute .{node.attr} of {base.type}; it has none.",
        )

    def _is_object(self, node: ast.Attribute) -> bool:
        """Is this an attribute of a module or object, not of an array or number?"""
        path, root = split_attributes(node)
        assert isinstance(root, ast.Name)
        try:
            owner = self.captures.read(self.function, root.id)
        except KeyError:
            return True  # `outside` says that the name is unknown
        for name in path[:-1]:
            owner = getattr(owner, name, None)
        return not isinstance(owner, (int, float, complex)) and not hasattr(
            owner, "__array_interface__"
        )

    def _array_attribute(self, node: ast.Attribute, array: Expression) -> Expression:
        shape = array_shape(array)
        size = int64(1)
        match node.attr:
            case "shape":
                return TupleValue.of(shape)
            case "size" | "nbytes":
                total: Expression = size
                for each in shape:
                    total = times(total, each)
                bytes_ = int64(array.type.dtype.size)
                return total if node.attr == "size" else times(total, bytes_)
            case "ndim":
                return int64(array.type.ndim)
            case "itemsize":
                return int64(array.type.dtype.size)
            case "strides":
                size = int64(array.type.dtype.size)
                return TupleValue.of(
                    tuple(times(each, size) for each in array_strides(array))
                )
            case "dtype":
                return Static.of(array.type.dtype)
            case "T":
                return self.transposed(array)
        near = difflib.get_close_matches(node.attr, _ARRAY_ATTRIBUTES, 1)
        hint = f" Did you mean .{near[0]}?" if near else ""
        raise self.error(
            node,
            f"got the attribute .{node.attr} of {array.type}; need one of "
            f".shape .size .ndim .strides .T .dtype.{hint}"
            + (_COMPUTED if hasattr(np.ndarray, node.attr) else ""),
        )

    def transposed(self, array: Expression) -> Expression:
        """Give the view with the dimensions in reverse order."""
        type_ = array.type
        if type_.ndim < 2:
            return array
        layout = {"C": "F", "F": "C"}.get(type_.layout, "A")
        reverse = ArrayType(type_.dtype, type_.ndim, layout, None, type_.readonly)
        return ArrayOf(
            reverse, array, array_shape(array)[::-1], array_strides(array)[::-1]
        )

    def _part_of_number(self, value: Expression, part: str) -> Expression:
        if not value.type.is_complex:
            zero = Constant(value.type, 0)
            return value if part == "real" else zero
        small = Type.FLOAT32 if value.type is Type.COMPLEX64 else Type.FLOAT64
        return Intrinsic(small, f"{part}_part", (value,), ("complex.cuh",))

    def tuple_items(self, value: Expression) -> tuple[Expression, ...]:
        """Give the items of a tuple one by one."""
        if isinstance(value, TupleValue):
            return value.items
        types = value.type.items
        return tuple(Field(each, value, index) for index, each in enumerate(types))

    def subscript(self, node: ast.Subscript) -> Expression:
        """Type `a[...]` where its value is read."""
        base = self.expression(node.value)
        if isinstance(base.type, TupleType):
            return self._tuple_item(node, base)
        if isinstance(base, Static) and hasattr(base.value, "__array_interface__"):
            base = self.constant_array(node.value, base.value)
        if not isinstance(base.type, ArrayType):
            raise self._not_an_array(node, base)
        return self.element(node, base, write=False)

    def element(
        self, node: ast.Subscript, array: Expression, write: bool
    ) -> Expression:
        """Type `array[...]`; the class that knows indices overrides it."""
        raise NotImplementedError

    def constant_array(self, node: ast.AST, value: object) -> Expression:
        """Declare a host array as a constant; the class that declares overrides it."""
        raise NotImplementedError

    def _not_an_array(self, node: ast.Subscript, base: Expression) -> Exception:
        if isinstance(base, Static):
            if isinstance(base.value, (list, dict)):
                return self.error(
                    node.value,
                    f"got {describe(base.value)} from outside the kernel; need an "
                    "array or a tuple. Pass np.array(...) as an argument.",
                )
            if hasattr(base.value, "py_func"):
                return self.error(
                    node,
                    f"got a launch of {ast.unparse(node.value)} inside a kernel; need "
                    "it in Python, or a device function that is called: "
                    "@cuda.jit(device=True).",
                )
            if hasattr(base.value, "kernel_type"):
                return self.error(
                    node.value,
                    f"got the device array {ast.unparse(node.value)} from outside the "
                    "kernel; need it as an argument, which each launch checks. NumPy "
                    "arrays from outside become constants.",
                )
            return self.error(
                node.value,
                f"got an index into {describe(base.value)}; need an array or a tuple.",
            )
        return self.error(
            node,
            f"got an index into {ast.unparse(node.value)}, a number of {base.type}; "
            "need an array or a tuple.",
        )

    def _tuple_item(self, node: ast.Subscript, base: Expression) -> Expression:
        items = self.tuple_items(base)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                None if each is None else self._constant_index(each)
                for each in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return TupleValue.of(items[slice(*bounds)])
        index = self.number_of(node.slice)
        known = known_index(index)
        if known is not None:
            if not -len(items) <= known < len(items):
                raise self.error(
                    node,
                    f"got index {known} of a tuple of {len(items)}; need "
                    f"{-len(items)} to {len(items) - 1}.",
                )
            return items[known]
        self.need_integer(node.slice, index)
        common = items[0].type if items else None
        if any(each.type != common for each in items) or not isinstance(common, Type):
            raise self.error(
                node,
                f"got an index that varies into {base.type}, whose items differ; need "
                "a constant index.",
            )
        text = ast.unparse(node)
        access = self.access(node, base, text, (ast.unparse(node.slice),))
        self.accesses.append(access)
        size = int64(len(items))
        inside = Checked(
            Type.INT64,
            wrapped(convert(index, Type.INT64), size),
            size,
            base,
            access,
            0,
        )
        return Pick(common, items, inside)

    def _constant_index(self, node: ast.expr) -> int:
        known = known_index(self.number_of(node))
        if known is None:
            raise self.error(
                node, "got a bound that varies; need a constant, to slice a tuple."
            )
        return known

    def need_integer(self, node: ast.AST, index: Expression) -> None:
        """Raise unless `index` can be an index."""
        if not index.type.is_integer:
            hint = " Use // instead of /, or int(...)." if index.type.is_float else ""
            raise self.error(
                node,
                f"got an index of {index.type}{self.parts_of(node)}; need an "
                f"integer.{hint}",
            )
