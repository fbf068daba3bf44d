"""Tests of running a kernel on the emulator to look at it, also in another process."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda, viz
from minitorch.viz.traces import rerun

from .grid_cells import touched

pytestmark = pytest.mark.cuda

ADD = """__global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}"""


@pytest.fixture(params=["here", "apart"])
def place(request, monkeypatch):
    """In this process, or as from a GPU in one of its own."""
    if request.param == "apart":
        monkeypatch.setattr(rerun, "is_emulated", lambda: False)
    return request.param


@pytest.fixture(scope="module")
def add():
    return cuda.RawKernel(ADD, "add")


@cuda.jit
def scale(pair, out, by):
    i = cuda.grid(1)
    if i < out.size:
        double = 2 * by
        out[i] = pair[0][i] * double + pair[1]


@cuda.jit
def next_column(x, out):
    r = cuda.grid(1)
    for c in range(x.shape[1]):
        out[r, c] = x[r, c + 1]


def test_a_column_too_far_is_found(place):
    launch = viz.trace(next_column, 1, 3, np.ones((3, 4)), np.zeros((3, 4)))
    (finding,) = [each for each in launch.findings if each.severity == "error"]
    assert "x[r, c + 1] with r = 0, c + 1 = 4, but x has shape (3, 4)" in str(finding)


def test_arrays_of_every_kind_are_copied(add, place):
    a, out = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    b = minitorch.tensor([10.0, 20, 30, 40, 50], dtype="float32").to("cuda")
    launch = viz.trace(add, 2, 4, cuda.to_device(a), b, out, 5)
    assert isinstance(launch, cuda.Launch)
    assert (launch.kernel, launch.grid, launch.block) == ("add", (2, 1, 1), (4, 1, 1))
    assert launch.findings == []
    assert [each.name for each in launch.arguments] == ["a", "b", "out", "n"]
    assert launch.arguments[1].before.tolist() == [10, 20, 30, 40, 50]
    assert launch.arguments[3].value == 5
    assert out.tolist() == [0] * 5  # what the kernel writes stays there
    assert launch.source == ADD
    assert launch.counters["global_store_sectors"] == 2  # two blocks, 32 bytes at most
    assert "test_viz_rerun.py" in launch.launch_site
    data = viz.grid(launch, 1, 1).data
    found = {each.array.name: each for each in data.arrays}
    # A thread of no cell: 5 = 1 * 4 + 1 lies behind the end.
    for at in range(len(data.arrays)):
        assert touched(data, at, "reads") == touched(data, at, "writes") == []
    assert found["out"].array.values.tolist() == [10, 21, 32, 43, 54]


def test_python_kernels_with_views_and_tuples(place):
    matrix = cuda.to_device(np.arange(12, dtype=np.float64).reshape(3, 4))
    out = np.zeros(3)
    launch = viz.trace(scale, 1, 4, (matrix[:, 1], 100), out, 3, debug=True)
    assert launch.debug
    names = [each.name for each in launch.arguments]
    assert names == ["pair[0]", "pair[1]", "out", "by"]
    assert launch.arguments[0].before.tolist() == [1, 5, 9]
    (found,) = [
        each for each in viz.grid(launch).data.arrays if each.array.name == "out"
    ]
    assert found.array.values.tolist() == [106, 130, 154]
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    store = np.char.startswith(launch.trace.opcode, "st.f64")
    assert {lines[line - 1].strip() for line in launch.trace.line[store]} == {
        "out[i] = pair[0][i] * double + pair[1]"
    }
    last = launch.trace.variables().at(len(launch.trace) - 1, 0)
    assert last["double"][0][last["double"][1]].tolist() == [6] * 3


def test_one_array_given_twice_stays_one(add, place):
    x = np.ones(4, np.float32)
    launch = viz.trace(add, 1, 4, x, x, x, 4)
    assert len({each.pointer for each in launch.arguments[:3]}) == 1
    (found,) = viz.grid(launch).data.arrays
    assert found.array.name == "a = b = out"
    assert found.array.values.tolist() == [2] * 4


def test_a_fault_is_a_finding_with_its_line(add, place):
    short = np.zeros(3, np.float32)
    launch = viz.trace(add, 1, 4, np.zeros(4, np.float32), short, short, 4)
    (finding,) = [each for each in launch.findings if each.kind == "oob_global"]
    assert (finding.thread, finding.line) == ((3, 0, 0), 3)
    python = viz.trace(scale, 1, 4, (np.ones(1), 0.5), np.ones(4), 3)
    assert python.findings[0].file == __file__
    assert "pair[0][i] with i = 1, but pair[0] has 1 element (" in str(
        python.findings[0]
    )


def test_ptx_templates_shared_memory_and_prints(place, capfd):
    code = """template <class T> __global__ void fill(T* x) {
      extern __shared__ T s[];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
      if (threadIdx.x == 0) printf("filled\\n");
    }"""
    kernel = cuda.RawKernel(code, "fill<int>")
    launch = viz.trace(kernel, 1, 8, np.arange(8, dtype=np.int32), shared_mem=32)
    assert launch.shared_bytes == 32
    (found,) = viz.grid(launch).data.arrays
    assert found.array.values.tolist() == list(range(8))[::-1]
    cuda.synchronize()
    assert "filled" in capfd.readouterr().out
    given = cuda.RawModule(ptx=cuda.RawKernel(ADD, "add").ptx).get_function("add")
    x = np.ones(2, np.float32)
    launch = viz.trace(given, 1, 2, x, x, x, 2, debug=True)
    assert not launch.debug  # PTX is what it is
    assert launch.findings == []


def test_bad_input(add, place):
    x = np.ones(4, np.float32)
    with pytest.raises(TypeError, match="got function; need a kernel"):
        viz.trace(lambda: None, 1, 1)
    with pytest.raises(TypeError, match="argument of type list; need arrays"):
        viz.trace(add, 1, 1, [1, 2], x, x, 4)
    with pytest.raises(
        cuda.LaunchError, match="got grid 0; every size must be at least 1"
    ):
        viz.trace(add, 0, 1, x, x, x, 4)
    with pytest.raises(cuda.LaunchError, match="argument"):
        viz.trace(add, 1, 1, x)
    with pytest.raises(cuda.LaunchError, match="4096"):
        viz.trace(add, 1, 4096, x, x, x, 4)


def test_on_a_gpu_inspect_says_how_to_look_at_a_kernel(monkeypatch):
    monkeypatch.setattr(_core, "is_emulated", lambda: False)
    with (
        pytest.raises(cuda.CudaError, match=r"viz\.trace\(kernel, grid, block, \*args"),
        cuda.inspect(),
    ):
        pass


def test_a_launch_without_a_trace_says_the_same(add):
    x = cuda.to_device(np.ones(4, np.float32))
    with cuda.inspect() as run:
        add[1, 4](x, x, x, 4)
    for view in (viz.grid, viz.memory, viz.race, viz.step):
        with pytest.raises(
            ValueError, match=r"viz\.trace\(kernel, grid, block, \*args"
        ):
            view(run.launches[0])
