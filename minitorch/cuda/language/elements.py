"""Owns the typing of indices into arrays: elements, rows, slices.

Must not know calls.
"""

from __future__ import annotations

import ast
import dataclasses

from .array_views import (
    Slice,
    array_shape,
    checked,
    int64,
    item_of,
    known_index,
    view_of,
    wrapped,
)
from .subscripts import SubscriptTyping
from .typed import Expression, Static, convert
from .typed_kernel import ArrayOf, Intrinsic, Item
from .types import TupleType, Type

__all__ = ["ElementTyping"]

_FULL = ast.Slice()


class ElementTyping(SubscriptTyping):
    """Adds elements and views of arrays to the expressions of one function."""

    def element(
        self, node: ast.Subscript, array: Expression, write: bool
    ) -> Expression:
        """Type `array[...]`: an Item if every dimension has an index, else a view."""
        parts = self._parts(node, array, write)
        indices = [each for each in parts if isinstance(each, Expression)]
        if len(indices) == len(parts) == array.type.ndim:
            return item_of(array, tuple(indices))
        return view_of(array, parts)

    def _parts(
        self, node: ast.Subscript, array: Expression, write: bool
    ) -> list[Expression | Slice]:
        written = self._written(node, array)
        shape = array_shape(array)
        if len(written) > len(shape):
            raise self.error(
                node,
                f"got {len(written)} indices for {ast.unparse(node.value)}, "
                f"{array.type}; need {len(shape)}.",
            )
        texts = tuple(
            "" if isinstance(each, ast.Slice) else each[2] for each in written
        )
        access = dataclasses.replace(
            self.access(node, array, ast.unparse(node), texts), write=write
        )
        self.accesses.append(access)
        slices: dict[int, Slice] = {}
        indices: dict[int, Expression] = {}
        for dimension, each in enumerate(written):
            if isinstance(each, ast.Slice):
                slices[dimension] = self._slice(each, shape[dimension])
            else:
                indices[dimension] = self._index(*each[:2])
        parts = slices | checked(indices, array, access)
        return [parts[dimension] for dimension in range(len(written))]

    def _index(self, place: ast.AST, index: Expression) -> Expression:
        if isinstance(index, Static) and index.value is None:
            raise self.error(
                place, "got None as an index (a new axis); need an integer."
            )
        if isinstance(index.type, Type):
            self.need_integer(place, index)
        else:
            self.scalar(place, index)
        return index

    def _written(
        self, node: ast.Subscript, array: Expression
    ) -> list[ast.Slice | tuple[ast.AST, Expression, str]]:
        """List the indices, with `...` and tuples in place of many spelled out."""
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        written: list[ast.Slice | tuple[ast.AST, Expression, str]] = []
        for each in nodes:
            if isinstance(each, ast.Slice):
                written.append(each)
            elif isinstance(each, ast.Constant) and each.value is ...:
                missing = array.type.ndim - (len(nodes) - 1)
                written += [_FULL] * max(missing, 0)
            else:
                index = self.expression(each)
                whole = isinstance(index.type, TupleType)
                text = ast.unparse(each)
                items = self.tuple_items(index) if whole else (index,)
                written += [
                    (each, item, f"{text}[{number}]" if whole else text)
                    for number, item in enumerate(items)
                ]
        return written

    def _slice(self, node: ast.Slice, size: Expression) -> Slice:
        bounds = [
            None if each is None else self.number_of(each)
            for each in (node.lower, node.upper, node.step)
        ]
        for place, bound in zip(
            (node.lower, node.upper, node.step), bounds, strict=True
        ):
            if bound is not None and place is not None:
                self.need_integer(place, bound)
        lower, upper, step = bounds
        if lower is None and upper is None and step is None:
            return int64(0), int64(1), size
        known = 1 if step is None else known_index(step)
        if known is None or known == 0:
            raise self.error(
                node,
                "got a slice whose step "
                + ("is 0" if known == 0 else "varies")
                + "; need a constant other than 0.",
            )
        ends = ("0", "size") if known > 0 else ("size - 1", "-1")
        first, last = (
            self._bound(bound, size, known, end)
            for bound, end in ((lower, ends[0]), (upper, ends[1]))
        )
        stride = int64(known)
        length = Intrinsic(
            Type.INT64,
            "slice_length",
            (first, last, stride),
            ("array.cuh",),
            nonnegative=True,
        )
        return first, stride, length

    def _bound(
        self, bound: Expression | None, size: Expression, step: int, end: str
    ) -> Expression:
        if bound is None:
            if end == "size":
                return size
            if end == "size - 1":
                return wrapped(int64(-1), size)
            return int64(int(end))
        name = "slice_bound" if step > 0 else "slice_bound_back"
        arguments = convert(bound, Type.INT64), size
        return Intrinsic(
            Type.INT64, name, arguments, ("array.cuh",), nonnegative=step > 0
        )

    def target(self, node: ast.Subscript) -> tuple[Expression, Item | ArrayOf]:
        """Type a subscript that is assigned: the array, and the element or view."""
        array = self.expression(node.value)
        if isinstance(array, Static) or not hasattr(array.type, "ndim"):
            raise self.not_assignable(node, array)
        if array.type.readonly:
            raise self.error(
                node,
                f"got an assignment to {ast.unparse(node.value)}, a constant; need an "
                "array that kernels may write.",
            )
        element = self.element(node, array, write=True)
        assert isinstance(element, (Item, ArrayOf))
        return array, element

    def not_assignable(self, node: ast.Subscript, base: Expression) -> Exception:
        """Say why `base[...]` cannot be assigned."""
        if isinstance(base.type, Type):
            return self._not_an_array(node, base)
        if isinstance(base, Static):
            if hasattr(base.value, "__array_interface__"):
                return self.error(
                    node,
                    f"got an assignment to {ast.unparse(node.value)}, an array from "
                    "outside the kernel, which is a constant in it; need a parameter. "
                    "Pass the array as an argument.",
                )
            return self._not_an_array(node, base)
        return self.error(
            node,
            "got an assignment to an item of a tuple, which cannot change; need an "
            "array, or a new tuple.",
        )
