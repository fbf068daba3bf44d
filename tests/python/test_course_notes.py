"""Tests of the first kernel that notes of a course show, with and without its guard."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

THREADS = (4, 3)
BLOCKS = (1, 3)


def times(a, b):
    return a * b


@cuda.jit
def my_func(inp, out):
    # Five cells that belong to this thread alone.
    local = cuda.local.array(5)
    local[1] = 10
    # Where the thread is, among all threads of the launch.
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if x < out.shape[0] and y < out.shape[1]:
        local[2] = times(inp[x, y], 2)
        out[x, y] = local[1] + local[2]


@cuda.jit
def my_func_without_guard(inp, out):
    local = cuda.local.array(5)
    local[1] = 10
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    local[2] = times(inp[x, y], 2)
    out[x, y] = local[1] + local[2]


def values(shape):
    return np.random.default_rng(0).integers(-99, 99, shape).astype(np.float64) / 8


@pytest.mark.parametrize("shape", [(4, 9), (3, 8), (1, 1), (4, 1), (2, 9)])
def test_host_arrays(shape):
    inp, out = values(shape), np.zeros(shape)
    with pytest.warns(cuda.NumbaPerformanceWarning):  # of host arrays
        my_func[BLOCKS, THREADS](inp, out)
    np.testing.assert_array_equal(out, 2 * inp + 10)


def test_device_arrays_without_a_finding():
    inp = values((3, 8))
    out = cuda.to_device(np.zeros((3, 8)))
    with cuda.inspect() as run:
        my_func[BLOCKS, THREADS](cuda.to_device(inp), out)
    assert run.findings == []
    np.testing.assert_array_equal(out.copy_to_host(), 2 * inp + 10)


def test_threads_without_a_cell_are_named_with_their_line():
    inp, out = cuda.to_device(values((3, 8))), cuda.to_device(np.zeros((3, 8)))
    my_func_without_guard[BLOCKS, THREADS](inp, out)
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    error = caught.value
    lines, first = inspect.getsourcelines(my_func_without_guard.py_func)
    (read,) = [n for n, text in enumerate(lines) if "times(inp[x, y]" in text]
    assert error.kind == "oob_global"
    assert Path(error.file).name == "test_course_notes.py"
    assert error.line == first + read
    assert error.thread[0] == 3  # the only row that there is not
    assert f"test_course_notes.py:{first + read}" in str(error)
    assert "inp" in str(error)


def test_with_as_many_cells_as_threads_it_needs_no_guard():
    inp = values((4, 9))
    out = cuda.to_device(np.zeros((4, 9)))
    my_func_without_guard[BLOCKS, THREADS](cuda.to_device(inp), out)
    np.testing.assert_array_equal(out.copy_to_host(), 2 * inp + 10)
