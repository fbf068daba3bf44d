"""Rules for statements other than assignments: return, if, loops, assert.

The bindings at a loop's head have to hold at its start, at the end of each turn and
where it is left, so a turn is typed again until they do: types only widen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from ..builtins.arrays import host_array
from ..iterables import iterable_of
from ..scope import Binding, Bindings, Loop, Path, Scope
from ..typed import (
    Assign,
    Break,
    Constant,
    Continue,
    Do,
    Expression,
    For,
    If,
    Intrinsic,
    Return,
    Statement,
    Static,
    Text,
    TupleValue,
    Variable,
    While,
    has_effect,
    is_nonnegative,
)
from ..types import ArrayType, Type
from .expressions import condition
from .flow import assignments, join, joined
from .rules import (
    assign,
    block,
    expression,
    names_in,
    statement_rule,
    stored_names,
)

_MOST_TURNS = 8


@statement_rule(ast.Return)
def _return(scope: Scope, node: ast.Return) -> bool:
    value = None if node.value is None else expression(scope, node.value)
    if isinstance(value, Static) and value.value is None:
        value = None
    if isinstance(value, Static):
        scope.scalar(node.value or node, value)
    scope.returns.append((node, value))
    scope.body.append(Return(scope.line(node), value))
    return False


@statement_rule(ast.If)
def _if(scope: Scope, node: ast.If) -> bool:
    test = condition(scope, node.test)
    if isinstance(test, Constant):  # decided while compiling
        return block(scope, node.body if test.value else node.orelse, scope.body)
    before = dict(scope.variables)
    then: list[Statement] = []
    otherwise: list[Statement] = []
    then_falls = block(scope, node.body, then)
    after_then, scope.variables = scope.variables, before
    otherwise_falls = block(scope, node.orelse, otherwise)
    scope.body.append(If(scope.line(node), test, then, otherwise))
    paths: list[Path] = [(after_then, then)] if then_falls else []
    if otherwise_falls:
        paths.append((scope.variables, otherwise))
    if paths:
        scope.variables = joined(scope, node, paths)
    return bool(paths)


@statement_rule(ast.Expr)
def _expression_statement(scope: Scope, node: ast.Expr) -> bool:
    """Type an expression statement: a call, or a docstring."""
    if isinstance(node.value, ast.Constant):
        return True
    value = expression(scope, node.value)
    if isinstance(value, Static) and value.value is not None:
        written = ast.unparse(node.value)
        raise scope.error(
            node,
            f"{written} without parentheses does nothing. Write {written}().",
        )
    if value.type is None or has_effect(value):
        scope.body.append(Do(scope.line(node), value))
    return True


@statement_rule(ast.Assert)
def _assert(scope: Scope, node: ast.Assert) -> bool:
    test = condition(scope, node.test)
    message = Text(None, ast.unparse(node.test))
    if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str):
        message = Text(None, node.msg.value)
    check = Intrinsic(None, "python_assert", (test, message), ("device.cuh",), True)
    scope.body.append(Do(scope.line(node), check))
    return True


@statement_rule(ast.Pass)
def _pass(scope: Scope, node: ast.Pass) -> bool:
    return True


# Loops.


@statement_rule(ast.Break)
def _break(scope: Scope, node: ast.Break) -> bool:
    scope.body.append(Break(scope.line(node)))
    scope.loops[-1].breaks.append((dict(scope.variables), scope.body))
    return False


@statement_rule(ast.Continue)
def _continue(scope: Scope, node: ast.Continue) -> bool:
    scope.body.append(Continue(scope.line(node)))
    scope.loops[-1].continues.append((dict(scope.variables), scope.body))
    return False


@statement_rule(ast.While)
def _while(scope: Scope, node: ast.While) -> bool:
    prelude: list[Statement] = []
    test: Expression = Constant(Type.BOOL, True)

    def begin() -> None:
        nonlocal test
        prelude.clear()
        with scope.into(prelude):
            test = condition(scope, node.test)

    finished = _finished_flag(scope, node)
    before = scope.body
    loop, body, exits = _loop_body(scope, node, node.body, begin)
    before.append(While(scope.line(node), prelude, test, body))
    forever = isinstance(test, Constant) and bool(test.value)
    return _after(scope, node, loop, [] if forever else [exits], finished)


@statement_rule(ast.For)
def _for(scope: Scope, node: ast.For) -> bool:
    items = host_array(scope, node.iter, expression(scope, node.iter))
    iterable = iterable_of(scope, node.iter, items)
    values = iterable.range_
    start, stop, step = (
        scope.fixed(node, bound) for bound in (values.start, values.stop, values.step)
    )
    rising = isinstance(step, Constant) and step.value > 0
    low = start if rising else stop
    above = is_nonnegative(low) or (
        not rising and isinstance(low, Constant) and low.value == -1
    )
    nonnegative = above and isinstance(step, Constant)
    name = node.target.id if isinstance(node.target, ast.Name) else ""
    direct = iterable.counts and name != "" and _scoped(scope, node, name)
    variable = (
        scope.declare(name, start.type) if direct else scope.fresh("k", start.type)
    )
    counter = replace(variable, nonnegative=nonnegative)
    first: list[Statement] = []

    def begin() -> None:
        first.clear()
        with scope.into(first):
            if direct:
                scope.variables[name] = Binding(counter)
            else:
                assign(scope, node, node.target, iterable.item(counter))

    finished = _finished_flag(scope, node)
    before = scope.body
    loop, body, exits = _loop_body(scope, node, node.body, begin)
    if direct:
        exits.pop(name, None)
        for bindings, _ in loop.breaks:
            bindings.pop(name, None)
    before.append(For(scope.line(node), counter, start, stop, step, [*first, *body]))
    _note_lost_changes(scope, node)
    return _after(scope, node, loop, [exits], finished)


def _note_lost_changes(scope: Scope, node: ast.For) -> None:
    """Note an assignment to the loop variable over an array that has no effect.

    `for v in x: v += 1` changes v alone.
    """
    arrays = [
        name.id
        for name in names_in(node.iter)
        if name.id in scope.variables
        and isinstance(scope.variables[name.id].value.type, ArrayType)
    ]
    for name in stored_names(node.target) if arrays else ():
        changes = [
            child
            for statement in node.body
            for child in ast.walk(statement)
            if isinstance(child, (ast.Assign, ast.AugAssign))
            and name in stored_names(child)
        ]
        inside = names_in(*changes)
        if not changes or any(
            use.id == name and isinstance(use.ctx, ast.Load) and use not in inside
            for use in names_in(scope.source.node)
        ):
            continue
        array, text = arrays[0], ast.unparse(changes[0])
        scope.note(
            changes[0],
            f"{text} changes the variable {name}, not {array}. Write for i in "
            f"range(len({array})): " + re.sub(rf"\b{name}\b", f"{array}[i]", text),
        )


def _scoped(scope: Scope, node: ast.For, name: str) -> bool:
    """Return whether only the loop's body reads the name, and nothing in it sets it."""
    inside = names_in(node)
    loops = [
        loop
        for loop in ast.walk(scope.source.node)
        if isinstance(loop, ast.For) and stored_names(loop.target) == {name}
    ]
    readers = [*inside, *names_in(*(part for loop in loops for part in loop.body))]
    for child in names_in(scope.source.node):
        if child.id != name:
            continue
        if isinstance(child.ctx, ast.Store):
            if child in inside and child is not node.target:
                return False
        elif child not in readers:
            return False
    return all(child.id != name for child in names_in(*node.orelse))


