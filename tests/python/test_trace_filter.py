"""Tests of traces of chosen launches, blocks and warps against whole traces."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

pytestmark = pytest.mark.cuda

SUM = """__global__ void sum(const float* x, float* out) {
  __shared__ float s[96];
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  s[threadIdx.x] = x[block * 96 + threadIdx.x];
  __syncthreads();
  for (int half = 48; half > 2; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[block] = s[0] + s[1] + s[2];
}"""
GRID = (3, 2, 2)
BLOCKS = 12
STEP_COLUMNS = ("block", "warp", "instruction", "mask")


@pytest.fixture(scope="module")
def arrays():
    x = np.random.default_rng(3).random(BLOCKS * 96, np.float32)
    return cuda.to_device(x), cuda.to_device(np.zeros(BLOCKS, np.float32))


@pytest.fixture(scope="module")
def kernel():
    return cuda.RawKernel(SUM, "sum")


def traced(kernel, arrays, **choice):
    with cuda.inspect(trace=True, **choice) as run:
        kernel[GRID, 96](*arrays)
    assert run.findings == []
    return run.launches[0]


@pytest.mark.parametrize(
    ("choice", "blocks", "warps"),
    [
        ({}, range(12), range(3)),
        ({"trace_blocks": 7}, [7], range(3)),
        ({"trace_blocks": [(1, 0, 1)]}, [7], range(3)),
        ({"trace_blocks": [11, (0, 0, 0), 11]}, [0, 11], range(3)),
        ({"trace_blocks": np.array([5, 2])}, [2, 5], range(3)),
        ({"trace_warps": 1}, range(12), [1]),
        ({"trace_blocks": [3, 4], "trace_warps": (0, 2)}, [3, 4], [0, 2]),
        ({"trace_warps": range(32)}, range(12), range(3)),
        ({"trace_blocks": 12}, [], []),
        ({"trace_blocks": [(3, 0, 0), (0, 2, 0)]}, [], []),
        ({"trace_warps": [5]}, [], []),
    ],
)
def test_rows_are_those_of_the_whole_trace(kernel, arrays, choice, blocks, warps):
    whole = traced(kernel, arrays).trace
    part = traced(kernel, arrays, **choice).trace
    wanted = np.isin(whole.block, list(blocks)) & np.isin(whole.warp, list(warps))
    for name in STEP_COLUMNS:
        got, all_ = part.columns[name], whole.columns[name]
        assert got.tolist() == all_[wanted].tolist(), name
    rows = wanted[whole.columns["access_step"]]
    addresses = whole.columns["access_address"][rows]
    assert np.array_equal(part.columns["access_address"], addresses)
    assert not part.truncated


def test_variables_of_blocks_that_were_left_out_are_not_known(kernel, arrays):
    with cuda.inspect(trace=True, debug=True, trace_blocks=[1]) as run:
        kernel[GRID, 96](*arrays)
    trace = run.launches[0].trace
    last = len(trace) - 1
    values, known = trace.variables(1).at(last, warp=0)["block"]
    assert known.all()
    assert set(values.tolist()) == {1}
    assert not any(k.any() for _, k in trace.variables(2).at(last, warp=0).values())


def test_chosen_launches(kernel, arrays):
    with cuda.inspect(trace=True, trace_launches=[1, 3], trace_warps=0) as run:
        for blocks in (1, 2, 3, 4):
            kernel[blocks, 96](*arrays)
    assert [len(each.arguments) for each in run.launches] == [0, 2, 0, 2]
    for number in (1, 3):
        trace = run.launches[number].trace
        assert set(trace.block.tolist()) == set(range(number + 1))
        assert set(trace.warp.tolist()) == {0}
    for number in (0, 2):
        with pytest.raises(
            ValueError, match=r"not traced\. Add its number to trace_la"
        ):
            run.launches[number].trace  # noqa: B018
        assert run.launches[number].counters["barriers"] > 0


def test_blocks_that_overlap_record_what_any_asked_for(kernel, arrays):
    with (
        cuda.inspect(trace=True, trace_blocks=[1, 2], trace_warps=0),
        cuda.inspect(trace=True, trace_blocks=[2, 3], trace_warps=1) as run,
    ):
        kernel[GRID, 96](*arrays)
    trace = run.launches[0].trace
    assert set(trace.block.tolist()) == {1, 2, 3}
    assert set(trace.warp.tolist()) == {0, 1}
    with (
        cuda.inspect(trace=True, trace_blocks=list(range(9))),
        cuda.inspect(trace=True, trace_blocks=list(range(3, 12))) as run,
    ):
        kernel[GRID, 96](*arrays)
    assert set(run.launches[0].trace.block.tolist()) == set(range(12))
    with (
        cuda.inspect(trace=True),
        cuda.inspect(trace=True, trace_blocks=3) as run,
    ):
        kernel[GRID, 96](*arrays)
    assert set(run.launches[0].trace.block.tolist()) == set(range(12))


def test_a_large_launch_leaves_room_for_its_part(kernel):
    blocks = 2000
    x = cuda.to_device(np.ones(blocks * 96, np.float32))
    out = cuda.to_device(np.zeros(blocks, np.float32))
    with cuda.inspect(trace=True, trace_bytes=1 << 20, trace_blocks=1999) as run:
        kernel[blocks, 96](x, out)
    trace = run.launches[0].trace
    assert not trace.truncated
    assert set(trace.block.tolist()) == {1999}
    assert out.copy_to_host()[1999] == 96


@pytest.mark.parametrize(
    ("choice", "error", "words"),
    [
        (
            {"trace_blocks": -1},
            ValueError,
            r"got -1 in trace_blocks; need a block number",
        ),
        ({"trace_blocks": []}, ValueError, "trace_blocks is empty; need at least one"),
        ({"trace_blocks": list(range(17))}, ValueError, "got 17 blocks .* most 16"),
        ({"trace_blocks": [(1, 2)]}, TypeError, r"got \(1, 2\) in trace_blocks; need"),
        ({"trace_blocks": [(0, 1 << 16, 0)]}, ValueError, "got 65536 in trace_blocks"),
        ({"trace_blocks": "ab"}, TypeError, "got str for trace_blocks; need a number"),
        ({"trace_warps": 32}, ValueError, "got 32 in trace_warps; need the number"),
        ({"trace_launches": -2}, ValueError, "got -2 in trace_launches; need a launch"),
    ],
)
def test_bad_choices(choice, error, words):
    with pytest.raises(error, match=words):
        cuda.inspect(trace=True, **choice)


def test_a_choice_needs_a_trace():
    with pytest.raises(ValueError, match=r"trace_warps need trace=True"):
        cuda.inspect(trace_warps=0)
