"""Tests of the live memory view: sliders, keys and pointer."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz

TRANSPOSE = """__global__ void transpose(const float* a, float* b, float* c) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[y + j][x] = a[(y + j) * 32 + x];
  __syncthreads();
  if (x % 2) c[x + y] = a[3 * x + y];
  for (int j = 0; j < 32; j += 8)
    b[x * 32 + y + j] = tile[x][y + j];
}"""


@pytest.fixture(scope="module")
def transpose() -> viz.Figure:
    given = [cuda.to_device(np.zeros(1024, np.float32)) for _ in range(3)]
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(TRANSPOSE, "transpose")[1, (32, 8)](*given)
    return viz.memory(run.launches[0])


def test_keys_sliders_and_pointer_move_lane_instruction_and_stride(
    open_figure, transpose
):
    opened = open_figure(transpose)
    first = opened.state
    opened.press("ArrowRight", "ArrowRight", "v", "]", "]", ".", "p")
    moved = {"lane": 2, "stride": 2, "offset": 1, "padding": 1}
    wanted = first | {name: first[name] + by for name, by in moved.items()}
    wanted["away"] = (first["away"] + 1) % 4
    assert opened.state == wanted
    assert opened.answer == (
        "A load of word 2 · i + 1 by lane i uses 128 bytes and moves 256."
    )
    # Arrows on a short slider move that slider, and not the lane.
    opened.page.get_by_label("Stride").focus()
    opened.page.keyboard.press("ArrowRight")
    assert opened.state == wanted | {"stride": 3}
    # The word of lane 31 leads to it.
    opened.page.get_by_text("31", exact=True).last.click()
    opened.show({"stride": 0, "lane": 0})
    opened.page.get_by_text("31", exact=True).first.click()
    assert opened.state["lane"] == 31


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_memory_view_has_no_serious_finding(
    open_figure, transpose, screenshots, theme
):
    opened = open_figure(transpose, theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"memory-{theme}")
