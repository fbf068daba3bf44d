"""Every notebook's code runs from top to bottom, as a reader would run it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from minitorch import cuda

from .source_tree import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SCRIPTS = sorted((ROOT / "notebooks").glob("*.py"))
LESSONS = [path for path in SCRIPTS if path.stem[:2].isdigit()]


def _code(path: Path) -> list[str]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_committed(path: Path) -> None:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs"), "strip outputs before committing"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_notebook_is_what_its_script_says(path: Path) -> None:
    pytest.importorskip("jupytext", reason="jupytext makes the notebooks")
    place = ROOT / "docs" / "make_notebooks.py"
    spec = importlib.util.spec_from_file_location("make_notebooks", place)
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    written = path.with_suffix(".ipynb").read_text("utf-8")
    assert written == make.notebook(path), "run python docs/make_notebooks.py"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_begin_alike(path: Path) -> None:
    """The cell that installs is one text, but for what the lesson imports."""
    head, first = _code(_pair(LESSONS[0])), _code(_pair(path))
    imports = "from minitorch import "
    for own, other in zip(first[0].splitlines(), head[0].splitlines(), strict=True):
        assert own == other or own.startswith(imports)
    assert path.read_text("utf-8").startswith("# %% [markdown]\n# # Lesson ")


def _pair(path: Path) -> Path:
    return path.with_suffix(".ipynb")


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
    if "cuda.inspect" in "".join(_code(path)):
        pytest.skip("looks at threads, which only the emulator tells")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, source in enumerate(_code(path)):
        # A real file, so that inspect finds the source of functions defined in a cell.
        cell = tmp_path / f"cell_{number}.py"
        cell.write_text(source, "utf-8")
        exec(compile(source, str(cell), "exec"), namespace)
