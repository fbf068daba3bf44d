"""Owns the rules of other statements: return, if, assert, a call alone."""

from __future__ import annotations

import ast

from ..scope import Path, Scope
from ..typed import Constant, If, Return, Statement, Static
from ..typed_kernel import Do, Intrinsic, Text, has_effect
from .expressions import condition
from .flow import joined
from .rules import block, expression, statement_rule

__all__: list[str] = []


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
def _alone(scope: Scope, node: ast.Expr) -> bool:
    """Type an expression statement: a call, or a docstring."""
    if isinstance(node.value, ast.Constant):
        return True
    value = expression(scope, node.value)
    if isinstance(value, Static) and value.value is not None:
        written = ast.unparse(node.value)
        raise scope.error(
            node,
            f"got {written} without a call, which does nothing; need {written}().",
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
