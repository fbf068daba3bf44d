"""Find the items whose function a public test failed in.

Public tests use functions of several items: a test of `map` also launches `zip`.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .rubric.assignment import Assignment, Item
from .rubric.handed_in import HandedIn


@dataclass(frozen=True)
class _Function:
    """A function of an item: its file, its lines, and the names defined in it."""

    item: Item
    file: str
    lines: range
    names: frozenset[str]


class Functions:
    """The functions that items of an assignment judge, in the files handed in.

    Args:
        assignment: Its items name their functions.
        handed_in: Files that do not parse are left out.
    """

    def __init__(self, assignment: Assignment, handed_in: HandedIn) -> None:
        known = {
            file: definitions(data.decode())
            for file, data in handed_in.files.items()
            if file.endswith(".py") and file not in handed_in.broken
        }
        self._functions = [
            _function(item, file, known[file][name])
            for item in assignment.items
            for name in item.functions
            if (file := file_with(name, assignment.task_of(item.id).file, known))
        ]

    def failed_in(self, result: Mapping[str, Any], right: Container[str]) -> list[Item]:
        """Return the items whose function a test failed in; [] if none is known.

        A finding belongs to its kernel. An exception belongs to the innermost function
        of an item that is not right; what a right function raises is its caller's.

        Args:
            result: Of a test that failed, as the pytest plugin wrote it.
            right: Ids of items whose own tests passed.
        """
        finding = result.get("finding")
        if finding is not None:
            items = self._items_at(finding["file"], finding["line"])
            return items or self._items_named(finding["kernel"])
        for file, line in reversed(result.get("frames", [])):
            items = [
                item for item in self._items_at(file, line) if item.id not in right
            ]
            if items:
                return items
        return []

    def _items_at(self, file: str | None, line: int | None) -> list[Item]:
        return [
            function.item
            for function in self._functions
            if file == function.file and line in function.lines
        ]

    def _items_named(self, kernel: str) -> list[Item]:
        """Return the items of the only function with a kernel of this name."""
        functions = [
            function for function in self._functions if kernel in function.names
        ]
        places = {(function.file, function.lines) for function in functions}
        return [function.item for function in functions] if len(places) == 1 else []


def file_with(name: str, first: str, known: Mapping[str, Container[str]]) -> str:
    """Return `first` if it defines a function, else the next file that does, or ""."""
    files = [first, *known]
    return next((file for file in files if name in known.get(file, ())), "")


def definitions(text: str) -> dict[str, ast.AST]:
    """Return functions, classes and their methods by name; `Module.train` of a method.

    Example:
        >>> list(definitions("class A:\\n    def b(self): ..."))
        ['A', 'A.b']
    """
    return dict(_definitions(ast.parse(text).body))


def _definitions(
    body: list[ast.stmt], prefix: str = ""
) -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")


def _function(item: Item, file: str, node: Any) -> _Function:
    names = {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef)}
    first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
    lines = range(first, node.end_lineno + 1)
    return _Function(item, file, lines, frozenset(names))
