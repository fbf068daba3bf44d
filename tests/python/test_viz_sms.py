"""Tests of the view of multiprocessors: against sums by hand from the data sheets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from minitorch import _core, cuda, viz
from minitorch.viz.scene.render import draw
from minitorch.viz.scene.scene import first, numbers, sentences
from minitorch.viz.views.sms import Choices, needs_of, scene_of, sms_data

from .picture import check, words
from .scenes import check_scene

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
    for card, blocks, warps, most, sms in ((t4, 2, 16, 32, 40), (rtx, 4, 32, 48, 82)):
        assert (card.warps, card.sms) == (most, sms)
        found = tile[1].resources(card.name.lower().replace(" ", "")).occupancy(256, 0)
        assert (found.blocks, found.warps) == (blocks, warps)
        assert tuple(found.limiters) == ("shared",)
    assert (t4.has["shared memory"], rtx.has["shared memory"]) == (65_536, 102_400)


def test_what_a_block_takes_is_within_what_there_is(tile):
    gpus = ("a100", "h100", "h200")
    data = sms_data(*tile, gpus)
    choices = Choices(data)
    at = choices.threads.index(data.threads), 0, choices.shared.index(24 * 1024)
    for gpu, card in zip(gpus, data.cards, strict=True):
        needs = needs_of(card, choices)
        fit = min(room[at] for _, room in needs)
        assert tile[1].resources(gpu).occupancy(data.threads, 0).blocks == fit
        for (takes, room), has in zip(needs, card.has.values(), strict=True):
            assert fit * takes[at] <= has
            assert room[at] > fit or (fit + 1) * takes[at] > has


def test_the_sliders_hold_the_launch_and_count_as_the_core_does(tile):
    """Any threads and dynamic bytes on every card; on the T4 any registers, too."""
    launch, kernel = tile
    data = sms_data(launch, kernel, ("t4", "rtx3090", "h100"))
    choices = Choices(data)
    random = np.random.default_rng(0)
    for card, name in zip(data.cards, ("t4", "rtx3090", "h100"), strict=True):
        core = kernel.resources(name)._core
        own = core.shared_bytes
        needs = needs_of(card, choices)
        fit = np.minimum.reduce([fits for _, fits in needs])
        for threads in random.choice(len(choices.threads), 8):
            for at, shared in enumerate(choices.shared):
                if shared < own:
                    continue
                found = core.occupancy(choices.threads[threads], shared - own)
                assert fit[threads, 0, at] == found["blocks"], (name, threads, shared)
                takes = (found["registers_per_block"], found["shared_per_block"])
                assert (
                    needs[1][0][threads, 0, at],
                    needs[2][0][threads, 0, at],
                ) == takes
    fit = np.minimum.reduce([fits for _, fits in needs_of(data.cards[0], choices)])
    for threads, registers, shared in random.integers(fit.shape, size=(300, 3)):
        asked = (choices.threads[threads], choices.registers[registers])
        asked = asked if registers else (asked[0], data.cards[0].registers)
        kept = _core.resident_blocks(*asked, 0, choices.shared[shared])
        assert fit[threads, registers, shared] == kept, (asked, choices.shared[shared])


def test_the_picture_says_what_the_numbers_say(tile):
    figure = viz.sms(*tile, ("t4", "rtx3090"))
    check(figure)
    assert figure.answer == (
        "On a T4, 2 blocks fit on one SM: shared memory is the limit."
    )
    assert figure.detail == (
        "Occupancy: 50 % on the T4, 67 % on the RTX 3090. Waves are those of blocks "
        "that take equally long."
    )
    shown = words(figure)
    for each in (
        "T4, compute capability 7.5",
        "16 of 32 warps, 50 % · columns: 32–1,024 threads",
        "256 of 1,024 a block: room for 4",
        "Shared memory ← the limit",
        "24 KB of 64 KB a block: room for 2",
        "25 KB of 100 KB a block: room for 4",
        "200 blocks on 40 SMs: 3 waves",
        "wave 1: 80 blocks, every place is taken",
        "wave 3: 40 blocks, 40 of 80 places empty",
        "wave 1: 200 blocks, 128 of 328 places empty",
    ):
        assert each in shown, each


def test_both_renderers_agree(tile):
    check_scene(
        viz.sms(*tile, ("t4", "h100")), scene_of(sms_data(*tile, ("t4", "h100"))), 12
    )


def test_other_launches_than_the_one_that_ran(tile):
    """By hand: 1,024 threads of 64 registers fill a T4's registers with one block."""
    data = sms_data(*tile, "t4")
    scene, choices = scene_of(data), Choices(data)
    state = {"block": 7, "threads": choices.threads.index(1024),
             "registers": choices.registers.index(64), "shared": 0,
             "blocks": choices.blocks.index(400)}  # fmt: skip
    assert sentences(scene, state)[0] == (
        "On a T4, 1 block fits on one SM: threads and registers are the limit."
    )
    drawn = str(draw(scene, state, 380))
    assert "400 blocks on 40 SMs: 10 waves" in drawn
    assert "… and 7 more waves like these" in drawn
    state["registers"] = choices.registers.index(72)
    assert sentences(scene, state)[0] == (
        "On a T4, not even one block of 1,024 threads fits."
    )
    assert "no block fits" in str(draw(scene, state, 380))
    # The roof: with 64 registers a thread, 256 threads fill all 32 warps by fours.
    roof = scene.panels[0].marks[0]
    state |= {"registers": choices.registers.index(64), "threads": 7}
    top = first(roof.ring, state)
    assert divmod(top, roof.columns) == (0, 7)
    assert numbers(roof.go.owner, state, [top]) == [7]


