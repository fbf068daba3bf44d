"""Tests of counters by line: against arithmetic and the whole launch."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.traces.line_metrics import METRICS, CountedLines, counted_lines

pytestmark = pytest.mark.cuda

KERNEL = """__global__ void k(float* x, float* y) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
  tile[32 * i] = x[8 * i];
  __syncthreads();
  if (i < 8)
    y[i] = sinf(tile[i]) + atomicAdd(y + 64, 1.0f);
}"""
# Of line 4: 32 lanes read 32 sectors, and store to one bank in 32 passes.
# Of line 7: 8 lanes load one pass, write one sector, update one sector.
EXPECTED = {
    "sectors": {4: 32, 7: 2},
    "sectors_per_request": {4: 32, 7: 1},
    "bytes": {4: 1024, 7: 64},
    "passes": {4: 32, 7: 1},
    "conflicts": {4: 31},
    "barriers": {5: 1},
}


def counted(code: str, *arguments, **options) -> CountedLines:
    with cuda.inspect(**options) as run:
        cuda.RawKernel(code, "k")[1, 32](*arguments)
    return counted_lines(run.launches[0], "compare")


@pytest.fixture(scope="module")
def data() -> CountedLines:
    x = cuda.to_device(np.ones(256, np.float32))
    return counted(KERNEL, x, cuda.to_device(np.zeros(65, np.float32)))


@pytest.mark.parametrize("name", EXPECTED)
def test_lines_have_their_numbers(data, name):
    values = {line: data.value(METRICS[name], line) for line in data.lines}
    assert {line: value for line, value in values.items() if value} == EXPECTED[name]


def test_threads_of_an_instruction(data):
    assert data.value(METRICS["lanes"], 4) == 32
    assert 0 < data.value(METRICS["lanes"], 7) <= 8


@pytest.mark.parametrize("name", METRICS)
def test_lines_add_up_to_the_launch(data, name):
    metric = METRICS[name]
    if metric.below is None:
        lines = sum(data.value(metric, line) for line in data.lines)
        assert lines + data.rest(metric) == metric.of(data.total)


def test_code_of_another_file_that_is_not_inlined_is_elsewhere():
    code = '#line 1 "other.cuh"\n__device__ __noinline__ float twice(float x) {\n'
    code += "  return x * x;\n}\n"
    code += '#line 1 "k.cu"\n__global__ void k(float* x) {\n  int i = threadIdx.x;\n'
    code += "  float v = x[i];\n  v = v + 1;\n  x[i] = twice(v);\n}"
    data = counted(code, cuda.device_array(32, "float32"))
    assert data.rest(METRICS["flops"]) == 32
    assert data.value(METRICS["flops"], 4) == 32


def test_what_a_header_does_inlined_counts_for_the_line_that_calls_it():
    code = """#line 1 "parts.h"
__device__ inline float cube(float x) { return x * x * x; }
#line 3 "k.cu"
__global__ void k(float* x) {
  int i = threadIdx.x;
  x[i] = cube(x[i]);
}"""
    data = counted(code, cuda.to_device(np.ones(32, np.float32)))
    assert data.value(METRICS["flops"], 5) == 2 * 32


def test_lines_of_a_python_kernel():
    @cuda.jit
    def scale(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    with cuda.inspect() as run:
        scale[1, 32](cuda.to_device(np.ones(32, np.float32)))
    data = counted_lines(run.launches[0], "compare")
    first = scale.py_func.__code__.co_firstlineno
    assert data.value(METRICS["sectors"], first + 4) == 8  # 4 loaded, 4 stored
    assert max(data.lines) == first + 4, "the return is in the function"


@cuda.jit
def rests(x, y):
    # Its header's functions run more instructions than its own lines.
    i = cuda.grid(1)
    y[i] = x[i] // 3 + x[i] % 7 + (x[i] + 1) // 5 + (x[i] + 2) % 11


def test_the_main_file_is_the_kernel_s_own_not_the_busiest_header():
    with cuda.inspect(trace=True, debug=True) as run:
        x = cuda.to_device(np.arange(32, dtype=np.int64))
        rests[1, 32](x, cuda.device_array(32, "int64"))
    (launch,) = run.launches
    assert launch.source_file == __file__
    data = counted_lines(launch, "compare")
    work = METRICS["instructions"]
    own = sum(data.value(work, line) for line in data.lines)
    assert data.rest(work) > own, "the test has to have a busy header"
    first = rests.py_func.__code__.co_firstlineno
    assert data.file == __file__
    assert set(data.lines) <= {first, first + 1, first + 3, first + 4}
    assert viz.step(launch).data.file == __file__
