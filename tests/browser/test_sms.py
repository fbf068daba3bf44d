"""Tests of the live view of multiprocessors: sliders, keys and pointer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from minitorch import cuda, viz

TILE = """__global__ void tile(float* x) {
  __shared__ float s[6144];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[255 - threadIdx.x];
}"""


@pytest.fixture(scope="module")
def tile() -> viz.Figure:
    kernel = cuda.RawKernel(TILE, "tile")
    with cuda.inspect(checks="memory", counters=False) as run:
        kernel[200, 256](cuda.to_device(np.zeros(256, np.float32)))
    figure = viz.sms(run.launches[0], kernel, ("t4", "rtx3090"))
    return replace(figure, state={**figure.state, "block": 137})


def test_sliders_keys_and_pointer(open_figure, tile):
    opened = open_figure(tile)
    first = opened.state
    opened.press("ArrowRight", "]", "b")
    wanted = first | {"block": 138, "threads": 8, "blocks": first["blocks"] + 1}
    assert opened.state == wanted
    shown = opened.page.locator("svg text").all_text_contents()
    assert "288 of 1,024 a block: room for 3" in shown
    assert "block 138: wave 2, SM 18" in shown
    # A click on a place of the first wave leads to its block.
    words = opened.page.get_by_text("wave 1: 80 blocks").bounding_box()
    opened.page.mouse.click(words["x"] + 3, words["y"] - 6)
    assert opened.state["block"] == 0
    # A click on the roof leads to its threads.
    title = opened.page.get_by_text("T4, compute").bounding_box()
    opened.page.mouse.click(title["x"] + 3, title["y"] + 60)
    assert opened.state["threads"] == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, tile, screenshots, theme):
    opened = open_figure(tile, theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"sms-{theme}")
