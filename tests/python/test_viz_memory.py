"""Tests of the memory view: its numbers against NumPy and the emulator's counters."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.cuda.inspecting.accesses import GLOBAL, SHARED, accesses_of
from minitorch.viz.scene.render import draw
from minitorch.viz.scene.scene import Scene, sentences
from minitorch.viz.views.memory.data import (
    Request,
    banks_of,
    memory_data,
    requests_of,
)
from minitorch.viz.views.memory.picture import scene_of

from .picture import check, words
from .scenes import check_scene
from .step_kernels import traced

pytestmark = pytest.mark.cuda

TRANSPOSE = """__global__ void transpose(const float* a, float* b) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[y + j][x] = a[(y + j) * 32 + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    b[x * 32 + y + j] = tile[x][y + j];
}"""


@pytest.fixture(scope="module")
def transpose():
    a = cuda.to_device(np.arange(1024, dtype=np.float32))
    b = cuda.device_array(1024, "float32")
    return traced(TRANSPOSE, 1, (32, 8), a, b)


@pytest.fixture(scope="module")
def figure(transpose):
    return viz.memory(transpose)


def request(addresses, size=4, noun="load") -> Request:
    """A request as the trace would give it, from addresses alone."""
    address = np.asarray(addresses)
    lane = np.arange(len(address))
    sizes = np.full(len(address), size)
    return Request(0, 0, 0, 1, "ld", noun, lane, address, sizes)


def test_the_whole_launch_adds_up_to_the_counters(transpose):
    every, counters = accesses_of(transpose.trace), transpose.counters
    away = requests_of(transpose.trace, every, GLOBAL)
    near = requests_of(transpose.trace, every, SHARED)
    for noun in ("load", "store"):
        mine = [each for each in away if each.noun == noun]
        assert len(mine) == counters[f"global_{noun}_requests"]
        assert (
            sum(len(each.sectors) for each in mine)
            == (counters[f"global_{noun}_sectors"])
        )
        mine = [each for each in near if each.noun == noun]
        assert (
            sum(banks_of(each).passes for each in mine)
            == (counters[f"shared_{noun}_wavefronts"])
        )


@pytest.mark.parametrize(
    ("vector", "dtype"),
    [
        ("float2", "float32"),
        ("float4", "float32"),
        ("double", "float64"),
        ("double2", "float64"),
        ("signed char", "int8"),
    ],
)
def test_other_widths_add_up_too(vector, dtype):
    code = f"""__global__ void k({vector}* x) {{
      __shared__ {vector} s[3 * 32];
      s[3 * threadIdx.x] = x[threadIdx.x + 1];
      __syncwarp();
      x[3 * threadIdx.x] = s[3 * threadIdx.x];
    }}"""
    x = cuda.to_device(np.ones(16 * 128, dtype))
    launch = traced(code, 1, 32, x)
    every, counters = accesses_of(launch.trace), launch.counters
    sectors = sum(len(r.sectors) for r in requests_of(launch.trace, every, GLOBAL))
    assert sectors == (
        counters["global_load_sectors"] + counters["global_store_sectors"]
    )
    passes = sum(banks_of(r).passes for r in requests_of(launch.trace, every, SHARED))
    assert passes == (
        counters["shared_load_wavefronts"] + counters["shared_store_wavefronts"]
    )


@pytest.mark.parametrize("stride", [1, 2, 3, 8, 33])
@pytest.mark.parametrize("offset", [0, 1, 8])
def test_sectors_and_passes_of_strides(stride, offset):
    address = 4 * (offset + stride * np.arange(32))
    found = request(address)
    assert found.used == 128
    assert found.sectors.tolist() == sorted({each // 32 for each in address.tolist()})
    assert found.moved == 32 * len({each // 32 for each in address.tolist()})
    assert len(found.lines) == len({each // 128 for each in address.tolist()})
    # Stride s sends 32 / gcd(s, 32) different banks; what is left shares them.
    assert banks_of(found).passes == np.gcd(stride, 32)


def test_lanes_on_one_word_share_a_pass_unless_atomic():
    assert banks_of(request([64] * 32)).passes == 1
    assert banks_of(request([64] * 32, noun="atomic")).passes == 32


def test_a_padding_word_moves_each_row_by_one_bank():
    column = request(4 * (32 * np.arange(32) + 3))
    assert banks_of(column).passes == 32
    padded = banks_of(column, padding=1)
    assert padded.passes == 1
    assert padded.word.tolist() == [33 * row + 3 for row in range(32)]


def test_the_best_and_the_worst_are_shown(transpose):
    data = memory_data(transpose)
    best, worst = data.requests
    assert (best.line, best.noun, best.moved, best.used) == (5, "load", 128, 128)
    assert (worst.line, worst.noun, worst.moved, worst.used) == (8, "store", 1024, 128)
    assert (data.shared.line, data.shared.noun) == (8, "load")
    assert [each.passes for each in data.banks] == [32, 1]


def test_the_picture_says_what_the_numbers_say(transpose):
    figure = viz.memory(transpose)
    check(figure)
    assert figure.answer == (
        "Both use 128 bytes. The load on line 5 moves 128, the store on line 8 moves "
        "1,024: 8 times as much."
    )
    assert figure.detail.endswith("32 passes, and 1 pass with 1 padding word a row.")
    shown = words(figure)
    for each in (
        "4 sectors in 1 cache line · 100 % of bytes used",
        "32 sectors in 32 cache lines · 12.5 % of bytes used",
        "Store on line 8, block 0, warp 0",
        "b[x * 32 + y + j] = tile[x][y + j]",
        # Lane 5 writes row 5 of b, 128 bytes each.
        "lane 5 → byte 640 → sector 20 → cache line 5",
        "tile, 32 × 32, as it ran: 32 passes",
        "32 lanes want bank 0: 32 passes",
        "tile[5, 0]: word 5 × 32 = 160, bank 160 mod 32 = 0",
        # Row 5 begins 5 words later in rows of 33, in another bank.
        "tile, 32 × 33, padded by 1: 1 pass",
        "tile[5, 0]: word 5 × 33 = 165, bank 165 mod 32 = 5",
        "every bank serves one word at most: 1 pass",
    ):
        assert each in shown, each


def test_both_renderers_agree(transpose):
    for figure in (viz.memory(transpose), viz.memory(transpose, line=5, warp=3)):
        check_scene(figure, scene_of(figure.data), 12)


@pytest.fixture(scope="module")
def scene(figure):
    return scene_of(figure.data)


def at(scene: Scene, **state: int) -> tuple[str, list[str]]:
    """The answer in a state, and the words of its picture at a telephone's width."""
    full = {axis.name: 0 for axis in scene.axes} | state
    drawn = ElementTree.fromstring(f"<g>{draw(scene, full, 380)}</g>")
    return sentences(scene, full)[0], [
        "".join(each.itertext()) for each in drawn.iter("text")
    ]


