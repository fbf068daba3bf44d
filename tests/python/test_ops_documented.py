"""Owns the check that docs/ops.md lists every op, and only kernels that exist."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

from minitorch.functional import indexing, losses, math, reduce

from .source_tree import ROOT

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


def test_kernels_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`(\w+\.cu)`", PAGE.read_text()))
    assert {"map.cu", "zip.cu", "gather.cu", "where.cu", "cumsum.cu"} <= named
    assert all((ROOT / "cpp" / "kernels" / name).exists() for name in named)
