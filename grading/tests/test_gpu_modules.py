"""Tests of the GPU assignments' own files: solutions, twins, what is counted.

Graded tests run in this process; the judge's confinement is tested elsewhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from minitorch.cuda.errors import KINDS
from minitorch_grading.authoring.trees import (
    Source,
    read_source,
    student_tree,
    twin_tree,
    write_tree,
)
from minitorch_grading.authoring.twins import Twin, twins_of
from minitorch_grading.rubric.assignment import read_assignment

from .in_process import judged, rows_lost

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
NAMES = ("clinic", "reductions", "matmul")
SLOW = pytest.mark.slow
JUDGED = (*NAMES, "tensorcores", "attention")  # their public tests take long
PLANTED = {
    "5.1": "oob_global",
    "5.2": "race_shared",
    "5.3": "race_global",
    "5.4": "uninit_shared",
    "5.5": "barrier_divergence",
    "5.6": "oob_shared",
    "5.7": "oob_local",
    "5.8": "div_by_zero",
    "5.9": "misaligned",
    "5.10": "uninit_register",
    "5.11": "warp_sync",
    "5.12": "deadlock",
}


@pytest.fixture(scope="module", autouse=True)
def _markers(request: pytest.FixtureRequest) -> None:
    """Graded tests are read here; in the judge their markers are its plugin's."""
    for name in ("task", "requires", "max_metric"):
        request.config.addinivalue_line("markers", f"{name}(...): of graded tests")


def _source(name: str) -> Source:
    return read_source(ASSIGNMENTS / name)


def _twins() -> list[Any]:
    """Return all twins; those of the reductions are tested with each change."""
    return [
        pytest.param(twin, id=twin.name, marks=() if name == "reductions" else SLOW)
        for name in JUDGED
        for twin in twins_of(ASSIGNMENTS / name)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_solution_loses_nothing(name: str, tmp_path: Path) -> None:
    """Right, clean and as cheap as itself, on every graded launch."""
    source = _source(name)
    items = judged(source, tmp_path, {})
    assert set(items) == {each.id for each in read_assignment(source.folder).items}
    assert rows_lost(source, items) == []


@pytest.mark.parametrize("twin", _twins())
def test_twin_loses_its_rows(twin: Twin, tmp_path: Path) -> None:
    """Exactly the rows of its first line, and the kinds that it names."""
    source = _source(twin.path.parents[1].name)
    text = twin_tree(source, twin)[twin.file].decode()
    items = judged(source, tmp_path, {twin.file: text})
    assert sorted(rows_lost(source, items)) == sorted(twin.rows)
    found = set().union(*(item.kinds for item in items.values()))
    if "use_after_free" in found:  # beyond an array, where another one was before
        found.add("oob_global")
    assert set(twin.kinds) & set(KINDS) <= found
    if "too_costly" in twin.kinds:
        assert not found


def test_patients_have_twelve_kinds(tmp_path: Path) -> None:
    """What students are given has one fault in each kernel, of its own kind."""
    source = _source("clinic")
    files = student_tree(source, "starter")
    given = {name: files[name].decode() for name in source.files}
    items = judged(source, tmp_path, given)
    assert {task: items[task].kinds for task in PLANTED} == {
        task: {kind} for task, kind in PLANTED.items()
    }
    assert len(set(PLANTED.values())) == 12
    rows = {row.id for row in read_assignment(source.folder).rows}
    assert set(rows_lost(source, items)) == rows


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


ANSWERS = [
    "",
    "KINDS = 3\n",
    "KINDS = {}\n",
    'KINDS = {"5.1": ["oob_global"], 5.2: "race_shared", "5.3": None}\n',
]


@pytest.mark.parametrize("text", ANSWERS)
def test_kinds_that_are_no_words(text: str, tmp_path: Path) -> None:
    """Whatever stands in answers.py costs its points and nothing else."""
    source = _source("clinic")
    lost = rows_lost(source, judged(source, tmp_path, {"answers.py": text}))
    assert sorted(lost) == sorted(f"{task}-kind" for task in PLANTED)


@pytest.mark.parametrize(
    "answer",
    ["3", "[]", '"88888421"', "[8, 8, 8]", "{1: 2}", str([None] * 8), "True"],
)
def test_answers_that_are_no_lists(answer: str, tmp_path: Path) -> None:
    """The same of task 6.1; an answer that is a list of other things is wrong."""
    source = _source("reductions")
    text = f"BUSY_WARPS_OF_THE_TREE = {answer}\n"
    lost = rows_lost(source, judged(source, tmp_path, {"answers.py": text}))
    assert sorted(lost) == ["6.1-lanes", "6.1-sequential", "6.1-warps"]


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


@dataclass(frozen=True)
class Without:
    """A solution without one of its guards, barriers or atomics: a text replaced."""

    name: str
    file: str
    old: str
    new: str
    row: str  # the first that it loses
    kind: str


PYTHON, CUDA = "matmul.py", "matmul_float4.cu"
WITHOUT = [
    Without(
        *("reductions", "reductions.py"),
        "    if t % 32 == 0:\n        warp_sums[t // 32] = total\n",
        "    warp_sums[t // 32] = total\n",
        *("6.3-sum.values", "race_shared"),
    ),
    Without(
        *("reductions", "reductions.py"),
        "warp_sums[t] if t < WARPS else cuda.float32(0)",
        "warp_sums[t]",
        *("6.3-sum.values", "oob_shared"),
    ),
    Without(
        *("reductions", "reductions.py"),
        "        if t == 0:\n            cuda.atomic.add(out, 0, total)",
        "        cuda.atomic.add(out, 0, total)",
        *("6.4-sum.values", ""),
    ),
    Without(
        *("matmul", PYTHON),
        "b[start + y, column] if inside else zero",
        "b[start + y, column]",
        *("7.2-product.values", "oob_global"),
    ),
    Without(
        *("matmul", PYTHON),
        "a[row, column] if inside else zero",
        "a[row, column]",
        *("7.3-product.values", "oob_global"),
    ),
    Without(
        *("matmul", CUDA),
        "row < k && column < n\n",
        "column < n\n",
        *("7.4-product.values", "oob_global"),
    ),
    Without(
        *("matmul", CUDA),
        "row < m && column < n)",
        "row < m)",
        *("7.4-product.values", "oob_global"),
    ),
]


@pytest.mark.parametrize("change", WITHOUT, ids=lambda change: change.new.strip()[:20])
def test_without_a_guard(change: Without, tmp_path: Path) -> None:
    """What twins leave out: a guard less loses that row and those behind it."""
    source = _source(change.name)
    text = student_tree(source, "solution")[change.file].decode()
    assert change.old in text
    items = judged(
        source, tmp_path, {change.file: text.replace(change.old, change.new)}
    )
    lost = rows_lost(source, items)
    item, _, stage = change.row.rpartition(".")
    stages = ["values", "clean", "cost"]
    behind = [f"{item}.{each}" for each in stages[stages.index(stage) :]]
    assert [row for row in lost if row.startswith(item)] == behind
    kinds = items[item].kinds
    assert change.kind in kinds or kinds == {"use_after_free"} or not change.kind
