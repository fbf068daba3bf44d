"""Marks in an assignment's sources: render the students' version and the solution.

The marks are nbgrader's own, in comments of Python (`###`) and of CUDA C++ (`///`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from ..errors import AssignmentError

# By the ending of a file's name: what a mark begins with, and what makes a comment.
_COMMENTS = {
    ".py": ("###", "#"),
    **dict.fromkeys((".cu", ".cuh", ".h", ".hpp"), ("///", "//")),
}
# Which marks may come where, and where one is behind them.
_MARKS = {
    "": {"BEGIN SOLUTION": "SOLUTION"},
    "SOLUTION": {"BEGIN STARTER": "STARTER", "END SOLUTION": ""},
    "STARTER": {"END STARTER": "SOLUTION"},
}
_MARK = re.compile(r"\b(BEGIN|END)[\s_-]+(SOLUTION|STARTER|HIDDEN)\b", re.IGNORECASE)
_TASK = re.compile(r"\b[Tt]ask\s+(\w+(?:\.\w+)*)")


@dataclass
class Block:
    """A marked solution.

    Attributes:
        first: Line number of its BEGIN, from 1.
        indent: The white space before it.
        solution: Its lines with their numbers, without the starter's.
        starter: Lines for students, without their comment signs; None: no such part.
    """

    first: int
    indent: str
    solution: list[tuple[int, str]] = field(default_factory=list)
    starter: list[str] | None = None


def is_marked(name: str) -> bool:
    """Return whether a file of this name may hold marks.

    Example:
        >>> is_marked("kernels.cu"), is_marked("README.md")
        (True, False)
    """
    return PurePath(name).suffix in _COMMENTS


def read(text: str, name: str) -> list[str | Block]:
    """Read the marks of a text.

    Args:
        text: Of a `.py` or a `.cu`.
        name: For messages; its ending says how comments look.

    Returns:
        plain lines and `Block`s in order.

    Raises:
        AssignmentError: A mark is misspelt or where it may not be, or a starter is no
            comment.
    """
    sign, comment = _COMMENTS[PurePath(name).suffix]
    parts: list[str | Block] = []
    block, inside = Block(0, ""), ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = _MARK.search(line)
        if mark is not None:
            need = [f"{sign} {words}" for words in _MARKS[inside]]
            if line.strip() not in need:
                where = f"inside the solution of line {block.first}" if inside else ""
                raise AssignmentError(
                    f"got {line.strip()!r} {where or 'outside a solution'}; need "
                    f"{' or '.join(map(repr, need))}, alone in its line.",
                    f"{name}:{number}",
                )
            if not inside:
                block = Block(number, line[: len(line) - len(line.lstrip())])
                parts.append(block)
            inside = _MARKS[inside][mark[0]]
            if inside == "STARTER":
                block.starter = block.starter or []
        elif not inside:
            parts.append(line)
        elif block.starter is not None and inside == "STARTER":
            block.starter.append(_uncommented(line, block, comment, f"{name}:{number}"))
        else:
            block.solution.append((number, line))
    if inside:
        raise AssignmentError(
            f"got BEGIN SOLUTION without its end; need {sign} END {inside}.",
            f"{name}:{block.first}",
        )
    return parts


def _uncommented(line: str, block: Block, comment: str, position: str) -> str:
    """Return a starter's line without its comment sign: ` # x = 0` is ` x = 0`."""
    if not line.strip():
        return ""
    sign = block.indent + comment
    rest = line.removeprefix(sign)
    if rest == line or rest[:1] not in ("", " "):
        raise AssignmentError(
            f"got {line.strip()!r} in a STARTER; need a comment, {comment!r} and a "
            f"space, behind {len(block.indent)} spaces.",
            position,
        )
    return (block.indent + rest[1:]).rstrip()


