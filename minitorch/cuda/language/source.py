"""Find a function's syntax tree, lambdas included."""

from __future__ import annotations

import ast
import functools
import inspect
import tokenize
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..tracebacks import cell_of
from .advice import refused_syntax
from .errors import TranslationError, excerpt
from .unsaved_source import how_to_keep, unsaved_lines

_Function = ast.FunctionDef | ast.Lambda
# Flags of code that can stop in between: generators and coroutines.
_STOPS_BETWEEN = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
)

# Pseudo file of a function -> where it stands; the way back for messages of devices.
_locations: dict[str, tuple[str, int]] = {}


@dataclass(frozen=True)
class FunctionSource:
    """Syntax tree of a function, with its file; line numbers are those of the file."""

    name: str
    file: str
    first_line: int
    lines: list[str]
    node: _Function

    @classmethod
    def of_builtin(cls, name: str) -> FunctionSource:
        """Return a placeholder for a function without source, for its errors."""
        node: Any = ast.parse("lambda: None", mode="eval")
        return cls(name, "", 0, [], node.body)

    @property
    def pseudo_file(self) -> str:
        """File name that the compiler sees; the same in every process."""
        return f"/minitorch/py/{self.name}"

    @property
    def node_name(self) -> str:
        """Name in the definition."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "<lambda>"

    def relative_line(self, node: ast.AST) -> int:
        """Return the line of `node`, counted from the function's first line (1)."""
        return int(getattr(node, "lineno", self.first_line)) - self.first_line + 1

    def error(self, node: ast.AST, problem: str) -> TranslationError:
        """Return the error that quotes `node` in its line."""
        if not self.file:
            return TranslationError(problem)
        line = int(getattr(node, "lineno", self.first_line))
        return TranslationError(problem, self.file, line, excerpt(self.lines, node))


def python_location(pseudo_file: str, line: int) -> tuple[str, int] | None:
    """Map a line that a compiler or device named back to Python.

    Args:
        pseudo_file: A name such as `/minitorch/py/relu`.
        line: The line counted from the function's first one.

    Returns:
        Python file and line, or None for a file of another kind.

    Example:
        >>> python_location("/minitorch/kernels/map.cu", 3) is None
        True
    """
    location = _locations.get(pseudo_file)
    return (location[0], location[1] + line - 1) if location else None


def find_source(function: types.FunctionType) -> FunctionSource:
    """Find the definition of `function`.

    Args:
        function: A function written in Python, by `def` or `lambda`.

    Returns:
        Its source.

    Raises:
        TranslationError: Python kept no source, or it has changed since.
    """
    code = function.__code__
    name = function.__qualname__
    try:
        lines, _ = inspect.findsource(function)
    except (OSError, IndexError, TypeError):
        unsaved = unsaved_lines(code)
        if unsaved is None:
            raise TranslationError(
                f"the source of {name!r} is not available. {how_to_keep(code)}"
            ) from None
        lines = unsaved
    block = _block_of(lines, code)
    matches: list[_Function] = [block] if block else []
    if not block:
        every = _definitions("".join(lines))
        matches = [node for node in every if _is_of(node, code)]
    node = _only(matches, code)
    if node is None:
        file = cell_of(code.co_filename) or code.co_filename
        raise TranslationError(
            f"the source of {name!r} at {file}:{code.co_firstlineno} "
            + (
                "is ambiguous. Put each lambda on its own line."
                if matches
                else "has changed since the function was defined. Reload it."
            )
        )
    source = FunctionSource(name, code.co_filename, code.co_firstlineno, lines, node)
    if code.co_flags & _STOPS_BETWEEN:
        raise source.error(*_first_yield(node))
    _locations[source.pseudo_file] = (source.file, source.first_line)
    return source


def _block_of(lines: list[str], code: types.CodeType) -> ast.FunctionDef | None:
    """Parse the block of one `def`, since parsing whole files is slow."""
    if code.co_name == "<lambda>":
        return None
    first = code.co_firstlineno - 1
    try:
        text = "".join(inspect.getblock(lines[first:]))
        indented = text[:1].isspace()  # kept, so that columns are the file's
        lead = "\n" * (first - indented)  # so that lines are the file's, too
        tree = ast.parse(f"{lead}if 1:\n{text}" if indented else lead + text)
    except (SyntaxError, IndexError, tokenize.TokenError):
        return None
    body = tree.body[0].body if isinstance(tree.body[0], ast.If) else tree.body
    definition = _as_plain(body[0]) if body else None
    if not isinstance(definition, ast.FunctionDef):
        return None
    return definition if _is_of(definition, code) else None


def _as_plain(node: ast.AST) -> ast.AST:
    """Return an `async def` as a `def`, to be found; its code flags reject it."""
    if not isinstance(node, ast.AsyncFunctionDef):
        return node
    return ast.copy_location(ast.FunctionDef(**dict(ast.iter_fields(node))), node)


def _first_yield(node: _Function) -> tuple[ast.AST, str]:
    """Return the first yield or await of a function, and the error text for it."""
    for child in ast.walk(node):
        if isinstance(child, ast.Yield | ast.YieldFrom | ast.Await):
            return child, refused_syntax(child)
    # `async def` without an await, or with one that is part of another statement.
    for child in ast.walk(node):
        if isinstance(child, ast.AsyncFor | ast.AsyncWith):
            return child, refused_syntax(child)
    return node, refused_syntax(ast.parse("async def f(): ...").body[0])


@functools.lru_cache(maxsize=32)
def _definitions(text: str) -> tuple[_Function, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    every = map(_as_plain, ast.walk(tree))
    return tuple(node for node in every if isinstance(node, _Function))


def _is_of(node: _Function, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
    return node.name == code.co_name and first == code.co_firstlineno


def _only(matches: list[_Function], code: types.CodeType) -> _Function | None:
    if len(matches) < 2:
        return matches[0] if matches else None
    # Several lambdas in a line: the one whose body spans exactly the code's positions.
    span = _span(code)
    exact = [node for node in matches if _is_body(node, span, code)]
    if len(exact) == 1:
        return exact[0]
    return matches[0] if len({ast.dump(node) for node in matches}) == 1 else None


_Position = tuple[int, int]


def _span(code: types.CodeType) -> tuple[_Position, _Position] | None:
    positions = list(_positions_of(code))
    if not positions:
        return None
    return min(begin for begin, _ in positions), max(end for _, end in positions)


def _positions_of(code: types.CodeType) -> Iterator[tuple[_Position, _Position]]:
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if end_column > 0:  # the entry of a function stands at column 0 to 0
            yield (line, column), (end_line, end_column)


def _is_body(
    node: _Function, span: tuple[_Position, _Position] | None, code: types.CodeType
) -> bool:
    body = node.body
    if isinstance(body, ast.Constant) and span is None:
        # Python 3.12 keeps no place for a lambda that only returns a constant.
        return repr(body.value) in map(repr, code.co_consts)
    if not isinstance(body, ast.expr) or body.end_lineno is None:
        return False
    begin = body.lineno, body.col_offset
    return span == (begin, (body.end_lineno, body.end_col_offset or 0))
