"""Tests of the live comparison of two launches: counters and cards."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.traces.line_metrics import METRICS
from minitorch.viz.views.compare.compared import compared, on_cards
from minitorch.viz.views.compare.picture import draw_compare

pytestmark = pytest.mark.cuda

KERNEL = """__global__ void k(float* x, float* y) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
  tile[32 * i] = x[8 * i];
  __syncthreads();
  if (i < 8)
    y[i] = tile[i] * 2;
}"""


@pytest.fixture(scope="module")
def both() -> list[cuda.Launch]:
    x = cuda.to_device(np.ones(256, np.float32))
    apart = KERNEL.replace("tile[32 * i]", "tile[33 * i]").replace("k(", "padded(")
    with cuda.inspect(trace=True) as run:
        for code, name in ((KERNEL, "k"), (apart, "padded")):
            kernel = cuda.RawKernel(code.replace("1024", "1056"), name)
            kernel[1, 32](x, cuda.device_array(64, "float32"))
    return run.launches


def test_every_counter_and_card_of_a_comparison_agrees(open_figure, both):
    data = compared(*both, "t4")
    lines = [launch.source.splitlines() for launch in both]
    figure = draw_compare(data, lines)
    opened = open_figure(figure)
    names = next(
        each["rows"] for each in figure.live.data["axes"] if each["name"] == "metric"
    )
    assert {"sectors", "conflicts", "barriers"} <= set(names)
    for at, name in enumerate(reversed(names)):
        card, other = list(on_cards(data).items())[at % 5]
        opened.show({"metric": name, "card": card})
        opened.agrees_with(draw_compare(other, lines, METRICS[name]))


def test_keys_choose_a_comparisons_counter_and_card(open_figure, both):
    opened = open_figure(viz.compare(*both, gpu="t4"))
    assert opened.state == {"metric": "sectors", "card": "T4"}
    opened.press("g", "c")
    assert opened.state == {"metric": "sectors_per_request", "card": "RTX 3090"}
    assert "936 GB/s" in opened.page.text_content('[data-at="limits"]')
    opened.page.select_option("select >> nth=0", label="Bank conflicts")
    assert opened.page.text_content('[data-at="one-num4"]') == "31 · 100 %"
    assert opened.page.text_content('[data-at="two-num4"]') == ""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_comparison_has_no_serious_finding(open_figure, both, screenshots, theme):
    opened = open_figure(viz.compare(*both), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"compare-{theme}")
