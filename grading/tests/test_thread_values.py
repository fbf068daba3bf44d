"""Tests of values of variables in findings, against values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch_grading.kernels import kernel_form

from .two_roads import Loaded

pytestmark = pytest.mark.cuda


def found(kernel, kinds, grid, block, *arguments, debug=True):
    """The first finding of a launch, whose values are by the texts of its lines."""
    if isinstance(kernel, str):
        form = kernel_form.of_cuda(kernel, "k", list(kinds), file="k.cu", debug=debug)
    else:
        form = kernel_form.of(kernel, kinds, debug=debug)
    done = Loaded(form).launch(grid, block, arguments, values=True)
    first = done.findings[0]
    text = kernel if isinstance(kernel, str) else form["sources"][first["file"]]
    lines = text.splitlines()
    sites = [first, first["race"]["other"]] if first["race"] else [first]
    return first, [
        {lines[entry["line"] - 1].strip(): entry["text"] for entry in site["values"]}
        for site in sites
    ]


def off_by_one(x, n):
    i = cuda.grid(1)
    unused = n - i  # noqa: F841
    if i <= n:
        x[i] = 2 * x[i]


def column(x, n):
    i = cuda.grid(1)
    x[i // 4, i % 4 + 1] = n


def same_cell(out, n):
    i = cuda.grid(1)
    o = i % n
    out[o] = i


def rounds(out, x, n):
    total = 0.0
    for step in range(n):
        total = total + x[3 * step]
    out[0] = total


def test_a_thread_that_fails_shows_its_variables():
    first, (values,) = found(
        off_by_one, ["float32[::1]", "int64"], 2, 5, np.ones(8, "f"), 8
    )
    assert (first["block"], first["thread"]) == ([1, 0, 0], [3, 0, 0])
    assert values == {
        "def off_by_one(x, n):": "n = 8",
        "i = cuda.grid(1)": "i = 8",
        "if i <= n:": "i = 8, n = 8",
        "x[i] = 2 * x[i]": "i = 8",
    }


def test_an_index_that_only_the_checks_see_shows_its_variables():
    kinds = ["float64[:, ::1]", "int64"]
    first, (values,) = found(column, kinds, 1, 16, np.ones((4, 4)), 7)
    assert first["thread"] == [3, 0, 0]
    assert values["x[i // 4, i % 4 + 1] = n"] == "i = 3, n = 7"


def test_both_threads_of_a_race_show_theirs():
    first, sites = found(
        same_cell, ["float32[::1]", "int64"], 1, 64, np.ones(16, "f"), 15
    )
    threads = [first["thread"][0], first["race"]["other"]["thread"][0]]
    for thread, values in zip(threads, sites, strict=True):
        cell = thread % 15
        assert values["i = cuda.grid(1)"] == f"i = {thread}"
        assert values["o = i % n"] == f"o = {cell}, i = {thread}, n = 15"
        assert values["out[o] = i"] == f"o = {cell}, i = {thread}"


def test_what_a_line_failed_to_assign_is_not_of_the_round_before():
    kinds = ["float64[::1]", "float64[::1]", "int64"]
    _, (values,) = found(rounds, kinds, 1, 1, np.ones(1), np.ones(7), 5)
    assert values["for step in range(n):"] == "step = 3, n = 5"
    assert values["total = total + x[3 * step]"] == "step = 3"
    assert values["total = 0.0"] == "total = 3.0"


def test_what_differs_in_the_rounds_of_a_race_is_left_out():
    code = """__global__ void k(int* out) {
  int t = threadIdx.x;
  int total = 0;
  for (int step = 0; step < 3; ++step)
    total += out[0];
  if (t == 40)
    out[0] = 5;
  out[t + 1] = total;
}"""
    first, sites = found(code, ["int32[::1]"], 1, 64, np.zeros(65, np.int32))
    assert first["race"]["element"]
    by_thread = dict(
        zip(
            (first["thread"][0], first["race"]["other"]["thread"][0]),
            sites,
            strict=True,
        )
    )
    reads = by_thread[next(thread for thread in by_thread if thread != 40)]
    assert by_thread[40]["if (t == 40)"] == "t = 40"
    assert "total += out[0];" not in reads
    assert not any("step" in text for text in reads.values())
    assert reads["int t = threadIdx.x;"].startswith("t = ")


CODE = """struct Pair { int low, high; };
__device__ __forceinline__ int square(int i) {
  int twice = 2 * i;
  return twice * i / 2;
}
__device__ __forceinline__ int first(const int* n) {
  return n[0];
}
__global__ void k(int* x, int n) {
  int i = threadIdx.x + 2;
  int each[2] = {i, 7};
  Pair pair = {i, i + 1};
  for (int s = 0; s < 2; ++s)
    pair.low += square(s) + first(x);
  for (int s = 0; s < 3; ++s) {
    bool last = s == 2;
    if (last) x[i + s + each[0] - each[0]] = pair.high;
  }
}"""


def test_a_line_shows_variables_of_its_own_scope():
    x = np.zeros(8, np.int32)
    first, (values,) = found(CODE, ["int32[::1]", "int32"], 1, 5, x, 4)
    assert first["thread"] == [4, 0, 0]
    assert values == {
        "__global__ void k(int* x, int n) {": "n = 4",
        "int i = threadIdx.x + 2;": "i = 6",
        "int each[2] = {i, 7};": "each[0] = 6, each[1] = 7, i = 6",
        "Pair pair = {i, i + 1};": "pair.low = 7, pair.high = 7, i = 6",
        "pair.low += square(s) + first(x);": "pair.low = 7, pair.high = 7",
        "for (int s = 0; s < 3; ++s) {": "s = 2",
        "bool last = s == 2;": "last = True, s = 2",
        "if (last) x[i + s + each[0] - each[0]] = pair.high;": (
            "last = True, i = 6, s = 2, each[0] = 6, each[1] = 7, pair.low = 7, "
            "pair.high = 7"
        ),
    }


def test_a_build_without_debug_information_shows_none():
    for kernel, kinds in (
        (CODE, ["int32[::1]", "int32"]),
        (off_by_one, ["int32[::1]", "int64"]),
    ):
        x = np.zeros(8, np.int32)
        first, (values,) = found(kernel, kinds, 2, 8, x, 8, debug=False)
        assert first["line"]
        assert values == {}


def test_long_lines_are_cut_at_whole_values():
    names = [f"{'a_name_that_is_long_' * 2}{n}" for n in range(12)]
    lines = [f"  int {name} = i - {n + 1};" for n, name in enumerate(names)]
    code = "\n".join(
        [
            "__global__ void k(int* x) {",
            "  int i = threadIdx.x + 1000;",
            *lines,
            f"  x[{' + '.join(names)}] = i;",
            "  x[i] = 1;",
            "}",
        ]
    )
    _, (values,) = found(code, ["int32[::1]"], 1, 1, np.zeros(4, np.int32))
    assert [line[: len("int a")] for line in values] == [
        "int i",
        *["int a"] * 12,
        "x[a_n",
    ]
    last = values[lines[-1].strip()]
    assert last == f"{names[-1]} = 988, i = 1000"
    text = list(values.values())[-1]
    assert text == ", ".join(f"{name} = {999 - n}" for n, name in enumerate(names[:3]))
