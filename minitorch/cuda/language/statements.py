"""Owns the typing of statements without loops; must not know targets.

A statement adds its typed form to `body` and says whether what follows is reachable.
"""

from __future__ import annotations

import ast

from .advice import refused_syntax
from .assignments import AssignmentTyping
from .flow import Bindings, Path, assignments, join
from .typed import (
    Constant,
    Expression,
    If,
    Return,
    Statement,
    Static,
)
from .typed_kernel import (
    Do,
    Intrinsic,
    Text,
    has_effect,
)
from .types import ArrayType, TupleType, Type, unify

__all__ = ["StatementTyping"]


class StatementTyping(AssignmentTyping):
    """Types the statements of one function, all but loops."""

    results: list[Expression]
    returns: list[tuple[ast.AST, Expression | None]]

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
                self.assign_targets(node, node.targets, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign_targets(node, [node.target], value)
            case ast.AugAssign():
                self.augmented(node)
            case ast.Expr():
                self._alone(node)
            case ast.Assert():
                self._assert(node)
            case ast.Delete():
                self._delete(node)
            case ast.Pass() | ast.AnnAssign():
                pass
            case _:
                raise self.error(node, refused_syntax(node))
        return True

    def loop_statement(self, node: ast.stmt) -> bool:
        """Type a loop or what leaves one; the class that knows loops overrides it."""
        raise NotImplementedError

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

    def _alone(self, node: ast.Expr) -> None:
        """Type an expression statement: a call, or a docstring."""
        if isinstance(node.value, ast.Constant):
            return
        value = self.expression(node.value)
        if isinstance(value, Static) and value.value is not None:
            written = ast.unparse(node.value)
            raise self.error(
                node,
                f"got {written} without a call, which does nothing; need {written}().",
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