def solution(text: str, name: str) -> str:
    """Return the text with its solutions, without marks and starters.

    Args:
        text, name: As for `read`.

    Raises:
        AssignmentError: A mark is wrong, or what remains is no Python.

    Example:
        >>> marked = "### BEGIN SOLUTION\\nx = 1\\n### END SOLUTION\\n"
        >>> solution(marked, "a.py")
        'x = 1\\n'
    """
    lines: list[str] = []
    for part in read(text, name):
        lines += (
            [part] if isinstance(part, str) else [line for _, line in part.solution]
        )
    return _checked(lines, name, "the solution")


def starter(text: str, name: str, tasks: Sequence[str] = ()) -> str:
    """Return the text that students get: without solutions.

    In a solution's place come the lines of its STARTER. A solution without one becomes
    `raise NotImplementedError("Task 3.3")`, in CUDA C++ a comment. Its task is the last
    one that a comment or docstring above it names (`Task 3.3`).

    Args:
        text, name: As for `read`.
        tasks: Ids of the tasks that this file may have; empty: any.

    Raises:
        AssignmentError: A mark is wrong, a solution is of no task, or what remains is
            no Python.

    Example:
        >>> marked = '''def inv(x):
        ...     "Task 0.1"
        ...     ### BEGIN SOLUTION
        ...     return 1 / x
        ...     ### END SOLUTION
        ... '''
        >>> print(starter(marked, "operators.py"))
        def inv(x):
            "Task 0.1"
            raise NotImplementedError("Task 0.1")
        <BLANKLINE>
    """
    lines: list[str] = []
    for part in read(text, name):
        if isinstance(part, str):
            lines.append(part)
        elif part.starter is not None:
            lines += part.starter
        else:
            lines.append(_placeholder(part, lines, f"{name}:{part.first}", tasks))
    return _checked(lines, name, "what students get")


def _placeholder(
    block: Block, above: list[str], position: str, tasks: Sequence[str]
) -> str:
    """Return the line that replaces a solution without a STARTER."""
    task = _task_above(above, tasks)
    if task is None:
        known = f" ({', '.join(tasks)})" if tasks else ""
        words = f"got a solution of no task{known}; need a comment or docstring above"
        raise AssignmentError(f"{words} it that names one, as in: Task 3.3.", position)
    if not position.partition(":")[0].endswith(".py"):
        return f"{block.indent}// Task {task}: your code"
    if not block.indent:
        raise AssignmentError(
            "a solution outside a function needs a STARTER (it may be empty): a raise "
            "there would stop the import of the whole file.",
            position,
        )
    return f'{block.indent}raise NotImplementedError("Task {task}")'


def _task_above(lines: list[str], tasks: Sequence[str]) -> str | None:
    for line in reversed(lines):
        for task in reversed(_TASK.findall(line)):
            if (not tasks and task[0].isdigit()) or task in tasks:
                return str(task)
    return tasks[0] if len(tasks) == 1 else None


def _checked(lines: list[str], name: str, subject: str) -> str:
    text = "\n".join(lines) + "\n" if lines else ""
    try:
        ast.parse(text if name.endswith(".py") else "")
    except (SyntaxError, ValueError) as error:
        number = getattr(error, "lineno", None) or 1
        wrong = lines[number - 1].strip() if number <= len(lines) else ""
        raise AssignmentError(
            f"got {subject} that is no Python: {error.args[0]}, at {wrong!r}; need "
            "lines that compile. Each block of Python needs a statement, before and "
            "after stripping.",
            name,
        ) from None
    return text


def secret_lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Lines of solutions that students do not get, with their numbers.

    What a STARTER holds is given away on purpose: such lines are not among them.

    Args:
        text, name: As for `read`.

    Returns:
        number from 1 and the line without the white space around it.
    """
    for part in read(text, name):
        if isinstance(part, Block):
            given = {"", *(line.strip() for line in part.starter or ())}
            for number, line in part.solution:
                if line.strip() not in given:
                    yield number, line.strip()
