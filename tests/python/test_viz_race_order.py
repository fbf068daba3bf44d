"""Tests of the order that the race view calls the right one: rounds of loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.race.data import RaceData, races_of
from minitorch.viz.views.race.picture import what_if, window_of

from .picture import check, words
from .step_kernels import traced

pytestmark = pytest.mark.cuda


def race_of(launch: cuda.Launch, number: int = 0) -> RaceData:
    rows, at = races_of(launch, number)
    return rows[at]


ROUNDS = """__global__ void rounds(const float* a, float* c, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int at = 0; at < n; at += 64) {
    tile[t] = a[at + t];
    __syncthreads();
    for (int k = 0; k < 64; ++k)
      sum += tile[k];
  }
  c[t] = sum;
}"""


def in_python(a, c):
    @cuda.jit
    def rounds(a, c):
        tile = cuda.shared.array(64, cuda.float32)
        t = cuda.threadIdx.x
        total = cuda.float32(0)
        for at in range(0, a.size, 64):
            tile[t] = a[at + t]  # write
            cuda.syncthreads()
            for k in range(64):
                total += tile[k]  # read
        c[t] = total

    with cuda.inspect(trace=True) as run:
        rounds[1, 64](a, c)
    return run.launches[0]


@pytest.fixture(scope="module", params=["C++", "Python"])
def overtaken(request):
    """A launch without the second barrier; its lines of the write and the read."""
    a = cuda.to_device(np.arange(192, dtype=np.float32))  # three rounds
    c = cuda.device_array(64, "float32")
    if request.param == "C++":
        return traced(ROUNDS, 1, 64, a, c, 192), (6, 9)
    code = enumerate(Path(__file__).read_text().splitlines(), 1)
    ends = {line.partition("# ")[2]: number for number, line in code}
    return in_python(a, c), (ends["write"], ends["read"])


def test_the_write_of_a_loops_next_round_comes_after_the_read(overtaken):
    launch, lines = overtaken
    trace, barrier = launch.trace, np.char.startswith(launch.trace.opcode, "bar.")
    for data in races_of(launch)[0]:
        cell, writer, other = data.own_cell, data.writer, data.other
        assert (writer.line, other.line, data.early) == (*lines, "other")
        # Thread t writes tile[t]: a[64 * round + t]; the value read is a round older.
        assert writer.thread[0] == cell != other.thread[0]
        assert writer.value in (f"{64 + cell}", f"{128 + cell}")
        assert data.before == f"{int(writer.value) - 64}" == other.value
        # As many barriers before either: none stands between the two.
        for side in (writer, other):
            own = trace.warp[: side.step] == side.who
            assert np.sum(barrier[: side.step] & own) == int(writer.value) // 64


def test_the_picture_says_overwrite_and_asks_for_the_second_barrier(overtaken):
    launch, (write, read) = overtaken
    data, figure = race_of(launch), viz.race(launch)
    check(figure)
    writer, reader, cell = data.writer.name, data.other.name, data.cell
    assert figure.answer == (
        f"T{writer[1:]} may overwrite {cell} before {reader} has read it."
    )
    order = f"the read on line {read} and the write on line {write} in the next round"
    assert f"No barrier stands between {order}, so the" in figure.detail
    assert data.in_order[0].line == read
    assert "✕ a barrier is missing here" in words(figure)
    assert what_if(data, "barrier") == (
        f"With a barrier {reader} reads {cell} before {writer} writes it."
    )
    # Only where the write overtakes is the result wrong.
    assert f"✕ {data.writer.value}" in words(figure)
    assert f"✕ {data.before}" not in words(figure)


def test_a_barrier_before_the_read_alone_leaves_the_first_order():
    # Without the first barrier, and with the second, the read may come too early.
    code = ROUNDS.replace("    __syncthreads();\n", "").replace(
        "+= tile[k];", "+= tile[k];\n    __syncthreads();"
    )
    a = cuda.to_device(np.arange(192, dtype=np.float32))
    launch = traced(code, 1, 64, a, cuda.device_array(64, "float32"), 192)
    data = race_of(launch)
    assert (data.writer.line, data.other.line, data.early) == (6, 8, "writer")
    assert data.in_order[0].line == 6
    assert "before" in viz.race(launch).answer.partition(" may read ")[2]


def test_warps_that_only_read_and_only_write_take_turns_in_a_loop():
    # No warp runs both lines: the barrier's line tells which round they are in.
    code = """__global__ void turns(int* x) {
      __shared__ int s[32];
      int t = threadIdx.x, sum = 0;
      for (int at = 0; at < 3; ++at) {
        if (t < 32) s[t] = at + 5;
        __syncthreads();
        if (t >= 32) sum += s[63 - t];
      }
      x[t] = sum;
    }"""
    launch = traced(code, 1, 64, cuda.device_array(64, "int32"))
    data = race_of(launch)
    assert (data.writer.line, data.other.line, data.early) == (5, 7, "other")
    assert int(data.before) == int(data.writer.value) - 1
    assert data.in_order[0].line == 7


def test_the_second_of_two_writes_may_be_the_next_rounds():
    code = """__global__ void twice(int* x) {
      __shared__ int s[64];
      int t = threadIdx.x;
      for (int at = 0; at < 2; ++at) {
        s[t] = 10 + at;
        __syncthreads();
        s[63 - t] = 20 + at;
      }
      __syncthreads();
      x[t] = s[t];
    }"""
    launch = traced(code, 1, 64, cuda.device_array(64, "int32"))
    data = race_of(launch)
    first, last = data.in_order
    assert (first.line, last.line) == (7, 5)
    assert (first.value, last.value) == ("20", "11")
    assert data.in_order[0].line == 7
    figure = viz.race(launch)
    check(figure)
    assert "both write" in figure.answer
    assert "write on line 7 and the write on line 5 in the next round" in figure.detail


TILES = """__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int at = 0; at < n; at += 16) {
    tile_a[y][x] = a[y * n + at + x];
    tile_b[y][x] = b[(at + y) * 16 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += tile_a[y][k] * tile_b[k][x];
  }
  c[y * 16 + x] = sum;
}"""


def test_tiles_without_their_second_barrier():
    a = np.arange(16 * 32, dtype=np.float32)
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(TILES, "matmul")[1, (16, 16)](
            cuda.to_device(a), cuda.to_device(a), cuda.device_array(256, "float32"), 32
        )
    launch = run.launches[0]
    for number, (array, write) in enumerate((("tile_a", 7), ("tile_b", 8))):
        data = race_of(launch, number)
        assert (data.array, data.early, len(data.cells)) == (array, "other", 256)
        lines = data.writer.line, data.other.line, data.in_order[0].line
        assert lines == (write, 11, 11)
    cell = data.own_cell
    # Of b row by row: this round's, then the next one's, 256 numbers further.
    assert (data.before, data.writer.value) == (str(cell), str(cell + 256))
    assert data.writer.thread == (cell % 16, cell // 16, 0)
    figure = viz.race(launch, 1)
    check(figure)
    assert f"may overwrite tile_b[{cell}] before thread" in figure.answer
    assert cell in window_of(data)
    # Between the names of the threads, whose coordinates are below.
    assert f"tile_b[{cell}]" in words(figure)
