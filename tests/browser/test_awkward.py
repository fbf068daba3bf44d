"""Tests of awkward pages at three widths: nothing cut, overlapping, small or wider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import cuda, nn, viz

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.filterwarnings("ignore:.*leaves most of a GPU idle"),
]

WIDTHS = (420, 820, 1280)
NAMES = [
    f"an_array_whose_name_is_as_long_as_{'very_' * 4}long_{at:04}" for at in range(8)
]
EIGHT = (
    f"__global__ void eight({', '.join(f'float* {name}' for name in NAMES)}) {{\n"
    "  int i = threadIdx.x;\n"
    + "".join(f"  {NAMES[at]}[i] = {NAMES[at - 1]}[i] + {at};\n" for at in range(1, 8))
    + "}"
)
LONG = (
    "__global__ void lines(float* x, int n) {\n  float v = x[threadIdx.x];\n"
    + "".join(f"  if (v > {at}) v = v * {at}.5f - {at};\n" for at in range(196))
    + "  x[threadIdx.x] = v;\n}"
)
MOVE = """__global__ void move(const float* x, float* y, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i * stride % 4096] = x[i] * 2;
}"""
RACE = """__global__ void a_reversal_in_shared_memory(float* x) {
  __shared__ float numbers_of_the_block[64];
  numbers_of_the_block[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = numbers_of_the_block[63 - threadIdx.x];
}"""
TREE = """__global__ void tree(float* the_array_whose_numbers_are_added) {
  __shared__ float partial_sums_of_the_block[256];
  int t = threadIdx.x;
  partial_sums_of_the_block[t] = the_array_whose_numbers_are_added[t];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial_sums_of_the_block[t] += partial_sums_of_the_block[t + half];
  }
}"""
ODD = [np.nan, np.inf, -np.inf, 3.4e38, -1.2e-38, 0.0, -0.0, 123456.789] * 8


@cuda.jit
def dimensions(out, line, plane, box):
    x, y, z = cuda.grid(3)
    if x < box.shape[2] and y < box.shape[1] and z < box.shape[0]:
        out[z, y, x] = line[x] + plane[y, x] * box[z, y, x]


@cuda.jit
def guarded(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def ran(
    kernel: Any, grid: Any, block: Any, *values: Any, **options: Any
) -> cuda.Launch:
    given = [
        cuda.to_device(np.asarray(each, np.float32))
        if isinstance(each, list | np.ndarray)
        else each
        for each in values
    ]
    with cuda.inspect(**{"trace": True, **options}) as run:
        kernel[grid, block](*given)
    return run.launches[0]


def raw(code: str) -> Any:
    return cuda.RawKernel(code, code.partition("(")[0].split()[-1])


def shapes() -> cuda.Launch:
    sizes = (2, 3, 5), (5,), (3, 5), (2, 3, 5)
    return ran(dimensions, (2, 1, 1), (4, 4, 2), *(np.ones(size) for size in sizes))


def many_threads() -> cuda.Launch:
    return ran(raw(MOVE), 4, 1024, np.ones(4096), np.ones(4096), 32)


def lstm() -> viz.Figure:
    minitorch.manual_seed(0)
    model = nn.LSTM(8, 16)
    return viz.network(minitorch.explain(model, minitorch.rand((5, 2, 8)), gpu="t4"))


def four_dimensions() -> viz.Figure:
    t = minitorch.tensor(np.arange(120.0).reshape(2, 3, 4, 5))
    return viz.tensor(t, t.permute(3, 1, 0, 2), names=(NAMES[0], NAMES[1]))


def long_graph() -> viz.Figure:
    x = minitorch.Scalar(
        1e-30, name="a_scalar_with_a_name_of_60_characters_" + "x" * 22
    )
    total = x
    for at in range(40):
        total = total * x + float(f"1e{at}")
    return viz.graph(total)


PAGES: dict[str, Callable[[], viz.Figure]] = {
    "an empty array": lambda: viz.grid(ran(guarded, 1, 4, np.zeros(0))),
    "NaN and infinities": lambda: viz.step(ran(raw(RACE), 1, 64, ODD, debug=True)),
    "a race of NaN": lambda: viz.race(ran(raw(RACE), 1, 64, ODD)),
    "eight arrays with long names": lambda: viz.grid(
        ran(raw(EIGHT), 1, 64, *[np.ones(64)] * 8)
    ),
    "eight arrays, step by step": lambda: viz.step(
        ran(raw(EIGHT), 1, 64, *[np.ones(64)] * 8, debug=True)
    ),
    "arrays of one to three dimensions": lambda: viz.grid(shapes()),
    "four dimensions": four_dimensions,
    "a kernel of 200 lines": lambda: viz.step(ran(raw(LONG), 1, 64, np.ones(64), 64)),
    "paths of 200 lines": lambda: viz.divergence(
        ran(raw(LONG), 1, 64, np.arange(64), 64)
    ),
    "kernels of 200 lines": lambda: viz.compare(
        *(ran(raw(LONG), 1, 64, np.full(64, start), 64) for start in (0, 100))
    ),
    "eight arrays by tiles": lambda: viz.tiles(
        ran(raw(EIGHT), 1, 64, *[np.full(64, np.nan)] * 8)
    ),
    "a sum of infinities": lambda: viz.reduction(
        ran(raw(TREE), 3, 256, np.full(256, np.inf))
    ),
    "4,096 threads": lambda: viz.grid(many_threads()),
    "a stride of 4,096 threads": lambda: viz.memory(many_threads()),
    "a trace that was cut": lambda: viz.warps(
        ran(raw(MOVE), 16, 256, np.ones(4096), np.ones(4096), 1, trace_bytes=60_000)
    ),
    "a graph of 80 Scalars": long_graph,
    "an LSTM": lstm,
}

# What cannot be read: text that is small, cut or on other text; words of the frame that
# are cut; a page that scrolls sideways.
_UNREAD = """() => {
  const found = [];
  const live = document.querySelector(".mt-live");
  const svg = live.querySelector("svg");
  const edge = svg.getBoundingClientRect();
  const seen = [...svg.querySelectorAll("text")]
    .filter((each) => each.textContent.trim())
    .map((each) => [each, each.getBoundingClientRect()]);
  for (const [each, box] of seen) {
    const { a, b } = each.getScreenCTM();
    const size = parseFloat(getComputedStyle(each).fontSize) * Math.hypot(a, b);
    if (size < 9.9) found.push(`${size.toFixed(1)} px: ${each.textContent}`);
    if (box.left < edge.left - 1 || box.right > edge.right + 1
      || box.top < edge.top - 2 || box.bottom > edge.bottom + 2)
      found.push(`cut: ${each.textContent}`);
  }
  seen.sort((one, other) => one[1].top - other[1].top);
  seen.forEach(([each, box], at) => {
    const turned = each.getScreenCTM().b;
    for (const [other, beside] of seen.slice(at + 1)) {
      if (beside.top >= box.bottom) break;
      const wide = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
      const high = Math.min(box.bottom, beside.bottom) - beside.top;
      if (wide > 2 && high > 0.5 * Math.min(box.height, beside.height) && !turned)
        found.push(`overlap: ${each.textContent} | ${other.textContent}`);
    }
  });
  for (const each of live.querySelectorAll(".mt-head *, button, select, label")) {
    if (each.scrollWidth > each.clientWidth + 1 && each.clientWidth)
      found.push(`cut: ${each.textContent}`);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > window.innerWidth) found.push(`page ${wide} px wide`);
  return found;
}"""


@pytest.fixture(scope="module")
def figures() -> Callable[[str], viz.Figure]:
    """Draw each figure once."""
    drawn: dict[str, viz.Figure] = {}

    def figure(name: str) -> viz.Figure:
        if name not in drawn:
            drawn[name] = PAGES[name]()
        return drawn[name]

    return figure


@pytest.mark.parametrize("name", PAGES)
def test_it_can_be_read_at_every_width(open_figure, screenshots, figures, name):
    opened = open_figure(figures(name), width=WIDTHS[0])
    wrong = []
    for width in WIDTHS:
        opened.page.set_viewport_size({"width": width, "height": 900})
        opened.settle()
        opened.screenshot(screenshots, f"awkward-{name.replace(' ', '-')}-{width}")
        for key in ("End", "Home"):
            wrong += [(width, each) for each in opened.page.evaluate(_UNREAD)]
            opened.press(key)
    assert wrong == []


def test_text_that_cannot_be_read_is_found(open_figure, figures):
    page = open_figure(figures("an empty array"), width=420).page
    page.evaluate("""() => {
      const words = document.querySelector(".mt-live svg text");
      const small = words.cloneNode(true);
      small.setAttribute("font-size", "6");
      const far = words.cloneNode(true);
      far.setAttribute("x", "400");
      words.after(small, far);
    }""")
    found = "\n".join(page.evaluate(_UNREAD))
    assert "overlap: " in found
    assert "6.0 px: " in found
    assert "cut: " in found


def test_without_scripts_the_still_picture_fits(browser, tmp_path, figures):
    for name in ("four dimensions", "a trace that was cut"):
        figures(name).save(tmp_path / "page.html")
        for width in WIDTHS:
            context = browser.new_context(
                viewport={"width": width, "height": 900},
                java_script_enabled=False, offline=True,
            )  # fmt: skip
            page = context.new_page()
            page.goto((tmp_path / "page.html").as_uri())
            box = page.locator("svg[role=img]").bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
            assert page.locator("svg[role=img]").get_attribute("aria-label")
            context.close()
