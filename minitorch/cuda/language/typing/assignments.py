"""Rules for assignments: to names, tuples of them, elements, views."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..array_views import array_shape, int64, item_of
from ..operators import binary
from ..scope import Binding, Scope
from ..typed import (
    STATIC,
    Access,
    ArrayOf,
    Assign,
    Checked,
    Constant,
    Expression,
    For,
    Item,
    Statement,
    Static,
    Store,
    TupleValue,
    Variable,
    convert,
    is_nonnegative,
    tuple_items,
    walk,
)
from ..types import ArrayType, TupleType, Type
from .rules import assign, expression, number_of, statement_rule, target_rule
from .subscripts import assigned_element


@statement_rule(ast.Assign)
def _assign(scope: Scope, node: ast.Assign) -> bool:
    _assign_all(scope, node, node.targets, node.value)
    return True


@statement_rule(ast.AnnAssign)
def _annotated(scope: Scope, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        _assign_all(scope, node, [node.target], node.value)
    return True


def _assign_all(
    scope: Scope, node: ast.stmt, targets: list[ast.expr], value_node: ast.expr
) -> None:
    """Type `a = b = value`."""
    if len(targets) == 1:
        _name_arrays(scope, targets[0], value_node)
    value = expression(scope, value_node)
    if len(targets) > 1:
        value = scope.hold(value_node, value)
    for target in targets:
        assign(scope, node, target, value)


def _name_arrays(scope: Scope, target: ast.expr, value: ast.expr) -> None:
    """Record the variable name of an array that `value` creates."""
    if isinstance(target, ast.Name):
        scope.array_names[id(value)] = target.id
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=False):
            _name_arrays(scope, one, other)


@target_rule(ast.Name)
def _to_name(scope: Scope, node: ast.AST, target: ast.Name, value: Expression) -> None:
    bind(scope, node, target.id, value)


def bind(scope: Scope, node: ast.AST, name: str, value: Expression) -> None:
    """Bind a name to a value; `node` is the statement, which has the line."""
    scope.variables[name] = Binding(_named(scope, node, name, value))


def _named(scope: Scope, node: ast.AST, name: str, value: Expression) -> Expression:
    if value.type is STATIC:
        return value
    if isinstance(value, TupleValue):
        return TupleValue.of(
            tuple(
                _named(scope, node, f"{name}_{index}", element)
                for index, element in enumerate(
                    _independent_items(scope, node, value, name)
                )
            ),
            value.type.names,
        )
    if value.type is None:
        raise scope.error(
            node, "cannot assign the result of this call: the function returns nothing."
        )
    if isinstance(value.type, ArrayType):
        return _named_array(scope, node, name, value)
    variable = scope.declare(name, value.type)
    scope.body.append(Assign(scope.line(node), variable, value))
    if isinstance(value.type, TupleType):
        return variable
    return _with_facts(variable, value)


def _independent_items(
    scope: Scope, node: ast.AST, value: TupleValue, name: str
) -> tuple[Expression, ...]:
    """Return the items so that none reads a variable that an earlier one sets."""
    if not any(
        isinstance(part, Variable) and part.name.startswith(f"{name}_")
        for part in walk(*value.items)
    ):
        return value.items
    return tuple(scope.copy(node, element) for element in value.items)


def _named_array(
    scope: Scope, node: ast.AST, name: str, value: Expression
) -> Expression:
    if isinstance(value, Variable) and (
        value.type.shape is not None or value.name in scope.constant_parameters
    ):
        return value  # another name of an array that never changes
    type_ = value.type
    plain = ArrayType(type_.dtype, type_.ndim, type_.layout, None, type_.readonly)
    variable = scope.declare(name, plain)
    scope.body.append(Assign(scope.line(node), variable, value))
    return variable


@target_rule(ast.Tuple, ast.List)
def _unpack(
    scope: Scope, node: ast.AST, target: ast.Tuple | ast.List, value: Expression
) -> None:
    targets = target.elts
    if not isinstance(value.type, TupleType):
        raise scope.error(
            node,
            f"cannot unpack one value into {len(targets)} names; need a tuple of "
            f"{len(targets)}, such as cuda.grid({min(len(targets), 3)}).",
        )
    items = tuple_items(value)
    if any(isinstance(element, ast.Starred) for element in targets):
        raise scope.error(
            node,
            "starred names are not supported in a kernel; use one name for each item.",
        )
    if len(items) != len(targets):
        raise scope.error(
            node,
            f"cannot unpack a tuple of {len(items)} into {len(targets)} names.",
        )
    # All values are computed before the first is assigned.
    if not all(isinstance(element, (Constant, Static)) for element in items[1:]):
        fields = [isinstance(element, (Constant, Static)) for element in items]
        swaps = isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
        if swaps and not all(fields):
            items = tuple(scope.copy(node, element) for element in items)
    for element, item in zip(targets, items, strict=True):
        assign(scope, node, element, item)


@target_rule(ast.Subscript)
def _store(
    scope: Scope, node: ast.AST, target: ast.Subscript, value: Expression
) -> None:
    array, element = assigned_element(scope, target)
    if isinstance(element, ArrayOf):
        _fill(scope, node, _named_view(scope, node, element), value, ())
        return
    dtype = array.type.dtype
    if isinstance(value, TupleValue) or isinstance(value.type, ArrayType):
        raise scope.error(
            node,
            f"cannot assign {value.type} to the element {ast.unparse(target)} of type "
            f"{dtype}. Index the right side, too.",
        )
    assert isinstance(element, Item)
    _store_number(scope, node, element, scope.scalar(node, value))


def _store_number(
    scope: Scope, node: ast.AST, element: Item, value: Expression
) -> None:
    dtype: Type = element.type
    if value.type.is_complex and not dtype.is_complex:
        raise scope.error(
            node,
            f"cannot assign {value.type} to an element of {element.base.type}. Use its "
            ".real part.",
        )
    scope.body.append(Store(scope.line(node), element, convert(value, dtype)))


def _named_view(scope: Scope, node: ast.AST, view: ArrayOf) -> Expression:
    """Assign the view to a variable, unless it is a row, whose offset costs nothing."""
    if view.rows == 0:
        variable = scope.fresh("view", replace(view.type, shape=None))
        scope.body.append(Assign(scope.line(node), variable, view))
        return variable
    return view


def _fill(
    scope: Scope,
    node: ast.AST,
    view: Expression,
    value: Expression,
    indices: tuple[Expression, ...],
) -> None:
    """Type `a[1:3] = value`: one loop per dimension of the view."""
    dtype, depth = view.type.dtype, len(indices)
    if depth == view.type.ndim:
        if isinstance(value.type, ArrayType):
            value = _source(scope, node, value, indices)
        number = convert(scope.scalar(node, value), dtype)
        scope.body.append(Store(scope.line(node), item_of(view, indices), number))
        return
    size = scope.fixed(node, array_shape(view)[depth])
    counter = replace(scope.fresh("k", Type.INT64), nonnegative=True)
    inner: list[Statement] = []
    with scope.into(inner):
        _fill(scope, node, view, value, (*indices, counter))
    scope.body.append(For(scope.line(node), counter, int64(0), size, int64(1), inner))


def _source(
    scope: Scope, node: ast.AST, array: Expression, indices: tuple[Expression, ...]
) -> Item:
    if array.type.ndim > len(indices):
        raise scope.error(
            node,
            f"cannot assign {array.type} to a slice with {len(indices)} "
            f"dimension{'s' * (len(indices) != 1)}: it has too many dimensions.",
        )
    last = indices[len(indices) - array.type.ndim :]
    return item_of(array, last)


@statement_rule(ast.AugAssign)
def _augmented(scope: Scope, node: ast.AugAssign) -> bool:
    if isinstance(node.target, ast.Name):
        left = scope.name(ast.copy_location(ast.Name(node.target.id), node.target))
        right = expression(scope, node.value)
        bind(scope, node, node.target.id, binary(scope, node, node.op, left, right))
        return True
    if not isinstance(node.target, ast.Subscript):
        raise scope.error(
            node, "cannot assign to an attribute in a kernel; use a variable."
        )
    _, element = assigned_element(scope, node.target)
    read = replace(scope.accesses[-1], write=False)
    scope.accesses.append(read)
    if isinstance(element, ArrayOf):
        raise scope.error(
            node,
            f"cannot change {ast.unparse(node.target)}, a part of an array, in place. "
            "Write a loop over its elements.",
        )
    assert isinstance(element, Item)
    indices = tuple(
        _held_index(scope, node.target, index, read) for index in element.indices
    )
    element = item_of(element.base, indices)
    value = binary(scope, node, node.op, element, number_of(scope, node.value))
    _store_number(scope, node, element, value)
    return True


def _held_index(
    scope: Scope, node: ast.AST, index: Expression, access: Access
) -> Expression:
    """Hold an index that is used twice; errors are reported for `access`."""
    if not isinstance(index, Checked):
        return scope.hold(node, index)
    value = scope.hold(node, index.value)
    return replace(index, value=value, access=access)


def _with_facts(variable: Variable, value: Expression) -> Variable:
    """Return the variable with the facts known of the value just assigned."""
    known = value.known if isinstance(value, Variable) else None
    if isinstance(value, Constant) and value.type.is_integer:
        known = value.value
    sure = value.type.is_integer and is_nonnegative(value)
    return replace(variable, known=known, nonnegative=sure)


@statement_rule(ast.Delete)
def _delete(scope: Scope, node: ast.Delete) -> bool:
    for target in node.targets:
        if not isinstance(target, ast.Name) or target.id not in scope.variables:
            raise scope.error(target, "del supports only local variables in a kernel.")
        del scope.variables[target.id]
    return True
