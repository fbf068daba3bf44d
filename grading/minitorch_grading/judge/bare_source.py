"""Normalize Python source: remove comments, docstrings and annotations.

Tests that students wrote run beside the right program and beside wrong ones, and could
read either: nothing but what a program does may tell them apart.
"""

from __future__ import annotations

import ast

__all__ = ["bare"]


def bare(source: str) -> str:
    """`source` with the same meaning, in one layout, without words.

    An import that stands there twice is left once.

    Args:
        source: A module that parses.

    Example:
        >>> bare("import os\\nimport os\\ndef f(x: int) -> int:\\n    return x  # !")
        'import os\\n\\ndef f(x):\\n    return x\\n'
    """
    tree = _Bare().visit(ast.parse(source))
    tree.body = _once(tree.body)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _once(body: list[ast.stmt]) -> list[ast.stmt]:
    """Remove repeated imports and sort the others before all other statements."""
    imports = {
        ast.unparse(statement): statement
        for statement in body
        if isinstance(statement, ast.Import | ast.ImportFrom)
    }
    # `from __future__` has to come first.
    names = sorted(imports, key=lambda text: ("__future__" not in text, text))
    rest = [
        statement
        for statement in body
        if not isinstance(statement, ast.Import | ast.ImportFrom)
    ]
    return [*(imports[name] for name in names), *rest]


class _Bare(ast.NodeTransformer):
    """Removes docstrings and other code without effect."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        node.body = _without_texts(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = _without_texts(node.body) or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.body = _without_texts(node.body) or [ast.Pass()]
        node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def _without_texts(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements without bare strings."""
    return [
        statement
        for statement in body
        if not (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
    ]
