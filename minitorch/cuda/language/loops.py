"""Owns the typing of loops; must not know targets.

The bindings at a loop's head have to hold at its start, at the end of each turn and
where it is left, so a turn is typed again until they do: types only widen.
"""

from __future__ import annotations

import ast
import dataclasses

from .array_views import array_shape, int64, item_of, view_of
from .flow import Binding, Bindings, Path, assignments, join
from .iterables import Iterable
from .statements import StatementTyping
from .typed import (
    Assign,
    Constant,
    Expression,
    If,
    Statement,
    Static,
    TupleValue,
    Variable,
    convert,
)
from .typed_kernel import (
    ArrayOf,
    Break,
    Continue,
    For,
    Item,
    Pick,
    Store,
    While,
    is_nonnegative,
    is_simple,
)
from .types import ArrayType, TupleType, Type

__all__ = ["LoopTyping"]

_MOST_TURNS = 8


@dataclasses.dataclass
class _Loop:
    """The paths that leave a turn early."""

    breaks: list[Path] = dataclasses.field(default_factory=list)
    continues: list[Path] = dataclasses.field(default_factory=list)


class LoopTyping(StatementTyping):
    """Adds loops to the statements of one function."""

    _loops: list[_Loop]

    def loop_statement(self, node: ast.stmt) -> bool:
        """Type a loop, break or continue."""
        match node:
            case ast.Break():
                self.body.append(Break(self.line(node)))
                self._loops[-1].breaks.append((dict(self.variables), self.body))
                return False
            case ast.Continue():
                self.body.append(Continue(self.line(node)))
                self._loops[-1].continues.append((dict(self.variables), self.body))
                return False
            case ast.While():
                return self._while(node)
            case ast.For():
                return self._for(node)
        raise AssertionError(node)

    def _while(self, node: ast.While) -> bool:
        prelude: list[Statement] = []
        test: Expression = Constant(Type.BOOL, True)

        def begin() -> None:
            nonlocal test
            prelude.clear()
            outer, self.body = self.body, prelude
            test = self.condition(node.test)
            self.body = outer

        finished = self._finished(node)
        before = self.body
        loop, body, exits = self._turns(node, node.body, begin)
        before.append(While(self.line(node), prelude, test, body))
        forever = isinstance(test, Constant) and bool(test.value)
        return self._after(node, loop, [] if forever else [exits], finished)

    def _for(self, node: ast.For) -> bool:
        iterable = self.iterable(node.iter)
        values = iterable.range_
        start, stop, step = (
            self._fixed(node, each) for each in (values.start, values.stop, values.step)
        )
        rising = isinstance(step, Constant) and step.value > 0
        low = start if rising else stop
        above = is_nonnegative(low) or (
            not rising and isinstance(low, Constant) and low.value == -1
        )
        nonnegative = above and isinstance(step, Constant)
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        direct = iterable.counts and name != "" and self._scoped(node, name)
        own = self.declare(name, start.type) if direct else self.fresh("k", start.type)
        counter = dataclasses.replace(own, nonnegative=nonnegative)
        first: list[Statement] = []

        def begin() -> None:
            first.clear()
            outer, self.body = self.body, first
            if direct:
                self.variables[name] = Binding(counter)
            else:
                self.assign(node, node.target, iterable.item(counter))
            self.body = outer

        finished = self._finished(node)
        before = self.body
        loop, body, exits = self._turns(node, node.body, begin)
        if direct:
            exits.pop(name, None)
            for bindings, _ in loop.breaks:
                bindings.pop(name, None)
        before.append(For(self.line(node), counter, start, stop, step, [*first, *body]))
        return self._after(node, loop, [exits], finished)

    def _fixed(self, node: ast.AST, value: Expression) -> Expression:
        """Give a bound that the loop's body cannot change."""
        if is_simple(value) and not isinstance(value, Variable):
            return value
        if isinstance(value, Variable) and value.name in self.constant_parameters:
            return value
        held = self.fresh("stop", value.type)
        self.body.append(Assign(self.line(node), held, value))
        return dataclasses.replace(held, nonnegative=is_nonnegative(value))

    def _scoped(self, node: ast.For, name: str) -> bool:
        """Does only the loop's body read the name, and nothing in it set it?"""
        inside = {id(each) for each in ast.walk(node)}
        for each in ast.walk(self.source.node):
            if not isinstance(each, ast.Name) or each.id != name:
                continue
            if isinstance(each.ctx, ast.Store):
                if id(each) in inside and each is not node.target:
                    return False
            elif id(each) not in inside and not self._in_other_loop(each, name):
                return False
        return not any(
            isinstance(each, ast.Name) and each.id == name
            for statement in node.orelse
            for each in ast.walk(statement)
        )

    def _in_other_loop(self, name_node: ast.Name, name: str) -> bool:
        for each in ast.walk(self.source.node):
            if not isinstance(each, ast.For) or not isinstance(each.target, ast.Name):
                continue
            inside = (inner for part in each.body for inner in ast.walk(part))
            if each.target.id == name and any(inner is name_node for inner in inside):
                return True
        return False

    def _turns(
        self, node: ast.For | ast.While, nodes: list[ast.stmt], begin: object
    ) -> tuple[_Loop, list[Statement], Bindings]:
        """Type a turn until its end fits its start; the head's bindings stay."""
        changed = {
            each.id
            for statement in [*nodes, node]
            for each in ast.walk(statement)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        before, outer_body = dict(self.variables), self.body
        head = {
            name: self._unsettled(binding) if name in changed else binding
            for name, binding in before.items()
        }
        for _ in range(_MOST_TURNS):
            self._loops.append(_Loop())
            self.variables, body = dict(head), list[Statement]()
            begin()  # type: ignore[operator]
            exits = dict(self.variables)
            falls = self.block(nodes, body)
            loop = self._loops.pop()
            ends = [*loop.continues, *([(self.variables, body)] if falls else [])]
            ways = [*ends, *loop.breaks]
            known = [{n: b for n, b in way.items() if n in head} for way, _ in ways]
            wider = join([head, *known], self.declare)
            if all(_same(wider[name], head[name]) for name in head):
                break
            head = wider
        assignments(self.line(node), (before, outer_body), head)
        for path in ways:
            assignments(self.line(node), path, head)
            path[0].update((name, head[name]) for name in head)
        left = dict(head)
        for bindings, _ in ends:
            for name, binding in bindings.items():
                left.setdefault(name, dataclasses.replace(binding, maybe=True))
        for name, binding in exits.items():
            left.setdefault(name, dataclasses.replace(binding, maybe=True))
        self.variables = left
        return loop, body, left

    def _unsettled(self, binding: Binding) -> Binding:
        """The binding of a name that the loop sets: no constant any more."""
        if isinstance(binding.value, Variable):
            loose = dataclasses.replace(binding.value, known=None)
            return dataclasses.replace(binding, value=loose)
        if isinstance(binding.value, TupleValue):
            items = tuple(
                self._unsettled(Binding(each)).value for each in binding.value.items
            )
            value = TupleValue.of(items, binding.value.type.names)
            return dataclasses.replace(binding, value=value)
        return binding

    def _finished(self, node: ast.For | ast.While) -> Variable | None:
        """Make the flag of a loop with `else`, which a break takes down."""
        if not node.orelse:
            return None
        flag = self.fresh("finished", Type.BOOL)
        self.body.append(Assign(self.line(node), flag, Constant(Type.BOOL, True)))
        return flag

    def _after(
        self,
        node: ast.For | ast.While,
        loop: _Loop,
        exits: list[Bindings],
        finished: Variable | None,
    ) -> bool:
        line = self.line(node)
        ways = [*exits, *(dict(bindings) for bindings, _ in loop.breaks)]
        if not ways:
            return False
        self.variables = join(ways, self.declare)
        for path in loop.breaks:
            assignments(line, path, self.variables)
        if finished is None:
            return True
        for _, body in loop.breaks:
            down = Assign(line, finished, Constant(Type.BOOL, False))
            body.insert(len(body) - 1, down)
        otherwise: list[Statement] = []
        skipped: list[Statement] = []
        before = dict(self.variables)
        falls = self.block(node.orelse, otherwise)
        self.body.append(If(line, finished, otherwise, skipped))
        paths: list[Path] = [(before, skipped)]
        if falls:
            paths.append((self.variables, otherwise))
        self.variables = self.joined(node, paths)
        return True

    def iterable(self, node: ast.expr) -> Iterable:
        """Type what a for loop goes over."""
        value = self.expression(node)
        if isinstance(value, Iterable):
            return value
        return self.iterable_of(node, value)

    def iterable_of(self, node: ast.AST, value: Expression) -> Iterable:
        """Give the items of a range, array or tuple by number."""
        if isinstance(value, Iterable):
            return value
        if isinstance(value.type, TupleType):
            items = self.tuple_items(value)
            common = items[0].type if items else Type.INT64
            if any(each.type != common for each in items) or not isinstance(
                common, Type
            ):
                raise self.error(
                    node,
                    f"got a loop over {value.type}, whose items differ; need items of "
                    "one type.",
                )
            return Iterable.over(int64(len(items)), lambda k: Pick(common, items, k))
        if isinstance(value.type, ArrayType) and value.type.ndim:
            if value.type.ndim == 1:
                return Iterable.over(
                    array_shape(value)[0], lambda k: item_of(value, (k,))
                )
            return Iterable.over(array_shape(value)[0], lambda k: view_of(value, [k]))
        if isinstance(value, Static) and isinstance(value.value, (list, dict, set)):
            raise self.error(
                node,
                f"got a loop over a {type(value.value).__name__}; need range(...), an "
                "array or a tuple.",
            )
        raise self.error(
            node,
            f"got a loop over {ast.unparse(node)}, which is no range; need range(...), "
            "an array, a tuple, enumerate or zip. "
            + (
                f"Did you mean range({ast.unparse(node)})?"
                if isinstance(value.type, Type)
                else ""
            ),
        )

    def store_view(
        self, node: ast.AST, target: ast.Subscript, view: ArrayOf, value: Expression
    ) -> None:
        """Type `a[1:3] = value`: a loop for each dimension of the view."""
        self._fill(node, self._settled(node, view), value, ())

    def _settled(self, node: ast.AST, view: Expression) -> Expression:
        if isinstance(view, ArrayOf) and view.rows == 0:
            variable = self.fresh("view", dataclasses.replace(view.type, shape=None))
            self.body.append(Assign(self.line(node), variable, view))
            return variable
        return view

    def _fill(
        self,
        node: ast.AST,
        view: Expression,
        value: Expression,
        indices: tuple[Expression, ...],
    ) -> None:
        dtype, depth = view.type.dtype, len(indices)
        if depth == view.type.ndim:
            if isinstance(value.type, ArrayType):
                value = self._source(node, value, indices)
            number = convert(self.scalar(node, value), dtype)
            self.body.append(Store(self.line(node), item_of(view, indices), number))
            return
        size = self._fixed(node, array_shape(view)[depth])
        counter = dataclasses.replace(self.fresh("k", Type.INT64), nonnegative=True)
        inner: list[Statement] = []
        outer, self.body = self.body, inner
        self._fill(node, view, value, (*indices, counter))
        self.body = outer
        self.body.append(For(self.line(node), counter, int64(0), size, int64(1), inner))

    def _source(
        self, node: ast.AST, array: Expression, indices: tuple[Expression, ...]
    ) -> Item:
        if array.type.ndim > len(indices):
            raise self.error(
                node,
                f"got {array.type} for a part of {len(indices)} dimensions; need as "
                "many at most.",
            )
        last = indices[len(indices) - array.type.ndim :]
        return item_of(array, last)


def _same(wide: Binding, head: Binding) -> bool:
    """Does the head's binding hold the wider one, facts included?"""
    one, other = wide.value, head.value
    if wide.conflict or head.conflict:
        return wide.conflict == head.conflict
    if wide.maybe != head.maybe:
        return False
    return _same_value(one, other)


def _same_value(one: Expression, other: Expression) -> bool:
    if isinstance(one, Variable) and isinstance(other, Variable):
        facts = one.known == other.known and one.nonnegative == other.nonnegative
        return one.name == other.name and facts
    if isinstance(one, TupleValue) and isinstance(other, TupleValue):
        pairs = zip(one.items, other.items, strict=True)
        return all(_same_value(a, b) for a, b in pairs)
    if isinstance(one, Static) and isinstance(other, Static):
        return one.value is other.value
    return one is other
