"""Names in the tables of docs/numba.md exist."""

from __future__ import annotations

import re

from minitorch import cuda

from .source_tree import ROOT

PAGE = (ROOT / "docs" / "numba.md").read_text("utf-8")
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
