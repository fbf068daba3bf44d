"""Tests of the race view: the two accesses against the program, and both orders."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.race.data import RaceData, races_of
from minitorch.viz.views.race.picture import scene_of, what_if, why

from .picture import check, words
from .scenes import check_scene
from .step_kernels import traced

pytestmark = pytest.mark.cuda

SUM = """__global__ void block_sum(const float* x, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int h = 32; h > 0; h /= 2) {
    if (t < h)
      s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}"""


def race_of(launch: cuda.Launch, number: int = 0) -> RaceData:
    rows, at = races_of(launch, number)
    return rows[at]


@pytest.fixture(scope="module")
def block_sum():
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    return traced(SUM, 1, 64, x, cuda.device_array(1, "float32"))


def test_the_two_accesses_are_those_of_the_program(block_sum):
    data = race_of(block_sum)
    assert (data.cell, data.array, data.size, data.space) == (
        "s[32]",
        "s",
        64,
        "shared",
    )
    writer, other = data.writer, data.other
    assert (writer.thread, writer.line, writer.kind) == ((32, 0, 0), 4, "writes")
    assert (other.thread, other.line, other.kind) == ((0, 0, 0), 7, "reads")
    assert writer.value == "33"  # x[32]
    assert data.before == ""  # nobody wrote s[32] before
    assert (writer.who, other.who) == (1, 0)
    # Warp 0 reads all 32 cells that warp 1 writes; its own it reads in order.
    assert data.cells == tuple(range(32, 64))


def test_who_was_first_is_what_the_trace_says(block_sum):
    data, trace = race_of(block_sum), block_sum.trace
    assert data.first == "other"  # warp 0 ran up to its barrier
    for side in (data.writer, data.other):
        assert trace.line[side.step] == side.line
        assert trace.warp[side.step] == side.who
        assert trace.addresses[side.step, side.thread[0] % 32] in (128, 0)


def test_the_picture_shows_both_orders_and_the_barrier(block_sum):
    figure = viz.race(block_sum)
    check(figure)
    assert figure.answer == ("Thread 0 may read s[32] before thread 32 has written it.")
    assert figure.detail == (
        "No barrier stands between the write on line 4 and the read on line 7, so the "
        "two warps may run in either order. If thread 0 goes first, as in this run, it "
        "reads what nobody has written. In the end out[0] is 528 instead of 2,080."
    )
    assert figure.alt.endswith("1 finding.")
    shown = words(figure)
    for each in (
        "Order 1: thread 32 first",
        "Order 2: thread 0 first",
        "With a barrier",
        "barrier: all 64 wait here",
        "✕ a barrier is missing here",
        "✕ not written yet",
        "thread 32 writes s[32]",
        "thread 0 reads s[32]",
        "One race, 32 cells of s",
        "s[32]: warp 1 writes, warp 0 reads, no barrier",
        "barrier, line 8",
        "out[0] = 528 ✕, instead of 2,080",
        "__shared__ float s[64];",
    ):
        assert each in shown, each
    rows, _ = races_of(block_sum)
    check_scene(figure, scene_of(rows, SUM.splitlines()), 12)


def test_without_the_code_the_two_lines_are_still_named(block_sum):
    assert "__shared__ float s[64];" in words(viz.race(block_sum))
    unknown = copy.copy(block_sum)
    unknown.source, unknown.source_file = "", ""
    figure = viz.race(unknown)
    check(figure)
    assert "thread 32 writes s[32]" in words(figure)
    assert "__shared__ float s[64];" not in words(figure)


def test_a_write_that_may_come_too_early_and_what_was_there_before():
    code = """__global__ void shift(int* x) {
      __shared__ int s[64];
      int t = threadIdx.x;
      s[t] = t + 100;
      __syncthreads();
      int next = s[(t + 32) % 64];
      s[t] = 7;
      x[t] = next;
    }"""
    launch = traced(code, 1, 64, cuda.device_array(64, "int32"))
    data = race_of(launch)
    assert (data.writer.line, data.other.line) == (7, 6)
    assert data.writer.value == "7"
    index = data.writer.thread[0]
    assert data.before == str(index + 100)
    figure = viz.race(launch)
    check(figure)
    reader = data.other.thread[0]
    assert figure.answer == (
        f"Thread {index} may overwrite s[{index}] before thread {reader} has read it."
    )
    assert "✕ not written yet" not in words(figure)
    assert "read on line 6 and the write on line 7, so" in figure.detail


def test_two_writes_on_one_line():
    code = """__global__ void both(int* x) {
      x[threadIdx.x / 64] = threadIdx.x;
    }"""
    launch = traced(code, 1, 64, cuda.device_array(1, "int32"))
    figure = viz.race(launch)
    check(figure)
    assert "both write" in figure.answer
    assert "the two writes on line 2" in figure.detail
    # Of lanes that write together nobody knows which value was whose.
    assert figure.data.writer.value == figure.data.other.value == ""
    assert "ends as what thread" in figure.detail
    assert "With a barrier" not in words(figure)


def test_threads_of_two_blocks():
    code = """__global__ void blocks(int* x) {
      x[0] = blockIdx.x;
    }"""
    launch = traced(code, 2, 1, cuda.device_array(1, "int32"))
    figure = viz.race(launch)
    check(figure)
    assert not figure.data.same_block
    assert "of block 0" in figure.answer
    assert "of block 1" in figure.answer
    assert "blocks run in any order" in figure.detail
    assert "With a barrier" not in words(figure)


def test_a_constant_is_a_number_of_the_array_s_type():
    # It is stored as bits: of a float where the array, or another access, says so.
    code = """__global__ void constants(float* x) {
      __shared__ float s[64];
      s[threadIdx.x] = 2.5f;
      x[threadIdx.x] = s[63 - threadIdx.x];
      if (threadIdx.x > 62) x[0] = 7.5f;
    }"""
    launch = traced(code, 1, 64, cuda.device_array(64, "float32"))
    values = {data.array: data.writer.value
              for at in range(2) for data in races_of(launch, at)[0]}  # fmt: skip
    assert values == {"s": "2.5", "x": "7.5"}


def test_bad_input(block_sum):
    with pytest.raises(IndexError, match="got number 1; need 0 to 0"):
        viz.race(block_sum, 1)
    with pytest.raises(TypeError, match="got number 'a'; need an int"):
        viz.race(block_sum, "a")
    fine = traced("__global__ void fine() {}", 1, 32)
    with pytest.raises(ValueError, match="no race was found"):
        viz.race(fine)
    with pytest.raises(TypeError, match="got list; need a launch"):
        viz.race([])


def test_each_cell_of_a_race_has_its_own_threads(block_sum):
    rows, at = races_of(block_sum)
    assert [data.own_cell for data in rows] == list(range(32, 64))
    for data in rows:
        # Thread t of warp 0 reads s[t + 32], which thread t + 32 writes: x[t + 32].
        cell = data.own_cell
        assert data.cell == f"s[{cell}]"
        assert (data.writer.thread[0], data.other.thread[0]) == (cell, cell - 32)
        assert data.writer.value == str(cell + 1)
        assert (data.writer.line, data.other.line, data.before) == (4, 7, "")
    assert at == 0


def test_each_order_has_its_sentence(block_sum):
    data = races_of(block_sum)[0][8]
    assert why(data).startswith("No barrier stands between the write on line 4")
    assert [what_if(data, order) for order in ("writer", "other", "barrier")] == [
        "If thread 40 goes first, thread 8 reads 41. In the end out[0] is 2,080.",
        "If thread 8 goes first, as in this run, it reads what nobody has written. "
        "In the end out[0] is 528 instead of 2,080.",
        "With a barrier thread 8 reads s[40] after thread 40 has written it. "
        "In the end out[0] is 2,080.",
    ]


def test_one_of_many_races_is_drawn(block_sum):
    lines = "\n".join(f"s{at}[t] = t;\ny[t] = s{at}[63 - t];" for at in range(6))
    arrays = "\n".join(f"__shared__ int s{at}[64];" for at in range(6))
    code = f"""__global__ void many(volatile int* y) {{
      int t = threadIdx.x;
      {arrays}
      {lines}
      __syncthreads();
    }}"""
    launch = traced(code, 1, 64, cuda.device_array(64, "int32"))
    assert len(launch.findings) == 6
    rows, at = races_of(launch, 5)
    assert {data.number for data in rows} == {5}
    figure = viz.race(launch, 5)
    check(figure)
    assert figure.data == rows[at]
    assert "Race 6 of 6: 64 cells of s5" in words(figure)
    check_scene(figure, scene_of(rows, code.splitlines()), 12)
    assert len(figure.scene.packed()) <= 100_000


def test_the_strip_shows_what_really_ran_and_in_which_order(block_sum):
    ran = race_of(block_sum).ran
    own = [(each.warp, each.line, each.does) for each in ran if each.does]
    # This run read first: that of the trace, not the order that was meant.
    assert own == [((0, 0), 7, "reads"), ((0, 1), 4, "writes")]
    # From the start to the barrier, both warps alike: the compiler's order of lines.
    for warp, lines in enumerate(([1, 3, 4, 6, 7, 8], [1, 3, 4, 6, 8])):
        assert [each.line for each in ran if each.warp[1] == warp] == lines
    assert [each.line for each in ran if each.waits] == [8, 8]
    figure = viz.race(block_sum)
    check(figure)
    shown = words(figure)
    assert any(each.startswith("What really happened") for each in shown)
    assert {"7 reads", "4 writes"} < set(shown)
    assert "no barrier orders these two" in shown


def test_the_strip_of_two_blocks_and_of_one_line():
    code = "__global__ void k(int* x) { x[0] += threadIdx.x + blockIdx.x; }"
    launch = traced(code, 3, 1, cuda.to_device(np.zeros(1, np.int32)))
    figure = viz.race(launch)
    check(figure)
    assert {box.warp for box in figure.data.ran} == {(0, 0), (1, 0)}
    assert "nothing orders these two blocks" in words(figure)
    launch = traced(code, 1, 32, cuda.to_device(np.zeros(1, np.int32)))
    figure = viz.race(launch)
    check(figure)
    assert {box.warp for box in figure.data.ran} == {(0, 0)}


def ends(launch: cuda.Launch) -> dict[str, str]:
    """What each order leaves, as the picture has it."""
    return {
        order: f"{each.cell} = {each.value} {'✓' if each.right else '✕'}"
        for order, each in race_of(launch).results.items()
    }


def test_both_final_results_stand_below_the_orders(block_sum):
    # 1 + ... + 64 is 2,080; without the upper half 1 + ... + 32 is 528.
    assert ends(block_sum) == {
        "writer": "out[0] = 2,080 ✓",
        "other": "out[0] = 528 ✕",
        "barrier": "out[0] = 2,080 ✓",
    }
    assert {"out[0] = 2,080 ✓", "out[0] = 528 ✕"} < set(words(viz.race(block_sum)))
    # The launch ran again with copies.
    assert block_sum.arguments[0].before.tolist() == list(range(1, 65))
    assert viz.grid(block_sum).data.arrays[-1].array.values.tolist() == [528]


def test_a_run_that_was_right_by_luck_has_the_wrong_result_beside_it():
    code = """__global__ void k(const int* x, int* out) {
      __shared__ int s[64];
      int t = threadIdx.x;
      s[t] = 7;
      __syncthreads();
      if (t >= 32) s[t] = x[t - 32];
      if (t < 32) out[t] = s[t + 32];
    }"""
    x = cuda.to_device(np.arange(1, 33, dtype=np.int32))
    out = cuda.device_array(32, "int32")
    launch = traced(code, 1, 64, x, out)
    assert out.copy_to_host()[0] == 1  # warp 1 came first
    figure = viz.race(launch)
    assert "this run · right by luck" in words(figure)
    assert "allowed · s[32] was 7 before" in words(figure)
    assert figure.data.first == figure.data.orders[0]
    assert figure.state["order"] == 1  # it opens on the wrong result
    assert ends(launch) == {
        "writer": "out[0] = 1 ✓",
        "other": "out[0] = 7 ✕",
        "barrier": "out[0] = 1 ✓",
    }
    assert out.copy_to_host()[0] == 1


@cuda.jit
def mirrored(x, out):
    s = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    out[t] = s[63 - t]


def test_a_python_kernel_s_results():
    x, out = np.arange(1, 65, dtype=np.float32), cuda.device_array(64, "float32")
    with cuda.inspect(trace=True) as run:
        mirrored[1, 64](cuda.to_device(x), out)
    found = ends(run.launches[0])
    assert found["barrier"] == "out[0] = 64 ✓"
    assert found["other"] == "out[0] = 0 ✕"


def test_where_nobody_knows_the_other_end_none_is_shown(block_sum):
    # Of blocks no barrier makes an order; of two races one barrier is not enough.
    code = "__global__ void k(int* x) { x[0] += threadIdx.x + blockIdx.x; }"
    launch = traced(code, 3, 1, cuda.to_device(np.zeros(1, np.int32)))
    assert race_of(launch).results["once"].cell == ""
    twice = """__global__ void k(volatile int* y) {
      __shared__ int a[64], b[64];
      int t = threadIdx.x;
      a[t] = t;
      y[t] = a[63 - t];
      b[t] = t;
      y[t] = b[63 - t];
    }"""
    assert ends(traced(twice, 1, 64, cuda.device_array(64, "int32"))) == {}
    # While somebody records launches nothing else is launched.
    with cuda.inspect() as run:
        figure = viz.race(block_sum)
    assert run.launches == []
    assert "in the end" not in words(figure)


@cuda.jit
def shifted(x):
    i = cuda.grid(1)
    if i + 1 < x.size:
        x[i] = x[i + 1]


@cuda.jit
def summed(out, a):
    s = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    half = 4
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        half //= 2
    if t == 0:
        out[0] = s[0]


@cuda.jit
def counted(out, a):
    i = cuda.grid(1)
    if a[i] > 0:
        out[0] += 1


def in_python(kernel, grid: int, block: int, *arrays) -> cuda.Launch:
    arrays = [cuda.to_device(np.asarray(each, np.float32)) for each in arrays]
    with cuda.inspect(trace=True) as run:
        kernel[grid, block](*arrays)
    return run.launches[0]


def test_a_read_and_a_write_on_one_line():
    # One thread after the other, thread 0 first: each reads what was there before.
    launch = in_python(shifted, 2, 4, np.arange(8))
    assert ends(launch) == {"other": "x[0] = 1 ✓", "writer": "x[0] = 2 ✕"}
    figure = viz.race(launch)
    check(figure)
    assert "by this read alone, not 1" in words(figure)
    assert "With a barrier" not in words(figure)


def test_a_barrier_between_the_rounds_of_one_line():
    launch = in_python(summed, 1, 8, [0], np.arange(1, 9))
    data = race_of(launch)
    assert data.rounds
    assert data.orders == ("writer", "other", "barrier")
    # Thread 0 reads 3 instead of 3 + 7.
    assert ends(launch) == {
        "writer": "out[0] = 36 ✓",
        "other": "out[0] = 29 ✕",
        "barrier": "out[0] = 36 ✓",
    }
    figure = viz.race(launch)
    check(figure)
    assert {"after each round", "✕ a barrier is missing here"} < set(words(figure))
    assert "and the read in the next round" in figure.detail


def test_threads_that_count_at_once_and_one_after_the_other():
    launch = in_python(counted, 2, 64, [0], np.ones(128))
    assert ends(launch) == {
        "writer": "out[0] = 128 ✓",
        "other": "out[0] = 128 ✓",
        "once": "out[0] = 4 ✕",
    }
    data = race_of(launch)
    # What each thread reads and writes.
    assert [data.uses(order) for order in data.orders] == [
        ("0", "1", "1", "2"), ("1", "2", "0", "1"), ("0", "1", "0", "1"),
    ]  # fmt: skip
    figure = viz.race(launch)
    check(figure)
    assert {"Both read first", "one change is lost", "in the end, instead of 128",
            "0 → 1", "1 → 2"} < set(words(figure))  # fmt: skip
    assert "A barrier does not help: use cuda.atomic.add" in figure.detail
    assert figure.detail.endswith(
        "as in this run, one change is lost: all lanes of a warp read together, so a "
        "warp leaves one change, and 4 warps ran in turn. In the end out[0] is 4 "
        "instead of 128."
    )
    assert "?" not in words(figure)
    check_scene(figure, scene_of(races_of(launch)[0], []), 12)
