"""Tests of which lines of a text a picture shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from minitorch.viz.scene.code_view import lines_of, shown_lines

CELL = """import numpy as np


@cuda.jit(device=True)
def twice(x):
    return 2 * x


@cuda.jit
def kernel(
    out,
    a,
):
    i = cuda.grid(1)

# a comment at the edge
    out[i] = twice(a[i])


x = np.ones(3)
kernel[1, 3](x, x)
""".splitlines()


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [
        ([17], 9, 17),
        ([14, 17], 9, 17),
        ([9], 9, 17),  # the decorator's line, which a function's first line is
        ([10], 9, 17),
        ([6], 4, 6),
        ([6, 17], 4, 17),
        ([20], 9, 20),  # beyond the function: with it
    ],
)
def test_the_functions_of_a_cell(wanted, first, last):
    assert shown_lines(CELL, wanted) == list(range(first, last + 1))


def test_a_short_text_in_cuda_is_whole():
    code = ["__global__ void k(int* x) {", "  x[0] = 1;", "}"]
    assert shown_lines(code, [2]) == [1, 2, 3]


def test_a_long_function_is_cut_around_the_lines():
    code = ["@cuda.jit", "def long(x):", *["    x[0] += 1"] * 60, "y = 1"]
    assert shown_lines(code, [30, 62]) == [*range(26, 35), *range(58, 63)]
    assert shown_lines(code, [2]) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("name", ["passwd", "environ", "key.pem", "k.cu.txt", ".cu~"])
def test_files_that_are_no_code_are_not_read(name: str, tmp_path: Path):
    (tmp_path / name).write_text("s3cret\n")
    assert lines_of(None, str(tmp_path / name)) == []
    assert lines_of(None, str(tmp_path / name), "own\n") == ["own"]


@pytest.mark.parametrize("name", ["k.cu", "k.CUH", "kernel.py", "josé.h"])
def test_files_of_code_are_read(name: str, tmp_path: Path):
    (tmp_path / name).write_text("int a;\n")
    assert lines_of(None, str(tmp_path / name), "own\n") == ["int a;\n"]
