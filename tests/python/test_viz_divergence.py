"""Tests of the divergence view: against counters and a simulation of the branches."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.traces.warp_paths import loops_of, paths_of
from minitorch.viz.views.divergence import (
    Divergence,
    answer_of,
    columns_of,
    draw_chart,
    moment,
    scene_of,
)

from .picture import check, elements, with_fill, words
from .scenes import check_scene
from .step_kernels import traced

pytestmark = pytest.mark.cuda

COLLATZ = """__global__ void collatz(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], c = 0;
  while (v > 1) {
    if (v % 2 == 0)
      v = v / 2;
    else
      v = 3 * v + 1;
    c = c + 1;
  }
  y[i] = c;
}"""

SIDES = """__global__ void sides(const int* x, int* y) {
  int i = threadIdx.x;
  if (i % 32 < 20)
    y[i] = atomicAdd(&y[64], x[i]);
  else
    y[i] = atomicMax(&y[65], x[i]);
  __syncthreads();
}"""

GUARD = """__global__ void guard(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = atomicAdd(&y[64], x[i]);
}"""

ALTERNATE = """__global__ void alternate(int* x, int n) {
  #pragma unroll 1
  for (int k = 0; k < n; k++) {
    if ((threadIdx.x + k) % 2 == 0)
      atomicAdd(&x[0], 1);
    else
      atomicMax(&x[1], k);
    __syncwarp();
  }
}"""


def numbers(count: int):
    return cuda.to_device(np.arange(1, count + 1, dtype=np.int32))


def turns(start: int) -> int:
    count = 0
    while start > 1:
        start = 3 * start + 1 if start % 2 else start // 2
        count += 1
    return count


@pytest.fixture(scope="module")
def collatz():
    return traced(COLLATZ, 2, 64, numbers(128), numbers(128), 128)


@pytest.fixture(scope="module")
def sides():
    return traced(SIDES, 1, 64, numbers(66), numbers(66))


def test_all_warps_together_give_the_counters(collatz):
    found = [Divergence(collatz, block, warp) for block in (0, 1) for warp in (0, 1)]
    counters = collatz.counters
    for name, counter in (
        ("steps", "ptx_warp_instructions"),
        ("active", "ptx_instructions"),
        ("divergent", "divergent_branches"),
    ):
        assert sum(getattr(each, name) for each in found) == counters[counter]
    assert counters["divergent_branches"] > 40
    by_line = sum(each.line_steps[5] for each in found)
    wanted = [row for row in counters.by_line() if row.line == 5]
    assert by_line == sum(row["ptx_warp_instructions"] for row in wanted)


@pytest.mark.parametrize("warp", [0, 1])
def test_a_loop_has_the_lanes_of_a_simulation(collatz, warp):
    own = np.array([turns(1 + 32 * warp + lane) for lane in range(32)])
    data = Divergence(collatz, 0, warp)
    # After turn t those run that have more turns; each other set of lanes is a split.
    masks = [
        sum(1 << lane for lane in np.nonzero(own > t)[0]) for t in range(own.max())
    ]
    ran = {each.mask for each in data.shown}
    assert ran == set(masks) | {2**32 - 1}
    assert data.divergent == len(set(own.tolist())) - 1
    assert (data.split_lines, data.join_lines) == ((5,), (12,))
    loop = data.loop
    assert (loop.first_line, loop.last_line) == (5, 10)
    assert loop.steps % own.max() == 0  # instructions a turn
    assert loop.active * own.max() == loop.steps * own.sum()
    assert loop.lost == 32 * loop.steps - loop.active


def test_the_headline_follows_the_focus_and_the_detail_names_the_loop(collatz):
    figure = viz.divergence(collatz)
    check(figure)
    own = [turns(1 + lane) for lane in range(32)]
    assert round(sum(own) / max(own), 1) == 5.0
    data = figure.data
    assert data.warp == 0  # 26 turns 111 times: the worst of the block
    (longest,) = [at for at, each in enumerate(data.shown) if each.active == 2]
    assert (
        figure.answer
        == answer_of(data, longest)
        == ("Warp 0 runs lines 5–10 with 2 of 32 threads; the other 30 are off.")
    )
    assert answer_of(data, 0) == "All 32 threads of warp 0 run lines 1–5."
    traced_warp = (collatz.trace.block == 0) & (collatz.trace.warp == 0)
    longest = (collatz.trace.mask[traced_warp] >> np.uint32(26) & 1).sum()
    assert figure.detail.startswith(
        "In the loop on lines 5–10, 5 of the 32 threads of warp 0 are active on "
        "average."
    )
    assert (
        "because the others wait for thread 26, which needs the most: "
        f"{own[26]} turns of the loop. The longest path of one thread has {longest} "
        "instructions. The warp splits 21 times, on line 5, and threads join again on "
        "line 12."
    ) in figure.detail
    assert own[26] == max(own)
    assert data.turns == tuple(own)
    assert figure.question == "Where do threads of a warp go separate ways?"
    check_scene(figure, scene_of(data, COLLATZ.splitlines()), 12)


def test_a_branch_that_the_compiler_made_a_selection_is_named(collatz, sides):
    figure = viz.divergence(collatz)
    data, trace = figure.data, collatz.trace
    selects = np.char.startswith(trace.opcode, "selp")
    assert set(trace.line[selects]) == {6} == set(data.selects)
    # `v = v / 2` has no instruction of its own.
    assert 7 not in data.line_steps
    assert (
        "Line 6 does not branch: each thread computes both results and selects one."
    ) in figure.detail
    assert "not branch" not in viz.divergence(sides).detail


def test_the_picture_has_a_bar_for_each_lane_that_runs(collatz):
    figure = viz.divergence(collatz)
    stretches = figure.data.shown
    assert not figure.data.is_fine  # too many steps to show each
    assert not figure.data.more
    paths = elements(figure, "path")
    on = [each.get("d") for each in paths if each.get("fill") == "var(--c0)"]
    off = [each.get("d") for each in paths if "off" in (each.get("fill") or "")]
    del on[-1], off[-1]  # of the key
    assert [d.count("M") for d in on] == [each.active for each in stretches]
    wanted = [32 - each.active for each in stretches if each.active < 32]
    assert [d.count("M") for d in off] == wanted


def test_two_sides_are_named_with_their_lines(sides):
    figure = viz.divergence(sides)
    check(figure)
    # Those that are fewer run alone first, while more are off.
    assert figure.answer == (
        "Warp 0 runs line 6 with 12 of 32 threads, then line 4 with the other 20."
    )
    data = figure.data
    assert (data.divergent, data.split_lines) == (1, (3,))
    masks = {each.mask for each in data.shown}
    assert masks == {2**32 - 1, 2**20 - 1, 2**32 - 2**20}
    assert data.line_active[4] < 32 * data.line_steps[4]
    # Few steps: each is drawn, its line below and its threads above.
    assert data.is_fine
    for each in data.shown:
        assert str(each.lines[0]) in words(figure)
        assert str(each.active) in words(figure)


def test_an_instruction_that_all_run_after_a_branch_is_not_of_its_last_line():
    """`y`'s address is computed once for both sides, where they have joined."""
    code = """__global__ void both(const float* x, float* y) {
  int i = threadIdx.x;
  float v = x[i];
  if (i % 32 < 16)
    for (int k = 0; k < 8; k++) v = v * v + x[i];
  else
    for (int k = 0; k < 8; k++) v = v * x[i] - v;
  y[i] = v;
}"""
    ones = cuda.to_device(np.ones(32, np.float32))
    launch = traced(code, 1, 32, ones, cuda.device_array(32, "float32"))
    data = Divergence(launch)
    assert (data.split_lines, data.join_lines) == ((4,), (8,))
    for line in (5, 7):
        assert data.line_active[line] == 16 * data.line_steps[line]
    assert sum(data.line_steps.values()) == data.steps


