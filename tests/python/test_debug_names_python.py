"""Tests of variables of Python kernels, which have Python's names."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .variable_history import history, traced

pytestmark = pytest.mark.cuda
pytest.importorskip("elftools")


@cuda.jit(device=True)
def cube(value):
    power = value * value * value
    return power


@cuda.jit
def python_kernel(x, out, count):
    i = cuda.grid(1)
    memory = cuda.local.array((2, 2), "int32")
    double = 2 * i
    acc = 0
    for k in range(count):
        acc += k
        memory[k % 2, 1] = k
    if i < x.size:
        acc = cube(x[i])
        first, value = i, acc
        out[i] = value + first + memory[1, 1] + double


def test_variables_of_python_kernels_have_pythons_names():
    x = cuda.to_device(np.arange(3, dtype=np.float32))
    out = cuda.to_device(np.zeros(3, np.float32))
    launch = traced(python_kernel, 1, 4, x, out, 4)
    assert out.copy_to_host().tolist() == [n**3 + n + 3 + 2 * n for n in range(3)]
    names = set(launch.trace.variables().names)
    assert names == {
        "count", "i", "double", "acc", "k", "first", "value",
        "value (in cube)", "power",
        *(f"memory[{row}, {column}]" for row in (0, 1) for column in (0, 1)),
    }  # fmt: skip
    assert history(launch, "double") == [[0, 2, 4, 6]]
    assert history(launch, "k") == [[each] * 4 for each in range(5)]
    assert history(launch, "memory[1, 1]") == [[1] * 4, [3] * 4]
    # Two types: an integer for the sum, then a float; the latest row counts.
    assert history(launch, "acc") == [[0] * 4, [1] * 4, [3] * 4, [6] * 4, [0, 1, 8]]
    last = launch.trace.variables().at(len(launch.trace) - 1, 0)
    assert last["acc"][0][:3].tolist() == [0, 1, 8]
    assert last["acc"][0].dtype == np.float32
    assert history(launch, "power") == [[0, 1, 8]]
    changes = launch.trace.variables()
    line = dict(zip(changes.names, changes.lines, strict=True))["double"]
    assert launch.source.splitlines()[line - 1].strip() == "double = 2 * i"


@cuda.jit
def bools(x, flags):
    i = cuda.threadIdx.x
    odd = i % 2 == 1
    first, given = flags
    if odd and given and not first:
        x[i] = 1


def test_bools_of_python_kernels_are_kept():
    x = cuda.to_device(np.zeros(4, np.int32))
    launch = traced(bools, 1, 4, x, (False, True))
    assert x.copy_to_host().tolist() == [0, 1, 0, 1]
    assert history(launch, "odd") == [[False, True, False, True]]
    assert history(launch, "first") == [[False] * 4]
    assert history(launch, "given") == [[True] * 4]


@cuda.jit
def from_the_end(x, shift):
    x[cuda.threadIdx.x - shift] += 1


def test_lines_of_python_kernels_are_lines_of_the_file():
    x = cuda.to_device(np.zeros(4, np.int32))
    launch = traced(from_the_end, 1, 4, x, 2)
    first = from_the_end.py_func.__code__.co_firstlineno
    assert set(launch.trace.line) <= set(range(first, first + 4))
    at = np.char.startswith(launch.trace.opcode, "st.u32")
    assert launch.trace.line[at][-1] == first + 2
    assert set(launch.trace.file) == {__file__}
