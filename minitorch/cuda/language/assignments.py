"""Owns the typing of assignments: to names, tuples of them, elements, views.

Must not know control flow.
"""

from __future__ import annotations

import ast
import dataclasses

from .array_views import item_of
from .calls import CallTyping
from .flow import Binding
from .typed import (
    STATIC,
    Assign,
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
    Item,
    Store,
    children,
    is_nonnegative,
)
from .types import ArrayType, TupleType, Type

__all__ = ["AssignmentTyping"]


class AssignmentTyping(CallTyping):
    """Adds assignments to what one function does."""

    _names: dict[tuple[str, Type | ArrayType | TupleType], str]
    names_of_variables: dict[str, str]

    def declare(self, name: str, type_: Type | ArrayType | TupleType) -> Variable:
        """Give the variable of a Python name for one type."""
        key = (name, type_)
        if key not in self._names:
            taken = set(self._names.values()) | (self.local_names - {name})
            unique, number = name, 1
            while unique in taken:
                number += 1
                unique = f"{name}_{number}"
            self._names[key] = unique
            if name in self.local_names:
                self.names_of_variables[unique] = name
        return Variable(type_, self._names[key])

    def fresh(self, stem: str, type_: object) -> Variable:
        """Make a variable that no Python name has."""
        number = len(self._names)
        return self.declare(f"{stem}_{number}", type_)  # type: ignore[arg-type]

    def line(self, node: ast.AST) -> int:
        """Line of `node` in the function."""
        return self.source.relative_line(node)

    def assign_targets(
        self, node: ast.stmt, targets: list[ast.expr], value_node: ast.expr
    ) -> None:
        """Type `a = b = value`."""
        if len(targets) == 1:
            self._name_arrays(targets[0], value_node)
        value = self.expression(value_node)
        if len(targets) > 1:
            value = self.hold(value_node, value)
        for target in targets:
            self.assign(node, target, value)

    def _name_arrays(self, target: ast.expr, value: ast.expr) -> None:
        """Note the name that an array made by `value` will have."""
        if isinstance(target, ast.Name):
            self.array_names[id(value)] = target.id
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._name_arrays(one, other)

    array_names: dict[int, str]

    def assign(self, node: ast.AST, target: ast.expr, value: Expression) -> None:
        """Type `target = value`."""
        match target:
            case ast.Name(id=name):
                self.bind(node, name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(node, targets, value)
            case ast.Subscript():
                self._store(node, target, value)
            case _:
                raise self.error(
                    target,
                    "got an assignment that is not to a name or an element; need "
                    "name = value or array[i] = value.",
                )

    def bind(self, node: ast.AST, name: str, value: Expression) -> None:
        """Give a name a value."""
        self.variables[name] = Binding(self._named(node, name, value))

    def _named(self, node: ast.AST, name: str, value: Expression) -> Expression:
        if value.type is STATIC:
            return value
        if isinstance(value, TupleValue):
            return TupleValue.of(
                tuple(
                    self._named(node, f"{name}_{index}", each)
                    for index, each in enumerate(self._unhooked(node, value, name))
                ),
                value.type.names,
            )
        if value.type is None:
            raise self.error(
                node, "got a call that gives no value; need one to assign."
            )
        if isinstance(value.type, ArrayType):
            return self._named_array(node, name, value)
        variable = self.declare(name, value.type)
        self.body.append(Assign(self.line(node), variable, value))
        if isinstance(value.type, TupleType):
            return variable
        return _with_facts(variable, value)

    def _unhooked(
        self, node: ast.AST, value: TupleValue, name: str
    ) -> tuple[Expression, ...]:
        """Give the items so that none reads a variable that one before it sets."""
        prefix = f"{name}_"
        if not any(_reads(each, prefix) for each in value.items):
            return value.items
        return tuple(self.copy(node, each) for each in value.items)

    def copy(self, node: ast.AST, value: Expression) -> Expression:
        """Give the present value of an expression, whatever is assigned later."""
        if isinstance(value, (Constant, Static)) or not isinstance(value.type, Type):
            return value
        held = self.fresh("value", value.type)
        self.body.append(Assign(self.line(node), held, value))
        return held

    def _named_array(self, node: ast.AST, name: str, value: Expression) -> Expression:
        if isinstance(value, Variable) and (
            value.type.shape is not None or value.name in self.constant_parameters
        ):
            return value  # another name of an array that never changes
        type_ = value.type
        plain = ArrayType(type_.dtype, type_.ndim, type_.layout, None, type_.readonly)
        variable = self.declare(name, plain)
        self.body.append(Assign(self.line(node), variable, value))
        return variable

    constant_parameters: set[str]

    def _unpack(
        self, node: ast.AST, targets: list[ast.expr], value: Expression
    ) -> None:
        if not isinstance(value.type, TupleType):
            raise self.error(
                node,
                f"got {len(targets)} names for one value; need a tuple of "
                f"{len(targets)}, as cuda.grid({min(len(targets), 3)}) gives.",
            )
        items = self.tuple_items(value)
        if any(isinstance(each, ast.Starred) for each in targets):
            raise self.error(node, "got a starred name; need one name for each item.")
        if len(items) != len(targets):
            raise self.error(
                node,
                f"got {len(targets)} names for the {len(items)} items of a tuple; need "
                "as many names.",
            )
        # All values are computed before the first is assigned.
        if not all(isinstance(each, (Constant, Static)) for each in items[1:]):
            fields = [isinstance(each, (Constant, Static)) for each in items]
            swaps = isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
            if swaps and not all(fields):
                items = tuple(self.copy(node, each) for each in items)
        for target, item in zip(targets, items, strict=True):
            self.assign(node, target, item)

    def _store(self, node: ast.AST, target: ast.Subscript, value: Expression) -> None:
        array, element = self.target(target)
        if isinstance(element, ArrayOf):
            self.store_view(node, target, element, value)
            return
        dtype = array.type.dtype
        if isinstance(value, TupleValue) or isinstance(value.type, ArrayType):
            raise self.error(
                node,
                f"got {value.type} for the element {ast.unparse(target)}; need a "
                f"number of {dtype}. Index what is on the right, too.",
            )
        value = self.scalar(node, value)
        if value.type.is_complex and not dtype.is_complex:
            raise self.error(
                node,
                f"got {value.type} for an element of {array.type}; need a real "
                "number. Take its .real part.",
            )
        assert isinstance(element, Item)
        self.body.append(Store(self.line(node), element, convert(value, dtype)))

    def store_view(
        self, node: ast.AST, target: ast.Subscript, view: ArrayOf, value: Expression
    ) -> None:
        """Type the assignment of a whole view; the class that knows loops does it."""
        raise NotImplementedError

    def augmented(self, node: ast.AugAssign) -> None:
        """Type `target += value`."""
        if isinstance(node.target, ast.Name):
            left = self.name(ast.copy_location(ast.Name(node.target.id), node.target))
            right = self.expression(node.value)
            self.bind(node, node.target.id, self.binary(node, node.op, left, right))
            return
        if not isinstance(node.target, ast.Subscript):
            raise self.error(node, "got an assignment to an attribute; need a name.")
        array, element = self.target(node.target)
        read = dataclasses.replace(self.accesses[-1], write=False)
        self.accesses.append(read)
        if isinstance(element, ArrayOf):
            raise self.error(
                node,
                f"got {ast.unparse(node.target)}, part of an array, to change in "
                "place; need one element. Write the loop over its elements.",
            )
        assert isinstance(element, Item)
        indices = tuple(
            self._held_index(node.target, each, read) for each in element.indices
        )
        element = item_of(element.base, indices)
        value = self.binary(node, node.op, element, self.number_of(node.value))
        if value.type.is_complex and not array.type.dtype.is_complex:
            raise self.error(
                node,
                f"got {value.type} for an element of {array.type}; need a real number.",
            )
        stored = convert(value, array.type.dtype)
        self.body.append(Store(self.line(node), element, stored))

    def _held_index(
        self, node: ast.AST, index: Expression, access: Access
    ) -> Expression:
        """Hold an index that is used twice; what it misses, `access` misses first."""
        if not isinstance(index, Checked):
            return self.hold(node, index)
        value = self.hold(node, index.value)
        return dataclasses.replace(index, value=value, access=access)


def _with_facts(variable: Variable, value: Expression) -> Variable:
    """Note what is known of a variable that has just got a value."""
    known = value.known if isinstance(value, Variable) else None
    if isinstance(value, Constant) and value.type.is_integer:
        known = value.value
    sure = value.type.is_integer and is_nonnegative(value)
    return dataclasses.replace(variable, known=known, nonnegative=sure)


def _reads(value: Expression, prefix: str) -> bool:
    if isinstance(value, Variable) and value.name.startswith(prefix):
        return True
    return any(_reads(each, prefix) for each in children(value))
