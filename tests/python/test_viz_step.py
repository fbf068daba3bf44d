"""Tests of the step view's numbers: steps and states against programs by hand."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.scene import sentences
from minitorch.viz.traces.steps import NOT_STARTED, lanes_in
from minitorch.viz.views.step.data import step_data
from minitorch.viz.views.step.picture import draw_step, scene_of
from minitorch.viz.views.step.words import answer

from .picture import check, words
from .step_kernels import (
    DIVERGE,
    GROUPS,
    HISTOGRAM,
    LOOP,
    ROUNDS,
    THREE_WARPS,
    TWO_BARRIERS,
    block_sum,
    tiled,
    tiles,
    traced,
)
from .step_states import shared_after, variable_after

pytestmark = pytest.mark.cuda

ALL = 0xFFFFFFFF
_SCENES = {}


def detail(data, step: int, thread: int) -> str:
    """What is said of a thread in a step."""
    scene = _SCENES.setdefault(id(data), (data, scene_of(data)))[1]
    state = {"step": step - data.start, "thread": thread, "watch": 0}
    return sentences(scene, state)[1]


@pytest.fixture(scope="module")
def summed():
    return block_sum()


def lines_of_warp(steps, warp):
    """What a warp ran, but for what the compiler moved to a barrier's line."""
    own = [at for at in range(len(steps)) if steps.warp[at] == warp]
    own = [at for at in own if steps.line[at] != 9 or steps.arrives[at]]
    return [(int(steps.line[at]), int(steps.mask[at])) for at in own]


def test_each_warp_runs_the_lines_that_the_program_says(summed):
    """Warp 0: 6 rounds (h = 32, 16, 8, 4, 2, 1) with h threads; warp 1 adds nothing."""
    steps = step_data(summed).steps
    rounds = [32, 16, 8, 4, 2, 1]
    loads = [(4, ALL)]
    added = [part for h in rounds for part in [(7, ALL), (8, (1 << h) - 1), (9, ALL)]]
    zero = [each for each in lines_of_warp(steps, 0) if each[0] in (4, 7, 8, 9)]
    one = [each for each in lines_of_warp(steps, 1) if each[0] in (4, 7, 8, 9)]
    assert zero == loads + added
    assert one == loads + [(7, ALL), (9, ALL)] * len(rounds)


def test_a_barrier_opens_when_both_warps_are_there_and_not_before(summed):
    data = step_data(summed)
    steps = data.steps
    assert int(steps.opens.sum()) == 6
    waiting = [0, 0]  # arrivals so far
    for at in range(len(steps)):
        waiting[steps.warp[at]] += bool(steps.arrives[at])
        assert bool(steps.opens[at]) == (
            bool(steps.arrives[at]) and waiting[0] == waiting[1]
        )
        for warp in (0, 1):  # ahead of the other by an arrival: it waits
            ahead = waiting[warp] > waiting[1 - warp]
            both = bool(steps.opens[at])
            assert bool(steps.waits[at, warp]) == (ahead or both)


