"""Tests of the view of multiprocessors: against sums by hand from the data sheets."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.traces.residency import sms_data

from .picture import check, elements, words

pytestmark = pytest.mark.cuda

TILE = """__global__ void tile(float* x) {
  __shared__ float s[6144];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}"""
SMALL = "__global__ void small(float* x) { x[threadIdx.x] = 1; }"


def launched(kernel, grid, block, **options) -> cuda.Launch:
    x = cuda.to_device(np.zeros(1024, np.float32))
    with cuda.inspect(checks="memory", counters=False, **options) as run:
        kernel(grid, block, (x,))
    return run.launches[0]


@pytest.fixture(scope="module")
def tile():
    kernel = cuda.RawKernel(TILE, "tile")
    return launched(kernel, 200, 256), kernel


def test_blocks_and_waves_by_hand(tile):
    """24 KB a block: 2 fit in a T4's 64 KB, 4 (with 1 KB more) in an RTX 3090's 100."""
    t4, rtx = sms_data(*tile, ("t4", "rtx3090")).cards
    assert (t4.fit, t4.resident, t4.warps, t4.sms) == (2, 16, 32, 40)
    assert (rtx.fit, rtx.resident, rtx.warps, rtx.sms) == (4, 32, 48, 82)
    assert t4.limits == rtx.limits == ["shared memory"]
    assert [t4.blocks_of(wave) for wave in range(t4.waves)] == [80, 80, 40]
    assert [rtx.blocks_of(wave) for wave in range(rtx.waves)] == [200]
    shared = {need.name: need for need in t4.needs}["shared memory"]
    assert (shared.block, shared.has, shared.fits) == (24 * 1024, 64 * 1024, 2)
    shared = {need.name: need for need in rtx.needs}["shared memory"]
    assert (shared.block, shared.has, shared.fits) == (25 * 1024, 100 * 1024, 4)


def test_what_a_block_takes_is_within_what_there_is(tile):
    for card in sms_data(*tile, ("a100", "h100", "h200")).cards:
        for need in card.needs:
            assert card.fit * need.block <= need.has, (card.name, need)
            if need.limits:
                assert (card.fit + 1) * need.block > need.has, (card.name, need)


def test_the_picture_says_what_the_numbers_say(tile):
    figure = viz.sms(*tile, ("t4", "rtx3090"))
    check(figure)
    assert figure.answer == (
        "On a T4, 2 blocks fit on one SM: shared memory is the limit."
    )
    assert figure.detail == (
        "Occupancy: 50 % on the T4, 67 % on the RTX 3090. The 200 blocks need 3 waves "
        "on the T4 and 1 wave on the RTX 3090, if all take equally long."
    )
    shown = words(figure)
    for each in (
        "One SM: 2 blocks fit",
        "200 blocks on 40 SMs: 3 waves",
        "wave 1: 80 blocks, every place is taken",
        "wave 3: 40 blocks, 40 of 80 places stay empty (50 %)",
        "wave 1: 200 blocks, 128 of 328 places stay empty (39 %)",
        "2 × 24 KB of 64 KB",
        "4 × 25 KB of 100 KB",
    ):
        assert each in shown, each
    # Each block and each empty place is one square of the waves' paths.
    paths = [each.get("d", "") for each in elements(figure, "path")]
    squares = [each.count("z") for each in paths if each.count("M") > 1]
    assert squares == [80, 80, 40, 40, 200, 128]


def test_a_block_has_its_place_on_each_card(tile):
    """By hand: 80 and 328 places; blocks go to the SMs in turn, row after row."""
    figure = viz.sms(*tile, ("t4", "rtx3090"), block=137)
    assert "block 137: wave 2, SM 17" in words(figure)  # 137 = 80 + 40 + 17
    assert "block 137: wave 1, SM 55" in words(figure)  # 137 = 82 + 55
    rings = [each for each in elements(figure, "rect")
             if each.get("data-at", "").startswith("ring")]  # fmt: skip
    wide = 728 / 82
    assert float(rings[1].get("x")) == pytest.approx(55 * wide - 1, abs=0.5)
    assert [each.get("visibility") for each in rings] == ["visible"] * 2
    assert figure.svg() == viz.sms(*tile, ("t4", "rtx3090"), block=(137,)).svg()


def test_many_waves_are_cut_and_say_so():
    kernel = cuda.RawKernel(SMALL, "small")
    figure = viz.sms(launched(kernel, 2000, 1024), kernel, "t4")
    check(figure)  # one block of 1,024 threads on each of 40 SMs: 50 waves
    assert figure.data.cards[0].waves == 50
    assert "… and 47 more waves like these" in words(figure)
    # The one in the middle is in a wave that is left out: words, and no ring.
    assert "block 1,000: wave 26, SM 0" in words(figure)
    assert 'visibility="hidden"' in figure.svg()
    assert any(each.startswith("wave 50: 40 blocks") for each in words(figure))
    assert "threads are the limit" in figure.answer


def test_dynamic_shared_memory_counts():
    code = """__global__ void dynamic(float* x) {
      extern __shared__ float s[];
      s[threadIdx.x] = x[threadIdx.x];
      x[threadIdx.x] = s[threadIdx.x];
    }"""
    kernel = cuda.RawKernel(code, "dynamic")
    x = cuda.to_device(np.zeros(32, np.float32))
    with cuda.inspect() as run:
        kernel(1, 32, (x,), shared_mem=32 * 1024)
    assert sms_data(run.launches[0], kernel, "t4").cards[0].fit == 2


@pytest.mark.filterwarnings("ignore:.*leaves most of a GPU idle")
def test_a_kernel_in_python():
    @cuda.jit
    def ones(x):
        x[cuda.threadIdx.x] = 1

    with cuda.inspect() as run:
        ones[1, 64](cuda.device_array(64, np.float32))
    check(viz.sms(run.launches[0], ones, "a100"))
    with cuda.inspect() as run:
        ones[1, 64](cuda.device_array(64, np.int32))
    with pytest.raises(ValueError, match="ones is compiled for 2 tuples of types"):
        viz.sms(run.launches[0], ones)
    (first, *_) = ones.overloads.values()
    assert viz.sms(run.launches[0], first, "t4").data.cards[0].fit == 16


def test_bad_input(tile):
    launch, kernel = tile
    with pytest.raises(ValueError, match="gtx"):
        viz.sms(launch, kernel, "gtx")
    with pytest.raises(ValueError, match="got 4 cards; need 1 to 3"):
        viz.sms(launch, kernel, ["t4"] * 4)
    with pytest.raises(ValueError, match="got 0 cards"):
        viz.sms(launch, kernel, [])
    with pytest.raises(TypeError, match="got kernel str; need the kernel"):
        viz.sms(launch, "tile")
    with pytest.raises(TypeError, match="got RawKernel; need one launch"):
        viz.sms(kernel, kernel)
    with pytest.raises(IndexError, match=r"\[viz.sms\] got block 200; need one within"):
        viz.sms(launch, kernel, "t4", 200)
    with pytest.raises(TypeError, match="got block 'a'; need a number"):
        viz.sms(launch, kernel, "t4", "a")
    with pytest.raises(TypeError, match="got gpu 3; need a name"):
        viz.sms(launch, kernel, 3)
