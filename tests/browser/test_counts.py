"""Tests of the live counters view: every number to show, by program and by key."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.traces.line_metrics import METRICS, counted_lines
from minitorch.viz.views.compare.compared import compared, on_cards
from minitorch.viz.views.compare.picture import draw_compare
from minitorch.viz.views.counters.picture import draw_counters

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
def launch() -> cuda.Launch:
    x = cuda.to_device(np.ones(256, np.float32))
    with cuda.inspect() as run:
        cuda.RawKernel(KERNEL, "k")[1, 32](x, cuda.device_array(64, "float32"))
    return run.launches[0]


def drawn(launch: cuda.Launch, metric: str, line: int) -> viz.Figure:
    data, lines = counted_lines(launch, "counters"), KERNEL.splitlines()
    return draw_counters(data, METRICS[metric], lines, line)


def test_every_number_and_line_agrees(open_figure, launch):
    opened = open_figure(viz.counters(launch, source=KERNEL))
    lines = list(counted_lines(launch, "counters").lines)
    for at, name in enumerate(reversed(METRICS)):
        line = lines[at % len(lines)]
        opened.show({"metric": name, "line": line})
        opened.agrees_with(drawn(launch, name, line))


def test_keys_show_the_next_number_and_line(open_figure, launch):
    opened = open_figure(viz.counters(launch, "barriers", source=KERNEL))
    assert opened.state == {"metric": "barriers", "line": 5}
    first = next(iter(METRICS))
    opened.press("c", "ArrowLeft")
    assert opened.state == {"metric": first, "line": 4}
    opened.agrees_with(drawn(launch, first, 4))


def test_the_pointer_shows_all_numbers_of_a_line(open_figure, launch):
    opened = open_figure(viz.counters(launch, "sectors", source=KERNEL))
    opened.page.hover('[data-at="num7"]')
    assert opened.state == {"metric": "sectors", "line": 7}
    opened.agrees_with(drawn(launch, "sectors", 7))


def test_a_launch_without_lines_can_be_opened(open_figure):
    with cuda.inspect() as run:
        fault = cuda.RawKernel("__global__ void k() {}", "k")
        fault[1, 1]()
    figure = viz.counters(run.launches[0])
    opened = open_figure(figure)
    opened.press("c", "ArrowRight")
    assert opened.state["metric"] == "lanes"


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
def test_live_counters_have_no_serious_finding(open_figure, both, screenshots, theme):
    for name, figure in (
        ("counters", viz.counters(both[0])),
        ("compare", viz.compare(*both)),
    ):
        opened = open_figure(figure, theme=theme)
        assert opened.serious_findings() == []
        opened.screenshot(screenshots, f"{name}-{theme}")
