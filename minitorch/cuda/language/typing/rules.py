"""Tables of typing rules by kind of syntax node.

A rule gets the scope of the function and the node. That of an expression gives its
typed form, that of a statement adds one to the scope's body.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from ..advice import field_hint, refused_syntax
from ..rules import Rules
from ..scope import Scope
from ..typed import Expression, Statement

#: Gives the typed form of an expression.
expression_rule = Rules[type[ast.expr], Callable[[Scope, Any], Expression]](
    "expression"
)
#: Types a statement; can what follows be reached?
statement_rule = Rules[type[ast.stmt], Callable[[Scope, Any], bool]]("statement")
#: Types the assignment of a value to a target; the first node is the statement.
target_rule = Rules[type[ast.expr], Callable[[Scope, ast.AST, Any, Expression], None]](
    "target"
)


def expression(scope: Scope, node: ast.expr) -> Expression:
    """Type `node`; the result has the value that Python would compute."""
    rule = expression_rule.of(node)
    if rule is None:
        raise scope.error(node, refused_syntax(node))
    return rule(scope, node)


def number_of(scope: Scope, node: ast.expr) -> Expression:
    """Type `node`, which must be a number."""
    return scope.scalar(node, expression(scope, node))


def block(scope: Scope, nodes: list[ast.stmt], body: list[Statement]) -> bool:
    """Type statements into `body`; return whether the end is reachable."""
    with scope.into(body):
        for node in nodes:
            rule = statement_rule.of(node)
            if rule is None:
                raise scope.error(node, refused_syntax(node))
            if not rule(scope, node):
                return False
    return True


def assign(scope: Scope, node: ast.AST, target: ast.expr, value: Expression) -> None:
    """Type `target = value`."""
    rule = target_rule.of(target)
    if rule is None:
        hint = (
            f" {field_hint(target.attr)}" if isinstance(target, ast.Attribute) else ""
        )
        raise scope.error(
            target,
            "cannot assign to this; a kernel supports name = value and array[i] = "
            f"value.{hint}",
        )
    rule(scope, node, target, value)


@functools.lru_cache(maxsize=128)  # of a kernel's loops, asked for again and again
def names_in(*nodes: ast.AST) -> tuple[ast.Name, ...]:
    """Return the names that stand in nodes, outer ones first.

    In the order of `ast.walk`, which takes several times as long: it also visits all
    contexts, one generator inside another.
    """
    names: list[ast.Name] = []
    waiting = list(nodes)
    for node in waiting:
        if isinstance(node, ast.Name):
            names.append(node)
            continue
        for field in node._fields:
            inside = getattr(node, field, None)
            if isinstance(inside, list):
                waiting += [child for child in inside if isinstance(child, ast.AST)]
            elif isinstance(inside, ast.AST):
                waiting.append(inside)
    return tuple(names)


def stored_names(*nodes: ast.AST) -> set[str]:
    """Return the names that nodes assign."""
    return {name.id for name in names_in(*nodes) if isinstance(name.ctx, ast.Store)}
