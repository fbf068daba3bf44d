"""Owns the typing of statements without loops; must not know targets.

A statement adds its typed form to `body` and says whether what follows is reachable.
"""

from __future__ import annotations

import ast

from .array_views import item_of
from .calls import CallTyping
from .flow import Binding, Bindings, Path, assignments, join
from .typed import (
    STATIC,
    Assign,
    Constant,
    Expression,
    If,
    Return,
    Statement,
    Static,
    TupleValue,
    Variable,
    convert,
)
from .typed_kernel import ArrayOf, Do, Intrinsic, Item, Store, Text, children, has_effect
from .types import ArrayType, TupleType, Type, unify

__all__ = ["StatementTyping"]

_SUPPORTED = (
    "assignments, if/elif/else, for, while, break, continue, return, assert and calls"
)
_NOUNS: dict[type[ast.AST], str] = {
    ast.With: "a with statement",
    ast.Try: "a try statement",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.FunctionDef: "a function inside the function",
    ast.ClassDef: "a class",
    ast.Global: "a global statement",
    ast.Nonlocal: "a nonlocal statement",
    ast.Match: "a match statement",
}


class StatementTyping(CallTyping):
    """Types the statements of one function, all but loops."""

    _names: dict[tuple[str, Type | ArrayType | TupleType], str]
    results: list[Expression]

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
        return Variable(type_, self._names[key])

    def fresh(self, stem: str, type_: object) -> Variable:
        """Make a variable that no Python name has."""
        number = len(self._names)
        return self.declare(f"{stem}_{number}", type_)  # type: ignore[arg-type]

    def block(self, nodes: list[ast.stmt], body: list[Statement]) -> bool:
        """Type statements into `body`; is the end reachable?"""
        outer, self.body = self.body, body
        falls = True
        for node in nodes:
            falls = self.statement(node)
            if not falls:
                break
        self.body = outer
        return falls

    def statement(self, node: ast.stmt) -> bool:
        """Type one statement; is what follows reachable?"""
        match node:
            case ast.Return():
                return self._return(node)
            case ast.If():
                return self._if(node)
            case ast.For() | ast.While() | ast.Break() | ast.Continue():
                return self.loop_statement(node)
            case ast.Assign():
                self._assign_targets(node, node.targets, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self._assign_targets(node, [node.target], value)
            case ast.AugAssign():
                self._augmented(node)
            case ast.Expr():
                self._alone(node)
            case ast.Assert():
                self._assert(node)
            case ast.Raise():
                raise self.error(
                    node,
                    "got a raise statement; a kernel cannot raise. If this is a "
                    "template, write the body; else use assert.",
                )
            case ast.Delete():
                self._delete(node)
            case ast.Pass() | ast.AnnAssign():
                pass
            case _:
                noun = _NOUNS.get(type(node), f"a {type(node).__name__} statement")
                raise self.error(node, f"got {noun}; need {_SUPPORTED}.")
        return True

    def loop_statement(self, node: ast.stmt) -> bool:
        """Type a loop or what leaves one; the class that knows loops overrides it."""
        raise NotImplementedError

    def line(self, node: ast.AST) -> int:
        """Line of `node` in the function."""
        return self.source.relative_line(node)

    def _return(self, node: ast.Return) -> bool:
        value = None if node.value is None else self.expression(node.value)
        if isinstance(value, Static) and value.value is None:
            value = None
        if value is not None:
            if isinstance(value, Static):
                self.scalar(node.value or node, value)
            self.results.append(value)
        self.returns.append((node, value))
        self.body.append(Return(self.line(node), value))
        return False

    returns: list[tuple[ast.AST, Expression | None]]

    def _if(self, node: ast.If) -> bool:
        test = self.condition(node.test)
        if isinstance(test, Constant):  # decided while compiling
            return self.block(node.body if test.value else node.orelse, self.body)
        before = dict(self.variables)
        then: list[Statement] = []
        otherwise: list[Statement] = []
        then_falls = self.block(node.body, then)
        after_then, self.variables = self.variables, before
        otherwise_falls = self.block(node.orelse, otherwise)
        self.body.append(If(self.line(node), test, then, otherwise))
        paths: list[Path] = [(after_then, then)] if then_falls else []
        if otherwise_falls:
            paths.append((self.variables, otherwise))
        if paths:
            self.variables = self.joined(node, paths)
        return bool(paths)

    def joined(self, node: ast.AST, paths: list[Path]) -> Bindings:
        """Join the bindings of paths that meet, with what that needs at their ends."""
        result = join((bindings for bindings, _ in paths), self.declare)
        for path in paths:
            assignments(self.line(node), path, result)
        return result

    def _assign_targets(
        self, node: ast.stmt, targets: list[ast.expr], value_node: ast.expr
    ) -> None:
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
        return self.with_facts(variable, value)

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
                f"number of {dtype}.",
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

    def _augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            left = self.name(ast.copy_location(ast.Name(node.target.id), node.target))
            right = self.expression(node.value)
            self.bind(node, node.target.id, self.binary(node, node.op, left, right))
            return
        if not isinstance(node.target, ast.Subscript):
            raise self.error(node, "got an assignment to an attribute; need a name.")
        array, element = self.target(node.target)
        if isinstance(element, ArrayOf):
            raise self.error(
                node,
                f"got {ast.unparse(node.target)}, part of an array, to change in "
                "place; need one element. Write the loop over its elements.",
            )
        assert isinstance(element, Item)
        indices = tuple(self.hold(node.target, each) for each in element.indices)
        element = item_of(element.base, indices)
        value = self.binary(node, node.op, element, self.number_of(node.value))
        if value.type.is_complex and not array.type.dtype.is_complex:
            raise self.error(
                node,
                f"got {value.type} for an element of {array.type}; need a real number.",
            )
        stored = convert(value, array.type.dtype)
        self.body.append(Store(self.line(node), element, stored))

    def _alone(self, node: ast.Expr) -> None:
        """Type an expression statement: a call, or a docstring."""
        if isinstance(node.value, ast.Constant):
            return
        value = self.expression(node.value)
        if isinstance(value, Static) and value.value is not None:
            written = ast.unparse(node.value)
            raise self.error(
                node,
                f"got {written} without a call, which does nothing; need "
                f"{written}().",
            )
        if value.type is None or has_effect(value):
            self.body.append(Do(self.line(node), value))

    def _assert(self, node: ast.Assert) -> None:
        test = self.condition(node.test)
        message = Text(None, ast.unparse(node.test))
        if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str):
            message = Text(None, node.msg.value)
        check = Intrinsic(None, "python_assert", (test, message), ("device.cuh",), True)
        self.body.append(Do(self.line(node), check))

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name) or target.id not in self.variables:
                raise self.error(
                    target, "got a del that is not of a local name; need one."
                )
            del self.variables[target.id]


def _reads(value: Expression, prefix: str) -> bool:
    if isinstance(value, Variable) and value.name.startswith(prefix):
        return True
    return any(_reads(each, prefix) for each in children(value))


def result_type(values: list[Expression]) -> Type | ArrayType | TupleType | None:
    """Give the one type of a function's results, or raise TypeError."""
    result = values[0].type if values else None
    for each in values[1:]:
        if each.type == result:
            continue
        if not isinstance(each.type, Type) or not isinstance(result, Type):
            raise TypeError(f"{result} and {each.type}")
        result = unify(result, each.type)
    return result
