"""Tests of the live view of multiprocessors: one block, found on every card."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.viz.traces.residency import SmsData, sms_data
from minitorch.viz.views.sms.picture import draw_sms

TILE = """__global__ void tile(float* x) {
  __shared__ float s[6144];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[255 - threadIdx.x];
}"""


def held(blocks: int) -> SmsData:
    kernel = cuda.RawKernel(TILE, "tile")
    with cuda.inspect(checks="memory", counters=False) as run:
        kernel[blocks, 256](cuda.to_device(np.zeros(256, np.float32)))
    return sms_data(run.launches[0], kernel, ("t4", "rtx3090"))


@pytest.fixture(scope="module")
def tile() -> SmsData:
    return held(200)


def test_every_kind_of_block_agrees(open_figure, tile):
    opened = open_figure(draw_sms(tile, 100))
    for block in (0, 39, 40, 79, 80, 137, 199):
        opened.show({"block": block})
        opened.agrees_with(draw_sms(tile, block))


def test_a_block_of_a_wave_that_is_not_drawn(open_figure):
    many = held(1500)  # 19 waves on a T4, whose third to eighteenth are left out
    opened = open_figure(draw_sms(many, 0))
    for block in (159, 160, 1439, 1440, 1499):
        opened.show({"block": block})
        opened.agrees_with(draw_sms(many, block))


def test_keys_and_pointer_find_a_block(open_figure, tile):
    opened = open_figure(draw_sms(tile, 100))
    opened.press("Shift+ArrowRight", "ArrowLeft")
    assert opened.state == {"block": 159}
    words = opened.page.text_content('[data-at="at0"]')
    assert words == "block 159: wave 2, SM 39"
    ring = opened.page.locator('[data-at="ring1"]').bounding_box()
    opened.page.mouse.move(ring["x"] + ring["width"] * 1.5, ring["y"] + 8)
    assert opened.state == {"block": 160}
    opened.agrees_with(draw_sms(tile, 160))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_view_has_no_serious_finding(open_figure, tile, screenshots, theme):
    opened = open_figure(draw_sms(tile, 137), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"sms-{theme}")
