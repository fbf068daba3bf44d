"""Where C++ declares each variable: in the innermost block that suffices."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from ..typed import (
    Assign,
    Expression,
    For,
    If,
    Statement,
    TypedFunction,
    Variable,
    While,
    children,
    walk,
)


@dataclass
class Declarations:
    """Where to declare a function's variables.

    Attributes:
        first: The assignments (by id) that declare their variable.
        before: Variables to declare without a value, by (id of a block, statement).
    """

    first: set[int] = field(default_factory=set)
    before: dict[tuple[int, int], list[Variable]] = field(default_factory=dict)


def declarations_of(function: TypedFunction) -> Declarations:
    """Return where to declare the variables of a function, except parameters."""
    result = Declarations()
    known = {node.name for node in function.parameters}
    known |= {node.variable.name for node in function.arrays}
    body = function.body
    uses = [_uses(node) for node in body]
    variables: dict[str, Variable] = {}
    for use in uses:
        variables.update(use)
    for name, variable in variables.items():
        if name not in known:
            _declare(variable, body, uses, result)
    return result


def _declare(
    variable: Variable,
    body: list[Statement],
    uses: list[dict[str, Variable]],
    result: Declarations,
) -> None:
    using = [index for index, use in enumerate(uses) if variable.name in use]
    first = body[using[0]]
    if _gives_value(first, variable):
        result.first.add(id(first))
        return
    if len(using) == 1 and not isinstance(first, Assign):
        inner = [
            block
            for block in _blocks(first)
            if any(variable.name in _uses(statement) for statement in block)
        ]
        used_directly = variable.name in _direct_uses(first)
        loop = isinstance(first, (For, While))
        if len(inner) == 1 and not used_directly:
            uses_inside = [_uses(statement) for statement in inner[0]]
            begin = next(i for i, use in enumerate(uses_inside) if variable.name in use)
            # In a loop, every iteration must set the variable before reading it.
            if not loop or _gives_value(inner[0][begin], variable):
                _declare(variable, inner[0], uses_inside, result)
                return
    result.before.setdefault((id(body), using[0]), []).append(variable)


def _gives_value(statement: Statement, variable: Variable) -> bool:
    return (
        isinstance(statement, Assign)
        and statement.target.name == variable.name
        and variable.name not in _variables(statement.value)
    )


def _blocks(statement: Statement) -> list[list[Statement]]:
    match statement:
        case If(then=then, otherwise=otherwise):
            return [then, otherwise]
        case While(prelude=prelude, body=body):
            return [prelude, body]
        case For(body=body):
            return [body]
    return []


def _direct_uses(statement: Statement) -> dict[str, Variable]:
    """Return a statement's variables outside its blocks, without a loop's counter."""
    parts = [part for part in children(statement) if isinstance(part, Expression)]
    if isinstance(statement, Assign):
        parts.reverse()  # the value comes before its target
    elif isinstance(statement, For):
        del parts[0]
    return _variables(*parts)


@functools.lru_cache(maxsize=512)  # each block asks for those of all inside it
def _uses(statement: Statement) -> dict[str, Variable]:
    variables = _direct_uses(statement)
    for block in _blocks(statement):
        for inner in block:
            variables.update(_uses(inner))
    if isinstance(statement, For):
        variables.pop(statement.counter.name, None)
    return variables


def _variables(*values: Expression) -> dict[str, Variable]:
    return {part.name: part for part in walk(*values) if isinstance(part, Variable)}
