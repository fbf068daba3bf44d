"""Tests of the live race view: keys and pointer move among cells and orders."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz

pytestmark = pytest.mark.cuda

RACES = """__global__ void races(const float* x, float* out) {
  __shared__ float s[64];
  __shared__ float r[64];
  int t = threadIdx.x;
  s[t] = x[t];
  r[t] = s[(t + 32) % 64];
  if (t < 16)
    r[t] += r[t + 40];
  out[t / 32] = r[t];
}"""


@pytest.fixture(scope="module")
def races():
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel(RACES, "races")
        kernel[1, 64](x, cuda.device_array(2, "float32"))
    return viz.race(run.launches[0])


@pytest.mark.parametrize("width", [420, 820, 1280])
def test_no_words_are_cut_or_small_in_any_order(open_figure, races, width):
    opened = open_figure(races, width=width)
    for state in ({}, {"cell": 0, "order": 2}, {"cell": 20, "order": 0}):
        opened.show(state)
        assert opened.unread() == []


def test_keys_and_pointer_move_among_cells_and_orders(open_figure, races, screenshots):
    opened = open_figure(races)
    assert opened.page.locator(".mt-found").count() == 1  # the sign of a finding
    first = opened.state["cell"]
    opened.press("ArrowRight")
    assert opened.state["cell"] == first + 1
    opened.press("b")
    assert opened.state["order"] == 2
    assert "With a barrier thread" in opened.detail
    opened.press("b")
    assert opened.state["order"] == 0
    opened.press("o")
    assert opened.state["order"] == 1
    opened.page.click('[data-go="order=0"]')
    assert opened.state["order"] == 0
    assert "If thread" in opened.detail
    opened.page.locator("svg text").get_by_text("41", exact=True).last.click()
    assert " s[41] " in opened.answer
    opened.screenshot(screenshots, "race")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_race_view_has_no_serious_finding(open_figure, races, theme):
    assert open_figure(races, theme=theme).serious_findings() == []
