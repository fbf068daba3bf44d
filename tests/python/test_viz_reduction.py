"""Tests of the view of reductions: trees by hand, by shared memory and shuffles."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.scene import sentences
from minitorch.viz.views.reduction import Reduction, reduction_data, scene_of

from .picture import check, words
from .scenes import check_scene

pytestmark = pytest.mark.cuda

HALVES = """__global__ void halves(const float* a, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t] = a[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    BETWEEN
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}"""
NEIGHBOURS = HALVES.replace("int half = 32; half > 0; half /= 2", (
    "int s = 1; s < 64; s *= 2")).replace(
    "if (t < half) tile[t] += tile[t + half];",
    "if (t % (2 * s) == 0) tile[t] = fmaxf(tile[t], tile[t + s]);",
)  # fmt: skip
SHUFFLES = """__global__ void shuffles(const float* a, float* out) {
  float v = a[threadIdx.x];
  for (int half = 16; half > 0; half /= 2)
    v += SHUFFLE(~0u, v, half);
  if (threadIdx.x == 0) out[0] = v;
}"""
BOTH = """__global__ void both(const int* a, int* out) {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = a[t];
  __syncthreads();
  for (int h = 64; h >= 32; h /= 2) {
    if (t < h) tile[t] += tile[t + h];
    __syncthreads();
  }
  if (t < 32) {
    int v = tile[t];
    for (int h = 16; h > 0; h /= 2) v += __shfl_xor_sync(~0u, v, h);
    if (t == 0) out[0] = v;
  }
}"""


def traced(code: str, threads: int, grid: int = 1, dtype: str = "float32"):
    name = code.partition("__global__ void ")[2].partition("(")[0]
    a = cuda.to_device(np.arange(grid * threads).astype(dtype))
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, name)[grid, threads](a, cuda.device_array(grid, dtype))
    return run.launches[0]


def halves(between: str = "__syncthreads();", grid: int = 1) -> cuda.Launch:
    return traced(HALVES.replace("BETWEEN", between), 64, grid)


def value(data: Reduction, round_: int, thread: int) -> str:
    return data.words.all[data.rounds[round_][thread].value]


def test_halves_of_shared_memory():
    data = reduction_data(halves())
    assert (data.columns, data.threads) == (64, 64)
    assert [len(each) for each in data.rounds] == [32, 16, 8, 4, 2, 1]
    assert [set(each) for each in data.needed] == [
        set(range(32 >> at)) for at in range(6)
    ]
    turn = data.rounds[1][3]
    assert (turn.to, turn.sources, turn.array.spelled(3)) == (3, (19,), "tile[3]")
    # Cells 3, 19, 35 and 51 of 0, 1, ..., 63; at the end their sum.
    assert value(data, 1, 3) == str(3 + 19 + 35 + 51)
    assert value(data, 5, 0) == number(sum(range(64)))
    assert [data.words.all[data.before[0][at]] for at in range(64)] == [
        *map(str, range(64))
    ]


def number(value: int) -> str:
    return f"{value:,}"


def test_rounds_need_no_barrier_between_them():
    data = reduction_data(halves("__syncwarp();"))
    assert [len(each) for each in data.rounds] == [32, 16, 8, 4, 2, 1]


def test_a_thread_may_keep_its_cell_in_a_register():
    code = HALVES.replace("tile[t] += tile[t + half]", "tile[t] = v += tile[t + half]")
    code = code.replace(
        "__syncthreads();\n  for", "float v = tile[t]; __syncthreads(); for"
    )
    data = reduction_data(traced(code.replace("BETWEEN", "__syncthreads();"), 64))
    assert [len(each) for each in data.rounds] == [32, 16, 8, 4, 2, 1]
    assert value(data, 5, 0) == number(sum(range(64)))


def test_neighbours_and_another_operation():
    data = reduction_data(traced(NEIGHBOURS.replace("BETWEEN", "__syncthreads();"), 64))
    assert [sorted(each) for each in data.rounds[:5]] == [
        [*range(0, 64, 2 << at)] for at in range(5)
    ]
    assert [value(data, at, 0) for at in range(6)] == ["1", "3", "7", "15", "31", "63"]


@pytest.mark.parametrize("shuffle", ["__shfl_down_sync", "__shfl_xor_sync"])
def test_shuffles_keep_all_lanes_at_work_though_few_results_are_needed(shuffle):
    data = reduction_data(traced(SHUFFLES.replace("SHUFFLE", shuffle), 32))
    assert data.columns == 32
    assert [len(each) for each in data.rounds] == [32] * 5
    assert [len(each) for each in data.needed] == [16, 8, 4, 2, 1]
    assert data.rounds[1][2].sources == (10,)
    assert value(data, 1, 2) == str(2 + 18 + 10 + 26)
    assert value(data, 4, 0) == str(sum(range(32)))
    if shuffle == "__shfl_down_sync":
        assert data.rounds[0][31].sources == ()  # lane 47 is not there


def test_shared_memory_and_then_shuffles():
    data = reduction_data(traced(BOTH, 128, dtype="int32"))
    assert [len(each) for each in data.rounds] == [64, 32, 32, 32, 32, 32, 32]
    assert [len(each) for each in data.needed] == [64, 32, 16, 8, 4, 2, 1]
    assert value(data, 6, 0) == number(sum(range(128)))
    figure = viz.reduction(traced(BOTH, 128, dtype="int32"))
    check(figure)
    assert "combined, but nobody uses it" in words(figure)
    check_scene(figure, scene_of(figure.data), 6)


SOFTMAX = """__global__ void softmax(const float* a, float* out) {
  __shared__ float tile[2][64];
  int t = threadIdx.x;
  tile[1][t] = a[t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) tile[1][t] = fmaxf(tile[1][t], tile[1][t + half]);
    __syncthreads();
  }
  float most = tile[1][0];
  __syncthreads();
  tile[1][t] = expf(a[t] - most);
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) tile[1][t] += tile[1][t + half];
    __syncthreads();
  }
  out[0] = tile[1][0];
}"""
WARPS = """__device__ float sum(float v) {
  for (int half = 16; half > 0; half /= 2) v += __shfl_down_sync(~0u, v, half);
  return v;
}
__global__ void warps(const float* a, float* out) {
  __shared__ float parts[32];
  int t = threadIdx.x;
  float v = sum(a[t]);
  if (t % 32 == 0) parts[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = sum(t < 4 ? parts[t] : 0.0f);
    if (t == 0) out[0] = v;
  }
}"""


def test_two_reductions_by_one_array_are_rounds_one_after_the_other():
    data = reduction_data(traced(SOFTMAX, 64))
    assert [len(each) for each in data.rounds] == 2 * [32, 16, 8, 4, 2, 1]
    assert value(data, 5, 0) == "63"  # the maximum; then the sum of exponentials
    total = np.exp(np.arange(64, dtype=np.float32) - 63).sum()
    assert float(value(data, 11, 0)) == pytest.approx(total, rel=1e-3)
    assert data.rounds[6][3].array.spelled(data.rounds[6][3].to) == "tile[1, 3]"
    # What thread 63 filled its cell with before the second: e to the power of 0.
    assert data.words.all[data.before[6][127]] == "1"


def test_a_block_of_warps_by_shuffles_twice():
    data = reduction_data(traced(WARPS, 128))
    assert [len(each) for each in data.rounds] == [128] * 5 + [32] * 5
    assert [len(each) for each in data.needed] == [64, 32, 16, 8, 4, 16, 8, 4, 2, 1]
    assert value(data, 4, 96) == number(sum(range(96, 128)))
    assert value(data, 9, 0) == number(sum(range(128)))
    scene = viz.reduction(traced(WARPS, 128)).scene
    assert "Thread 96 combines lane 0 = 96 and lane 16 = 112" in "".join(
        sentences(scene, {"round": 0, "thread": 96})
    )


def test_the_picture_says_what_the_numbers_say():
    figure = viz.reduction(halves(grid=3), block=2)
    check(figure)
    assert figure.answer == (
        "Round 1 of 6: 32 of 64 threads combine two values each; 32 idle."
    )
    _, detail = sentences(figure.scene, {"round": 0, "thread": 5})
    assert detail == (
        "Thread 5 combines tile[5] = 133 and tile[37] = 165 into tile[5] = 298. In 6 "
        "rounds, 10.5 of 64 threads work on average."
    )
    assert "combined, but nobody uses it" not in words(figure)
    for each in ("Values after each round", "64 cells of tile", "63"):
        assert each in words(figure)
    last = {"round": 5, "thread": 0}
    assert sentences(figure.scene, last)[0] == (
        "Round 6 of 6: 1 of 64 threads combines two values; 63 idle."
    )
    check_scene(figure, scene_of(figure.data), 9)


def test_a_kernel_in_python():
    @cuda.jit
    def total(out, a):
        tile = cuda.shared.array(8, np.float32)
        t = cuda.threadIdx.x
        tile[t] = a[t]
        cuda.syncthreads()
        half = 4
        while half > 0:
            if t < half:
                tile[t] += tile[t + half]
            cuda.syncthreads()
            half //= 2
        if t == 0:
            out[0] = tile[0]

    a = cuda.to_device(np.full(8, np.nan, np.float32))
    with cuda.inspect(trace=True) as run:
        total[1, 8](cuda.device_array(1, np.float32), a)
    figure = viz.reduction(run.launches[0])
    check(figure)
    assert [len(each) for each in figure.data.rounds] == [4, 2, 1]
    assert "NaN" in figure.detail


def test_bad_input():
    with pytest.raises(TypeError, match="got int; need a launch"):
        viz.reduction(3)
    launch = halves()
    with pytest.raises(IndexError, match=r"\[viz.reduction\] got block 1; need one"):
        viz.reduction(launch, block=1)
    plain = "__global__ void k(const float* a, float* out) { out[0] = a[threadIdx.x]; }"
    with pytest.raises(ValueError, match="no thread of block 0 of k combines"):
        viz.reduction(traced(plain, 32))
