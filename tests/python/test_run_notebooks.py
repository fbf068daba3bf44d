"""The tests of docs/run_notebooks.py, on notebooks that go wrong on purpose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minitorch import cuda

from .processes import printed_by
from .source_tree import ROOT

pytest.importorskip("nbclient", reason="nbclient runs the notebooks")
pytestmark = pytest.mark.cuda

RUNNER = ROOT / "docs" / "run_notebooks.py"
START = """
import warnings
import numpy as np
from minitorch import cuda
@cuda.jit
def racy(x):
    x[0] = cuda.threadIdx.x
x = cuda.to_device(np.zeros(1, np.int32))
"""
INSPECT = "with cuda.inspect() as run:\n    racy[1, 32](x)\n"


@pytest.fixture(autouse=True)
def _need_the_emulator() -> None:
    if not cuda.is_emulated():
        pytest.skip("notebooks run on the emulator")


def write(path: Path, *cells: str) -> Path:
    """A notebook of these cells of code."""
    made = [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": cell}
        | {"execution_count": None, "outputs": []}
        for number, cell in enumerate(cells)
    ]
    book = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book), "utf-8")
    return path


def execute(tmp_path: Path, *cells: str) -> tuple[list[str], Path]:
    """What went wrong in a notebook of these cells, and where its result would be."""
    source = write(tmp_path / "lesson.ipynb", *cells)
    target = tmp_path / "out" / "lesson.ipynb"
    program = (
        f"import json, sys\nsys.path.insert(0, {str(RUNNER.parent)!r})\n"
        "from pathlib import Path\nimport run_notebooks\n"
        f"run = run_notebooks.execute(Path({str(source)!r}), Path({str(target)!r}))\n"
        "print(json.dumps(run.wrong))"
    )
    wrong: list[str] = json.loads(printed_by(program))
    return wrong, target


def outputs(target: Path) -> list[Any]:
    cells = json.loads(target.read_text("utf-8"))["cells"]
    return [cell["outputs"] for cell in cells]


def test_a_good_notebook_is_written_with_what_needs_no_script(tmp_path: Path) -> None:
    picture = (
        "from IPython.display import display\n"
        "display({'application/vnd.jupyter.widget-view+json': {'model_id': '1'},"
        "'image/svg+xml': '<svg/>', 'text/plain': 'a picture'}, raw=True)\n"
        "display({'application/javascript': 'alert(1)'}, raw=True)"
    )
    wrong, target = execute(tmp_path, "print(6 * 7)", "6 * 9", picture)
    assert wrong == []
    (printed,), (value,), (shown,) = outputs(target)
    assert printed["text"] == ["42\n"]
    assert value["data"] == {"text/plain": ["54"]}
    assert shown["data"] == {"image/svg+xml": ["<svg/>"], "text/plain": ["a picture"]}


def test_a_cell_that_fails_is_told_and_leaves_no_result(tmp_path: Path) -> None:
    wrong, target = execute(tmp_path, "1 + 1", "1 / 0", "2 + 2")
    assert len(wrong) == 1
    assert "ZeroDivisionError" in wrong[0]
    assert not target.exists()
    assert outputs(target.parent / "failed" / "lesson.ipynb")[1][0]["ename"]


def test_findings_that_the_notebook_does_not_speak_of_are_told(tmp_path: Path) -> None:
    wrong, target = execute(
        tmp_path,
        START + INSPECT,  # 1: nobody speaks of it
        "1 + 1",
        INSPECT,  # 3: the next cell does
        "print(len(run.findings))",
        INSPECT + "print(run.findings[0].kind)",  # 5: so does this one
        "1 + 1",
        "racy[1, 32](x)",  # 7: and nobody waits for it
        "1 + 1",
        "warnings.warn('old news')",
    )
    assert len(wrong) == 3
    assert wrong[0].startswith("code cell 1: race_global: race on x[0]")
    assert wrong[1].startswith("code cell 7: race_global: ")
    assert "UserWarning: old news" in wrong[2]
    kept = outputs(target.parent / "failed" / "lesson.ipynb")
    assert [each[0]["text"] for each in (kept[3], kept[4])] == [
        ["1\n"],
        ["race_global\n"],
    ]
