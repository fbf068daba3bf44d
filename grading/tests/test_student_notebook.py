"""Holds the notebook of a starter: it runs, checks its files, and can be handed in."""

from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path

import pytest

from minitorch_grading.course import trees
from minitorch_grading.course.sources import read_source
from minitorch_grading.rubric.assignment import read_assignment
from minitorch_grading.rubric.handed_in import read_handed_in

nbformat = pytest.importorskip("nbformat", reason="checks and runs notebooks")
ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
NAMES = sorted(path.parent.name for path in ASSIGNMENTS.glob("*/assignment.toml"))


def opened(name: str, kind: str = "starter"):
    source = read_source(ASSIGNMENTS / name)
    tree = trees.student_tree(source, kind)  # type: ignore[arg-type]
    return source, tree, nbformat.reads(tree[f"{name}.ipynb"].decode(), 4)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_holds_the_whole_assignment(name, tmp_path):
    source, tree, book = opened(name)
    nbformat.validate(book)
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    checks = [f'check("{task.id}")' for task in source.assignment.tasks]
    assert [each for each in code if each.startswith("check(")] == checks
    words = "".join(c.source for c in book.cells if c.cell_type == "markdown")
    for task in source.assignment.tasks:
        assert task.question in words
    # Alone, it hands in what the files would.
    (tmp_path / "mine.ipynb").write_bytes(tree[f"{name}.ipynb"])
    found = read_handed_in(tmp_path, read_assignment(source.folder))
    assert found.gradable, found.errors
    assert found.files == {file: tree[file] for file in source.files}


def test_pictures_travel_inside():
    _, tree, book = opened("reductions")
    (cell,) = [each for each in book.cells if "attachments" in each]
    assert "](attachment:6.1.svg)" in cell.source
    picture = base64.b64decode(cell.attachments["6.1.svg"]["image/svg+xml"])
    assert picture == tree["pictures/6.1.svg"]


def test_tasks_come_in_their_order_and_each_file_once():
    _, _, book = opened("reductions")
    first = [
        cell.source.split("\n")[0]
        for cell in book.cells[2:]
        if not cell.source.startswith("## ")
    ]
    assert first == [
        "%%writefile answers.py",
        'check("6.1")',
        "%%writefile reductions.py",
        'check("6.2")',
        'check("6.3")',
        'check("6.4")',
    ]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a notebook in the folder of its starter; the outputs of each cell."""
    client = pytest.importorskip("nbclient", reason="nbclient runs the notebooks")
    pytest.importorskip("ipykernel", reason="a kernel of Jupyter")
    scripts = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")

    def run(name, tree, change=lambda text: text):
        trees.write_tree(tree, tmp_path / name)
        book = nbformat.reads(tree[f"{name}.ipynb"].decode(), 4)
        for cell in book.cells:
            if cell.source.startswith("%%writefile"):
                cell.source = change(cell.source)
        where = {"metadata": {"path": str(tmp_path / name)}}
        client.NotebookClient(book, timeout=300, resources=where).execute()
        return {cell.source: cell.outputs for cell in book.cells if "outputs" in cell}

    return run


def printed(outputs) -> str:
    return "".join(each.text for each in outputs if each.output_type == "stream")


@pytest.mark.slow
def test_the_solution_runs_as_a_notebook(run):
    _, tree, _ = opened("reductions", "solution")
    outputs = run("reductions", tree)
    assert "10 of 10 points: right" in printed(outputs['check("6.2")'])


@pytest.mark.slow
def test_a_race_is_told_and_drawn_below_the_check(run):
    def forget(text):
        barrier = "cells[t] = a[cuda.grid(1)]\n    cuda.syncthreads()\n"
        head, _, tail = text.rpartition("def sum_sequential")
        return head + _ + tail.replace(barrier, barrier.partition("    cuda")[0], 1)

    _, tree, _ = opened("reductions", "solution")
    outputs = run("reductions", tree, forget)['check("6.2")']
    assert "a race in shared memory: reductions.py:" in printed(outputs)
    (picture,) = [each.data for each in outputs if "data" in each]
    assert "before thread 128 has written it" in picture["image/svg+xml"]


def test_the_same_tree_gives_the_same_notebook():
    _, tree, _ = opened("matmul")
    again = opened("matmul")[1]
    assert tree["matmul.ipynb"] == again["matmul.ipynb"]
    assert json.loads(tree["matmul.ipynb"])["nbformat_minor"] == 5
