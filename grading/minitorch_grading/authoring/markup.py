"""Marks in an assignment's sources: render the students' version and the solution.

The marks are nbgrader's own, in comments of Python (`###`) and of CUDA C++ (`///`).
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NoReturn

from ..errors import AssignmentError

_WORDS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN STARTER", "END STARTER")
# By the ending of a file's name: what a mark begins with, and what makes a comment.
_COMMENTS = {
    ".py": ("###", "#"),
    **dict.fromkeys((".cu", ".cuh", ".h", ".hpp"), ("///", "//")),
}
_COMMENT_OF_TWO_WORDS = re.compile(
    r"\s*(?:#+|/{2,})\s*([A-Za-z]+)[\s_-]*([A-Za-z]+)\W*"
)
_CELL = re.compile(r"# ?%%(\s|$)")
_TASK = re.compile(r"\b[Tt]ask\s+(\w+(?:\.\w+)*)")


@dataclass
class Block:
    """A marked solution.

    Attributes:
        first: Line number of its BEGIN, from 1.
        last: Line number of its END.
        indent: The white space before both.
        solution: Its lines without the starter's.
        starter: Lines for students, without their comment signs; None: no such part.
    """

    first: int
    indent: str
    last: int = 0
    solution: list[str] = field(default_factory=list)
    starter: list[str] | None = None


def is_marked(name: str) -> bool:
    """Return whether a file of this name may hold marks.

    Example:
        >>> is_marked("kernels.cu"), is_marked("README.md")
        (True, False)
    """
    return PurePath(name).suffix in _COMMENTS


class _Reader:
    """Splits a text into plain lines and blocks."""

    def __init__(self, text: str, name: str) -> None:
        if not is_marked(name):
            endings = ", ".join(_COMMENTS)
            raise AssignmentError(
                f"cannot read this file; the name must end in {endings}.", name
            )
        self.name = name
        self.sign, self.comment = _COMMENTS[PurePath(name).suffix]
        self.lines = text.splitlines()
        self.parts: list[str | Block] = []
        self.open: Block | None = None
        self.in_starter = False

    def refuse(self, number: int, words: str) -> NoReturn:
        raise AssignmentError(words, f"{self.name}:{number}")

    def read(self) -> list[str | Block]:
        for number, line in enumerate(self.lines, 1):
            mark = self.mark_in(line, number)
            if mark is not None:
                self.take_mark(mark, line, number)
            elif self.open is None:
                self.parts.append(line)
            else:
                self.take_line(self.open, line, number)
        if self.open is not None:
            block = "STARTER" if self.in_starter else "SOLUTION"
            words = f"got BEGIN SOLUTION without its end; need {self.sign} END {block}."
            self.refuse(self.open.first, words)
        return self.parts

    def mark_in(self, line: str, number: int) -> str | None:
        """Return the words of the mark on this line, or None."""
        for words in _WORDS:
            if line.strip() == f"{self.sign} {words}":
                return words
        near = _nearly(line)
        if near is None:
            return None
        if near == "HIDDEN TESTS":
            self.refuse(
                number,
                f"got {line.strip()!r}; need no such mark here: hidden tests are whole "
                "files in graded/.",
            )
        need = f"{self.sign} {near}"
        self.refuse(number, f"got {line.strip()!r}; need {need!r} alone in its line.")

    def take_mark(self, mark: str, line: str, number: int) -> None:
        indent = line[: len(line) - len(line.lstrip())]
        block = self.open
        if mark == "BEGIN SOLUTION":
            if block is not None:
                self.refuse(
                    number,
                    f"got BEGIN SOLUTION inside the one of line {block.first}; need "
                    "that one's END SOLUTION before it. Solutions do not nest.",
                )
            self.open = Block(number, indent)
            return
        if block is None:
            words = f"got {mark} outside a solution; need {self.sign} BEGIN SOLUTION"
            self.refuse(number, f"{words} above it.")
        if indent != block.indent:
            self.refuse(
                number,
                f"got {mark} behind {len(indent)} spaces; need {len(block.indent)}, as "
                f"the BEGIN SOLUTION of line {block.first} has.",
            )
        self.take_inner_mark(block, mark, number)

    def take_inner_mark(self, block: Block, mark: str, number: int) -> None:
        if mark == "BEGIN STARTER":
            if block.starter is not None:
                words = f"got a second STARTER in the solution of line {block.first}"
                self.refuse(number, f"{words}; need one.")
            self.in_starter, block.starter = True, []
        elif mark == "END STARTER":
            if not self.in_starter:
                words = f"got END STARTER; need {self.sign} BEGIN STARTER above it."
                self.refuse(number, words)
            self.in_starter = False
        else:
            if self.in_starter:
                words = f"got END SOLUTION; need {self.sign} END STARTER before it."
                self.refuse(number, words)
            block.last = number
            self.parts.append(block)
            self.open = None

    def take_line(self, block: Block, line: str, number: int) -> None:
        if self.sign == "###" and _CELL.match(line):
            self.refuse(
                number,
                f"got a new cell inside the solution of line {block.first}; need END "
                "SOLUTION before it. A solution lies in one cell.",
            )
        if self.in_starter:
            assert block.starter is not None
            block.starter.append(self.uncommented(block, line, number))
        else:
            block.solution.append(line)

    def uncommented(self, block: Block, line: str, number: int) -> str:
        """Return a starter's line without its comment sign: ` # x = 0` is ` x = 0`."""
        if not line.strip():
            return ""
        sign = block.indent + self.comment
        rest = line.removeprefix(sign)
        if rest == line or rest[:1] not in ("", " "):
            self.refuse(
                number,
                f"got {line.strip()!r} in a STARTER; need a comment, {self.comment!r} "
                f"and a space, behind {len(block.indent)} spaces.",
            )
        return (block.indent + rest[1:]).rstrip()


