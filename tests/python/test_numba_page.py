"""Owns the checks that docs/numba.md is true: its program runs, its names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from minitorch import cuda

from .source_tree import ROOT

PAGE = (ROOT / "docs" / "numba.md").read_text("utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
_ROWS = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) ?\|$", PAGE, re.MULTILINE)


def test_names_of_both_columns_exist() -> None:
    left, ours = (
        {name for row in _ROWS for name in re.findall(r"\bcuda\.([\w.]+)", row[column])}
        for column in (0, 1)
    )
    assert len(left) > 30
    for name in left | ours:
        found: object = cuda
        for part in name.split("."):
            # `x` of threadIdx and the methods of groups mean something in kernels only.
            if found is cuda or part not in ("x", "this_grid"):
                found = getattr(found, part)


def test_methods_of_kernels_exist() -> None:
    @cuda.jit
    def kernel(x):
        x[0] = 1

    names = {name for row in _ROWS for name in re.findall(r"\bkernel\.(\w+)", row[0])}
    assert {"forall", "inspect_asm"} <= names
    for name in names:
        assert callable(getattr(kernel, name))


@pytest.mark.cuda
def test_the_program_runs_here_and_with_numbas_import(tmp_path: Path) -> None:
    ours = PROGRAMS[0]
    changed = "from minitorch import cuda  # in Numba: from numba import cuda"
    assert changed in ours
    theirs = PROGRAMS[1] + ours.replace(changed, "from numba import cuda")
    for number, program in enumerate((ours, theirs)):
        file = tmp_path / f"program{number}.py"
        file.write_text(f"import warnings\nwarnings.simplefilter('ignore')\n{program}")
        done = subprocess.run(
            [sys.executable, str(file)], capture_output=True, text=True, timeout=120
        )
        assert done.stdout == "[1000.]\n", done.stderr
