"""Tests of `viz.warps`: turns of a few warps, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.warps import BARRIER, DONE, MEMORY, READY, RUNS, scene_of

from .picture import check
from .scenes import check_scene

pytestmark = pytest.mark.cuda

DOUBLE = "__global__ void k(float* x) { x[threadIdx.x] *= 2; }"
SWAP = """__global__ void k(float* x) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  x[t] = s[63 - t];
}"""


def traced(code: str, grid: int, block: int, **options: object) -> cuda.Launch:
    x = cuda.to_device(np.ones(2048, np.float32))
    with cuda.inspect(trace=True, **options) as run:
        cuda.RawKernel(code, "k")[grid, block](x)
    return run.launches[0]


@pytest.fixture(scope="module")
def double() -> cuda.Launch:
    """Four warps with nine instructions each, of which the sixth is a load."""
    launch = traced(DOUBLE, 4, 32)
    own = launch.trace.opcode[launch.trace.block == 0].tolist()
    assert (len(own), own[5]) == (9, "ld.global.f32")
    return launch


def runs(turns: str) -> list[int]:
    """Digits are warps, and a dot is a turn with nothing to issue."""
    return [-1 if each == "." else int(each) for each in turns]


def test_turns_worked_out_by_hand(double):
    """The load of turn 5 has its number in turn 13, where latency is 8."""
    figure = viz.warps(double, 8)
    check(figure)
    alone, every = (row[1] for row in figure.data.orders)
    assert [name for _, name in figure.data.held] == ["one warp", "4 blocks"]
    assert alone.issued.tolist() == runs("000000.......000")
    assert every.issued.tolist() == runs("000000111111222222000111333333222....333")
    assert figure.answer == (
        "One warp alone leaves 7 of its 16 turns empty; with 4 blocks, 4 of the 40 "
        "turns are empty."
    )
    first = every.doing[:, 0].tolist()
    assert first == [RUNS] * 6 + [MEMORY] * 7 + [READY] * 5 + [RUNS] * 3 + [DONE] * 19


def test_a_load_of_four_turns_is_hidden_by_three_other_warps(double):
    figure = viz.warps(double, 4)
    assert figure.answer.endswith("with 4 blocks, none of the 36 turns is empty.")
    assert figure.detail == (
        "Turn 7: warp 0 of block 1 issues line 1. Of all warps, 1 waits for memory "
        "and 2 are ready. Order, not time: one instruction each turn; a load from "
        "global memory is assumed to take 4 turns."
    )
    check_scene(figure, scene_of(figure.data))


def test_barriers_hold_a_block_until_its_last_warp_comes():
    figure = viz.warps(traced(SWAP, 2, 64))
    check(figure)
    order = figure.data.orders[1][2]
    assert [name for _, name in figure.data.held] == [
        "one warp",
        "one block",
        "2 blocks",
    ]
    waits = order.doing == BARRIER
    assert waits[:, 0].any()
    assert not waits[:, 1].any()
    opens = int(np.nonzero(waits[:, 0])[0][-1]) + 1
    assert order.doing[opens - 1, 1] == RUNS
    alone = figure.data.orders[0][2]
    assert not (alone.doing == BARRIER).any()
    check_scene(figure, scene_of(figure.data), 8)


def test_all_loads_are_waited_for_with_and_without_ptx(double, monkeypatch):
    """Without PTX a load is waited for by the next instruction, here the same."""
    issued = viz.warps(double).data.orders[0][2].issued
    monkeypatch.setattr(double, "ptx", "")
    assert viz.warps(double).data.orders[0][2].issued.tolist() == issued.tolist()


def test_without_loads_nothing_waits():
    figure = viz.warps(traced("__global__ void k(float* x) { x[0] = 1; }", 1, 1))
    check(figure)
    assert figure.answer == (
        f"With one warp, none of the {figure.data.orders[0][0].turns} turns is empty."
    )


def test_as_many_blocks_as_fit(double):
    launch = traced(DOUBLE, 40, 1024)
    figure = viz.warps(launch)
    check(figure)
    assert launch.blocks_per_sm == 1
    assert [name for _, name in figure.data.held] == ["one warp", "one block"]
    assert figure.detail.endswith("Only the first 240 are shown.")


def test_a_trace_that_was_cut(recwarn):
    figure = viz.warps(traced(DOUBLE, 16, 64, trace_bytes=20_000))
    check(figure)
    assert "The trace was cut at its limit" in figure.detail


def test_bad_input(double):
    with pytest.raises(TypeError, match=r"\[viz.warps\] got int; need a launch"):
        viz.warps(3)
    for latency in (5, "a", 0, None):
        with pytest.raises(ValueError, match=r"got latency .*; need one of \(4, 8"):
            viz.warps(double, latency)
    with cuda.inspect() as run:
        cuda.RawKernel(DOUBLE, "k")[1, 32](cuda.device_array(32, "float32"))
    with pytest.raises(ValueError, match="has no trace"):
        viz.warps(run.launches[0])
