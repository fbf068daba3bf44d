"""Tests of `viz.compare`: counts worked out by hand for two matrix products."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.render import draw
from minitorch.viz.views.compare import METRICS, Side, scene_of, side_of

from .picture import check, words
from .scenes import check_scene

pytestmark = pytest.mark.cuda

NAIVE = """__global__ void naive(const float* A, const float* B, float* C) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < 16; k++)
    acc += A[row * 16 + k] * B[k * 16 + col];
  C[row * 16 + col] = acc;
}"""

TILED = """__global__ void tiled(const float* A, const float* B, float* C) {
  __shared__ float a[8][8], b[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
  float acc = 0;
  for (int t = 0; t < 2; t++) {
    a[y][x] = A[row * 16 + t * 8 + x];
    b[y][x] = B[(t * 8 + y) * 16 + col];
    __syncthreads();
    for (int k = 0; k < 8; k++)
      acc += a[y][k] * b[k][x];
    __syncthreads();
  }
  C[row * 16 + col] = acc;
}"""
# Eight warps of 4 rows and 8 columns. A request touches 4 sectors of A (or C) and, in
# one row of 8 floats, 1 of B: 8 * 16 * (4 + 1) + 8 * 4 = 672. Tiles: each of 2 rounds
# reads 4 + 4 sectors a warp: 8 * 2 * 8 + 8 * 4 = 160. Barriers: 8 warps * 2 * 2 = 32.
SECTORS = (672, 160)


def launches(*codes: str) -> list[cuda.Launch]:
    a, b = (cuda.to_device(np.ones((16, 16), np.float32)) for _ in range(2))
    c = cuda.device_array((16, 16), "float32")
    with cuda.inspect() as run:
        for code in codes:
            name = code.split("(")[0].split()[-1]
            cuda.RawKernel(code, name)[(2, 2), (8, 8)](a, b, c)
    return list(run.launches)


@pytest.fixture(scope="module")
def both() -> list[cuda.Launch]:
    return launches(NAIVE, TILED)


def test_bytes_and_barriers(both):
    figure = viz.compare(*both)
    check(figure)
    rows = {row.name: (row.one, row.other) for row in figure.data.rows}
    assert rows["Global sectors"] == SECTORS
    assert rows["Bytes moved"] == tuple(32 * each for each in SECTORS)
    assert rows["Barrier arrivals, by warps"] == (0, 32)
    assert rows["Floating-point operations"] == (2 * 16**3, 2 * 16**3)
    # 8 warps * 16 * 2 loads and 8 stores are 264 requests; 8 * 2 * 2 and 8 are 40.
    assert figure.answer == (
        "tiled moves 4.2 times fewer bytes than naive because its warps make 6.6 times "
        "fewer requests to global memory."
    )
    assert "32 barrier arrivals" in figure.detail
    assert "Both run 4 blocks of 64 threads." in figure.detail


def test_the_other_way_round(both):
    figure = viz.compare(both[1], both[0])
    assert figure.answer == (
        "naive moves 4.2 times more bytes than tiled because its warps make 6.6 times "
        "more requests to global memory."
    )


def test_sectors_of_a_request_are_a_reason():
    code = """__global__ void {0}(const float* a, const float* b, float* c) {{
      c[{1} * threadIdx.x] = 1;
    }}"""
    figure = viz.compare(*launches(code.format("apart", 2), code.format("dense", 1)))
    # A row of 8 threads: one sector of 8 words, or two; four rows write the same.
    assert figure.answer == (
        "dense moves 2 times fewer bytes than apart because a request of a warp asks "
        "for 1 instead of 2 sectors."
    )


def test_bars_share_one_scale(both):
    figure = viz.compare(*both)
    assert {"20,480 · 95 %", "2,048 · 40 %", "1,024 · 5 %"} <= set(words(figure))
    # Line 5 of the first has 640 sectors, which is the longest bar; a tile has 64.
    svg = figure.svg()
    assert svg.count('width="26" height="7"') == 1
    assert svg.count('width="2.6" height="7"') == 2


def test_both_renderers_agree_and_names_stand_above_their_numbers(both):
    figure = viz.compare(*both)
    scene = scene_of(figure.data)
    check_scene(figure, scene)
    (metrics,) = scene.axes
    assert "Global sectors" in metrics.words
    assert "Bank conflicts" not in metrics.words
    for width in (380, 780, 1080):
        shown = str(
            draw(scene, {"metric": metrics.words.index("Shared passes")}, width)
        )
        assert ">naive<" in shown
        assert "288 shared passes" in shown
        assert ">only in tiled<" in shown


def test_the_least_time_on_a_card(both):
    """Both are bound by their bytes, at the card's 320 GB/s."""
    rows = {row.name: row for row in viz.compare(*both, gpu="t4").data.rows}
    least = rows["Least ns on a T4"]
    for sectors, time in zip(SECTORS, (least.one, least.other), strict=True):
        assert time == pytest.approx(32 * sectors / 320)
    assert rows["Operations a byte"].one == 2 * 16**3 / (32 * SECTORS[0])


def test_conflicts_that_go_away():
    code = """__global__ void {name}(const float* a, const float* b, float* c) {{
      __shared__ float tile[32][{width}];
      int t = threadIdx.x + 8 * threadIdx.y;
      if (t < 32) {{ tile[t][0] = a[t]; __syncwarp(); c[t] = tile[31 - t][0]; }}
    }}"""
    first, second = launches(
        code.format(name="plain", width=32), code.format(name="padded", width=33)
    )
    figure = viz.compare(first, second)
    assert figure.answer == (
        f"padded makes no bank conflicts (plain: {4 * 2 * 31}) because a request of a "
        "warp takes 1 instead of 32 passes."
    )


def test_twice_the_same(both):
    figure = viz.compare(both[0], both[0])
    assert figure.answer == (
        "Both move the same bytes and run about as many instructions."
    )
    assert [side.name for side in figure.data.sides] == [
        "first launch",
        "second launch",
    ]


def test_launches_without_arithmetic_or_bytes():
    code = "__global__ void empty(float* a, float* b, float* c) {}"
    figure = viz.compare(*launches(code, code))
    assert "Bytes moved" not in {row.name for row in figure.data.rows}
    assert "NaN" not in figure.svg()
    assert "nan" not in figure.svg("light")


def test_bad_input(both):
    with pytest.raises(TypeError, match=r"\[viz.compare\] got str; need a launch"):
        viz.compare(both[0], "other")
    with pytest.raises(TypeError, match="got gpu int; need the name of a GPU"):
        viz.compare(*both, gpu=4)
    with pytest.raises(ValueError, match="rtx4090"):
        viz.compare(*both, gpu="rtx4090")


def test_a_debug_build_is_not_compared_with_a_normal_one():
    code = "__global__ void k(float* x) { float v = x[threadIdx.x]; x[0] = v + 1; }"
    launches = []
    for debug in (False, True, True):
        with cuda.inspect(trace=True, debug=debug) as run:
            cuda.RawKernel(code, "k")[1, 32](cuda.device_array(32, "float32"))
        launches += run.launches
    normal, debug, again = launches
    for pair in ((normal, debug), (debug, normal)):
        with pytest.raises(ValueError, match="launch is a debug build"):
            viz.compare(*pair)
    with pytest.raises(ValueError, match="the second launch is a debug build"):
        viz.compare(normal, debug)
    check(viz.compare(debug, again))


KERNEL = """__global__ void k(float* x, float* y) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
  tile[32 * i] = x[8 * i];
  __syncthreads();
  if (i < 8)
    y[i] = sinf(tile[i]) + atomicAdd(y + 64, 1.0f);
}"""
# Of line 4: 32 lanes read 32 sectors, and store to one bank in 32 passes.
# Of line 7: 8 lanes load one pass, write one sector, update one sector.
EXPECTED = {
    "Global sectors": {4: 32, 7: 2},
    "Global requests of warps": {4: 1, 7: 2},
    "Bytes moved": {4: 1024, 7: 64},
    "Shared passes": {4: 32, 7: 1},
    "Bank conflicts": {4: 31},
    "Barrier arrivals, by warps": {5: 1},
}


def counted(code: str, *arguments, **options) -> Side:
    with cuda.inspect(**options) as run:
        cuda.RawKernel(code, "k")[1, 32](*arguments)
    return side_of(run.launches[0])


@pytest.fixture(scope="module")
def data() -> Side:
    x = cuda.to_device(np.ones(256, np.float32))
    return counted(KERNEL, x, cuda.to_device(np.zeros(65, np.float32)))


@pytest.mark.parametrize("name", EXPECTED)
def test_lines_have_their_numbers(data, name):
    values = {line: data.value(METRICS[name], line) for line in data.lines}
    assert {line: value for line, value in values.items() if value} == EXPECTED[name]


@pytest.mark.parametrize("name", METRICS)
def test_lines_add_up_to_the_launch(data, name):
    metric = METRICS[name]
    lines = sum(data.value(metric, line) for line in data.lines)
    assert lines == metric.of(data.total)


def test_code_of_another_file_that_is_not_inlined_is_elsewhere():
    code = '#line 1 "other.cuh"\n__device__ __noinline__ float twice(float x) {\n'
    code += "  return x * x;\n}\n"
    code += '#line 1 "k.cu"\n__global__ void k(float* x) {\n  int i = threadIdx.x;\n'
    code += "  float v = x[i];\n  v = v + 1;\n  x[i] = twice(v);\n}"
    data = counted(code, cuda.device_array(32, "float32"))
    assert METRICS["Floating-point operations"].of(data.total) == 2 * 32
    assert {
        line: data.value(METRICS["Floating-point operations"], line) for line in (3, 4)
    } == {
        3: 0,
        4: 32,
    }


def test_what_a_header_does_inlined_counts_for_the_line_that_calls_it():
    code = """#line 1 "parts.h"
__device__ inline float cube(float x) { return x * x * x; }
#line 3 "k.cu"
__global__ void k(float* x) {
  int i = threadIdx.x;
  x[i] = cube(x[i]);
}"""
    data = counted(code, cuda.to_device(np.ones(32, np.float32)))
    assert data.value(METRICS["Floating-point operations"], 5) == 2 * 32


def test_lines_of_a_python_kernel():
    @cuda.jit
    def scale(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    with cuda.inspect() as run:
        scale[1, 32](cuda.to_device(np.ones(32, np.float32)))
    data = side_of(run.launches[0])
    first = scale.py_func.__code__.co_firstlineno
    assert data.value(METRICS["Global sectors"], first + 4) == 8  # 4 loaded, 4 stored
    assert max(data.lines) == first + 4, "the return is in the function"


@cuda.jit
def rests(x, y):
    # Its header's functions run more instructions than its own lines.
    i = cuda.grid(1)
    y[i] = x[i] // 3 + x[i] % 7 + (x[i] + 1) // 5 + (x[i] + 2) % 11


def test_the_main_file_is_the_kernel_s_own_not_the_busiest_header():
    with cuda.inspect(trace=True, debug=True) as run:
        x = cuda.to_device(np.arange(32, dtype=np.int64))
        rests[1, 32](x, cuda.device_array(32, "int64"))
    (launch,) = run.launches
    assert launch.source_file == __file__
    data = side_of(launch)
    work = METRICS["Warp instructions"]
    own = sum(data.value(work, line) for line in data.lines)
    assert work.of(data.total) > 2 * own, "the test has to have a busy header"
    first = rests.py_func.__code__.co_firstlineno
    assert data.file == __file__
    assert set(data.lines) <= {first, first + 1, first + 3, first + 4}
    assert viz.step(launch).data.file == __file__