def test_who_joins_late_is_told_from_who_was_in_the_loop():
    """Thread 0 skips the loop; the others run one instruction more before all join."""

    @cuda.jit
    def double_often(out, a):
        i = cuda.grid(1)
        x = a[i]
        rounds = 0
        while x < 1024:
            x += x
            rounds += 1
        out[i] = rounds

    starts = cuda.to_device((1024 / 2.0 ** np.arange(32)).astype(np.float32))
    with cuda.inspect(trace=True) as run:
        double_often[1, 32](cuda.to_device(np.zeros(32, np.int32)), starts)
    data = Divergence(run.launches[0])
    *_, most, every = data.shown
    loop, end = data.loop.first_line, data.loop.last_line + 1
    assert (most.active, most.border, most.lines) == (31, loop, (loop, loop))
    assert (every.active, every.border, every.lines) == (32, end, (end, end))
    assert data.join_lines == (loop, end)
    assert answer_of(data, len(data.shown) - 2).endswith(
        f"line {loop} with 31 of 32 threads; the other one is off."
    )


def test_a_stretch_is_as_wide_as_it_has_instructions(sides, collatz):
    for launch in (sides, collatz):
        data = Divergence(launch)
        columns = columns_of(data, 680)
        assert sum(columns[-1]) <= 680
        least = min(w for _, w in columns)
        by_count = {
            each.count: w for each, (_, w) in zip(data.shown, columns, strict=True)
        }
        few, many = min(by_count), max(by_count)
        assert by_count[few] == pytest.approx(least, abs=0.11)
        assert by_count[many] > by_count[few]


