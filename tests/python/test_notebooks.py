"""Every notebook's code runs from top to bottom, as a reader would run it."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from minitorch import cuda, viz

from .source_tree import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SCRIPTS = sorted((ROOT / "notebooks").glob("*.py"))


def _code(path: Path) -> list[str]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_committed(path: Path) -> None:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs"), "strip outputs before committing"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    pytest.importorskip("jupytext", reason="jupytext makes the notebooks")
    place = ROOT / "docs" / "make_notebooks.py"
    spec = importlib.util.spec_from_file_location("make_notebooks", place)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_each_notebook_has_a_script() -> None:
    assert [path.stem for path in NOTEBOOKS] == [path.stem for path in SCRIPTS]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_notebook_is_what_its_script_says(path: Path, make: ModuleType) -> None:
    written = path.with_suffix(".ipynb").read_text("utf-8")
    assert written == make.notebook(path), "run python docs/make_notebooks.py"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_begin_alike(path: Path, make: ModuleType) -> None:
    """One cell that installs, the same in all; then one line that imports."""
    setup, imports, *_ = _code(path)
    assert setup == make.SETUP.rstrip()
    (statement,) = ast.parse(imports).body[:1]
    assert isinstance(statement, ast.ImportFrom)
    assert statement.module == "minitorch_cuda.learn"


def test_cells_marked_as_timing_say_the_machine() -> None:
    """And no other cell measures: only `timing` names the machine that ran it."""
    marked = {
        path.stem[:2]
        for path in NOTEBOOKS
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if _is_timing(cell)
    }
    assert marked == {"07", "10", "11"}


def _is_timing(cell: dict[str, Any]) -> bool:
    marked = cell["metadata"].get("tags") == ["timing"]
    source = "".join(cell["source"])
    calls = cell["cell_type"] == "code" and "print(timing(" in source
    assert marked == calls, source
    return marked


@pytest.mark.cuda
def test_notebooks_run_on_the_emulator() -> None:
    """Once, by nbclient; the site is made of the outputs."""
    if not cuda.is_emulated():
        pytest.skip("test_notebook_runs_on_a_gpu runs them here")
    pytest.importorskip("nbclient", reason="nbclient runs the notebooks")
    script = str(ROOT / "docs" / "run_notebooks.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.gpu
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@mock.patch.dict(os.environ)
def test_notebook_runs_on_a_gpu(path: Path, tmp_path: Path) -> None:
    if cuda.is_emulated():
        pytest.skip("test_notebooks_run_on_the_emulator runs them here")
    code = "".join(_code(path))
    if any(each in code for each in ("cuda.inspect", "counters=True", " explain(")):
        pytest.skip("looks at threads, which only the emulator tells")
    _run(path, tmp_path)


def _run(path: Path, folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, source in enumerate(_code(path)[1:]):  # the first one installs
        # A real file, so that inspect finds the source of functions defined in a cell.
        cell = folder / f"cell_{number}.py"
        cell.write_text(source, "utf-8")
        exec(compile(source, str(cell), "exec"), namespace)


@pytest.mark.cuda
@mock.patch.dict(os.environ)
def test_the_pictures_of_first_light_show_what_its_text_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not cuda.is_emulated():
        pytest.skip("looks at threads, which only the emulator tells")
    drawn: list[viz.Figure] = []

    def recorded(draw: Callable[..., viz.Figure], *given: Any, **more: Any) -> None:
        drawn.append(draw(*given, **more))

    for name in ("grid", "step", "memory"):
        monkeypatch.setattr(viz, name, partial(recorded, getattr(viz, name)))
    _run(ROOT / "notebooks" / "first_light.ipynb", tmp_path)
    assert ">2,304<" in drawn[0].svg()
    cells, waits, adds, load = (f"{each.answer} {each.detail}" for each in drawn)
    assert "Thread (3, 2) of block (1, 2) reads 2 cells of a" in cells
    assert "writes c[18, 11]." in cells
    assert "Warp 0 waits at the barrier on line 11." in waits
    assert "Thread 51 reads b[6, 11] = 1, writes tile_b[6, 3] = 1." in waits
    assert "Thread 19 reads tile_a[2, 6] = 4 and tile_b[6, 3] = 1, changes" in adds
    assert "changes total from 37 to 41." in adds
    assert "The load on line 9 uses 128 bytes and moves 128." in load
