"""Tests of cuda.inspect: which launches it records, and what it says of them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import minitorch
from minitorch import cuda

from .processes import printed_by

pytestmark = pytest.mark.cuda

TWICE = """__global__ void twice(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}"""
BEYOND = "__global__ void beyond(float* x) { x[threadIdx.x + 1] = 1; }"
READS = (
    "__global__ void reads(float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }"
)


@pytest.fixture(scope="module")
def twice():
    return cuda.RawKernel(TWICE, "twice")


@pytest.fixture
def x():
    return cuda.to_device(np.ones(64, np.float32))


def test_a_launch_says_what_it_was(twice, x):
    with cuda.inspect() as run:
        twice[(2, 1, 3), (32, 2), None, 48](x, 0)  # of 8, six blocks would race
    (launch,) = run.launches
    assert launch.kernel == "twice"
    assert launch.grid == (2, 1, 3)
    assert launch.block == (32, 2, 1)
    assert launch.shared_bytes == 48
    assert launch.stream == 0
    assert launch.launch_site.startswith("test_inspection.py:")
    assert launch.time > 0
    assert launch.sm_count == 40
    assert launch.findings == []
    assert not launch.library
    assert "twice" in repr(launch)


def test_a_launch_that_was_not_traced_knows_its_arrays():
    scale = cuda.RawKernel(
        "__global__ void scale(const float* a, float* out, float by) {"
        " out[threadIdx.x] = a[threadIdx.x] * by; }",
        "scale",
    )
    out = cuda.to_device(np.zeros((4, 8), np.float32))
    y = minitorch.ones(32, dtype="float32", device="cuda")
    with cuda.inspect(library=True) as run:
        scale[1, 32](y, out, np.float32(2))
        y + y
    own, library = run.launches
    assert own.arguments == ()
    assert [(each.name, each.shape) for each in own.arrays] == [
        ("a", (32,)),
        ("out", (4, 8)),
    ]
    assert own.arrays[1].pointer == out.pointer
    assert own.arrays[1].strides == (32, 4)
    assert own.arrays[1].before is None
    assert {each.name for each in library.arrays} == {"a", "b", "out"}


def test_shared_bytes_are_declared_and_dynamic():
    code = """__global__ void s(int* x) {
      __shared__ int a[9];
      a[x[0]] = 1;
      x[0] = a[x[1]];
    }"""
    x = cuda.to_device(np.zeros(2, np.int32))
    with cuda.inspect(checks="memory") as run:
        cuda.RawKernel(code, "s")[1, 1, None, 100](x)
    assert run.launches[0].shared_bytes == 36 + 100


def test_findings_are_listed_and_not_raised():
    kernel = cuda.RawKernel(BEYOND, "beyond")
    x = cuda.device_array(32, "float32")
    with cuda.inspect() as run:
        kernel[1, 32](x)
    (finding,) = run.launches[0].findings
    assert isinstance(finding, cuda.KernelError)
    assert (finding.kind, finding.severity, finding.line) == ("oob_global", "error", 1)
    assert finding.thread == (31, 0, 0)
    assert finding.launch_site == run.launches[0].launch_site
    assert run.findings == [finding]
    with pytest.raises(cuda.KernelError, match="past the end of 'x'"):
        run.raise_findings()
    cuda.synchronize()  # nothing is left to raise


def test_after_a_fault_the_next_launch_works(twice, x):
    with cuda.inspect():
        cuda.RawKernel(BEYOND, "beyond")[1, 32](cuda.device_array(8, "float32"))
    with cuda.inspect() as run:
        twice[1, 64](x, 64)
    assert run.findings == []
    assert x.copy_to_host().tolist() == [2.0] * 64


def test_checks_are_those_of_the_block():
    kernel = cuda.RawKernel(READS, "reads")
    x, y = (cuda.device_array(32, "float32") for _ in range(2))
    with cuda.inspect(checks="memory") as quiet:
        kernel[1, 32](x, y)
    with cuda.checks("memory"), cuda.inspect(checks="full") as full:
        kernel[1, 32](x, y)
    assert quiet.findings == []
    assert {finding.kind for finding in full.findings} == {"uninit_global"}


def test_a_wait_inside_the_block_raises_and_the_run_still_knows():
    kernel = cuda.RawKernel(BEYOND, "beyond")
    with cuda.inspect() as run:
        kernel[1, 32](cuda.device_array(8, "float32"))
        with pytest.raises(cuda.KernelError, match="past the end"):
            cuda.synchronize()
    assert [finding.kind for finding in run.launches[0].findings] == ["oob_global"]


def test_earlier_faults_are_raised_on_entry(twice, x):
    cuda.RawKernel(BEYOND, "beyond")[1, 32](cuda.device_array(8, "float32"))
    with pytest.raises(cuda.KernelError, match="past the end"):
        cuda.inspect().__enter__()
    with cuda.inspect() as run:
        twice[1, 1](x, 1)
    assert len(run.launches) == 1


def test_an_exception_of_the_block_passes_through(twice, x):
    run = cuda.inspect()

    def fail():
        with run:
            twice[1, 1](x, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(run.launches) == 1


def test_blocks_may_overlap(twice, x):
    first, second = cuda.inspect(counters=False), cuda.inspect()
    first.__enter__()
    twice[1, 1](x, 1)
    second.__enter__()
    twice[1, 2](x, 1)
    first.__exit__(None, None, None)
    twice[1, 3](x, 1)
    second.__exit__(None, None, None)
    assert [launch.block[0] for launch in first.launches] == [1, 2]
    assert [launch.block[0] for launch in second.launches] == [2, 3]
    with pytest.raises(ValueError, match="nothing was counted"):
        first.launches[0].roofline()


@pytest.mark.parametrize("again", range(10))  # one round in eighty lost a record once
def test_a_thread_records_its_own_launches(twice, again):
    runs = {}

    def work(width):
        x = cuda.to_device(np.ones(64, np.float32))
        with cuda.inspect() as run:
            for _ in range(20):
                twice[1, width](x, 1)
        runs[width] = [launch.block[0] for launch in run.launches]

    threads = [threading.Thread(target=work, args=(width,)) for width in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs == {width: [width] * 20 for width in range(1, 5)}


def test_library_kernels_only_when_asked():
    a = minitorch.tensor(np.ones((4, 4), np.float32).tolist(), device="cuda")
    with cuda.inspect() as run:
        a + a
    assert run.launches == []
    with cuda.inspect(library=True) as run:
        a + a
    assert run.launches
    assert all(launch.library for launch in run.launches)


def test_memory_is_bounded(twice, x):
    with cuda.inspect(most_launches=3) as run:
        for width in range(1, 8):
            twice[1, width](x, 1)
    assert [launch.block[0] for launch in run.launches] == [1, 2, 3]
    assert run.dropped == 4
    assert "and 4 launches that were not recorded" in run.table()


def test_a_run_is_used_once():
    run = cuda.inspect()
    with run:
        pass
    with pytest.raises(RuntimeError, match="Create a new one"), run:
        pass
    assert repr(run) == "Inspection(0 launches, 0 findings)"


def test_wrong_options_are_refused():
    with pytest.raises(
        ValueError, match="got check level 'racy'; need 'full' or 'memory'"
    ):
        cuda.inspect(checks="racy")
    with pytest.raises(ValueError, match="got most_launches -1"):
        cuda.inspect(most_launches=-1)
    with pytest.raises(ValueError, match="got trace_bytes 'much'"):
        cuda.inspect(trace_bytes="much")


DIVERGES = """__global__ void diverges(int* x) {
  if (threadIdx.x < 16) __syncthreads();
  x[threadIdx.x] = 1;
}"""


def test_what_is_tolerated_is_listed_and_the_kernel_goes_on():
    kernel = cuda.RawKernel(DIVERGES, "diverges")
    x = cuda.to_device(np.zeros(32, np.int32))
    with cuda.inspect() as strict:
        kernel[1, 32](x)
    assert "error" in {each.severity for each in strict.findings}
    x = cuda.to_device(np.zeros(32, np.int32))
    with cuda.inspect(tolerate=("barrier_divergence",)) as run:
        kernel[1, 32](x)
        cuda.synchronize()
    kinds = {(each.kind, each.severity) for each in run.findings}
    assert kinds == {("barrier_divergence", "note")}
    assert x.copy_to_host().tolist() == [1] * 32


def test_only_kinds_that_a_kernel_survives_are_tolerated():
    with pytest.raises(ValueError, match="got tolerate 'oops'; need kinds of findings"):
        cuda.inspect(tolerate=("oops",)).__enter__()
    with pytest.raises(ValueError, match="after which a kernel can go on"):
        cuda.inspect(tolerate=("warp_sync", "oob_global")).__enter__()
    with pytest.raises(TypeError, match="need a tuple of kinds"):
        cuda.inspect(tolerate="warp_sync")


def test_records_outlive_the_device():
    code = """
import numpy as np
from minitorch import cuda
x = cuda.to_device(np.ones(4, np.float32))
k = cuda.RawKernel("__global__ void k(float* x) { x[0] = 1; }", "k")
with cuda.inspect() as run:
    k[1, 1](x)
launch = run.launches[0]
cuda.reset()
print(launch.kernel, launch.findings)
"""
    assert printed_by(code) == "k []\n"
