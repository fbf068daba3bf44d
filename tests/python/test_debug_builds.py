"""Tests of builds for debuggers: lines, faults, module variables, what has no names."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .variable_history import COLLATZ, history, traced

pytestmark = pytest.mark.cuda
pytest.importorskip("elftools")


def test_variables_up_to_a_fault_and_in_a_cut_trace():
    code = """__global__ void wild(int* x, int n) {
      int far = n * threadIdx.x;
      x[far] = 1;
      int never = far + 1;
      x[never] = 2;
    }"""
    launch = traced(cuda.RawKernel(code, "wild"), 1, 2, cuda.device_array(1, "int32"),
                    5)  # fmt: skip
    assert launch.findings[0].kind == "oob_global"
    assert history(launch, "far") == [[0, 5]]
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
    module.get_global("weights", "float32")[:] = [10, 100]
    x = cuda.to_device(np.ones(2, np.float32))
    kernel[1, 2](x)
    launch = traced(kernel, 1, 2, x)
    kernel[1, 2](x)
    assert x.copy_to_host().tolist() == [1000, 1e6]
    assert history(launch, "weight") == [[10, 100]]
    assert module.get_global("calls", "int32")[0] == 3
    assert module.get_global("table", "float64").copy_to_host().tolist() == [1, 2, 3, 7]


def test_normal_builds_and_kernels_from_ptx_have_no_names():
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


def test_an_inspection_of_a_run_of_kernels_builds_each_once():
    """A debug build computes what the normal one does, launch after launch."""
    kernel = cuda.RawKernel(COLLATZ, "collatz")
    start = cuda.to_device(np.arange(1, 33, dtype=np.int32))
    outs = [cuda.device_array(32, "int32") for _ in range(3)]
    kernel[1, 32](start, outs[0], 50)
    with cuda.inspect(trace=True, debug=True) as run:
        for out in outs[1:]:
            kernel[1, 32](start, out, 50)
    first, *others = (out.copy_to_host().tolist() for out in outs)
    assert others == [first, first]
    assert [launch.debug for launch in run.launches] == [True, True]
    changes = [launch.trace.variables() for launch in run.launches]
    assert (changes[0].values == changes[1].values).all()


@pytest.mark.parametrize(
    ("declared", "value", "debug"),
    [("__shared__ float total;", "total", True), ("", 'nanf("")', False)],
)
def test_a_build_that_reads_what_nobody_wrote_runs_where_nvrtc_reads_nothing(
    declared, value, debug
):
    code = f"""__global__ void k(float* x) {{
      {declared}
      x[threadIdx.x] += {value};
    }}"""
    with cuda.inspect() as run:
        cuda.RawKernel(code, "k")(1, 32, (cuda.to_device(np.ones(32, np.float32)),))
    (launch,) = run.launches
    assert launch.debug == debug
    assert [each.kind for each in launch.findings] == ["uninit_shared"] * debug
