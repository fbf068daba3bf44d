"""Tests of traces: a kernel small enough that every moment is known."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

ROTATE = """__global__ void rotate(int* x) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x] * 3;
  __syncthreads();
  x[threadIdx.x] = s[31 - threadIdx.x];
}"""
GIVEN = np.arange(1, 33, dtype=np.int32)


@pytest.fixture(scope="module")
def launch():
    kernel = cuda.RawKernel(ROTATE, "rotate")
    x = cuda.to_device(GIVEN)
    with cuda.inspect(trace=True) as run:
        kernel[1, 32](x)
    assert x.copy_to_host().tolist() == (GIVEN[::-1] * 3).tolist()
    launch = run.launches[0]
    launch.array = x
    return launch


def step_of(trace, opcode):
    (steps,) = np.nonzero(np.char.startswith(trace.opcode, opcode))
    assert len(steps) == 1, (opcode, trace.opcode)
    return int(steps[0])


def test_columns_have_a_row_for_each_step(launch):
    trace = launch.trace
    assert len(trace) == launch.counters["ptx_warp_instructions"]
    assert not trace.truncated
    for name in ("step", "block", "warp", "line", "file", "opcode", "mask"):
        assert getattr(trace, name).shape == (len(trace),), name
    assert trace.addresses.shape == trace.values.shape == (len(trace), 32)
    assert set(trace.block) == set(trace.warp) == {0}
    assert set(trace.mask) == {0xFFFFFFFF}
    assert trace.line[step_of(trace, "ld.global")] == 3
    assert trace.line[step_of(trace, "st.shared")] == 3
    assert trace.line[step_of(trace, "bar")] == 4
    assert trace.line[step_of(trace, "ld.shared")] == 5


def test_addresses_and_values_of_accesses(launch):
    trace = launch.trace
    step = step_of(trace, "ld.global")
    base = trace.addresses[step, 0]
    assert (trace.addresses[step] - base).tolist() == list(range(0, 128, 4))
    assert trace.values[step].tolist() == GIVEN.tolist()
    step = step_of(trace, "st.shared")
    assert trace.addresses[step].tolist() == list(range(0, 128, 4))
    assert trace.values[step].tolist() == (GIVEN * 3).tolist()
    step = step_of(trace, "ld.shared")
    assert trace.addresses[step].tolist() == list(range(124, -4, -4))
    step = step_of(trace, "st.global")
    assert trace.addresses[step, 0] == base
    assert trace.values[step].tolist() == (GIVEN[::-1] * 3).tolist()


def test_shared_memory_before_and_after_the_store(launch):
    trace = launch.trace
    step = step_of(trace, "st.shared")
    before, after = trace.at(step - 1), trace.at(step)
    assert before.shared.shape == (128,)
    assert (before.writer_step == -1).all()
    assert (before.writer_thread == -1).all()
    assert after.shared_as(np.int32).tolist() == (GIVEN * 3).tolist()
    assert set(after.writer_step) == {step}
    assert after.writer_thread.tolist() == np.repeat(np.arange(32), 4).tolist()
    assert after.active.all()
    assert (after.step, after.block, after.warp, after.line) == (step, (0, 0, 0), 0, 3)


def test_registers_hold_what_was_loaded(launch):
    trace = launch.trace
    step = step_of(trace, "ld.global")
    now, earlier = trace.at(step).registers, trace.at(step - 1).registers
    (name,) = set(now) - set(earlier)
    assert now[name].tolist() == GIVEN.tolist()
    assert trace.at(step).written[name].all()
    last = trace.at(-1)
    assert last.step == len(trace) - 1
    with pytest.raises(IndexError, match=f"need 0 to {len(trace) - 1}"):
        trace.at(len(trace))


def test_blocks_and_warps_are_apart():
    code = """__global__ void mark(int* x) {
      __shared__ int s[64];
      s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
      __syncthreads();
      x[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
    }"""
    x = cuda.device_array(128, "int32")
    with cuda.inspect(trace=True, counters=False) as run:
        cuda.RawKernel(code, "mark")[2, 64](x)
    trace = run.launches[0].trace
    assert set(zip(trace.block, trace.warp, strict=True)) == {
        (b, w) for b in (0, 1) for w in (0, 1)
    }
    for block in (0, 1):
        last = trace.at(int(np.nonzero(trace.block == block)[0][-1]))
        assert last.block == (block, 0, 0)
        assert last.shared_as("i4").tolist() == [block * 100 + i for i in range(64)]
        assert last.writer_thread[::4].tolist() == list(range(64))


def test_a_trace_is_bounded_and_says_so():
    code = """__global__ void spin(int* x, int n) {
      for (int i = 0; i < n; i++) atomicAdd(x, i);
    }"""
    x = cuda.to_device(np.zeros(1, np.int32))
    with cuda.inspect(trace=True, trace_bytes=100_000) as run:
        kernel = cuda.RawKernel(code, "spin")
        kernel[1, 32](x, 10_000)
        kernel[1, 32](x, 10_000)
    first, second = (launch.trace for launch in run.launches)
    assert first.truncated
    assert second.truncated
    assert 0 < first.nbytes + second.nbytes <= 100_000
    assert len(first) > 0
    assert "cut at its limit" in repr(first)


def test_arrays_outlive_the_run():
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(ROTATE, "rotate")[1, 32](cuda.to_device(GIVEN))
    mask = run.launches[0].trace.mask
    del run
    assert set(mask) == {0xFFFFFFFF}
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = 0


def test_without_a_trace_it_says_how_to_get_one():
    with cuda.inspect() as run:
        cuda.RawKernel(ROTATE, "rotate")[1, 32](cuda.to_device(GIVEN))
    with pytest.raises(ValueError, match="no trace was recorded"):
        run.launches[0].trace.at(0)
