"""Tests of pictures of kernels that failed, and of other launches that go badly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.cuda.errors import Index
from minitorch.viz.traces.faults import fault_of

from .picture import check, elements, words
from .step_kernels import traced

pytestmark = pytest.mark.cuda

SHIFT = """__global__ void shift(const float* x, float* y, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  y[i + by] = v * 2;
}"""


def shifted(by: int, **options) -> cuda.Launch:
    x = cuda.to_device(np.ones(40, np.float32))
    return traced(SHIFT, 5, 8, x, cuda.device_array(40, "float32"), by, **options)


def red(figure: viz.Figure) -> list[str]:
    return [
        "".join(each.itertext())
        for each in elements(figure, "text")
        if each.get("fill") == "var(--bad)"
    ]


def test_the_thread_that_failed_is_in_focus_with_the_cell_that_it_missed():
    figure = viz.grid(shifted(1))
    check(figure)
    assert figure.answer == (
        "Thread 7 of block 4 reads x[39], and fails as it writes y[40]: y has only 40 "
        "cells."
    )
    assert figure.findings == 1
    assert red(figure) == ["40"]
    fault = figure.data.fault
    assert (fault.block, fault.thread, fault.line) == (4, 7, 4)
    assert (fault.array, fault.cell, fault.count) == ("y", 40, 40)
    # Written before it failed: y[1] to y[32], by four blocks.
    y = next(each for each in figure.data.arrays if each.array.name == "y")
    assert (y.writer >= 0).sum() == 32


@pytest.mark.parametrize(
    ("by", "said", "missed"),
    [
        (-1, "y[-1]: y begins with cell 0", "one cell before its first"),
        (-20, "y[-20]: y begins with cell 0", "20 cells before its first"),
        (14, "y[40]: y has only 40 cells", "one cell past its end"),
    ],
)
def test_the_first_thread_that_misses_is_named(by, said, missed):
    figure = viz.grid(shifted(by))
    check(figure)
    assert figure.answer.endswith(f"fails as it writes {said}.")
    assert any(missed in each for each in words(figure))
    # By hand: the first block in which one leaves y, and there the lowest such thread.
    places = np.arange(40).reshape(5, 8) + by
    block, thread = np.argwhere((places < 0) | (places >= 40))[0]
    fault = figure.data.fault
    assert (fault.block, fault.thread) == (block, thread)
    assert fault.cell == places[block, thread]


def test_another_thread_can_be_looked_at():
    launch = shifted(1)
    figure = viz.grid(launch, 0, 0)
    assert figure.answer == "Thread 0 of block 0 reads x[0], and writes y[1]."
    assert figure.alarm.startswith("Thread 7 of block 4 fails as it writes y[40]")
    assert red(figure) == ["40"]


@cuda.jit
def beyond(a, values):
    i = cuda.threadIdx.x
    values[i] = a[i, 3]


@cuda.jit
def first_of(a, values):
    i = cuda.threadIdx.x
    values[i] = a[i, 0]


def test_python_kernels_and_matrices():
    a = cuda.to_device(np.zeros((4, 3)))
    values = cuda.to_device(np.zeros(4))
    with cuda.inspect(trace=True) as run:
        beyond[1, 4](a, values)
    figure = viz.grid(run.launches[0])
    check(figure)
    assert figure.answer == "Thread 0 fails as it reads a[0, 3]: a is 4 × 3."
    assert red(figure) == ["[0, 3]"]


def test_a_strided_view_has_no_cell_number():
    whole = cuda.to_device(np.zeros(8))
    with cuda.inspect(trace=True) as run:
        beyond[1, 4](cuda.to_device(np.zeros((4, 4))), whole[6::-2][:0])
    figure = viz.grid(run.launches[0])
    check(figure)
    assert "fails as it writes" in figure.answer


def test_other_faults_of_global_memory():
    null = traced("__global__ void k(int* x) { *x = 3; }", 1, 1, None)
    assert (
        viz.grid(null).answer == "Thread 0 fails as it writes through a null pointer."
    )
    x = cuda.to_device(np.zeros(8, np.int32))
    odd = traced(
        "__global__ void k(int* x) { *(int*)((char*)x + threadIdx.x + 1) = 3; }",
        1, 1, x,
    )  # fmt: skip
    assert viz.grid(odd).answer == (
        "Thread 0 fails as it writes 4 bytes at an address that 4 does not divide."
    )
    for launch in (null, odd):
        check(viz.grid(launch))


def test_faults_elsewhere_are_shown_in_their_step():
    trap = """__global__ void k(int* x) {
      x[threadIdx.x] = 1;
      if (blockIdx.x == 1 && threadIdx.x == 5)
        asm("trap;");
    }"""
    launch = traced(trap, 2, 32, cuda.to_device(np.zeros(32, np.int32)),
                    checks="memory")  # fmt: skip
    fault = fault_of(launch)
    assert (fault.block, fault.thread, fault.line) == (1, 5, 4)
    assert fault.finding.kind == "trap"
    assert fault.words == "fails at a trap"
    figure = viz.step(launch)
    check(figure)
    assert figure.question == "What is each thread of this block doing right now?"
    assert "thread 5 fails at a trap" in figure.answer
    assert "line 4" in figure.detail
    shared = """__global__ void k(int* x) {
      __shared__ int s[32];
      s[threadIdx.x + 1] = x[0];
      x[threadIdx.x] = s[threadIdx.x];
    }"""
    launch = traced(shared, 1, 32, cuda.to_device(np.zeros(32, np.int32)))
    figure = viz.step(launch)
    check(figure)
    assert figure.findings > 0
    assert figure.answer.endswith(
        "thread 31 fails as it writes cell 32 of s: s has only 32 cells."
    )
    assert "line 3" in figure.detail
    assert red(figure) == ["out of bounds", "32"]  # its mark in time, the missed cell


def test_a_launch_that_ran_to_its_end_has_no_fault():
    assert fault_of(shifted(0)) is None
    racy = traced("__global__ void k(int* x) { *x = threadIdx.x; }", 1, 64,
                  cuda.device_array(1, "int32"))  # fmt: skip
    assert racy.findings
    assert fault_of(racy) is None


def test_names_values_and_cut_traces_at_a_fault():
    code = """__global__ void k(const float* lt, float* far_%s) {
      far_%s[threadIdx.x * 9] = lt[threadIdx.x];
    }"""
    code = code.replace("%s", "long" * 20)
    values = np.array([np.nan, np.inf], np.float32)
    launch = traced(code, 1, 2, cuda.to_device(values), cuda.device_array(1, "float32"))
    figure = viz.grid(launch)
    check(figure)
    assert figure.answer.startswith("Thread 1 reads lt[1], and fails as it writes far_")
    assert "[9]" in figure.answer
    assert len(figure.answer) < 120
    assert any("9 cells past its end" in each for each in words(figure))
    cut = shifted(1, trace_bytes=2000)
    assert cut.trace.truncated
    figure = viz.grid(cut)
    check(figure)
    assert "fails as it writes y[40]" in figure.answer
    assert "only its first" in figure.detail


def test_a_kernel_that_does_nothing():
    code = "__global__ void k(float* x) { if (threadIdx.x > 99) *x = 3; }"
    figure = viz.grid(traced(code, 1, 4, cuda.device_array(1, "float32")))
    check(figure)
    assert figure.answer == "Thread 0 touches no cell."
    assert figure.findings == 0


UNINIT = """__global__ void k(float* x) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t < 20) s[t] = 1;
  __syncthreads();
  if (blockIdx.x == 1) x[t] = s[31 - t];
}"""
DIVERGED = """__global__ void k(float* x) {
  int t = threadIdx.x;
  if (blockIdx.x == 1 && t < 20)
    __syncthreads();
  x[blockIdx.x * 32 + t] = 2;
}"""
STUCK = """__global__ void k(float* x) {
  if (blockIdx.x == 1) {
    if (threadIdx.x < 32)
      asm volatile("bar.sync 1, 64;");
    else
      asm volatile("bar.sync 2, 64;");
  }
  x[blockIdx.x * 64 + threadIdx.x] = 2;
}"""
DIVIDED = """__global__ void k(const int* a, int* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = 7 / a[i];
}"""
NULL = """__global__ void k(int* x, int* y) {
  y[threadIdx.x] = 1;
  if (blockIdx.x == 1 && threadIdx.x == 3)
    *x = 3;
}"""


def failing(kind: str) -> cuda.Launch:
    """A launch of several blocks that goes wrong in the second one."""
    if kind == "oob_global":
        return shifted(25)  # 40 cells: the second block's last thread is the first
    if kind == "uninit_shared":
        return traced(UNINIT, 2, 32, cuda.device_array(32, "float32"))
    if kind == "barrier_divergence":
        return traced(DIVERGED, 2, 32, cuda.device_array(64, "float32"))
    if kind == "deadlock":
        return traced(STUCK, 2, 64, cuda.device_array(128, "float32"))
    if kind == "div_by_zero":
        a = cuda.to_device((np.arange(32) != 20).astype(np.int32))
        return traced(DIVIDED, 2, 16, a, cuda.device_array(32, "int32"))
    return traced(NULL, 2, 32, None, cuda.device_array(32, "int32"))


# What each says of which thread of block 1.
FAILURES = {
    "oob_global": (7, "fails as it writes y[40]: y has only 40 cells"),
    "uninit_shared": (0, "reads cell 31 of s, which nobody has written"),
    "barrier_divergence": (0, "fails at a barrier that not all threads reach"),
    "deadlock": (0, "waits for ever"),
    "div_by_zero": (4, "divides by zero"),
    "null_pointer": (3, "fails as it writes through a null pointer"),
}


@pytest.fixture(scope="module", params=FAILURES)
def failed(request) -> tuple[cuda.Launch, int, str]:
    launch = failing(request.param)
    assert request.param in {each.kind for each in launch.findings}
    return launch, *FAILURES[request.param]


@pytest.mark.parametrize("view", ["divergence", "memory"])
def test_each_view_has_the_failure_as_its_headline(failed, view):
    launch, thread, words_ = failed
    figure = getattr(viz, view)(launch)
    check(figure)
    line = fault_of(launch).line
    headline = f"Thread {thread} of block 1 {words_} (line {line})."
    assert figure.alarm == headline
    assert figure.alt.startswith(headline)
    assert repr(figure) == f"Figure({headline} {figure.answer})"
    assert figure.findings >= 1
    assert f'"alarm": "{headline}"' in figure.html()


def test_the_failing_thread_is_open_at_first(failed):
    launch, thread, said = failed
    grid, step = viz.grid(launch), viz.step(launch)
    check(grid)
    check(step)
    assert (grid.data.at_block[0], grid.data.at_thread[0]) == (1, thread)
    assert grid.answer.startswith(f"Thread {thread} of block 1 ")
    assert grid.answer.endswith(f"{said}.")
    assert (step.data.block, step.data.thread) == (1, thread)
    assert step.answer.endswith(f": thread {thread} {said}.")
    assert grid.alarm == step.alarm == ""  # their answers say it
    assert viz.divergence(launch).data.block == 1


def test_other_blocks_can_be_looked_at_and_say_what_failed_elsewhere(failed):
    launch, thread, said = failed
    for figure in (viz.step(launch, block=0), viz.grid(launch, 1, 0)):
        check(figure)
        assert figure.alarm.startswith(f"Thread {thread} of block 1 {said}")
    assert viz.divergence(launch, block=0).data.block == 0


def test_no_barrier_opens_where_warps_wait_for_ever():
    figure = viz.step(failing("deadlock"))
    text = f"{figure.answer} {figure.detail}"
    assert "opens" not in text
    assert "Warp 0 waits at the barrier on line 4." in text
    assert not figure.data.steps.opens.any()


def test_a_launch_that_is_right_has_no_alarm():
    launch = shifted(0)
    for view in ("divergence", "memory", "step", "grid"):
        assert getattr(viz, view)(launch).alarm == ""
    assert viz.compare(launch, launch).alarm == ""
    assert viz.compare(launch, shifted(1)).alarm.startswith("Thread 7 of block 4 fails")


def told(*indices, extents=(4, 3)):
    """Indices as findings have them."""
    pairs = zip(indices, extents, strict=False)
    return tuple(Index(at, *pair) for at, pair in enumerate(pairs))


def test_the_index_that_is_outside_is_told_and_drawn():
    a = cuda.to_device(np.zeros((4, 3)))
    with cuda.inspect(trace=True) as run:
        beyond[1, 4](a, cuda.to_device(np.zeros(4)))
    launch = run.launches[0]
    (error,) = [each for each in launch.findings if each.severity == "error"]
    for indices, cells in (((0, 3), (0, 2)), ((5, 1), (0, 3)), ((2, -4), (0, 2))):
        error.indices = told(*indices)
        figure = viz.grid(launch)
        check(figure)
        spelled = f"a[{indices[0]}, {indices[1]}]"
        assert figure.answer == f"Thread 0 fails as it reads {spelled}: a is 4 × 3."
        assert red(figure) == [spelled[1:]]
        along = [each for each in words(figure) if each.startswith("[")]
        assert len(along) == cells[1] + 2
        assert any(f"misses {spelled}" in each for each in words(figure))


def test_an_index_of_a_strided_view_and_one_within_the_array_s_memory():
    whole = cuda.to_device(np.zeros(16))
    with cuda.inspect(trace=True) as run:
        first_of[1, 4](cuda.to_device(np.zeros((4, 4))), whole[::8])
    launch = run.launches[0]
    (error,) = [each for each in launch.findings if each.severity == "error"]
    assert error.indices == told(2, extents=(2,))
    figure = viz.grid(launch)
    check(figure)
    assert figure.answer.endswith(
        "fails as it writes values[2]: values has only 2 cells."
    )
    assert red(figure) == ["2"]
    # A column that is outside, in a row that is inside: the cell is another one's.
    shared = """__global__ void k(int* x) {
      __shared__ int s[32];
      s[threadIdx.x + 1] = x[0];
      x[threadIdx.x] = s[threadIdx.x];
    }"""
    launch = traced(shared, 1, 32, cuda.to_device(np.zeros(32, np.int32)))
    (error,) = [each for each in launch.findings if each.severity == "error"]
    error.allocation = replace(error.allocation, offset=12)
    error.indices = told(1, 5)
    assert fault_of(launch).words == "fails as it writes s[1, 5], outside of it"
    check(viz.grid(launch))