@pytest.mark.parametrize("lane", range(32))
def test_every_lane_is_seen_in_its_cache_line_and_its_bank(scene, lane):
    _, shown = at(scene, away=1, near=1, lane=lane)
    assert (
        f"lane {lane} → byte {128 * lane:,} → sector {4 * lane} → cache line {lane}"
        in shown
    )
    # Of each warp, line and tile the number of the lane.
    assert shown.count(str(lane)) >= 4
    assert any(
        each.endswith(f"= {32 * lane:,}, bank {32 * lane:,} mod 32 = 0")
        for each in shown
    )


@pytest.mark.parametrize("stride", [1, 2, 3, 8, 33])
@pytest.mark.parametrize("offset", [0, 1, 8])
def test_strides_and_offsets_that_did_not_run(scene, stride, offset):
    answer, shown = at(scene, stride=stride, offset=offset)
    words = offset + stride * np.arange(32)
    moved = 32 * len(set((words // 8).tolist()))
    assert answer == (
        f"A load of word {f'{stride} · ' * (stride > 1)}i"
        f"{f' + {offset}' * (offset > 0)} by lane i uses 128 bytes and moves {moved:,}."
    )
    assert at(scene, away=1, stride=stride)[0].startswith("A store of word ")
    lines = len(set((words // 32).tolist()))
    line = f"{lines} cache line{'s' * (lines > 1)}"
    assert any(f"{moved // 32} sectors in {line} ·" in each for each in shown)


def test_an_offset_moves_what_ran(scene):
    answer, _ = at(scene, away=0, offset=1)
    assert answer == (
        "The load on line 5, 1 word further on, uses 128 bytes and moves 160."
    )


@pytest.mark.parametrize(("padding", "passes"), [(1, 1), (2, 2), (3, 1), (4, 4)])
def test_padding_that_did_not_run(scene, padding, passes):
    """A row of 32 + p words sends a column to 32 / gcd(p, 32) banks."""
    _, shown = at(scene, near=1, padding=padding)
    title = f"tile, 32 × {32 + padding}, padded by {padding}: {passes} pass"
    assert title + "es" * (passes > 1) in shown


def test_padding_that_ran_is_drawn_beside_rows_without_it():
    code = TRANSPOSE.replace("[32][32]", "[32][33]")
    a, b = cuda.to_device(np.ones(1024, np.float32)), cuda.device_array(1024, "float32")
    launch = traced(code, 1, (32, 8), a, b)
    figure = viz.memory(launch, line=8)
    check(figure)
    assert (figure.data.shared.padding, figure.data.shared.array.shape) == (1, (32, 33))
    assert banks_of(figure.data.shared).passes == 1
    assert [each.passes for each in figure.data.banks] == [32, 1]
    # The last word of each of the 32 rows.
    assert banks_of(figure.data.shared).pads.nonzero()[0].tolist() == [
        33 * row + 32 for row in range(32)
    ]
    assert "takes 1 pass, and 32 passes without padding." in figure.detail
    shown = words(figure)
    assert {
        "tile[5, 0]: word 5 × 33 = 165, bank 165 mod 32 = 5",
        "tile[5, 0]: word 5 × 32 = 160, bank 160 mod 32 = 0",
    } <= set(shown)
    check_scene(figure, scene_of(figure.data), 12)


def test_a_column_that_threads_use_is_no_padding():
    code = """__global__ void k(float* x) {
      __shared__ float s[32][33];
      int t = threadIdx.x;
      for (int j = 0; j < 33; j++) s[t][j] = j;
      __syncwarp();
      x[t] = s[t][3] + s[t][32];
    }"""
    figure = viz.memory(traced(code, 1, 32, cuda.device_array(32, "float32")))
    assert figure.data.shared.padding == 0
    assert figure.data.shared.array.shape == (32, 33)


def test_one_line_of_one_warp(transpose):
    figure = viz.memory(transpose, line=5, warp=3)
    check(figure)
    assert {each.warp for each in figure.data.requests} == {3}
    assert figure.data.requests[0].line == figure.data.shared.line == 5
    assert figure.data.banks[0].passes == 1
    assert "padded by" not in " ".join(words(figure))
    assert figure.answer == "The load on line 5 uses 128 bytes and moves 128."


def test_a_few_lanes_and_lanes_on_one_word():
    code = "__global__ void k(int* x) { if (threadIdx.x < 3) x[0] = 7; }"
    x = cuda.device_array(1, "int32")
    figure = viz.memory(traced(code, 1, 32, x))
    check(figure)
    assert figure.data.requests[0].lanes == 3
    assert figure.data.requests[0].used == 4
    assert "12.5 % of bytes used" in " ".join(words(figure))


def test_a_kernel_with_only_shared_memory():
    code = """__global__ void k() {
      __shared__ volatile int s[64];
      s[2 * threadIdx.x] = threadIdx.x;
    }"""
    figure = viz.memory(traced(code, 1, 32))
    check(figure)
    assert figure.answer == (
        "The shared store on line 3 takes 2 passes, and 1 pass with 1 padding word a "
        "row."
    )


def test_bad_input(transpose):
    with pytest.raises(TypeError, match="got int; need a launch"):
        viz.memory(3)
    with pytest.raises(
        ValueError, match=r"\[viz.memory\] .* line 99.* accesses: \[5, 8\]"
    ):
        viz.memory(transpose, line=99)
    with pytest.raises(TypeError, match="got warp 'a'; need a number"):
        viz.memory(transpose, warp="a")
    with cuda.inspect() as run:
        cuda.RawKernel("__global__ void k() {}", "k")[1, 1]()
    with pytest.raises(ValueError, match=r"has no trace.*inspect\(trace=True\)"):
        viz.memory(run.launches[0])
    with pytest.raises(ValueError, match="Lines of k with accesses"):
        viz.memory(traced("__global__ void k() {}", 1, 1))


def test_a_cut_trace_says_so_and_an_empty_one_is_refused():
    code = """__global__ void spin(int* x) {
      for (int i = 0; i < 1000; i++) atomicAdd(x, i);
    }"""
    x = cuda.to_device(np.zeros(1, np.int32))
    cut = traced(code, 1, 32, x, trace_bytes=50_000)
    figure = viz.memory(cut)
    check(figure)
    assert "The trace was cut at its limit" in figure.detail
    with pytest.raises(ValueError, match="no step"):
        viz.memory(traced(code, 1, 32, x, trace_bytes=0))


def test_a_kernel_that_failed_shows_what_ran():
    code = """__global__ void beyond(int* x, int* y) {
      x[threadIdx.x] = 1;
      y[threadIdx.x + 1000] = 2;
    }"""
    x, y = cuda.device_array(32, "int32"), cuda.device_array(8, "int32")
    launch = traced(code, 1, 32, x, y)
    assert launch.findings
    check(viz.memory(launch, line=2))


def test_each_instruction_can_be_chosen(transpose):
    data = memory_data(transpose)
    # The tile is filled on line 5: a load, and a store to shared memory; line 8 back.
    assert [(each.line, each.noun) for each in data.choices] == [
        (5, "load"), (8, "store"),
    ]  # fmt: skip
    assert [(each.line, each.noun) for each in data.shared_choices] == [
        (5, "store"), (8, "load"),
    ]  # fmt: skip
    assert data.requests[-1] in data.choices
    figure = viz.memory(transpose)
    assert len(figure.scene.packed()) <= 300_000


def test_of_many_instructions_the_most_wasteful_can_be_chosen():
    lines = "\n".join(f"x[{at} * threadIdx.x] += {at};" for at in range(1, 13))
    code = f"__global__ void k(volatile int* x) {{\n{lines}\n}}"
    x = cuda.to_device(np.zeros(12 * 32, np.int32))
    figure = viz.memory(traced(code, 1, 32, x))
    check(figure)
    data = figure.data
    assert len(data.choices) == 8
    moved = {(each.line, each.noun): each.moved for each in data.choices}
    # Stride s moves min(s, 8) times four sectors; the best one is shown as well.
    assert all(moved[line, noun] == 128 * min(line - 1, 8) for line, noun in moved)
    assert sorted(moved.values())[:2] == [128, 1024]
    assert len(figure.scene.packed()) <= 1_000_000


def test_odd_widths_scattered_lanes_and_no_numbers_agree():
    code = """__global__ void k(double2* x, signed char* y, int* z) {
      int t = threadIdx.x;
      if (t % 3) x[t * 7] = x[t + 1];
      y[t] = 1;
      z[t * t * 977] += t;
    }"""
    x = cuda.to_device(np.full(2 * 32 * 8, np.nan))
    y, z = cuda.device_array(32, "int8"), cuda.device_array(1_000_000, "int32")
    for line in (3, 4, 5, None):
        figure = viz.memory(traced(code, 1, 32, x, y, z), line=line)
        check(figure)
        check_scene(figure, scene_of(figure.data), 4)
