"""Join the variables' bindings where control paths meet.

A Python variable becomes one typed variable for each type that it takes. Where two
paths leave it with different types, it gets the type that holds both.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..scope import Binding, Bindings, Path, Scope
from ..typed import (
    ArrayOf,
    Assign,
    Break,
    Continue,
    Expression,
    Statement,
    Static,
    TupleValue,
    Variable,
    convert,
)
from ..types import ArrayType, Type, unify

Declare = Callable[[str, Type | ArrayType], Variable]


def join(bindings: Iterable[Bindings], declare: Declare) -> Bindings:
    """Return the bindings that hold on all paths.

    Args:
        bindings: Those at the end of each path.
        declare: Gives the variable of a Python name for a type.

    Returns:
        For each name the one binding; `assignments` brings a path there.
    """
    every = list(bindings)
    joined: Bindings = {}
    for name in dict.fromkeys(name for path in every for name in path):
        candidates = [path[name] for path in every if name in path]
        maybe = len(candidates) < len(every) or any(path.maybe for path in candidates)
        conflict = next((path.conflict for path in candidates if path.conflict), "")
        value = candidates[0].value
        for other in candidates[1:]:
            both = _join_values(name, value, other.value, declare)
            if both is None:
                conflict = f"{_kind(value)} and {_kind(other.value)}"
                break
            value = both
        joined[name] = Binding(value, maybe, conflict)
    return joined


def _join_values(
    name: str, a: Expression, b: Expression, declare: Declare
) -> Expression | None:
    if a is b:
        return a
    if isinstance(a, Variable) and isinstance(b, Variable) and a.name == b.name:
        return _with_facts(a, (a, b))
    if isinstance(a, Static) or isinstance(b, Static):
        same = isinstance(a, Static) and isinstance(b, Static) and a.value is b.value
        return a if same else None
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        if len(a.items) != len(b.items):
            return None
        items = [
            _join_values(f"{name}_{index}", one, other, declare)
            for index, (one, other) in enumerate(zip(a.items, b.items, strict=True))
        ]
        if any(element is None for element in items):
            return None
        return TupleValue.of(
            tuple(element for element in items if element), a.type.names
        )
    if isinstance(a.type, Type) and isinstance(b.type, Type):
        return _with_facts(declare(name, unify(a.type, b.type)), (a, b))
    if isinstance(a.type, ArrayType) and isinstance(b.type, ArrayType):
        if (a.type.dtype, a.type.ndim) != (b.type.dtype, b.type.ndim):
            return None
        layout = a.type.layout if a.type.layout == b.type.layout else "A"
        return declare(name, ArrayType(a.type.dtype, a.type.ndim, layout))
    return None


def _with_facts(variable: Variable, ways: tuple[Expression, ...]) -> Variable:
    known = {
        (type(way.known), way.known) if isinstance(way, Variable) else ()
        for way in ways
    }
    first = ways[0].known if isinstance(ways[0], Variable) else None
    nonnegative = all(isinstance(way, Variable) and way.nonnegative for way in ways)
    return replace(
        variable, known=first if len(known) == 1 else None, nonnegative=nonnegative
    )


def joined(scope: Scope, node: ast.AST, paths: list[Path]) -> Bindings:
    """Join the bindings of converging paths; append the needed assignments."""
    result = join((bindings for bindings, _ in paths), scope.declare)
    for path in paths:
        assignments(scope.line(node), path, result)
    return result


def assignments(line: int, path: Path, to: Bindings) -> None:
    """Append to a path the assignments that make its bindings those of `to`.

    Args:
        line: The line of the statements.
        path: Its end; a last break or continue stays last.
        to: What `join` gave.
    """
    bindings, body = path
    added: list[Statement] = []
    for name, binding in bindings.items():
        if name in to and not to[name].conflict:
            _assign(line, binding.value, to[name].value, added)
    jump = bool(body) and isinstance(body[-1], (Break, Continue))
    body[len(body) - jump : len(body) - jump] = added


def _assign(
    line: int, value: Expression, to: Expression, added: list[Statement]
) -> None:
    if isinstance(value, TupleValue) and isinstance(to, TupleValue):
        for one, other in zip(value.items, to.items, strict=True):
            _assign(line, one, other, added)
    if not isinstance(to, Variable):
        return
    if isinstance(value, Variable) and value.name == to.name:
        return
    if isinstance(to.type, ArrayType):
        added.append(Assign(line, to, ArrayOf(to.type, value)))
    else:
        added.append(Assign(line, to, convert(value, to.type)))


def _kind(value: Expression) -> str:
    if isinstance(value, Static):
        return type(value.value).__name__
    return str(value.type)
