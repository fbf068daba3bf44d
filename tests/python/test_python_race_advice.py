"""The advice for races, by how the threads use what they race on."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda.random import (
    create_xoroshiro128p_states,
    xoroshiro128p_uniform_float32,
)

from .source_tree import ROOT

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not find races")


def fault():
    with pytest.raises(cuda.KernelError) as caught:
        cuda.synchronize()
    return caught.value


def test_a_race_within_one_line_asks_for_an_atomic():
    @cuda.jit
    def total(out):
        out[0] += 1

    total[1, 64](cuda.to_device(np.zeros(1)))
    message = str(fault())
    assert "[total] race on out[0]: " in message
    assert "use cuda.atomic.add or its like" in message


def test_a_line_that_reads_its_neighbour_needs_a_barrier_or_another_array():
    @cuda.jit
    def rounds(x):
        i, half = cuda.threadIdx.x, 32
        while half > 0:
            if i < half:
                x[i] += x[i + half]
            half //= 2

    rounds[1, 64](cuda.to_device(np.ones(64)))
    message = str(fault())
    assert "put cuda.syncthreads() between the rounds of a loop" in message

    @cuda.jit
    def shift(x):
        i = cuda.grid(1)
        if i < x.size - 1:
            x[i] = x[i + 1]

    shift[64, 1](cuda.to_device(np.ones(64)))
    message = str(fault())
    assert "read one array and write another, or use a second launch" in message


def zeros(*shape, dtype="float32"):
    return cuda.to_device(np.zeros(shape, dtype))


def ramp(dtype="float32"):
    return cuda.to_device(np.arange(64).astype(dtype))


@cuda.jit
def largest(x, out):
    i = cuda.grid(1)
    if x[i] > out[0]:
        out[0] = x[i]


@cuda.jit
def smallest_by_a_variable(x, out):
    i = cuda.grid(1)
    best = out[0]
    if best > x[i]:
        out[0] = x[i]


@cuda.jit
def largest_by_max(x, out):
    out[0] = max(out[0], x[cuda.grid(1)])


@cuda.jit
def sum_by_a_variable(x, out):
    old = out[0]
    out[0] = old + x[cuda.grid(1)]


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (largest, "use an atomic maximum or minimum, cuda.atomic.max or"),
        (smallest_by_a_variable, "cuda.atomic.max or cuda.atomic.min."),
        (largest_by_max, "cuda.atomic.max or cuda.atomic.min."),
        (sum_by_a_variable, "use cuda.atomic.add or its like"),
    ],
)
@pytest.mark.parametrize("blocks", [1, 64])
def test_an_element_that_all_threads_read_and_write_wants_an_atomic(
    kernel, said, blocks
):
    start = cuda.to_device(np.full(1, 30, np.float32))
    kernel[blocks, 64 // blocks](ramp(), start)
    message = str(fault())
    assert said in message
    assert "syncthreads" not in message


@cuda.jit
def told_by_the_first(x, out):
    i = cuda.threadIdx.x
    old = out[0]
    x[i] = old
    if i == 0:
        out[0] = old + 1


@cuda.jit
def rounds_over_pairs(x, out):
    tile = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        i = 2 * step * t
        if i < 64:
            tile[i] += tile[i + step]
        step *= 2
    out[t] = tile[t]


@pytest.mark.parametrize("kernel", [told_by_the_first, rounds_over_pairs])
def test_what_a_barrier_orders_gets_a_barrier(kernel):
    kernel[1, 64](ramp(), zeros(64))
    message = str(fault())
    assert "put cuda.syncthreads() between" in message
    assert "atomic" not in message


@cuda.jit
def publish(x, out):
    i = cuda.grid(1)
    x[i] = i
    out[i] = x[(i + 1) % x.size]


def test_blocks_are_ordered_by_what_python_has():
    publish[64, 1](ramp(), zeros(64))
    assert str(fault()).endswith(
        "Different blocks: use cuda.atomic, a second launch, or "
        "cuda.cg.this_grid().sync() between the two."
    )


@cuda.jit
def noise(states, x):
    i, j = cuda.grid(2)
    x[i, j] = xoroshiro128p_uniform_float32(states, i)


def test_a_random_state_of_several_threads_is_named_and_not_its_result():
    noise[1, (8, 8)](create_xoroshiro128p_states(8, 1), zeros(8, 8))
    message = str(fault())
    assert re.search(r"race on states\[\d\]: ", message)
    assert message.count("(states[i])") == 2
    assert "x[i, j]" not in message
    assert "give each thread a state of its own" in message


@cuda.jit
def two_of_one_memory(x, y):
    low = cuda.shared.array(0, np.float32)
    high = cuda.shared.array(0, np.float32)
    t = cuda.threadIdx.x
    low[t] = x[t]
    high[63 - t] = t
    cuda.syncthreads()
    y[t] = low[t] + high[t]


def test_two_arrays_of_dynamic_shared_memory_are_said_to_begin_alike():
    two_of_one_memory[1, 64, 0, 512](ramp(), zeros(64))
    message = str(fault())
    assert re.search(r"race on low\[\d+\]|race on high\[\d+\]", message)
    assert "(low[t])" in message
    assert "(high[63 - t])" in message
    assert "begins at the start of dynamic shared memory" in message
    assert "syncthreads" not in message


TOTAL = """__global__ void k(const float* a, float* out) {
  __shared__ float total[2];
  int t = threadIdx.x;
  if (t == 0) total[0] = total[1] = 0;
  __syncthreads();
  total[1] += a[t];
  total[0] += 1;
  __syncthreads();
  if (t == 0) out[0] = total[0] + total[1];
}"""
LARGEST = """__global__ void k(const float* a, float* out) {
  float x = a[threadIdx.x];
  if (x > out[0]) out[0] = x;
}"""
TWO_ARRAYS = """__global__ void k(const float* a, float* out) {
  extern __shared__ float low[];
  extern __shared__ float high[];
  int t = threadIdx.x;
  low[t] = a[t];
  high[63 - t] = t;
  __syncthreads();
  out[t] = low[t] + high[t];
}"""
ROUNDS = """__global__ void k(const float* a, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int i = 2 * d * t;
    if (i < 64) s[i] += s[i + d];
  }
  out[t] = s[t];
}"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (TOTAL, "race on 'total': "),
        (TOTAL, "use an atomic such as atomicAdd()"),
        (LARGEST, "atomicMax() or atomicMin()"),
        (TWO_ARRAYS, "every extern __shared__ array begins at the start of dynamic"),
        (ROUNDS, "put __syncthreads() between them"),
    ],
)
def test_advice_in_cuda_cpp(code, said):
    cuda.RawKernel(code, "k")(1, 64, (ramp(), zeros(64)), shared_mem=512)
    message = str(fault())
    assert said in message
    assert "_Z" not in message


