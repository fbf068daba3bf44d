"""Tests of variables by name: kernels whose every value NumPy or a hand can compute."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .variable_history import COLLATZ, history, traced

pytestmark = pytest.mark.cuda
pytest.importorskip("elftools")

LANE = np.arange(32)


@pytest.fixture(scope="module")
def collatz():
    start = cuda.to_device(np.arange(1, 129, dtype=np.int32))
    kernel = cuda.RawKernel(COLLATZ, "collatz")
    return traced(kernel, 2, 64, start, cuda.to_device(np.zeros(128, np.int32)), 20)


def collatz_path(n, most):
    path = [n]
    while path[-1] != 1 and len(path) <= most:
        path.append(path[-1] // 2 if path[-1] % 2 == 0 else 3 * path[-1] + 1)
    return path


@pytest.mark.parametrize("block", [0, 1])
def test_a_variable_in_a_divergent_loop_takes_the_values_of_each_thread(collatz, block):
    changes = collatz.trace.variables(block)
    number = changes.names.index("n")
    for warp in (0, 1):
        paths = [[] for _ in range(32)]
        rows = (changes.name == number) & (changes.warp == warp)
        for row in np.nonzero(rows)[0]:
            for lane in np.nonzero(changes.written[row])[0]:
                paths[lane].append(int(changes.typed(row)[lane]))
        first = 64 * block + 32 * warp + 1
        assert paths == [collatz_path(first + lane, 20) for lane in range(32)]


def test_a_moment_has_the_latest_values_and_who_has_one(collatz):
    trace, changes = collatz.trace, collatz.trace.variables()
    lines = trace.line
    first = np.nonzero((trace.block == 0) & (trace.warp == 0) & (lines == 5))[0][0]
    before = changes.at(int(first) - 1, 0)
    assert before["n"][0].tolist() == list(range(1, 33))
    assert "half" not in before
    last = changes.at(len(trace) - 1, 0)
    lengths = np.array([len(collatz_path(n, 20)) - 1 for n in range(1, 33)])
    assert last["steps"][0].tolist() == lengths.tolist()
    assert last["result"][0].tolist() == (lengths + 0.5).tolist()
    _, known = last["half"]
    assert known.tolist() == [False] + [True] * 31  # thread 0 starts at 1
    assert (changes.at(len(trace) - 1, 1)["i"][0] == LANE + 32).all()


def test_local_arrays_structs_and_types():
    code = """struct Pair { float first; short second[2]; };
    __global__ void k(int* x, long long wide, unsigned char small) {
      int t = threadIdx.x, table[2][2];
      Pair pair;
      pair.first = t * 0.5f;
      pair.second[1] = -t;
      table[t % 2][1] = t;
      float4 four = make_float4(1, 2, 3, t);
      signed char tiny = -t;
      int* pointer = x + t;
      int big[65];
      big[t] = t;
      *pointer = table[t % 2][1] + pair.first + four.w + wide + small + tiny
        + pair.second[1] + big[t];
    }"""
    x = cuda.to_device(np.zeros(32, np.int32))
    launch = traced(cuda.RawKernel(code, "k"), 1, 32, x, -(2**40), 200)
    changes = launch.trace.variables()
    last = changes.at(len(launch.trace) - 1, 0)
    assert last["wide"][0].tolist() == [-(2**40)] * 32
    assert last["small"][0].tolist() == [200] * 32
    assert last["pair.first"][0].tolist() == (LANE * 0.5).tolist()
    assert last["pair.second[1]"][0].tolist() == (-LANE).tolist()
    assert last["four.w"][0].tolist() == LANE.tolist()
    assert last["tiny"][0].tolist() == (-LANE).tolist()
    for row in (0, 1):
        values, known = last[f"table[{row}][1]"]
        assert known.tolist() == (row == LANE % 2).tolist()
        assert values[known].tolist() == LANE[row == LANE % 2].tolist()
    # Never written, a pointer, and more elements than anybody looks at.
    missing = {"table[0][0]", "pair.second[0]", "pointer", "x", "big[0]"}
    assert not missing & set(last)
    assert {"table[0][0]", "pair.second[0]"} <= set(changes.names)
    assert not {"pointer", "x", "big[0]"} & set(changes.names)


def test_a_name_that_hides_another_has_its_line():
    code = """__global__ void k(int* x) {
      int v = 1;
      {
        int v = 20;
        x[0] = v;
      }
      for (int j = 0; j < 2; j++) v += j;
      for (int j = 5; j < 7; j++) v += j;
      x[1] = v;
    }"""
    launch = traced(cuda.RawKernel(code, "k"), 1, 1, cuda.device_array(2, "int32"))
    assert launch.trace.variables().names == ("v", "v (line 4)", "j")
    assert history(launch, "v (line 4)") == [[20]]
    assert history(launch, "v") == [[1], [2], [7], [13]]
    assert history(launch, "j") == [[0], [1], [2], [5], [6], [7]]


def test_functions_that_are_called_and_that_are_inlined():
    code = """__device__ __noinline__ int square(int v) { int s = v * v; return s; }
    __device__ __forceinline__ int twice(int w) { int d = 2 * w; return d; }
    __global__ void k(int* x) {
      int v = threadIdx.x;
      v = square(v + 1);
      x[0] = twice(v) + twice(v + 1);
    }"""
    launch = traced(cuda.RawKernel(code, "k"), 1, 2, cuda.device_array(1, "int32"),
                    checks="memory")  # fmt: skip
    assert history(launch, "v") == [[0, 1], [1, 4]]
    assert history(launch, "v (in square)") == [[1, 2]]
    assert history(launch, "s") == [[1, 4]]
    assert history(launch, "w") == [[1, 4], [2, 5]]
    assert history(launch, "d") == [[2, 8], [4, 10]]


def test_a_callee_that_writes_to_a_variable_of_the_kernel():
    code = """__device__ __noinline__ void fill(int* to) { to[1] = 7; }
    __global__ void k(int* x) {
      int own[2];
      own[0] = 3;
      fill(own);
      x[0] = own[0] + own[1];
    }"""
    launch = traced(cuda.RawKernel(code, "k"), 1, 1, cuda.device_array(1, "int32"))
    assert history(launch, "own[0]") == [[3]]
    assert history(launch, "own[1]") == [[7]]


def test_bools_are_kept():
    code = """__global__ void k(int* x) {
      int t = threadIdx.x; bool odd = t & 1;
      bool late;
      late = t > 2;
      if (odd != late) x[0] = 1;
    }"""
    launch = traced(cuda.RawKernel(code, "k"), 1, 4, cuda.device_array(1, "int32"),
                    checks="memory")  # fmt: skip
    assert history(launch, "odd") == [[False, True, False, True]]
    assert history(launch, "late") == [[False, False, False, True]]
    assert launch.source == code
    # A struct with such a member cannot be changed: its kernel is built as it is.
    code = """struct Flags { bool set = true; };
    __global__ void k(int* x) {
      Flags a; Flags b = a;
      int kept = b.set;
      x[0] = kept;
    }"""
    launch = traced(cuda.RawKernel(code, "k"), 1, 1, cuda.device_array(1, "int32"))
    assert history(launch, "kept") == [[1]]


def test_nan_and_infinity_are_values():
    code = """__global__ void k(const float* x, float* y) {
      float given = x[threadIdx.x];
      double turned = 1 / given;
      y[threadIdx.x] = turned;
    }"""
    x = cuda.to_device(np.array([np.nan, np.inf, 0, -0.0], np.float32))
    launch = traced(cuda.RawKernel(code, "k"), 1, 4, x, cuda.device_array(4, "float32"))
    last = launch.trace.variables().at(len(launch.trace) - 1, 0)
    assert np.isnan(last["given"][0][0])
    assert np.isinf(last["given"][0][1])
    assert last["turned"][0][1:4].tolist() == [0, np.inf, -np.inf]


def test_bad_input(collatz):
    with pytest.raises(
        IndexError, match=r"got block 2, which is outside the grid \(2, 1, 1\)"
    ):
        collatz.trace.variables(2)
    with pytest.raises(IndexError, match=r"got block \(0, 1, 0\)"):
        collatz.trace.variables((0, 1, 0))
    with pytest.raises(IndexError, match="got block -1"):
        collatz.trace.variables(-1)
    with pytest.raises(TypeError, match="got block 'a'; need a block number"):
        collatz.trace.variables("a")
    with pytest.raises(ValueError, match="Pass trace=True, too"):
        cuda.inspect(debug=True)