def _nearly(line: str) -> str | None:
    """Return the mark that a misspelt line probably means, or None."""
    for words in _WORDS:
        if words in line:
            return words
    match = _COMMENT_OF_TWO_WORDS.fullmatch(line)
    if match is None:
        if re.search(r"#\s*(BEGIN|END) (HIDDEN|MARK SCHEME)", line):
            return "HIDDEN TESTS"
        return None
    words = f"{match[1]} {match[2]}".upper()
    near = difflib.get_close_matches(words, _WORDS, 1, 0.85)
    return near[0] if near else None


def read(text: str, name: str) -> list[str | Block]:
    """Read the marks of a text.

    Args:
        text: Of a `.py`, a percent notebook or a `.cu`.
        name: For messages; its ending says how comments look.

    Returns:
        plain lines and `Block`s in order.

    Raises:
        AssignmentError: Nested, unclosed or misspelt marks, or a starter that is no
            comment.
    """
    return _Reader(text, name).read()


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
        lines += [part] if isinstance(part, str) else part.solution
    return _checked(lines, text, name, "the solution")


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
    cells = any(_CELL.match(line) for line in text.splitlines())
    for part in read(text, name):
        if isinstance(part, str):
            lines.append(part)
        elif part.starter is not None:
            lines += part.starter
        else:
            position = f"{name}:{part.first}"
            lines.append(_placeholder(part, lines, position, tasks, cells))
    return _checked(lines, text, name, "what students get")


def _placeholder(
    block: Block, above: list[str], position: str, tasks: Sequence[str], cells: bool
) -> str:
    """Return the line that replaces a solution without a STARTER."""
    task = _task_above(above, tasks)
    if task is None:
        known = f" ({', '.join(tasks)})" if tasks else ""
        words = f"got a solution of no task{known}; need a comment or docstring above"
        raise AssignmentError(f"{words} it that names one, as in: Task 3.3.", position)
    if not position.partition(":")[0].endswith(".py"):
        return f"{block.indent}// Task {task}: your code"
    if not block.indent and not cells:
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


def _checked(lines: list[str], source: str, name: str, subject: str) -> str:
    text = "\n".join(lines) + "\n" if lines else ""
    if not name.endswith(".py"):
        return text
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        number = getattr(error, "lineno", None) or 1
        wrong = lines[number - 1].strip() if number <= len(lines) else ""
        words = f"got {subject} that is no Python: {error.args[0]}, at {wrong!r}"
        hint = "Each block of Python needs a statement, before and after stripping."
        position = f"{name}:{_source_line(wrong, number, source)}"
        raise AssignmentError(
            f"{words}; need lines that compile. {hint}", position
        ) from None
    return text


def _source_line(line: str, at_least: int, source: str) -> int:
    """Return the first line of the source, from `at_least` on, that has this text."""
    for number, source_line in enumerate(source.splitlines(), 1):
        if number >= at_least and line and source_line.strip().lstrip("# ") == line:
            return number
    return at_least


def secret_lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """Lines of solutions that students do not get, with their numbers.

    What a STARTER holds is given away on purpose: such lines are not among them.

    Args:
        text, name: As for `read`.

    Returns:
        number from 1 and the line without the white space around it.
    """
    lines = text.splitlines()
    for part in read(text, name):
        if isinstance(part, str):
            continue
        given = {line.strip() for line in part.starter or ()}
        inside = False
        for number in range(part.first + 1, part.last):
            line = lines[number - 1].strip()
            inside = inside or line.endswith("BEGIN STARTER")
            if not inside and line and line not in given:
                yield number, line
            inside = inside and not line.endswith("END STARTER")