def rows_of(file, macro):
    """The columns of a table of the catalogue; neighbouring texts are one."""
    text = (ROOT / "cpp" / "findings" / file).read_text("utf-8")
    rows = re.findall(rf"^{macro}\((.*?)\)$", text, re.MULTILINE | re.DOTALL)
    parts = (re.findall(r'((?:"(?:[^"\\]|\\.)*"\s*)+)(?:,|$)', row) for row in rows)
    return [["".join(re.findall(r'"(.*?)"', one)) for one in row] for row in parts]


def test_advice_for_python_uses_names_of_python_alone():
    remedies = [(row[-2], row[-1]) for row in rows_of("remedies.inc", "FINDING_REMEDY")]
    kinds = [(row[1], row[2]) for row in rows_of("kinds.inc", "FINDING_KIND")]
    assert (len(remedies), len(kinds)) > (15, 30)
    for cpp, python in remedies + kinds:
        text = python or cpp
        for name in re.findall(r"[\w.{]+(?:\(\)[\w.]*)*\(?", text):
            if not re.search(r"\w[.(]\w|\w\(|_", name):
                continue  # a word
            if name.startswith(("{sync", "kernel[", "MINITORCH_")):
                continue
            called = re.sub(r"\(\)\.sync", "", name)  # of a group that it gives
            first, *rest = re.sub(r"\(\)|[.(]+$", "", called).split(".")
            assert first in ("cuda", "np"), (name, text)
            found = cuda if first == "cuda" else np
            for part in rest:
                found = getattr(found, part)
