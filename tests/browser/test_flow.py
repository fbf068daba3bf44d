"""Tests of the live views of ways through a kernel, in a browser."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.viz.views.divergence.divergences import divergence_data
from minitorch.viz.views.divergence.picture import draw_divergence, shown
from minitorch.viz.views.divergence.words import moment
from minitorch.viz.views.memory.picture import Chosen, draw_memory
from minitorch.viz.views.memory.traffic import memory_data
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


def traffic(code: str, **choice):
    name = code.split("(")[0].split()[-1]
    given = [cuda.to_device(np.zeros(1024, np.float32)) for _ in range(3)]
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, name)[1, (32, 8)](*given)
    return memory_data(run.launches[0], **choice)


@pytest.fixture(scope="module")
def transpose():
    return traffic(TRANSPOSE)


def test_the_memory_view_agrees_for_every_instruction(open_figure, transpose):
    opened = open_figure(draw_memory(transpose, "A note."))
    assert len(transpose.choices) == 4
    assert len(transpose.shared_choices) == 2
    for away, near, lane in (
        (0, 0, 5), (1, 1, 0), (2, 0, 31), (2, 1, 8), (3, 1, 3), (0, 0, 12),
    ):  # fmt: skip
        opened.show({"away": away, "near": near, "lane": lane})
        chosen = Chosen(away, near, lane)
        opened.agrees_with(draw_memory(transpose, "A note.", chosen))


def test_the_memory_view_of_one_kind_of_memory_agrees(open_figure):
    shared = """__global__ void only(float* a, float* b, float* c) {
      __shared__ volatile float s[1024];
      s[threadIdx.x * 4] = threadIdx.y;
      s[threadIdx.x] = threadIdx.y;
    }"""
    for data in (traffic(shared), traffic(TRANSPOSE, line=7)):
        opened = open_figure(draw_memory(data))
        away, near = len(data.choices) - 1, len(data.shared_choices) - 1
        opened.show({"away": away, "near": near, "lane": 7})
        opened.agrees_with(draw_memory(data, chosen=Chosen(away, near, 7)))


def test_keys_and_pointer_move_the_lane_and_the_instruction(open_figure, transpose):
    opened = open_figure(draw_memory(transpose))
    first = opened.state
    opened.press("ArrowRight", "ArrowRight", "w")
    wanted = {**first, "lane": first["lane"] + 2, "away": first["away"] - 1}
    assert opened.state == wanted
    opened.page.mouse.move(10, 10)
    box = opened.page.locator('[data-at="bank0"] rect').last.bounding_box()
    # The word of the next lane lies one row below: 9 units, as wide as the page allows.
    opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] + 3)
    assert opened.state["lane"] == wanted["lane"] + 1
    lane = opened.state["lane"]
    opened.agrees_with(
        draw_memory(transpose, chosen=Chosen(wanted["away"], wanted["near"], lane))
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_memory_view_has_no_serious_finding(
    open_figure, transpose, screenshots, theme
):
    opened = open_figure(draw_memory(transpose), theme=theme)
    assert opened.serious_findings() == []
    opened.screenshot(screenshots, f"memory-{theme}")


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