def _loop_body(
    scope: Scope,
    node: ast.For | ast.While,
    nodes: list[ast.stmt],
    begin: Callable[[], None],
) -> tuple[Loop, list[Statement], Bindings]:
    """Type the body until the bindings at its end match those at its start."""
    changed = stored_names(*nodes, node)
    before, outer_body = dict(scope.variables), scope.body
    head = {
        name: _nonconstant(binding) if name in changed else binding
        for name, binding in before.items()
    }
    for _ in range(_MOST_TURNS):
        scope.loops.append(Loop())
        scope.variables, body = dict(head), list[Statement]()
        begin()
        exits = dict(scope.variables)
        falls = block(scope, nodes, body)
        loop = scope.loops.pop()
        ends = [*loop.continues, *([(scope.variables, body)] if falls else [])]
        ways = [*ends, *loop.breaks]
        known = [{n: b for n, b in way.items() if n in head} for way, _ in ways]
        wider = join([head, *known], scope.declare)
        if all(_same(wider[name], head[name]) for name in head):
            break
        head = wider
    assignments(scope.line(node), (before, outer_body), head)
    for path in ways:
        assignments(scope.line(node), path, head)
        path[0].update((name, head[name]) for name in head)
    left = dict(head)
    for bindings, _ in ends:
        for name, binding in bindings.items():
            left.setdefault(name, replace(binding, maybe=True))
    for name, binding in exits.items():
        left.setdefault(name, replace(binding, maybe=True))
    scope.variables = left
    return loop, body, left


def _nonconstant(binding: Binding) -> Binding:
    """Return the binding of a name that the loop assigns: no longer a constant."""
    if isinstance(binding.value, Variable):
        loose = replace(binding.value, known=None)
        return replace(binding, value=loose)
    if isinstance(binding.value, TupleValue):
        items = tuple(
            _nonconstant(Binding(element)).value for element in binding.value.items
        )
        value = TupleValue.of(items, binding.value.type.names)
        return replace(binding, value=value)
    return binding


def _finished_flag(scope: Scope, node: ast.For | ast.While) -> Variable | None:
    """Create the flag of a loop with `else`, which a break clears."""
    if not node.orelse:
        return None
    flag = scope.fresh("finished", Type.BOOL)
    scope.body.append(Assign(scope.line(node), flag, Constant(Type.BOOL, True)))
    return flag


def _after(
    scope: Scope,
    node: ast.For | ast.While,
    loop: Loop,
    exits: list[Bindings],
    finished: Variable | None,
) -> bool:
    line = scope.line(node)
    ways = [*exits, *(dict(bindings) for bindings, _ in loop.breaks)]
    if not ways:
        return False
    scope.variables = join(ways, scope.declare)
    for path in loop.breaks:
        assignments(line, path, scope.variables)
    if finished is None:
        return True
    for _, body in loop.breaks:
        down = Assign(line, finished, Constant(Type.BOOL, False))
        body.insert(len(body) - 1, down)
    otherwise: list[Statement] = []
    skipped: list[Statement] = []
    before = dict(scope.variables)
    falls = block(scope, node.orelse, otherwise)
    scope.body.append(If(line, finished, otherwise, skipped))
    paths: list[Path] = [(before, skipped)]
    if falls:
        paths.append((scope.variables, otherwise))
    scope.variables = joined(scope, node, paths)
    return True


def _same(wide: Binding, head: Binding) -> bool:
    """Return whether the head's binding covers the wider one, facts included."""
    if wide.conflict or head.conflict:
        return wide.conflict == head.conflict
    return wide.maybe == head.maybe and _same_value(wide.value, head.value)


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
