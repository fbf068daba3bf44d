"""Tests of variables by name: kernels whose every value NumPy or a hand can compute."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda
pytest.importorskip("elftools")

LANE = np.arange(32)


def traced(kernel, grid, block, *arguments, **options) -> cuda.Launch:
    with cuda.inspect(trace=True, debug=True, **options) as run:
        kernel[grid, block](*arguments)
    return run.launches[0]


def history(launch, name: str, warp: int = 0, block=0) -> list[list]:
    """Values that a variable took, one list for each row: only the lanes written."""
    changes = launch.trace.variables(block)
    return [
        changes.typed(row)[changes.written[row]].tolist()
        for row in range(len(changes))
        if changes.names[changes.name[row]] == name and changes.warp[row] == warp
    ]


COLLATZ = """__global__ void collatz(const int* start, int* out, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = start[i];
  unsigned short steps = 0;
  while (n != 1 && steps < most) {
    int half = n / 2;
    n = n % 2 == 0 ? half : 3 * n + 1;
    steps += 1;
  }
  double result = steps + 0.5;
  out[i] = result;
}"""


@pytest.fixture(scope="module")
def collatz():
    start = cuda.to_device(np.arange(1, 129, dtype=np.int32))
    kernel = cuda.RawKernel(COLLATZ, "collatz")
    return traced(kernel, 2, 64, start, cuda.device_array(128, "int32"), 20)


def collatz_path(n: int, most: int) -> list[int]:
    path = [n]
    while path[-1] != 1 and len(path) <= most:
        path.append(path[-1] // 2 if path[-1] % 2 == 0 else 3 * path[-1] + 1)
    return path


@pytest.mark.parametrize("block", [0, 1])
def test_a_variable_in_a_divergent_loop_takes_the_values_of_each_thread(collatz, block):
    changes = collatz.trace.variables(block)
    number = changes.names.index("n")
    for warp in (0, 1):
        paths: list[list[int]] = [[] for _ in range(32)]
        rows = (changes.name == number) & (changes.warp == warp)
        for row in np.nonzero(rows)[0]:
            for lane in np.nonzero(changes.written[row])[0]:
                paths[lane].append(int(changes.typed(row)[lane]))
        first = 64 * block + 32 * warp + 1
        assert paths == [collatz_path(first + lane, 20) for lane in range(32)]


def test_columns_fit_each_other(collatz):
    changes = collatz.trace.variables((1, 0, 0))
    rows = len(changes)
    assert changes.names == ("most", "i", "n", "steps", "half", "result")
    assert [str(each) for each in changes.dtypes] == [
        "int32", "int32", "int32", "uint16", "int32", "float64",
    ]  # fmt: skip
    assert changes.lines == (1, 2, 3, 4, 6, 10)
    assert changes.step.shape == changes.warp.shape == changes.name.shape == (rows,)
    assert changes.values.shape == changes.written.shape == (rows, 32)
    assert changes.values.dtype == np.uint64
    assert (np.diff(changes.step) >= 0).all()
    assert (collatz.trace.block[changes.step] == 1).all()
    assert (collatz.trace.warp[changes.step] == changes.warp).all()
    assert changes.written.any(axis=1).all()


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


def test_results_counts_and_findings_are_those_of_the_kernel(collatz):
    assert collatz.debug
    assert collatz.findings == []
    assert collatz.source == COLLATZ
    out = [int(each) for each in collatz.arguments[1].before]
    assert out == [0] * 128
    lengths = [len(collatz_path(n, 20)) - 1 for n in range(1, 129)]
    rows = collatz.trace.columns
    stores = (rows["access_kind"] == 2) & (rows["access_space"] == 1)
    stored = rows["access_value"][stores].astype(np.int64)
    assert sorted(stored.ravel().tolist()) == sorted(lengths)


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


def test_variables_up_to_a_fault_and_in_a_cut_trace():
    code = """__global__ void wild(int* x, int n) {
      int far = n * threadIdx.x;
      x[far] = 1;
      int never = far + 1;
      x[never] = 2;
    }"""
    launch = traced(cuda.RawKernel(code, "wild"), 1, 2, cuda.device_array(1, "int32"),
                    1 << 20)  # fmt: skip
    assert launch.findings[0].kind == "oob_global"
    assert history(launch, "far") == [[0, 1 << 20]]
    assert history(launch, "never") == []
    start = cuda.to_device(np.arange(1, 65, dtype=np.int32))
    cut = traced(
        cuda.RawKernel(COLLATZ, "collatz"), 1, 64, start,
        cuda.device_array(64, "int32"), 20, trace_bytes=40_000,
    )  # fmt: skip
    assert cut.trace.truncated
    assert history(cut, "n")[0] == list(range(1, 33))


def test_variables_of_a_module_are_the_same_memory_for_both_builds():
    code = """__constant__ float weights[2]; __device__ int calls;
    __device__ double table[2][2] = {{1, 2}, {3, 4}};
    __global__ void k(float* x) {
      float weight = weights[threadIdx.x];
      x[threadIdx.x] *= weight;
      if (threadIdx.x == 0) { calls += 1; table[1][1] += 1; }
      if (x[threadIdx.x] < 0) printf("never %d", calls);
    }"""
    module = cuda.RawModule(code=code)
    kernel = module.get_function("k")
    module.get_global("weights")[:] = [10, 100]
    x = cuda.to_device(np.ones(2, np.float32))
    kernel[1, 2](x)
    launch = traced(kernel, 1, 2, x)
    kernel[1, 2](x)
    assert x.copy_to_host().tolist() == [1000, 1e6]
    assert history(launch, "weight") == [[10, 100]]
    assert module.get_global("calls").copy_to_host() == 3
    assert module.get_global("table").copy_to_host().tolist() == [[1, 2], [3, 7]]


def test_normal_builds_and_kernels_from_ptx_have_no_names(collatz):
    kernel = cuda.RawKernel(COLLATZ, "collatz")
    start = cuda.to_device(np.arange(1, 33, dtype=np.int32))
    out = cuda.device_array(32, "int32")
    with cuda.inspect(trace=True) as run:
        kernel[1, 32](start, out, 3)
    assert not run.launches[0].debug
    assert len(run.launches[0].trace.variables()) == 0
    assert run.launches[0].trace.variables().names == ()
    from_ptx = cuda.RawModule(ptx=kernel.ptx).get_function("collatz")
    launch = traced(from_ptx, 1, 32, start, out, 3)
    assert not launch.debug
    assert len(launch.trace.variables()) == 0
    asked = cuda.RawKernel(COLLATZ, "collatz", options=("-G",))
    assert history(traced(asked, 1, 1, start, out, 3), "i") == [[0]]


def test_lines_are_those_of_the_kernel_whatever_it_calls():
    code = """__global__ void k(int* x) {
      int t = threadIdx.x;
      int other = __shfl_xor_sync(0xffffffff, t, 1);
      atomicAdd(x, other);
      if (other < 0) x[1] = 0;
    }"""
    kernel = cuda.RawKernel(code, "k")
    launch = traced(kernel, 1, 64, cuda.to_device(np.zeros(2, np.int32)))
    trace = launch.trace
    assert set(trace.line) == {1, 2, 3, 4, 5, 6}
    assert set(trace.file) == {"/minitorch/user/k.cu"}
    for opcode, line in (("shfl", 3), ("atom", 4)):
        at = np.char.startswith(trace.opcode, opcode)
        assert trace.line[at].tolist() == [line] * 2  # two warps
    bad = traced(kernel, 1, 32, cuda.device_array(0, "int32"))
    assert [(each.kind, each.line) for each in bad.findings] == [("oob_global", 4)]


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


def test_bad_input(collatz):
    with pytest.raises(IndexError, match=r"got block 2; need one within \(2, 1, 1\)"):
        collatz.trace.variables(2)
    with pytest.raises(IndexError, match=r"got block \(0, 1, 0\)"):
        collatz.trace.variables((0, 1, 0))
    with pytest.raises(IndexError, match="got block -1"):
        collatz.trace.variables(-1)
    with pytest.raises(TypeError, match="got block 'a'; need a number"):
        collatz.trace.variables("a")
    with pytest.raises(ValueError, match="need trace=True, too"):
        cuda.inspect(debug=True)


def test_without_pyelftools_the_error_says_what_to_install(monkeypatch):
    start = cuda.to_device(np.arange(1, 33, dtype=np.int32))
    out = cuda.device_array(32, "int32")
    launch = traced(cuda.RawKernel(COLLATZ, "collatz"), 1, 32, start, out, 3)
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("elftools"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'minitorch-cuda\[viz\]'"):
        launch.trace.variables()
