"""Tests of the overview: against a simulation of each thread, and the counters."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.overview.overviews import overview_data
from minitorch.viz.views.overview.picture import draw_overview

from .picture import check, elements, words
from .test_viz_divergence import COLLATZ, GUARD, numbers, traced, turns

pytestmark = pytest.mark.cuda


def collatz(blocks: int, threads: int, **options) -> cuda.Launch:
    count = blocks * threads
    given = (numbers(count), numbers(count), count)
    return traced(COLLATZ, blocks, threads, *given, **options)


@pytest.fixture(scope="module")
def large():
    return collatz(16, 256)


@pytest.fixture(scope="module")
def simulated():
    return np.array([turns(1 + thread) for thread in range(4096)]).reshape(128, 32)


def test_each_thread_ran_as_often_as_the_simulation(large, simulated):
    data = overview_data(large)
    each = data.steps[0] // simulated[0].max()  # instructions a turn
    assert (data.lanes == each * simulated).all()
    assert (data.steps == each * simulated.max(axis=1)).all()
    assert (data.active == each * simulated.sum(axis=1)).all()
    assert (data.loop.first_line, data.loop.last_line) == (5, 10)
    assert (data.all_steps, data.all_active) == (data.steps.sum(), data.active.sum())
    shares = simulated.mean(axis=1) / simulated.max(axis=1)
    assert data.worst.tolist() == np.argsort(shares, kind="stable").tolist()
    assert not data.by_block


def test_the_answer_is_the_mean_of_the_simulation(large, simulated):
    figure = viz.overview(large)
    check(figure)
    mean = simulated.sum() / simulated.max(axis=1).sum()
    assert round(mean) == 15
    assert figure.question == "4,096 threads: where should I look?"
    assert figure.answer == (
        "On average 15 of 32 threads are active in the loop. Warp 0 of block 0 keeps 5 "
        "busy, the fewest."
    )
    assert figure.detail == (
        "Its longest thread runs 888 instructions in the loop on lines 5–10; the mean "
        "thread runs 138. A warp ends when its last thread ends."
    )
    assert 888 / 111 == 8 == round(138 / simulated[0].mean(), 1)


def test_without_a_loop_everything_is_counted():
    launch = traced(GUARD, 3, 32, numbers(65), numbers(65), 50)
    data, counters = overview_data(launch), launch.counters
    assert data.loop is None
    assert data.all_steps == data.steps.sum() == counters["ptx_warp_instructions"]
    assert data.all_active == data.lanes.sum() == counters["ptx_instructions"]
    figure = viz.overview(launch)
    assert "Warp 0 of block 1 keeps 24 busy, the fewest." in figure.answer
    assert " in the loop" not in figure.answer


def test_bars_have_the_lengths_of_the_warps(large, simulated):
    for order in ("block", "worst"):
        figure = viz.overview(large, order=order)
        bars = {each.get("data-at"): each for each in elements(figure, "rect")}
        warps = range(128) if order == "block" else figure.data.worst.tolist()
        longest = simulated.max(axis=1)
        wide = float(bars["b0"].get("width")) / longest[warps[0]]
        for slot, warp in enumerate(warps):
            whole, solid = bars[f"b{slot}"], bars[f"s{slot}"]
            length = longest[warp] * wide
            assert float(whole.get("width")) == pytest.approx(length, abs=0.1)
            part = simulated[warp].mean() * wide
            assert float(solid.get("width")) == pytest.approx(part, abs=0.1)
            assert solid.get("fill") == f"var(--c{warp % 8 % 4})"
    assert "worst 1–8" in words(figure)


def test_the_focus_can_be_chosen(large, simulated):
    figure = viz.overview(large, block=9, warp=5)
    warp = 9 * 8 + 5
    mean = simulated[warp].sum() / simulated[warp].max()
    assert figure.answer.endswith(f"Warp 5 of block 9 keeps {round(mean)} busy.")
    shown = words(figure)
    assert "Block 9" in shown
    assert "Warp 5" in shown
    lane = int(simulated[warp].argmax())
    most = 8 * int(simulated[warp].max())
    thread = 5 * 32 + lane
    assert (
        f"lane {lane} (thread {thread}): {most:,} of {most:,} instructions, the most"
    ) in shown
    # The worst warp of a block, where only the block is given.
    worst = min(
        range(72, 80), key=lambda at: simulated[at].mean() / simulated[at].max()
    )
    assert f"Warp {worst - 72} of block 9" in viz.overview(large, (9,)).answer


def test_lanes_are_as_high_as_they_ran(large, simulated):
    figure = draw_overview(overview_data(large), warp=77)
    paths = {each.get("data-at"): each.get("d") for each in elements(figure, "path")}
    high = [float(each) for each in re.findall(r"v([\d.]+)", paths["on"])]
    own = simulated[77]
    full = max(float(each) for each in re.findall(r"v([\d.]+)", paths["off"]))
    assert high == pytest.approx((full * own / own.max()).tolist(), abs=0.1)
    drawn = [paths[f"depth{level}"].count("M") for level in range(8)]
    block = 8 * simulated[72:80].ravel() // simulated.max()
    wanted = np.bincount(np.minimum(block, 7), minlength=8)
    assert drawn == wanted.tolist()


def test_many_warps_become_blocks_and_say_so():
    launch = collatz(300, 64, trace_bytes=1 << 30)
    simulated = np.array([turns(1 + each) for each in range(19_200)]).reshape(
        300, 2, 32
    )
    figure = viz.overview(launch)
    data = figure.data
    assert data.by_block
    assert data.more == 300 - 128
    shares = simulated.sum(axis=(1, 2)) / (32 * simulated.max(axis=2).sum(axis=1))
    wanted = np.argsort(shares, kind="stable")[:128]
    assert set(data.blocks.tolist()) == set(wanted.tolist())
    assert data.all_active == 8 * simulated.sum()
    assert "… and 172 more blocks whose threads are off less" in words(figure)
    assert "The worst 128 of 300 blocks" in " ".join(words(figure))
    assert len(figure.live.payload) <= 1_000_000
    check(figure)
    with pytest.raises(IndexError, match="need one of the 128 whose threads"):
        viz.overview(launch, min(set(range(300)) - set(data.blocks.tolist())))


@pytest.mark.parametrize(
    ("blocks", "threads"), [(1, 1), (1, 40), (4, 1024), (128, 32), (40, 96), (5, 1000)]
)
def test_launches_of_any_shape_fit(blocks, threads):
    figure = viz.overview(collatz(blocks, threads))
    check(figure)
    assert len(figure.live.payload) <= 1_000_000
    assert figure.question.startswith(f"{blocks * threads:,} thread")
    if threads == 1:
        assert figure.answer == "All threads of every warp are active all the time."
    if threads == 40:
        assert "keeps 5 of its 32 busy, the smallest part." in figure.answer


def test_a_cut_trace_says_so(large):
    figure = viz.overview(collatz(4, 64, trace_bytes=40_000))
    assert "The trace was cut at its limit" in figure.detail
    assert "of block 0" in figure.answer
    check(figure)


def test_a_loop_that_some_warps_never_enter():
    code = """__global__ void some(int* x) {
      int i = threadIdx.x;
      if (i >= 32) return;
      #pragma unroll 1
      for (int k = 0; k < i; k++) atomicAdd(&x[0], k);
    }"""
    launch = traced(code, 1, 64, numbers(1))
    data = overview_data(launch)
    assert data.loop is not None
    assert data.steps[1] == 0
    assert viz.overview(launch, 0, 1).answer.endswith("Warp 1 does not run it.")
    check(viz.overview(launch, 0, 1))


def test_wrong_arguments_are_refused(large):
    with pytest.raises(TypeError, match=r"\[viz.overview\] got int; need one launch"):
        viz.overview(3)
    with pytest.raises(ValueError, match="got order 'best'; need 'block' or 'worst'"):
        viz.overview(large, order="best")
    with pytest.raises(IndexError, match="got block 16"):
        viz.overview(large, 16)
    with pytest.raises(IndexError, match="got warp 8"):
        viz.overview(large, 0, 8)
    with pytest.raises(TypeError, match="got block 'x'"):
        viz.overview(large, "x")
    with cuda.inspect() as run:
        cuda.RawKernel(COLLATZ, "collatz")[1, 32](numbers(32), numbers(32), 32)
    with pytest.raises(ValueError, match="without a trace"):
        viz.overview(run.launches[0])
