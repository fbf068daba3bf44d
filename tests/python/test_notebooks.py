"""Every notebook's code runs from top to bottom, as a reader would run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def _code(path: Path) -> list[str]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_committed(path: Path) -> None:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs"), "strip outputs before committing"


@pytest.mark.cuda
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, source in enumerate(_code(path)):
        # A real file, so that inspect finds the source of functions defined in a cell.
        cell = tmp_path / f"cell_{number}.py"
        cell.write_text(source, "utf-8")
        exec(compile(source, str(cell), "exec"), namespace)
