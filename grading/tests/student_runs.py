"""How tests of grading run Python as students do: by what tests/python has for it.

Packages of tests do not know each other's names, so that one is loaded by its place.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import sys
import tomllib
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).resolve().parents[2] / "tests" / "python"
_NAME = "tests_of_python"


def _checkouts() -> ModuleType:
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            _NAME, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
        )
        assert spec is not None
        sys.modules[_NAME] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{_NAME}.checkouts")


run = _checkouts().run


def make_wheel(folder: Path) -> Path:
    """A folder that holds what the wheels of library and grader install."""
    grader = _FOLDER.parents[1] / "grading"
    _checkouts().make_wheel(folder)
    shutil.copytree(grader / "minitorch_grading", folder / "minitorch_grading")
    project = tomllib.loads((grader / "pyproject.toml").read_text())["project"]
    commands = project["entry-points"]["minitorch.commands"]
    lines = ["[minitorch.commands]", *(f"{a} = {b}" for a, b in commands.items())]
    about = folder / "minitorch_grading-1.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text("\n".join(lines))
    (about / "METADATA").write_text("Name: minitorch-grading\nVersion: 1\n")
    return folder
