"""Owns the tests of what a launch may use up: time, the device heap, grids."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from minitorch import _core, cuda

from .test_kernel_errors import fault_of

pytestmark = pytest.mark.cuda

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU has no such limits")


@pytest.fixture
def short():
    """Launches may take 50 ms."""
    former = _core.time_limit()
    cuda.set_launch_limits(seconds=0.05)
    yield
    _core.set_time_limit(former)


@pytest.fixture
def empty_heap():
    """What kernels of other tests never freed is gone: the heap is the context's."""
    cuda.reset()
    yield
    cuda.reset()


ENDLESS = {
    "a counting loop": "for (unsigned i = 1; i; i += 2) o[1] += i;",
    "a spin that counts": "volatile int* v = o; while (*v == 0) o[1] += 1;",
    "barriers for ever": "for (;;) __syncthreads();",
    "a lock nobody frees": "while (atomicCAS(o, 1, 2) != 1) o[1] += 1;",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS.keys())
@pytest.mark.parametrize("blocks", [1, 100])
def test_an_endless_kernel_is_a_timeout_that_says_how_to_get_more(short, body, blocks):
    code = f'extern "C" __global__ void k(int* o) {{ {body} }}'
    out = cuda.to_device(np.zeros(8, np.int32))
    with cuda.checks("memory"):
        error = fault_of(code, "k", blocks, 64, (out,))
    assert error.kind == "timeout"
    assert "0.05 s of processor time" in str(error)
    assert "cuda.set_launch_limits(seconds=" in str(error)
    assert "MINITORCH_TIME_LIMIT" in str(error)


@pytest.mark.parametrize("seconds", [-1, 2e9, float("nan")])
def test_odd_limits_are_refused(seconds):
    with pytest.raises(ValueError, match=r"\[set_launch_limits\] got seconds="):
        cuda.set_launch_limits(seconds=seconds)


def test_odd_budgets_are_refused():
    with pytest.raises(ValueError, match=r"\[set_launch_limits\] got instructions=-1"):
        cuda.set_launch_limits(instructions=-1)


def test_the_limit_comes_from_the_environment():
    program = "from minitorch import _core; print(_core.time_limit())"
    for text, expected in [("2.5", "2500000000"), ("0", "0"), ("soon", "60000000000")]:
        run = subprocess.run(
            [sys.executable, "-c", program],
            env={"MINITORCH_TIME_LIMIT": text},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == expected
        assert ("got MINITORCH_TIME_LIMIT='soon'" in run.stderr) == (text == "soon")


def test_a_grid_that_takes_minutes_even_empty_is_refused():
    code = """extern "C" __global__ void k(int* o, int n) {
      for (int i = 0; i < n; ++i) atomicAdd(o, i);
    }"""
    out = cuda.to_device(np.zeros(8, np.int32))
    with pytest.raises(cuda.LaunchError, match="2147483647 blocks"):
        cuda.RawKernel(code, "k")(2**31 - 1, 32, (out, np.int32(0)))


TAKES = """extern "C" __global__ void k(long long* o, int times, long long bytes) {
  for (int i = 0; i < times; ++i) {
    char* p = (char*)malloc(bytes);
    if (p == 0) { o[1] += 1; continue; }
    p[bytes - 1] = 1;
    o[0] += 1;
    *(char**)p = (char*)o[2];
    o[2] = (long long)p;
  }
}
extern "C" __global__ void give(long long* o) {
  while (o[2]) { char* p = (char*)o[2]; o[2] = (long long)*(char**)p; free(p); }
}
extern "C" __global__ void use() { int* p = (int*)malloc(1 << 30); *p = 1; }
"""


def test_the_device_heap_is_eight_mebibytes_then_malloc_gives_null(empty_heap):
    module = cuda.RawModule(code=TAKES)
    out = cuda.to_device(np.zeros(3, np.int64))
    take, give = module.get_function("k"), module.get_function("give")
    for _ in range(2):  # what was freed can be had again
        out.copy_to_device(np.zeros(3, np.int64))
        take(1, 1, (out, np.int32(12), np.int64(MIB)))
        cuda.synchronize()
        assert out.copy_to_host()[:2].tolist() == [8, 4]
        give(1, 1, (out,))
        cuda.synchronize()


def test_the_null_that_malloc_gave_is_found():
    assert fault_of(TAKES, "use", 1, 1, ()).kind == "null_pointer"


def test_a_full_heap_leaves_the_card_to_others(empty_heap):
    module = cuda.RawModule(code=TAKES)
    out = cuda.to_device(np.zeros(3, np.int64))
    module.get_function("k")(1, 1, (out, np.int32(200), np.int64(MIB)))
    cuda.synchronize()
    code = """__device__ int table[1000000];
    extern "C" __global__ void k(int* o) { table[5] = 4; o[0] = table[5]; }"""
    o = cuda.to_device(np.zeros(1, np.int32))
    cuda.RawKernel(code, "k")(1, 1, (o,))
    assert o.copy_to_host()[0] == 4
    module.get_function("give")(1, 1, (out,))
    cuda.synchronize()


def test_many_small_mallocs_are_kept_apart(empty_heap):
    code = """extern "C" __global__ void k(int* o) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int* p = (int*)malloc(4);
      *p = i;
      o[i] = *p;
      if (i % 2) free(p);
    }"""
    n = 64 * 256
    out = cuda.device_array(n, np.int32)
    cuda.RawKernel(code, "k")(64, 256, (out,))
    assert np.array_equal(out.copy_to_host(), np.arange(n))
