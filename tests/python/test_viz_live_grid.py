"""Tests of what the live grid view knows of each thread, against NumPy's arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.grid.thread_cells import UNKNOWN, ThreadCells
from minitorch.viz.views.grid.touched import COLUMN, MIXED, ROW, WRITTEN, grid_data

from .picture import check, words
from .step_kernels import traced

pytestmark = pytest.mark.cuda

TILED = """__global__ void tiled(const float* a, const float* b, float* c) {
  __shared__ float s[16][16], t[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float acc = 0;
  for (int k = 0; k < 64; k += 16) {
    s[y][x] = a[row * 64 + k + x];
    t[y][x] = b[(k + y) * 64 + col];
    __syncthreads();
    for (int i = 0; i < 16; i++) acc += s[y][i] * t[i][x];
    __syncthreads();
  }
  c[row * 64 + col] = acc;
}"""

SCATTER = """__global__ void scatter(const int* at, float* y, int many) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < many; k++) atomicAdd(&y[at[k * 2048 + i]], 1.0f);
}"""


@pytest.fixture(scope="module")
def tiled():
    a, b = (cuda.to_device(np.ones((64, 64), np.float32)) for _ in "ab")
    c = cuda.device_array((64, 64), "float32")
    return traced(TILED, (4, 4), (16, 16), a, b, c)


def cells(threads: ThreadCells, columns, thread: int) -> list[int]:
    offsets = threads.patterns[columns.pattern[thread]]
    return (offsets + columns.first[thread]).tolist()


def test_every_thread_has_its_cells(tiled):
    threads = grid_data(tiled).threads
    assert (threads.first_block, threads.blocks, threads.known) == (0, 16, 4096)
    for thread in range(0, 4096, 97):
        block, inner = divmod(thread, 256)
        y, x = divmod(inner, 16)
        row, column = block // 4 * 16 + y, block % 4 * 16 + x
        read_a = [row * 64 + k + x for k in range(0, 64, 16)]
        read_b = [(k + y) * 64 + column for k in range(0, 64, 16)]
        assert cells(threads, threads.reads[0], thread) == read_a
        assert cells(threads, threads.reads[1], thread) == read_b
        assert cells(threads, threads.writes[2], thread) == [row * 64 + column]
        assert cells(threads, threads.reads[2], thread) == []
    assert not threads.atomic.any()


def test_equal_patterns_are_kept_once(tiled):
    # Nothing; of threads four steps of 16, four steps of 16 rows, one cell, a row and a
    # column from shared memory; and five of warps, four of blocks.
    assert len(grid_data(tiled).threads.patterns) == 15


def test_reuse_of_threads_warps_and_blocks(tiled):
    data = grid_data(tiled, 37, 5)
    threads, warps, blocks, grid = data.threads.reuse
    assert (threads.reads == 8).all()
    assert (threads.cells == 8).all()
    # A warp is two rows of 16: 2 rows of A by 64 cells, and as many of B's tile rows.
    assert (warps.reads == 256).all()
    assert warps.cells.tolist() == [2 * 64 + 4 * 2 * 16] * 128
    assert blocks.cells.tolist() == [16 * 64 * 2] * 16
    assert (grid.reads.tolist(), grid.cells.tolist()) == ([4096 * 8], [2 * 64 * 64])


def test_the_payload_of_4096_threads_is_small(tiled):
    figure = viz.grid(tiled)
    check(figure)
    assert len(figure.scene.packed()) <= 270_000
    assert "Pointer and keys" not in figure.detail
    assert "uses row 40 of a and column 0 of b from shared memory" in figure.answer


def test_what_arrays_are_used_for_does_not_follow_the_focus(tiled):
    code = """__global__ void k(const float* a, const float* b, float* c) {
      int x = threadIdx.x, y = threadIdx.y;
      if (y == 0) return;
      float s = a[y * 8] + a[y * 8 + 5] + b[x] + b[8 + x];
      c[y * 8 + x] = s;
    }"""
    arrays = [cuda.to_device(np.ones((8, 8), np.float32)) for _ in "abc"]
    launch = traced(code, 1, (8, 8), *arrays)
    for thread in (0, 9, 63):
        assert grid_data(launch, thread).kinds == (ROW, COLUMN, WRITTEN)
    assert grid_data(tiled).kinds == (ROW, COLUMN, WRITTEN)
    whole = cuda.to_device(np.ones(64, np.float32))
    flat = traced(code, 1, (8, 8), whole, whole, arrays[2])
    assert MIXED in grid_data(flat).kinds


def test_more_threads_than_4096_are_left_out_and_the_figure_says_so():
    code = (
        "__global__ void k(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }"
    )
    launch = traced(code, 40, 256, cuda.device_array(10240, "float32"))
    for block, first in ((0, 0), (20, 12), (39, 24)):
        data = grid_data(launch, 7, block)
        threads = data.threads
        assert (threads.first_block, threads.blocks) == (first, 16)
        assert cells(threads, threads.writes[0], 300) == [first * 256 + 300]
    figure = viz.grid(launch, 7, 20)
    check(figure)
    assert figure.detail.endswith("Pointer and keys reach 4,096 of 10,240 threads.")


def test_random_accesses_are_kept_as_long_as_there_is_room():
    many, threads = 100, 2048
    at = np.random.default_rng(1).permutation(many * threads).astype(np.int32)
    y = cuda.device_array(many * threads, "float32")
    launch = traced(SCATTER, 8, 256, cuda.to_device(at), y, many)
    figure = viz.grid(launch, 3, 5)
    found = figure.data.threads
    # 100,000 offsets hold a thousand threads, and those of the focus are among them.
    assert 900 <= found.known <= 1000
    focus = 5 * 256 + 3
    assert (
        cells(found, found.writes[1], focus) == at.reshape(many, -1)[:, focus].tolist()
    )
    assert found.writes[1].pattern[0] == UNKNOWN
    assert found.atomic.all()
    check(figure)
    assert len(figure.scene.packed()) <= 1_000_000
    assert f"reach {found.known:,} of 2,048 threads" in figure.detail


def test_a_cut_trace_and_names_with_brackets_arrive(tiled):
    x = cuda.to_device(np.full(8, np.nan, np.float32))
    code = "__global__ void k(float* x) { x[threadIdx.x] += x[0]; }"
    launch = traced(code, 1, 8, x)
    figure = viz.grid(launch, arrays={"</script><b>": x})
    check(figure)
    assert "</script><b>" in words(figure)
    a = cuda.to_device(np.ones((64, 64), np.float32))
    cut = traced(TILED, (4, 4), (16, 16), a, a, a, trace_bytes=1 << 20)
    figure = viz.grid(cut)
    check(figure)
    assert "The trace was cut at its limit" in figure.detail