def test_a_block_has_its_place_on_each_card(tile):
    """By hand: 80 and 328 places; blocks go to the SMs in turn, row after row."""
    figure = viz.sms(*tile, ("t4", "rtx3090"))
    figure = replace(figure, state={**figure.state, "block": 137})
    assert "block 137: wave 2, SM 17" in words(figure)  # 137 = 80 + 40 + 17
    assert "block 137: wave 1, SM 55" in words(figure)  # 137 = 82 + 55


def test_many_waves_are_cut_and_say_so():
    kernel = cuda.RawKernel(SMALL, "small")
    figure = viz.sms(launched(kernel, 2000, 1024), kernel, "t4")
    check(figure)  # one block of 1,024 threads on each of 40 SMs: 50 waves
    assert "… and 47 more waves like these" in words(figure)
    # The one in the middle is in a wave that is left out: words, and no ring.
    assert "block 1,000: wave 26, SM 0" in words(figure)
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
    figure = viz.sms(run.launches[0], kernel, "t4")
    assert figure.answer.startswith("On a T4, 2 blocks fit")


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
    with pytest.raises(ValueError, match="ones is compiled for 2 signatures"):
        viz.sms(run.launches[0], ones)
    (first, *_) = ones.overloads.values()
    assert viz.sms(run.launches[0], first, "t4").answer.startswith("On a T4, 16 blocks")


def test_bad_input(tile):
    launch, kernel = tile
    with pytest.raises(ValueError, match="gtx"):
        viz.sms(launch, kernel, "gtx")
    with pytest.raises(ValueError, match="got 4 GPUs; need 1 to 3"):
        viz.sms(launch, kernel, ["t4"] * 4)
    with pytest.raises(ValueError, match="got 0 GPUs"):
        viz.sms(launch, kernel, [])
    with pytest.raises(TypeError, match="got kernel str; need the kernel"):
        viz.sms(launch, "tile")
    with pytest.raises(TypeError, match="got RawKernel; need a launch"):
        viz.sms(kernel, kernel)
    with pytest.raises(TypeError, match="got gpu 3; need a name"):
        viz.sms(launch, kernel, 3)
