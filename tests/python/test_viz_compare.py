"""Tests of `viz.compare`: counts worked out by hand for two matrix products."""

from __future__ import annotations

import re

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.compare.roof_view import Point, draw_roof

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
    rows = {row.name: (row.one, row.other) for row in figure.data.rows}
    assert rows["Global sectors"] == SECTORS
    assert rows["Bytes moved"] == tuple(32 * each for each in SECTORS)
    assert rows["Barrier arrivals, by warps"] == (0, 32)
    assert rows["Floating-point operations"] == (2 * 16**3, 2 * 16**3)
    assert figure.answer == "tiled moves 4.2 times fewer bytes."
    assert "32 barrier arrivals" in figure.detail
    assert "Both run 4 blocks of 64 threads." in figure.detail


def test_the_other_way_round(both):
    figure = viz.compare(both[1], both[0])
    assert figure.answer == "naive moves 4.2 times more bytes."


def test_bars_share_one_scale(both):
    svg = viz.compare(*both).svg("light")
    # Line 5 of the first has 640 sectors, which is the longest bar; a tile has 64.
    assert ">640 · 95 %<" in svg
    assert svg.count(">64 · 40 %<") == 2
    widths = {float(each) for each in re.findall(r'width="([\d.]+)" height="11"', svg)}
    assert {48.0, 4.8} <= widths


def test_speed_limits(both):
    """Both are under the slope of the roof: operations a byte, times the bandwidth."""
    data = viz.compare(*both, gpu="t4").data
    for at, sectors in enumerate(SECTORS):
        intensity = 2 * 16**3 / (32 * sectors)
        assert data.roofs[at].intensity == pytest.approx(intensity)
        assert data.speeds[at] == pytest.approx(intensity * 320e9)
    assert "T4, not a time" in viz.compare(*both, gpu="t4").svg()


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
    assert figure.answer == f"padded makes no bank conflicts; {4 * 2 * 31} before."


def test_twice_the_same(both):
    figure = viz.compare(both[0], both[0])
    assert figure.answer == (
        "Both move the same bytes and run about as many instructions."
    )
    assert figure.data.names == ("first launch", "second launch")


def test_launches_without_arithmetic_or_bytes():
    code = "__global__ void empty(float* a, float* b, float* c) {}"
    figure = viz.compare(*launches(code, code))
    assert figure.data.speeds == (0.0, 0.0)
    assert "NaN" not in figure.svg()
    assert "nan" not in figure.svg("light")


def test_bad_input(both):
    with pytest.raises(TypeError, match=r"\[viz.compare\] got str; need one launch"):
        viz.compare(both[0], "other")
    with pytest.raises(TypeError, match="got gpu int; need a card's name"):
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
        with pytest.raises(ValueError, match="need two of one kind: a debug build"):
            viz.compare(*pair)
    with pytest.raises(ValueError, match="debug build as the second launch"):
        viz.compare(normal, debug)
    assert "Both are debug builds, not optimised" in viz.compare(debug, again).detail


@pytest.mark.parametrize("apart", [1.0, 1.1, 1.5, 2.0, 2.33, 3.0, 10.0])
def test_names_of_points_do_not_lie_on_each_other(apart):
    """Wherever the second point is, the words of both are a line apart."""
    points = [Point("one", 0.3, 1e11, 0), Point("two", 0.3 * apart, 1e11 * apart, 1)]
    drawn = str(draw_roof(points, 320e9, 8.1e12))
    found = re.findall(r'x="([\d.]+)" y="([\d.]+)"[^>]*>\w+: at most', drawn)
    (x, y), (other_x, other_y) = (tuple(map(float, each)) for each in found)
    assert abs(y - other_y) >= 15 or abs(x - other_x) > 140
