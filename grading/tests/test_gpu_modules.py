"""Tests of the GPU assignments' own files: public tests, pictures, lines that count."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from minitorch_grading.course.sources import Source, read_source
from minitorch_grading.course.trees import student_tree, write_tree

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
NAMES = ("clinic", "reductions", "matmul")
SLOW = pytest.mark.slow


def _source(name: str) -> Source:
    return read_source(ASSIGNMENTS / name)


@pytest.mark.parametrize(
    "name",
    [
        each if each == "reductions" else pytest.param(each, marks=SLOW)
        for each in NAMES
    ],
)
@pytest.mark.parametrize("kind", ["solution", "starter"])
def test_public_tests(name: str, kind: str, tmp_path: Path) -> None:
    """The solution passes them all, the starter does not."""
    source = _source(name)
    write_tree(student_tree(source, kind), tmp_path / name)  # type: ignore[arg-type]
    ran = _pytest(tmp_path / name)
    last = ran.stdout.strip().splitlines()[-1]
    if kind == "solution":
        assert "passed" in last, ran.stdout[-2000:]
        assert "failed" not in last
        assert "error" not in last
        return
    assert "failed" in last, ran.stdout[-2000:]
    assert "error" not in last


def _pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    return _python(
        folder, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"
    )


def _python(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"MINITORCH_CUDA": "emulator"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "kind", "task", "words"),
    [
        ("clinic", "starter", "5.2", "Thread 31 may read part[32] before thread 32"),
        ("clinic", "solution", "5.2", "Step"),
        ("reductions", "solution", "6.1", "threads"),
        ("reductions", "solution", "6.2", "fewer"),
        ("matmul", "solution", "7.1", "moves"),
        ("matmul", "solution", "7.4", "fewer"),
    ],
)
def test_picture(name: str, kind: str, task: str, words: str, tmp_path: Path) -> None:
    """One line draws a launch of the student's own kernel."""
    tree = student_tree(_source(name), kind)  # type: ignore[arg-type]
    write_tree(tree, tmp_path / name)
    ran = _python(tmp_path / name, "picture.py", task)
    assert ran.returncode == 0, ran.stderr
    assert words in ran.stdout
    page = (tmp_path / name / f"{task}.html").read_text("utf-8")
    assert "<svg" in page


@pytest.mark.parametrize(
    ("name", "asked"),
    [("clinic", []), ("reductions", ["5.1"]), ("matmul", ["7.1", "7.2"])],
)
def test_picture_of_what(name: str, asked: list[str], tmp_path: Path) -> None:
    """Without a task that it has, picture.py says how to ask."""
    write_tree(student_tree(_source(name), "solution"), tmp_path / name)
    ran = _python(tmp_path / name, "picture.py", *asked)
    assert ran.returncode == 1
    assert ran.stderr.strip().splitlines()[-1].endswith(f"picture.py {_example(name)}")


def _example(name: str) -> str:
    return {"clinic": "5.2", "reductions": "6.2", "matmul": "7.2"}[name]


@pytest.mark.parametrize(("name", "task"), [("clinic", "5.1"), ("reductions", "6.1")])
def test_picture_of_the_readme(name: str, task: str) -> None:
    """It is of the file that students get: `python assignments/make_pictures.py`."""
    source = _source(name)
    picture = source.folder / "source" / "pictures" / f"{task}.svg"
    files = {
        n: data.decode()
        for n, data in student_tree(source, "starter").items()
        if n.endswith((".md", ".py"))
    }
    assert f"](pictures/{picture.name})" in files["README.md"]
    kernel = files[source.files[0]].partition(f'"""Task {task}')[0]
    # The number of its line as the picture shows it, beside the code.
    assert f">{kernel.count(chr(10))}</text>" in picture.read_text("utf-8")


def _changed_lines() -> ModuleType:
    folder = str(ASSIGNMENTS / "clinic" / "graded")
    sys.path.insert(0, folder)
    try:
        return import_module("changed_lines")
    finally:
        sys.path.remove(folder)
        sys.modules.pop("changed_lines", None)


@pytest.mark.parametrize(
    ("mended", "count"),
    [
        ("def f(a):\n    x = a\n    return x\n", 0),
        ("def f(a):\n    # more\n\n    x = (\n        a\n    )\n    return x\n", 0),
        ('def f(a):\n    "Docs."\n    if a:\n        x = a\n    return x\n', 1),
        ("def f(a):\n    x = 2 * a\n    return x\n", 1),
        ("def f(a):\n    return x\n", 1),
        ("def f(a):\n    return x\n    x = a\n", 2),
        ("def f(a):\n    return g(a)\n\ndef g(a):\n    return f(a)\n", 3),
        ("f = 1\ny = 2\n", 3),
        ("def f(:\n", 3),
        ("", 3),
        ("\0", 3),
    ],
)
def test_lines_of_python(mended: str, count: int) -> None:
    """White space, comments and broken lines are free; helpers are not."""
    lines = _changed_lines()
    given = lines.lines_of_kernel("def f(a):\n    x = a\n    return x\n", "f")
    assert lines.changed(given, lines.lines_of_kernel(mended, "f")) == count


@pytest.mark.parametrize(
    ("mended", "count"),
    [
        ("a;\r\n  b ;\n\n", 0),
        ("a; // more\n/* a\n b */\nb;\n", 0),
        ("a;\nc;\n", 1),
        ("b;\na;\n", 2),
        ("", 2),
    ],
)
def test_lines_of_cuda(mended: str, count: int) -> None:
    """The same in CUDA C++."""
    lines = _changed_lines()
    given = lines.lines_of_cuda("a;\nb;\n")
    assert lines.changed(given, lines.lines_of_cuda(mended)) == count