def test_shared_memory_is_what_the_emulator_says_at_each_step(summed):
    data, trace = step_data(summed), summed.trace
    for at in range(len(data.steps)):
        moment = trace.at(int(data.steps.last[at]))
        values, (words, warps) = moment.shared_as(np.float32), shared_after(data, 0, at)
        writers = moment.writer_thread[::4]
        assert (warps == np.where(writers < 0, -1, writers // 32)).all()
        told = [
            f"{value:,.4g}" if who >= 0 else ""
            for value, who in zip(values, writers, strict=True)
        ]
        assert words == told


def test_what_threads_touch_is_what_the_trace_says_lane_by_lane(summed):
    data, trace = step_data(summed), summed.trace
    columns = trace.columns
    expected = []
    for row, step in enumerate(columns["access_step"].tolist()):
        for lane in range(32):
            if columns["access_mask"][row] >> lane & 1:
                expected.append((step, int(trace.warp[step]) * 32 + lane))
    found = list(zip(data.uses.row.tolist(), data.uses.thread.tolist(), strict=True))
    assert found == expected
    assert [each.name for each in data.arrays] == ["s", "x", "out"]


def test_the_first_frame_is_the_finding_and_its_thread(summed):
    figure = viz.step(summed)
    data = figure.data
    (mark,) = data.marks
    # Warp 0 reads s[32 + t] on line 8 before warp 1 writes it on line 4.
    assert (mark.name, mark.lines, mark.thread) == ("race", (4, 8), 32)
    assert mark.cells == tuple((0, cell) for cell in range(32, 64))
    assert (data.steps.warp[data.step], data.steps.line[data.step]) == (1, 4)
    assert figure.findings == 1
    assert figure.answer == (
        f"Step {data.step + 1} of {len(data.steps)}: thread 0 may read s[32] before "
        "thread 32 has written it."
    )
    assert figure.detail.startswith(
        "Warp 1 runs line 4 with all 32 threads. Warp 0 waits at the barrier on line 9."
    )
    assert figure.detail.endswith("Thread 32 reads x[32] = 33, writes s[32] = 33.")
    check(figure)


def test_sentences_say_old_and_new(summed):
    data = step_data(summed)
    eight = [at for at in range(len(data.steps)) if data.steps.line[at] == 8]
    # h = 32 read nothing from s[32]; h = 16: s[0] + s[16] = 1 + 17.
    assert detail(data, eight[0], 0) == (
        "Thread 0 reads s[0] = 1 and s[32] (never written), writes s[0] = 1."
    )
    assert "s[16] = 17" in detail(data, eight[1], 0)
    assert "writes s[0] = 18" in detail(data, eight[1], 0)
    assert detail(data, eight[1], 20) == (
        "Thread 20 is off in this step: the condition sent it another way."
    )
    assert "with 16 of 32 threads" in answer(data, eight[1])
    assert "Thread 40 belongs to warp 1" in detail(data, eight[1], 40)
    last = len(data.steps) - 1
    assert answer(data, last).endswith("Warp 0 is done.")


def told(data) -> list[str]:
    """What is said of each step at which a barrier lets threads go."""
    return [answer(data, int(at)) for at in np.nonzero(data.steps.opens)[0]]


def test_no_barrier_opens_where_threads_wait_at_different_ones():
    launch = traced(TWO_BARRIERS, 1, 64, cuda.device_array(64, "int32"))
    assert [each.kind for each in launch.findings] == ["barrier_divergence"]
    figure = viz.step(launch)
    data = figure.data
    assert data.steps.arrives[data.step]  # it is shown where it happens
    assert figure.answer.endswith(
        ": thread 32 fails at a barrier that not all threads reach."
    )
    assert figure.detail == (
        "Warp 1 reaches the barrier on line 8 with all 32 threads. Now every thread is "
        "at a barrier or has ended, so all go on. Thread 32 waits here until every "
        "thread of the block arrives."
    )
    every = [answer(data, at) + detail(data, at, 0) for at in range(len(data.steps))]
    assert not [each for each in every if "opens" in each]
    check(figure)


def test_a_barrier_opens_without_threads_that_have_ended():
    launch = traced(ROUNDS, 1, 64, cuda.device_array(64, "int32"))
    data = viz.step(launch).data
    assert len(told(data)) == 2
    for said in told(data):
        assert said.endswith("every thread is at a barrier or has ended, so all go on.")
    assert data.step == int(np.nonzero(data.steps.opens)[0][1])
    assert detail(data, data.step, 0).startswith(
        "Finding: the barrier completes without the threads that have left the kernel."
    )


def test_barriers_of_groups_are_no_error():
    launch = traced(GROUPS, 1, 64, cuda.device_array(64, "int32"))
    assert launch.findings == []
    (said,) = told(step_data(launch))
    assert said.endswith("so all go on.")


def test_three_warps_are_told_in_numbers():
    """96 threads; the last warp leaves early, and counts as arrived at the barrier."""
    launch = traced(THREE_WARPS, 1, 96, cuda.device_array(96, "int32"))
    data = step_data(launch)
    steps = data.steps
    assert "The other 2 warps have not started." in answer(data, 0)
    opens = np.nonzero(steps.opens)[0]
    assert len(opens) == 1
    at = int(opens[0])
    done = [int(each) for each in steps.done[-1]]
    assert done == [ALL, ALL, ALL]
    assert (steps.done[at, 2] == ALL) == bool(steps.at[at, 2] != NOT_STARTED)


def test_branches_of_a_warp_are_steps_of_their_own():
    launch = traced(DIVERGE, 1, 40, cuda.device_array(40, "int32"))
    data = step_data(launch)
    even = sum(1 << lane for lane in range(0, 32, 2))
    masks = {
        int(line): int(mask)
        for line, mask, warp in zip(
            data.steps.line, data.steps.mask, data.steps.warp, strict=True
        )
        if warp == 0 and line in (4, 6) and mask != ALL
    }
    assert masks == {4: even, 6: ALL & ~even}
    # Lanes join again behind the branch, where the compiler put the common store.
    assert int(data.steps.mask[5]) == ALL
    assert [f"{each:x}" for each in lanes_in(40)] == ["ffffffff", "ff"]
    late = [at for at in range(len(data.steps)) if data.steps.warp[at] == 1]
    assert "all 8 threads" in answer(data, late[0])
    check(viz.step(launch))


def test_updates_of_a_number_in_shared_memory_are_told_by_its_name():
    launch = traced(HISTOGRAM, 1, 96, cuda.device_array(96, "int32"))
    data = step_data(launch)
    assert [(each.name, each.shape) for each in data.arrays if each.shared] == [
        ("total", ()),
        ("part", (4,)),
    ]
    last = len(data.steps) - 1
    assert shared_after(data, 0, last)[0] == ["96"]
    assert shared_after(data, 1, last)[0] == ["24"] * 4
    said = [detail(data, at, 95) for at in range(last)]
    assert any("updates total = " in each for each in said)
    assert any("updates part[3] = " in each for each in said)
    check(viz.step(launch))


def test_each_round_of_a_loop_on_one_line_is_a_step():
    launch = traced(LOOP, 1, 32, cuda.to_device(np.ones(64, np.int32)), 5)
    data = step_data(launch)
    loads = [data.use_step[at] for at in range(len(data.uses))
             if data.uses.thread[at] == 0 and data.uses.kind[at] == 1]  # fmt: skip
    assert len(loads) == 5
    assert len(set(loads)) == 5


def test_the_middle_of_the_busiest_line_comes_first_without_a_finding():
    launch = traced(LOOP, 1, 32, cuda.to_device(np.ones(64, np.int32)), 9)
    data = step_data(launch)
    lines = data.steps.line.tolist()
    busiest = max(set(lines), key=lines.count)
    assert not data.marks
    assert lines[data.step] == busiest
    assert lines[: data.step].count(busiest) == lines.count(busiest) // 2


def test_python_kernels_have_names_and_shapes_of_their_arrays():
    x = cuda.to_device(np.arange(32, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        tiles[4, 32](x, cuda.device_array(32, "float32"))
    data = step_data(run.launches[0], block=2)
    assert [(each.name, each.shape) for each in data.arrays if each.shared] == [
        ("board", (2, 16))
    ]
    assert "Python · block 2 of 4, 32 threads" in words(
        viz.step(run.launches[0], block=2)
    )
    last = len(data.steps) - 1
    said = [detail(data, at, 20) for at in range(last)]
    assert any("writes board[1, 4] = 20" in each for each in said)
    check(viz.step(run.launches[0], block=(2, 0)))


def test_variables_have_the_names_and_values_of_the_program():
    """Row y of As times column x of Bs: the sum after each k, by NumPy."""
    pytest.importorskip("elftools")
    launch = tiled(8, debug=True)
    data = step_data(launch, block=(1, 0), thread=42)
    names = data.changes.names
    assert {"x", "y", "row", "col", "acc", "t", "k"} <= set(names)
    last = len(data.steps) - 1
    told = {
        name: [data.words[at] for at in variable_after(data, names.index(name), last)]
        for name in ("x", "y", "row", "col", "acc")
    }
    threads = np.arange(64)
    assert told["x"] == [str(each) for each in threads % 8]
    assert told["row"] == [str(each) for each in threads // 8]
    assert told["col"] == [str(each) for each in 8 + threads % 8]
    a, b = np.random.default_rng(0).random((2, 16, 16), np.float32)
    sums = np.zeros((8, 8), np.float32)
    for k in range(16):
        sums += a[:8, k, None] * b[None, k, 8:]
    assert [float(each) for each in told["acc"]] == pytest.approx(
        sums.reshape(-1).tolist(), rel=1e-3
    )
    figure = draw_step(data)
    check(figure)


def test_a_variable_keeps_its_old_value_beside_the_new_one():
    pytest.importorskip("elftools")
    data = step_data(tiled(8, debug=True), thread=0)
    a, b = np.random.default_rng(0).random((2, 16, 16), np.float32)
    first, second = a[0, 0] * b[0, 0], a[0, 0] * b[0, 0] + a[0, 1] * b[1, 0]
    said = [detail(data, at, 0) for at in range(len(data.steps))]
    one = f"changes acc from 0 to {first:.4g}"
    two = f"changes acc from {first:.4g} to {second:.4g}"
    assert sum(one in each for each in said) == 1
    assert sum(two in each for each in said) == 1
    assert any("sets row = 0, sets col = 0" in each for each in said)


def test_wrong_arguments_are_refused(summed):
    with pytest.raises(IndexError, match=r"\[viz.step\] got step 0; need 1 to"):
        viz.step(summed, 0)
    with pytest.raises(IndexError, match="got step 100000"):
        viz.step(summed, 100_000)
    with pytest.raises(TypeError, match="got step 'last'"):
        viz.step(summed, "last")
    with pytest.raises(IndexError, match="got block 1"):
        viz.step(summed, block=1)
    with pytest.raises(IndexError, match="got thread 64"):
        viz.step(summed, thread=64)
    with pytest.raises(TypeError, match="need a launch"):
        viz.step(None)


TWO_ROUNDS = """__global__ void rounds(int* x) {
  __shared__ int s[8][8];
  int t = threadIdx.x;
  for (int k = 0; k < 2; k++) {
    s[t / 8][t % 8] = k;
    __syncthreads();
    x[t] = s[t % 8][t / 8];
  }
}"""


def test_a_race_is_where_no_barrier_parts_its_threads():
    data = step_data(traced(TWO_ROUNDS, 1, 64, cuda.device_array(64, "int32")))
    mark, *_ = data.marks
    step = mark.step
    # The write of the first round is nearer to the read, but a barrier stands between.
    assert data.step == step > int(np.nonzero(data.steps.opens)[0][0])
    array, cell = mark.cells[0]
    assert data.arrays[array].spelled(cell) in mark.race
    own = (data.use_step == step) & (data.uses.array == array)
    assert {each for _, each in mark.cells} <= set(data.uses.cell[own].tolist())


@cuda.jit
def product(c, a, b):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range(4):
        total += a[y, k] * b[k, x]
    c[y, x] = total


def test_a_line_that_calls_a_function_twice_is_one_step():
    # A debug build calls a function for each index, so for both arrays of the line.
    numbers = np.arange(16, dtype=np.float32).reshape(4, 4)
    a, b, c = (cuda.to_device(each) for each in (numbers, numbers.T, 0 * numbers))
    with cuda.inspect(trace=True, debug=True) as run:
        product[1, (4, 4)](c, a, b)
    data = step_data(run.launches[0], thread=6)
    line = product.__wrapped__.__code__.co_firstlineno + 5
    (rounds,) = np.nonzero(data.steps.line == line)
    assert len(rounds) == 4
    for k, step in enumerate(rounds.tolist()):
        own = (data.use_step == step) & (data.uses.thread == 6)
        cells = zip(data.uses.array[own], data.uses.cell[own], strict=True)
        read = [data.arrays[at].spelled(cell) for at, cell in cells]
        assert read == [f"a[1, {k}]", f"b[{k}, 2]"]
