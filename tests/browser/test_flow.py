"""Tests of the live views of ways through a kernel, in a browser."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.overview.overviews import overview_data
from minitorch.viz.views.overview.picture import draw_overview

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


def collatz(blocks: int, threads: int) -> cuda.Launch:
    count = blocks * threads
    x = cuda.to_device(np.arange(1, count + 1, dtype=np.int32))
    with cuda.inspect(trace=True, trace_bytes=1 << 30) as run:
        kernel = cuda.RawKernel(COLLATZ, "collatz")
        kernel[blocks, threads](x, cuda.device_array(count, "int32"), count)
    return run.launches[0]


@pytest.fixture(scope="module")
def large():
    return overview_data(collatz(16, 256))


def test_the_overview_agrees_for_every_kind_of_state(open_figure, large):
    opened = open_figure(draw_overview(large))
    for warp, lane, order in (
        (0, 3, "block"), (77, 31, "block"), (77, 0, "worst"), (127, 12, "worst"),
        (5, 5, "block"),
    ):  # fmt: skip
        opened.show({"warp": warp, "lane": lane, "order": order})
        still = draw_overview(large, warp=warp, lane=lane, order=order)
        opened.agrees_with(still)


@pytest.mark.parametrize(("blocks", "threads"), [(1, 40), (200, 64), (3, 1)])
def test_the_overview_agrees_for_other_shapes(open_figure, blocks, threads):
    data = overview_data(collatz(blocks, threads))
    opened = open_figure(draw_overview(data, "A note.", order="worst"))
    last = len(data.steps) - 1
    opened.show({"warp": last})
    opened.agrees_with(draw_overview(data, "A note.", warp=last, order="worst"))


def test_keys_move_the_overviews_focus(open_figure, large):
    opened = open_figure(draw_overview(large))
    first = opened.state
    assert (first["warp"], first["lane"], first["order"]) == (0, 26, "block")
    opened.press("s", "s", "w", "d")
    assert (opened.state["warp"], opened.state["order"]) == (1, "block")
    lane = int(large.lanes[1].argmax()) + 1
    opened.agrees_with(draw_overview(large, warp=1, lane=lane))
    opened.press("o", "Shift+ArrowRight")
    assert (opened.state["warp"], opened.state["order"]) == (8, "worst")
    opened.press("Home", "w", "a")
    assert opened.state["warp"] == 0
    opened.agrees_with(draw_overview(large, warp=0, lane=25, order="worst"))


def test_the_pointer_opens_a_warp_and_a_lane(open_figure, large):
    opened = open_figure(draw_overview(large))
    opened.page.hover('[data-at="s20"]')
    assert opened.state["warp"] == 20
    box = opened.page.locator('[data-at="off"]').bounding_box()
    across = box["x"] + box["width"] * 9.5 / 32
    opened.page.mouse.click(across, box["y"] + 5)
    assert (opened.state["warp"], opened.state["lane"]) == (20, 9)
    opened.agrees_with(draw_overview(large, warp=20, lane=9))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_overview_has_no_serious_finding(open_figure, large, screenshots, theme):
    opened = open_figure(draw_overview(large), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"overview-{theme}")


def test_the_headline_of_a_failed_launch_stays_while_the_focus_moves(open_figure):
    code = """__global__ void k(float* x) {
      x[blockIdx.x * 64 + threadIdx.x + 1] = 1;
    }"""
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel(code, "k")
        kernel[3, 64](cuda.device_array(192, "float32"))
    figure = viz.overview(run.launches[0])
    said = "Thread 63 of block 2 fails as it writes x[192]: x has only 192 cells"
    assert figure.alarm == f"{said} (line 2)."
    for width in (1160, 600):
        opened = open_figure(figure, width=width)
        assert opened.page.inner_text(".mt-alarm").endswith(figure.alarm)
        opened.press("w")
        opened.settle()
        assert opened.page.inner_text(".mt-alarm").endswith(figure.alarm)
        assert opened.answer != ""
        label = opened.page.get_attribute(".mt-live svg", "aria-label")
        assert label.startswith(figure.alarm)
        # The words stand above the picture, over nothing of it.
        alarm, answer, picture = (
            opened.page.locator(each).bounding_box()
            for each in (".mt-alarm", ".mt-answer", ".mt-live svg")
        )
        assert alarm["y"] + alarm["height"] <= answer["y"] + 1
        assert answer["y"] + answer["height"] <= picture["y"]
        assert opened.serious_findings() == []
