"""Tests of the live views of ways through a kernel, in a browser."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.views.divergence.divergences import divergence_data
from minitorch.viz.views.divergence.picture import draw_divergence, shown
from minitorch.viz.views.divergence.words import moment
from minitorch.viz.views.overview.overviews import overview_data
from minitorch.viz.views.overview.picture import draw_overview
from minitorch.viz.views.race.cells import races_of
from minitorch.viz.views.race.picture import Shown, draw_race

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


@pytest.fixture(scope="module")
def ways():
    return divergence_data(collatz(1, 64))


def test_the_divergence_view_agrees_for_every_stretch(open_figure, ways):
    lines = COLLATZ.splitlines()
    opened = open_figure(draw_divergence(ways, lines))
    for stretch in range(len(shown(ways)[0])):
        opened.show({"stretch": stretch})
        opened.agrees_with(draw_divergence(ways, lines, focus=stretch))


def test_keys_and_pointer_move_along_a_warps_way(open_figure, ways):
    opened = open_figure(draw_divergence(ways, []))
    stretches, _ = shown(ways)
    opened.press("Home", "ArrowRight", "Shift+ArrowRight")
    assert stretches[opened.state["stretch"]].begins == "split"
    opened.press("End")
    assert opened.state == {"stretch": len(stretches) - 1}
    lines = [opened.page.text_content(f'[data-at="{at}"]') for at in ("moment", "why")]
    joined = " ".join(lines)
    assert joined == moment(ways, stretches[-1])
    assert "Threads joined before." in joined
    box = opened.page.locator('[data-at="focus"]').bounding_box()
    opened.page.mouse.click(box["x"] - 60, box["y"] + 40)
    assert opened.state["stretch"] < len(stretches) - 1
    opened.agrees_with(draw_divergence(ways, [], focus=opened.state["stretch"]))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_divergence_view_has_no_serious_finding(
    open_figure, ways, screenshots, theme
):
    opened = open_figure(draw_divergence(ways, COLLATZ.splitlines()), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"divergence-{theme}")


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
    found = races_of(run.launches[0])
    assert len(found) >= 3
    return found


def test_the_race_view_agrees_for_every_race_cell_and_order(open_figure, races):
    lines = RACES.splitlines()
    opened = open_figure(draw_race(races, lines, "A note."))
    for number, race in enumerate(races):
        for cell in list(race.at)[:: max(len(race.at) // 2, 1)]:
            for order in ("either", "writer", "other", "barrier"):
                opened.show({"race": number, "cell": cell, "order": order})
                if opened.state["order"] == order:
                    shown = Shown(number, cell, order)
                    opened.agrees_with(draw_race(races, lines, "A note.", shown))
                else:  # a race that no barrier mends
                    assert (order, opened.state["order"]) == ("barrier", "either")


def test_keys_and_pointer_move_among_cells_and_orders(open_figure, races):
    opened = open_figure(draw_race(races, RACES.splitlines()))
    first, cells = opened.state, list(races[0].at)
    at = cells.index(first["cell"])
    opened.press("ArrowRight", "b")
    assert opened.state["cell"] == cells[at + 1]
    assert opened.state["order"] == "barrier"
    assert opened.answer == draw_race(races, [], shown=Shown(0, cells[at + 1])).answer
    assert opened.detail.startswith("With a barrier thread")
    opened.press("o")
    assert opened.state["order"] == "other"
    opened.press("o", "ArrowLeft")
    assert opened.state == {**first, "order": "writer"}
    box = opened.page.locator('[data-at="cell"] rect').bounding_box()
    opened.page.mouse.click(box["x"] + 2.5 * box["width"], box["y"] + box["height"] / 2)
    assert opened.state["cell"] == cells[at + 2]
    shown = Shown(0, cells[at + 2], "writer")
    opened.agrees_with(draw_race(races, RACES.splitlines(), shown=shown))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_race_view_has_no_serious_finding(open_figure, races, screenshots, theme):
    shown = Shown(0, races[0].first, "barrier")
    figure = draw_race(races, RACES.splitlines(), shown=shown)
    opened = open_figure(figure, theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"race-{theme}")


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
