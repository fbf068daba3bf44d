"""The tests of what a launch may use up: time, the device heap, grids."""

from __future__ import annotations

import subprocess
import sys
import time

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
    "a spin that ends in hours": (
        "unsigned n = 0; while (*(volatile int*)o == 0 && ++n != 4000000000u);"
    ),
    "barriers for ever": "for (;;) __syncthreads();",
    "a lock that is given up in hours": (
        "unsigned n = 0; while (atomicCAS(o, 1, 2) != 1 && ++n != 4000000000u);"
    ),
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


# What a thread does until somebody frees the lock `o[0]`, which nobody does.
SPINS = {
    "sleeps for random times": """
      unsigned s = threadIdx.x;
      while (atomicCAS(o, 0, 1) != 0) {
        s = s * 1664525u + 1013904223u;
        __nanosleep(s >> 24);
      }""",
    "sleeps for 8, 16, ... 512, 8, 16, ...": """
      unsigned ns = 8;
      while (atomicCAS(o, 0, 1) != 0) {
        __nanosleep(ns);
        ns = ns < 500 ? ns * 2 : 8;
      }""",
    "counts": "int n = 0; while (atomicCAS(o, 0, 1) != 0) ++n; o[1] = n;",
    "counts in memory": "while (*(volatile int*)o != 0) o[1] += 1;",
    "reads the clock": """
      long long start = clock64(), took = 0;
      while (atomicCAS(o, 0, 1) != 0) took = clock64() - start;
      o[1] = took;""",
    "computes with the clock": """
      long long start = clock64(), took = 0;
      while (atomicCAS(o, 0, 1) != 0) {
        took = clock64() - start;
        __nanosleep(took < 4000 ? took / 4 : 1000);
        if (took & 1) o[2] = 1;
      }""",
}


@pytest.mark.parametrize("body", SPINS.values(), ids=SPINS.keys())
def test_spinning_is_a_deadlock_whatever_else_the_loop_does(body):
    code = f'extern "C" __global__ void k(int* o) {{ {body} }}'
    out = cuda.to_device(np.ones(8, np.int32))
    with cuda.checks("memory"):
        error = fault_of(code, "k", 3, 64, (out,))
    assert error.kind == "deadlock"
    assert "wait for a value that nobody will write: 64 running at line" in str(error)


# Right programs whose threads all wait at some time: for time, or for each other.
WAITS = {
    "for cycles": """
      clock_t start = clock();
      while (clock() - start < 1000000) __nanosleep(100);
      o[blockIdx.x] = 1;""",
    "for billions of cycles": """
      long long start = clock64();
      while (clock64() - start < 3000000000ll) __nanosleep(1000);
      o[blockIdx.x] = 1;""",
    "until a limit of time": """
      long long start = clock64();
      while (*(volatile int*)(o + 9) == 0)
        if (clock64() - start > 20000000000ll) break;
      o[blockIdx.x] = 1;""",
    "for a block that computes": """
      if (blockIdx.x == 0) {
        long long start = clock64();
        int late = 0;
        while (*(volatile int*)(o + 9) == 0) late |= clock64() - start > 4000000000ll;
        o[0] = !late;
      } else {
        int s = 1;
        for (int i = 0; i < 1000000; ++i) s = s * 3 + i;
        o[8] = s;
        __threadfence();
        o[blockIdx.x] = atomicExch(o + 9, 1) <= 1;
      }""",
    "for a block that sleeps": """
      if (blockIdx.x == 0) {
        while (atomicAdd(o + 9, 0) == 0) __nanosleep(40);
      } else {
        long long start = clock64();
        while (clock64() - start < 30000000) __nanosleep(100);
        atomicExch(o + 9, 1);
      }
      o[blockIdx.x] = 1;""",
    "for a count in memory": """
      if (blockIdx.x == 0) {
        int n = 0;
        while (*(volatile int*)(o + 9) == 0) *(volatile int*)(o + 8) = ++n;
      } else {
        while (*(volatile int*)(o + 8) < 1000000) {}
        *(volatile int*)(o + 9) = 1;
      }
      o[blockIdx.x] = 1;""",
}


@pytest.mark.parametrize("body", WAITS.values(), ids=WAITS.keys())
def test_right_programs_that_wait_are_silent(body):
    code = f'extern "C" __global__ void k(int* o) {{ {body} }}'
    out = cuda.to_device(np.zeros(16, np.int32))
    with cuda.checks("memory"):
        cuda.RawKernel(code, "k")(3, 1, (out,))
        cuda.synchronize()
    assert out.copy_to_host()[:3].tolist() == [1, 1, 1]


def test_a_flag_that_the_host_sets_is_waited_for():
    mapped = cuda.mapped_array(1, np.int32)
    mapped[0] = 0
    code = 'extern "C" __global__ void k(volatile int* o) { while (o[0] == 0) {} }'
    with cuda.checks("memory"):
        cuda.RawKernel(code, "k")(1, 1, (mapped,))
        time.sleep(1)
        mapped[0] = 1
        cuda.synchronize()


BARRIER = """#include <cuda/barrier>
#include <cuda/std/chrono>
extern "C" __global__ void k(int* o, int more, int tries) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + more);
  __syncthreads();
  auto token = bar.arrive();
  if (tries)
    while (!bar.try_wait_for(cuda::std::move(token), cuda::std::chrono::nanoseconds(9)))
      __nanosleep(50);
  else
    bar.wait(cuda::std::move(token));
  o[threadIdx.x] = 1;
}"""


def test_cuda_barrier_of_a_card_without_mbarriers_tells_its_arrivals():
    out = cuda.to_device(np.zeros(64, np.int32))
    kernel = cuda.RawKernel(BARRIER, "k")
    for tries in (0, 1):
        kernel(2, 64, (out, 0, tries))
        cuda.synchronize()
    assert out.copy_to_host().tolist() == [1] * 64
    error = fault_of(BARRIER, "k", 100, 64, (out, 1, 0))
    assert error.kind == "deadlock"
    assert "cuda::barrier 'bar' has 64 of 65 arrivals and nobody else" in str(error)
    assert "64 running at line 12" in str(error)


LOCK = """extern "C" __global__ void k(int* o) {
  while (atomicCAS(o, 0, 1) != 0)
    ;
  o[1] += 1;
  {wait}
  atomicExch(o, 0);
}"""


@pytest.mark.parametrize("wait", ["__syncwarp();", "__syncthreads();"])
def test_a_lock_around_a_barrier_names_who_holds_it(wait):
    out = cuda.to_device(np.zeros(8, np.int32))
    error = fault_of(LOCK.replace("{wait}", wait), "k", 1, 64, (out,))
    assert error.kind == "deadlock"
    assert (error.line, error.thread) == (5, (0, 0, 0))
    assert (error.other.line, error.other.thread) == (2, (1, 0, 0))
    assert "1 waiting at line 5, 63 running at line 2" in str(error)


def test_a_barrier_of_more_threads_than_come_tells_how_many():
    code = """extern "C" __global__ void k(int* o) {
      if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 96;" ::: "memory");
    }"""
    out = cuda.to_device(np.zeros(8, np.int32))
    error = fault_of(code, "k", 1, 96, (out,))
    assert error.kind == "deadlock"
    assert error.line == 3
    assert "barrier 1 has 64 of 96 threads and nobody else comes" in str(error)


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
