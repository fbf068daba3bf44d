"""Owns the check that docs/ops.md lists every op, as it is, and kernels that exist."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from types import ModuleType

import pytest

from minitorch.functional import indexing, losses, math, reduce

from .elementwise_cases import UNARY
from .source_tree import ROOT

TABLE = ROOT / "cpp" / "cpu" / "elementwise.inc"
PAGE = ROOT / "docs" / "ops.md"


def listed() -> set[str]:
    return set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE))


@pytest.mark.parametrize("module", [indexing, losses, math, reduce])
def test_every_function_has_a_row(module: ModuleType) -> None:
    functions = {
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }
    assert len(functions) > 5
    assert functions <= listed()


def test_elementwise_rows_are_those_of_the_code() -> None:
    maker = ROOT / "docs" / "make_ops.py"
    done = subprocess.run([sys.executable, str(maker), "--check"], check=False)
    assert done.returncode == 0, "run docs/make_ops.py"


def test_every_unary_row_is_tested() -> None:
    rows = re.findall(r"^MINITORCH_UNARY\(\w+, (\w+)", TABLE.read_text(), re.MULTILINE)
    assert len(rows) > 15
    assert set(rows) == set(UNARY)


def test_kernels_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`(\w+\.cu)`", PAGE.read_text()))
    assert {"map.cu", "zip.cu", "gather.cu", "where.cu", "cumsum.cu"} <= named
    assert all((ROOT / "cpp" / "kernels" / name).exists() for name in named)