@pytest.mark.parametrize("width", [340, 682])
def test_counts_and_signs_of_a_long_loop_are_readable(collatz, width):
    data = Divergence(collatz)
    view = draw_chart(data, width)
    drawn = [each for each in view.parts if 'y="72"' in each]  # over the threads
    assert ">32</text>" in drawn[0]
    assert ">32</text>" in drawn[-1]
    assert len(drawn) > len(data.shown) / 3
    for line in (*data.split_lines, *data.join_lines):
        assert f">line {line}</text>" in str(view)


def test_a_guard_leaves_threads_off():
    launch = traced(GUARD, 2, 32, numbers(65), numbers(65), 50)
    assert viz.divergence(launch, 1).answer == (
        "Warp 0 runs line 4 with 18 of 32 threads; the other 14 are off."
    )
    whole = viz.divergence(launch, 0)
    assert whole.answer == "All 32 threads of warp 0 go the same way."
    assert "it never splits" in whole.detail
    assert not [each for each in words(whole) if "is off" in each]
    check(whole)


LEAVE = """__global__ void leave(int* x, int n) {
  int i = threadIdx.x;
  if (i >= 40) return;
  #pragma unroll 1
  for (int k = 0; k < i; k++) atomicAdd(&x[0], k);
}"""

NESTED = """__global__ void nested(int* x, int n) {
  int i = threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (i & 1) { if (i & 2) atomicAdd(&x[0], k); else atomicMax(&x[0], k); }
    else if (i & 4) { if (k & 1) continue; atomicMin(&x[1], k); }
    #pragma unroll 1
    for (int j = i; j < 20; j += 4) if (atomicAdd(&x[1], 1) == 7) break;
  }
}"""


@pytest.mark.parametrize("code", [ALTERNATE, LEAVE, NESTED])
def test_branches_that_split_are_those_counted(code):
    launch = traced(code, 1, 64, numbers(2), 6)
    paths = paths_of(launch.trace, 64)
    counters = launch.counters
    assert paths.splits.sum() == counters["divergent_branches"] > 5
    assert paths.branch.sum() == counters["ptx_branches"]
    assert paths.active.sum() == counters["ptx_instructions"]
    assert loops_of(paths)
    for warp in (0, 1):
        check(viz.divergence(launch, 0, warp))


def test_sides_that_take_turns_are_stretches_of_their_own():
    data = Divergence(traced(ALTERNATE, 1, 32, numbers(2), 12))
    assert not data.more
    total = sum(each.count for each in data.shown)
    assert total == data.steps
    assert sum(each.count * each.active for each in data.shown) == data.active


