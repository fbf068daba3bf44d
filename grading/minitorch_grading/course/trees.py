"""Render an assignment as folders: starter, solution, the grader's.

A tree is made in memory, a dict from name to bytes, so that the same source gives the
same bytes on any machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..errors import AssignmentError
from ..rubric.assignment import TOML
from . import markup
from .sources import EARLIER, Source, files_below, text_of
from .student_notebook import notebook
from .student_pages import pages
from .twins import Twin, overlay

Kind = Literal["starter", "solution"]
Tree = dict[str, bytes]


def _rendered(source: Source, kind: Kind) -> Tree:
    tree: Tree = {}
    for name, path in files_below(source.folder / "source"):
        if not markup.is_marked(name):
            tree[name] = path.read_bytes()
            continue
        label = _label(source, path)
        if kind == "starter":
            text = markup.starter(text_of(path), label, source.tasks_of(name))
        else:
            text = markup.solution(text_of(path), label)
        tree[name] = text.encode()
    return tree


def _label(source: Source, path: Path) -> str:
    return f"{source.folder.name}/{path.relative_to(source.folder).as_posix()}"


def sources_tree(source: Source, kind: Kind) -> Tree:
    """Files of the package without tests: earlier ones, then the assignment's own.

    Args:
        source: By `read_source`.
        kind: `starter` or `solution`; earlier assignments always come solved.

    Returns:
        a dict from name to bytes.
    """
    tree: Tree = {}
    for earlier in source.earlier:
        files = _rendered(earlier, "solution")
        # Tests that students wrote for an earlier assignment are not of this one, and
        # its pictures would stand under no task.
        excluded = ("tests/", "pictures/")
        tree |= {n: data for n, data in files.items() if not n.startswith(excluded)}
    return tree | _rendered(source, kind)


def student_tree(source: Source, kind: Kind) -> Tree:
    """What students get, or its solution: the package, public tests, how to start, and
    all of it as a notebook.

    Args:
        source, kind: As for `sources_tree`.
    """
    tree = sources_tree(source, kind)
    for name, path in files_below(source.folder / "tests"):
        tree[f"tests/{name}"] = path.read_bytes()
    for name, text in pages(source).items():
        tree.setdefault(name, text.encode())
    tree.setdefault(f"{source.name}.ipynb", notebook(source, tree).encode())
    return tree


def twin_tree(source: Source, twin: Twin) -> Tree:
    """Return the solution's files with one mistake.

    Raises:
        AssignmentError: The twin cannot be put in its place, or there is no such file.
    """
    tree = sources_tree(source, "solution")
    if twin.file not in tree:
        known = ", ".join(source.files)
        raise AssignmentError(
            f"got the file {twin.file}; need one of: {known}.",
            f"{twin.path}:{twin.line}",
        )
    tree[twin.file] = overlay(twin, tree[twin.file].decode()).encode()
    return tree


def grader_tree(source: Source) -> Tree:
    """Return the grader's files: no twins, earlier assignments in earlier/."""
    tree: Tree = {}
    for assignment in (*source.earlier, source):
        parts = (
            ("source",) if assignment is not source else ("source", "graded", "tests")
        )
        before = "" if assignment is source else f"{EARLIER}/{assignment.name}/"
        tree[f"{before}{TOML}"] = (assignment.folder / TOML).read_bytes()
        for part in parts:
            for name, path in files_below(assignment.folder / part):
                tree[f"{before}{part}/{name}"] = path.read_bytes()
    return tree


def write_tree(tree: Tree, to: Path) -> None:
    """Write a tree into a folder that is empty or not there.

    Raises:
        AssignmentError: Something is there already, or a name leads out of the folder.
    """
    to = Path(to)
    if to.exists() and any(to.iterdir()):
        raise AssignmentError(
            f"the folder {to} is not empty. Name a new folder.", "assignment"
        )
    for name, data in tree.items():
        path = to / name
        if not path.resolve().is_relative_to(to.resolve()):
            raise AssignmentError(f"the path {name} is outside {to}.", "assignment")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
