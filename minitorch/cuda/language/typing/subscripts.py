"""Rule for subscripts: elements, rows, slices, items."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..advice import describe, field_hint
from ..array_views import (
    Slice,
    array_shape,
    checked,
    int64,
    item_of,
    known_index,
    picked,
    slice_length,
    unlike,
    view_of,
    wrapped,
)
from ..builtins.arrays import host_array
from ..scope import Scope
from ..typed import (
    ArrayOf,
    Checked,
    Expression,
    Intrinsic,
    Item,
    Static,
    TupleValue,
    convert,
    is_host_array,
    tuple_items,
)
from ..types import ArrayType, TupleType, Type
from .rules import expression, expression_rule, number_of

_FULL = ast.Slice()


@expression_rule(ast.Subscript)
def _subscript(scope: Scope, node: ast.Subscript) -> Expression:
    """Type `a[...]` as a read."""
    base = expression(scope, node.value)
    if isinstance(base.type, TupleType):
        return _tuple_item(scope, node, base)
    base = host_array(scope, node.value, base)
    if not isinstance(base.type, ArrayType):
        raise _not_an_array(scope, node, base)
    return _element(scope, node, base, write=False)


def _not_an_array(scope: Scope, node: ast.Subscript, base: Expression) -> Exception:
    if isinstance(base, Static):
        if isinstance(base.value, (list, dict)):
            return scope.error(
                node.value,
                f"got {describe(base.value)} from outside the kernel, which a kernel "
                "cannot use. Pass np.array(...) as an argument, or use a tuple.",
            )
        if hasattr(base.value, "py_func"):
            return scope.error(
                node,
                f"a kernel cannot launch the kernel {ast.unparse(node.value)}. Launch "
                "it from Python, or make it a device function: "
                "@cuda.jit(device=True).",
            )
        if hasattr(base.value, "kernel_type"):
            return scope.error(
                node.value,
                f"the device array {ast.unparse(node.value)} is outside the kernel. "
                "Pass it as an argument. (NumPy arrays from outside become "
                "constants.)",
            )
        return scope.error(
            node.value,
            f"cannot index {describe(base.value)}; need an array or a tuple.",
        )
    return scope.error(
        node,
        f"cannot index {ast.unparse(node.value)}: it is a number ({base.type}), not an "
        "array or a tuple.",
    )


def _tuple_item(scope: Scope, node: ast.Subscript, base: Expression) -> Expression:
    items = tuple_items(base)
    if isinstance(node.slice, ast.Slice):
        bounds = [
            None if bound is None else _constant_index(scope, bound)
            for bound in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return TupleValue.of(items[slice(*bounds)])
    if isinstance(node.slice, ast.Tuple):
        text = ast.unparse(node.value) + "".join(
            f"[{ast.unparse(bound)}]" for bound in node.slice.elts
        )
        raise scope.error(
            node,
            f"cannot index a tuple with {len(node.slice.elts)} indices. Write {text}.",
        )
    index = number_of(scope, node.slice)
    known = known_index(index)
    if known is not None:
        if not -len(items) <= known < len(items):
            raise scope.error(
                node,
                f"index {known} is out of range for a tuple of {len(items)}.",
            )
        return items[known]
    scope.need_integer(node.slice, index)
    text = ast.unparse(node)
    access = scope.access(node, base, text, (ast.unparse(node.slice),))
    size = int64(len(items))
    position = wrapped(convert(scope.hold(node.slice, index), Type.INT64), size)
    item = picked(items, Checked(Type.INT64, position, size, base, access, 0))
    if item is None or not items:
        raise scope.error(
            node,
            f"the index must be constant for {unlike(base)}.",
        )
    scope.accesses.append(access)
    return item


def _constant_index(scope: Scope, node: ast.expr) -> int:
    known = known_index(number_of(scope, node))
    if known is None:
        raise scope.error(node, "the bounds of a tuple slice must be constant.")
    return known


def _element(
    scope: Scope, node: ast.Subscript, array: Expression, write: bool
) -> Expression:
    """Type `array[...]`: an Item if every dimension has an index, else a view."""
    parts = _parts(scope, node, array, write)
    indices = [part for part in parts if isinstance(part, Expression)]
    if len(indices) == len(parts) == array.type.ndim:
        return item_of(array, tuple(indices))
    return view_of(array, parts)


def _parts(
    scope: Scope, node: ast.Subscript, array: Expression, write: bool
) -> list[Expression | Slice]:
    written = _written(scope, node, array)
    shape = array_shape(array)
    if len(written) > len(shape):
        raise scope.error(
            node,
            f"got {len(written)} indices for {ast.unparse(node.value)}, which has "
            f"{len(shape)} dimension{'s' * (len(shape) != 1)} ({array.type}).",
        )
    texts = tuple("" if isinstance(entry, ast.Slice) else entry[2] for entry in written)
    access = replace(scope.access(node, array, ast.unparse(node), texts), write=write)
    scope.accesses.append(access)
    slices: dict[int, Slice] = {}
    indices: dict[int, Expression] = {}
    for dimension, entry in enumerate(written):
        if isinstance(entry, ast.Slice):
            slices[dimension] = _slice(scope, entry, shape[dimension])
        else:
            indices[dimension] = _index(scope, *entry[:2])
    parts = slices | checked(indices, array, access)
    return [parts[dimension] for dimension in range(len(written))]


def _index(scope: Scope, node: ast.AST, index: Expression) -> Expression:
    if isinstance(index, Static) and index.value is None:
        raise scope.error(
            node, "cannot index with None (a new axis) in a kernel; need an integer."
        )
    if isinstance(index, Static) and isinstance(index.value, str):
        raise scope.error(
            node,
            f"cannot index with {index.value!r}; need an integer. "
            + field_hint(index.value),
        )
    if isinstance(index.type, Type):
        scope.need_integer(node, index)
    else:
        scope.scalar(node, index)
    return index


def _written(
    scope: Scope, node: ast.Subscript, array: Expression
) -> list[ast.Slice | tuple[ast.AST, Expression, str]]:
    """List the indices, with `...` and tuples of indices expanded."""
    nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    written: list[ast.Slice | tuple[ast.AST, Expression, str]] = []
    for node_ in nodes:
        if isinstance(node_, ast.Slice):
            written.append(node_)
        elif isinstance(node_, ast.Constant) and node_.value is ...:
            missing = array.type.ndim - (len(nodes) - 1)
            written += [_FULL] * max(missing, 0)
        else:
            index = expression(scope, node_)
            is_tuple = isinstance(index.type, TupleType)
            text = ast.unparse(node_)
            items = tuple_items(index) if is_tuple else (index,)
            written += [
                (node_, item, f"{text}[{number}]" if is_tuple else text)
                for number, item in enumerate(items)
            ]
    return written


def _slice(scope: Scope, node: ast.Slice, size: Expression) -> Slice:
    bounds = [
        None if part is None else number_of(scope, part)
        for part in (node.lower, node.upper, node.step)
    ]
    for part_node, bound in zip(
        (node.lower, node.upper, node.step), bounds, strict=True
    ):
        if bound is not None and part_node is not None:
            scope.need_integer(part_node, bound)
    lower, upper, step = bounds
    if lower is None and upper is None and step is None:
        return int64(0), int64(1), size
    known = 1 if step is None else known_index(step)
    if known is None or known == 0:
        raise scope.error(
            node,
            "the step of a slice "
            + ("is 0" if known == 0 else "varies")
            + "; it must be a constant other than 0.",
        )
    begin: Expression = int64(0)
    end = size
    name = "slice_bound"
    if known < 0:
        begin, end, name = wrapped(int64(-1), size), int64(-1), "slice_bound_back"
    first, last = (
        Intrinsic(
            Type.INT64,
            name,
            (convert(bound, Type.INT64), size),
            ("array.cuh",),
            nonnegative=known > 0,
        )
        if bound is not None
        else default
        for bound, default in ((lower, begin), (upper, end))
    )
    stride = int64(known)
    return first, stride, slice_length(first, last, stride)


def assigned_element(
    scope: Scope, node: ast.Subscript
) -> tuple[Expression, Item | ArrayOf]:
    """Type an assigned subscript; return the array, and the element or view."""
    array = expression(scope, node.value)
    if isinstance(array, Static) or not hasattr(array.type, "ndim"):
        raise _not_assignable(scope, node, array)
    if array.type.readonly:
        raise scope.error(
            node,
            f"cannot assign to {ast.unparse(node.value)}: it is constant. Use an array "
            "parameter.",
        )
    element = _element(scope, node, array, write=True)
    assert isinstance(element, (Item, ArrayOf))
    return array, element


def _not_assignable(scope: Scope, node: ast.Subscript, base: Expression) -> Exception:
    """Return the error that explains why `base[...]` cannot be assigned."""
    if isinstance(base.type, Type):
        return _not_an_array(scope, node, base)
    if is_host_array(base):
        return scope.error(
            node,
            f"cannot assign to {ast.unparse(node.value)}: an array from outside the "
            "kernel is constant in it. Pass the array as an argument.",
        )
    if isinstance(base, Static):
        return _not_an_array(scope, node, base)
    return scope.error(
        node,
        "cannot assign to an item of a tuple. Use an array, or build a new tuple.",
    )