def test_a_part_of_a_warp_and_a_single_thread():
    launch = traced(COLLATZ, 1, 40, numbers(40), numbers(40), 40)
    figure = viz.divergence(launch, warp=1)
    assert figure.data.present == 8
    assert all(each.mask < 256 for each in figure.data.shown)
    assert "of the 8 threads of warp 1" in figure.detail
    check(figure)
    alone = traced(COLLATZ, 1, 1, numbers(1), numbers(1), 1)
    figure = viz.divergence(alone)
    assert figure.answer == "Warp 0 has one thread, which goes one way."
    check(figure)


def test_a_long_way_is_cut_and_says_so():
    code = """__global__ void lots(int* x, const unsigned* r, int n) {
      #pragma unroll 1
      for (int k = 0; k < n; k++)
        if (r[k] >> threadIdx.x & 1) atomicAdd(&x[0], k);
    }"""
    random = np.random.default_rng(0).integers(1, 2**32 - 1, 300, dtype=np.uint32)
    launch = traced(code, 1, 32, numbers(1), cuda.to_device(random), 300)
    figure = viz.divergence(launch)
    data, more = figure.data, figure.data.more
    assert more > 100
    assert any(f"… and {more} more stretches" in each for each in words(figure))
    check_scene(figure, scene_of(data, code.splitlines()), 12)
    check(figure)


def test_a_stretch_says_which_instructions_it_is(sides):
    data = Divergence(sides)
    assert moment(data.shown[0]).startswith("Instructions 1 to ")
    focus = [each for each in words(viz.divergence(sides)) if "Instruction" in each]
    assert len(focus) == 1


def test_the_only_loop_is_found(collatz, sides):
    threads = 64
    (loop,) = loops_of(paths_of(collatz.trace, threads))
    assert (loop.first_line, loop.last_line) == (5, 10)
    assert loops_of(paths_of(sides.trace, threads)) == []


def test_a_cut_trace_says_so():
    launch = traced(COLLATZ, 2, 64, numbers(128), numbers(128), 128, trace_bytes=20_000)
    assert launch.trace.truncated
    figure = viz.divergence(launch)
    assert "The trace was cut at its limit" in figure.detail
    check(figure)
    with pytest.raises(ValueError, match=r"warp \d of block 1.*increase trace_bytes"):
        viz.divergence(launch, 1)


def test_a_kernel_that_failed_shows_its_way_to_the_fault():
    # So near that no freed array can lie there, whichever tests ran before.
    code = """__global__ void beyond(int* x) {
      if (threadIdx.x < 4) x[threadIdx.x + 8] = atomicAdd(&x[0], 1);
    }"""
    launch = traced(code, 1, 32, numbers(4))
    assert [each.kind for each in launch.findings] == ["oob_global"]
    figure = viz.divergence(launch)
    check(figure)
    assert "with 4 of 32 threads" in figure.answer


def test_names_of_any_kind_are_drawn():
    long = "a_kernel_with_" + "a_long_" * 20 + "name"
    code = COLLATZ.replace("collatz", long)
    figure = viz.divergence(traced(code, 1, 32, numbers(32), numbers(32), 32))
    check(figure)
    typed = COLLATZ.replace("__global__", "template <typename T> __global__")
    kernel = cuda.RawKernel(typed, "collatz<int>")
    with cuda.inspect(trace=True) as run:
        kernel[1, 32](numbers(32), numbers(32), 32)
    check(viz.divergence(run.launches[0]))


def test_wrong_arguments_are_refused(collatz):
    with pytest.raises(TypeError, match=r"\[viz.divergence\] got str; need a launch"):
        viz.divergence("collatz")
    with pytest.raises(IndexError, match=r"got block 2; need one within \(2, 1, 1\)"):
        viz.divergence(collatz, 2)
    with pytest.raises(IndexError, match="got warp 2"):
        viz.divergence(collatz, 0, 2)
    with pytest.raises(TypeError, match="got warp 'x'"):
        viz.divergence(collatz, 0, "x")
    with cuda.inspect() as run:
        cuda.RawKernel(COLLATZ, "collatz")[1, 32](numbers(32), numbers(32), 32)
    with pytest.raises(ValueError, match="has no trace"):
        viz.divergence(run.launches[0])


def test_the_hue_is_the_warps(sides):
    assert with_fill(viz.divergence(sides, warp=1), "var(--c1)", "path") > 3
