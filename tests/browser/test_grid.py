"""Tests of the live grid view: keys, pointer, and agreement with what Python draws."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene import drawing

pytestmark = pytest.mark.cuda

MATMUL = """__global__ void matmul(const float* A, const float* B, float* C) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < 16; k++) acc += A[row * 16 + k] * B[k * 16 + col];
  C[row * 16 + col] = acc;
}"""

STENCIL = """__global__ void stencil(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}"""

SOLID = """__global__ void solid(const float* x, float* y, int* count) {
  int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  i += blockDim.x * blockDim.y * blockDim.z * (blockIdx.x + gridDim.x * blockIdx.z);
  y[i] = x[i * 7 % 50] + x[i * i % 50];
  if (i % 3 == 0) atomicAdd(count + i % 2, 1);
}"""


def traced(code: str, grid, block, *arguments) -> cuda.Launch:
    name = code.split("(")[0].split()[-1]
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, name)[grid, block](*arguments)
    return run.launches[0]


@pytest.fixture(scope="module")
def matmul():
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    return traced(MATMUL, (2, 2), (8, 8), a, b, cuda.device_array((16, 16), "float32"))


@pytest.fixture(scope="module")
def stencil():
    x = cuda.to_device(np.ones(3000, np.float32))
    return traced(STENCIL, 47, 64, x, cuda.device_array(3000, "float32"), 3000)


@pytest.fixture(scope="module")
def solid():
    x = cuda.to_device(np.array([np.nan, -np.inf, 1e9, *range(47)], np.float32))
    y = cuda.device_array((2, 3, 4, 12), "float32")
    count = cuda.to_device(np.zeros(2, np.int32))
    return traced(SOLID, (3, 1, 2), (4, 3, 4), x, y, count)


def test_a_product_of_matrices_agrees(open_figure, matmul):
    opened = open_figure(viz.grid(matmul))
    for block, thread in ((2, 19), (0, 0), (3, 63), (1, 7), (2, 20)):
        opened.show({"block": block, "thread": thread})
        opened.agrees_with(viz.grid(matmul, thread, block))


def test_a_long_array_agrees_where_only_a_part_is_drawn(open_figure, stencil):
    opened = open_figure(viz.grid(stencil))
    # Thread 0 of block 0 and the last threads touch no cell.
    for block, thread in ((46, 50), (0, 0), (23, 1), (46, 63), (20, 40)):
        opened.show({"block": block, "thread": thread})
        opened.agrees_with(viz.grid(stencil, thread, block))


def test_three_dimensions_and_atomics_agree(open_figure, solid):
    opened = open_figure(viz.grid(solid))
    for block, thread in ((5, 47), (0, 0), (1, 3), (3, 12), (4, 30)):
        opened.show({"block": block, "thread": thread})
        opened.agrees_with(viz.grid(solid, thread, block))


def test_letters_move_the_focus_through_the_whole_grid(open_figure, matmul):
    opened = open_figure(viz.grid(matmul, (7, 7), (0, 0)))
    for key, block, thread in (
        ("d", (1, 0), (0, 7)),
        ("s", (1, 1), (0, 0)),
        ("a", (0, 1), (7, 0)),
        ("w", (0, 0), (7, 7)),
    ):
        opened.press(key)
        opened.agrees_with(viz.grid(matmul, thread, block))
    opened.press(*"wwwwwwwwww", *"aaaaaaaaaa")
    opened.agrees_with(viz.grid(matmul, 0, 0))


def test_the_third_dimension_has_keys_too(open_figure, solid):
    opened = open_figure(viz.grid(solid, (1, 1, 3), (2, 0, 0)))
    opened.press("e")
    opened.agrees_with(viz.grid(solid, (1, 1, 0), (2, 0, 1)))
    opened.press("q", "q")
    opened.agrees_with(viz.grid(solid, (1, 1, 2), (2, 0, 0)))


def middle_of(opened, name: str, flat: int, columns: int = 16) -> tuple[float, float]:
    """Where a cell of 19 pixels is on the screen."""
    return opened.page.evaluate(
        """([name, row, column]) => {
          const matrix = document.querySelector(`[data-at="${name}"]`).getScreenCTM();
          const at = new DOMPoint(40 + 19 * column + 9.5, 42 + 19 * row + 9.5);
          const {x, y} = at.matrixTransform(matrix);
          return [x, y];
        }""",
        [name, flat // columns, flat % columns],
    )


def test_the_pointer_moves_the_focus(open_figure, matmul):
    for width in (1160, 700):
        opened = open_figure(viz.grid(matmul, 0, 0), width=width)
        # Row 10 and column 3 of the grid's 16 by 16 threads.
        opened.page.mouse.move(*middle_of(opened, "threads-focus", 10 * 16 + 3))
        opened.agrees_with(viz.grid(matmul, (3, 2), (0, 1)))


def test_a_cell_tells_who_reads_and_writes_it(open_figure, matmul):
    opened = open_figure(viz.grid(matmul, 0, 0))
    # A's row 10 is read by the threads of row 10, and C's cell written by its own.
    opened.page.mouse.move(*middle_of(opened, "a0-mine", 10 * 16 + 3))
    assert opened.answer == "A[10, 3] is read by 16 threads, and written by no thread."
    marks = opened.page.locator('[data-at="threads-cell"] path')
    drawn = "".join(each.get_attribute("d") for each in marks.all())
    assert drawn.count("M") == 16
    opened.page.mouse.move(*middle_of(opened, "a2-mine", 10 * 16 + 3))
    assert opened.answer == (
        "C[10, 3] is read by no thread, and written by thread (3, 2) of block (0, 1)."
    )
    assert opened.state["cell"] == {"array": 2, "cell": 163}
    opened.page.mouse.move(5, 5)
    opened.agrees_with(viz.grid(matmul, 0, 0))


def test_keys_reach_the_cells_as_well(open_figure, matmul):
    opened = open_figure(viz.grid(matmul, (3, 2), (0, 1)))
    opened.press("c")
    assert opened.answer.startswith("A[10, 0] is read by 16 threads")
    opened.press(*"c" * 16)
    assert opened.answer.startswith("B[0, 3] is read by 16 threads")
    opened.press("Escape")
    opened.agrees_with(viz.grid(matmul, (3, 2), (0, 1)))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_usable_without_eyes_and_mouse(
    open_figure, matmul, screenshots, theme
):
    opened = open_figure(viz.grid(matmul, (3, 2), (0, 1)), theme=theme)
    opened.screenshot(screenshots, f"grid-{theme}")
    assert opened.serious_findings() == []


def test_on_narrow_pages_the_parts_go_below_each_other(open_figure, matmul):
    opened = open_figure(viz.grid(matmul))
    page = opened.page

    def boxes() -> list[dict[str, float]]:
        parts = page.locator("[data-stack], .mt-live svg > g:last-of-type").all()
        return [each.bounding_box() for each in parts]

    def scale() -> float:
        return page.evaluate(
            "document.querySelector('[data-at=sum-x]').getScreenCTM().a"
        )

    panels, beside, key = wide = boxes()
    assert beside["x"] > panels["x"] + panels["width"]
    assert key["y"] > panels["y"] + panels["height"]
    page.set_viewport_size({"width": 700, "height": 1000})
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width < 800")
    panels, beside, key = boxes()
    assert beside["y"] > panels["y"] + panels["height"]
    assert key["y"] > beside["y"] + beside["height"]
    assert page.evaluate("document.body.scrollWidth") <= 700
    assert scale() > 0.85
    opened.agrees_with(viz.grid(matmul))
    page.set_viewport_size({"width": 1160, "height": 1000})
    page.wait_for_function("document.querySelector('svg').viewBox.baseVal.width > 1000")
    for before, after in zip(wide, boxes(), strict=True):
        assert after["x"] == pytest.approx(before["x"], abs=1)
        assert after["y"] == pytest.approx(before["y"], abs=1)


def test_a_kernel_that_failed_agrees_at_its_fault_and_elsewhere(open_figure):
    code = """__global__ void shift(const float* x, float* y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i + 1] = x[i];
    }"""
    x = cuda.to_device(np.ones(40, np.float32))
    launch = traced(code, 5, 8, x, cuda.device_array(40, "float32"))
    opened = open_figure(viz.grid(launch))
    for block, thread in ((0, 0), (4, 7), (4, 6), (2, 7)):
        opened.show({"block": block, "thread": thread})
        opened.agrees_with(viz.grid(launch, thread, block))


def test_any_name_and_a_failed_kernel_agree(open_figure):
    code = """__global__ void k(const float* x, float* y) {
      y[threadIdx.x] = x[threadIdx.x + 2];
    }"""
    x, y = (cuda.to_device(np.full(16, np.nan, np.float32)) for _ in "xy")
    names = {"<b>&amp;" + "W" * 60: x, "y": y}
    launch = traced(code, 1, 14, x, y)
    opened = open_figure(viz.grid(launch, arrays=names))
    for thread in (0, 13):
        opened.show({"thread": thread})
        opened.agrees_with(viz.grid(launch, thread, arrays=names))
    failed = traced(code, 1, 16, x, y)
    assert failed.findings
    opened = open_figure(viz.grid(failed))
    opened.show({})
    opened.agrees_with(viz.grid(failed))
    for thread in (3, 0):
        opened.show({"thread": thread})
        opened.agrees_with(viz.grid(failed, thread))


def test_threads_beyond_the_picture_are_not_reached(open_figure):
    code = "__global__ void k(float* x) { x[blockIdx.x * 256 + threadIdx.x] = 1; }"
    launch = traced(code, 40, 256, cuda.device_array(10240, "float32"))
    opened = open_figure(viz.grid(launch, 0, 20))
    opened.show({"block": 39, "thread": 5})
    assert opened.state["block"] == 27  # the 16 blocks around the first focus
    assert opened.answer == "Thread 5 of block 27 writes x[6917]."


_RINGS = """() => [...document.querySelectorAll(
  '[data-at] rect[stroke="var(--ink)"][stroke-width="2.4"]')].map((each) =>
  each.closest('[data-at]').getAttribute('data-at'))"""


def texts_in(opened, name: str) -> list[str]:
    return opened.page.locator(f'[data-at="{name}"] text').all_text_contents()


def test_a_click_on_a_cell_leaves_one_ring_and_the_cell_s_value(open_figure, matmul):
    figure = viz.grid(matmul, (3, 2), (0, 1))
    values = figure.data.arrays[2].array.values.reshape(-1)
    opened = open_figure(figure)
    assert opened.page.evaluate(_RINGS) == ["threads-focus", "a2-mine"]  # linked
    # Of the thread itself, of a thread nearby, of another block, of what it reads.
    for array, cell in ((2, 163), (2, 164), (2, 5), (0, 163), (1, 255)):
        opened.page.mouse.click(*middle_of(opened, f"a{array}-mine", cell))
        opened.settle()
        assert opened.state["cell"] == {"array": array, "cell": cell}
        assert opened.page.evaluate(_RINGS) == [f"a{array}-mine"]
        wanted = f"{figure.data.arrays[array].array.values.reshape(-1)[cell]:g}"
        assert wanted in texts_in(opened, f"a{array}-mine")
    # The thread's own cell keeps its value, and who wrote a cell keeps its number.
    assert f"{values[163]:g}" in texts_in(opened, "a2-mine")
    opened.page.mouse.click(*middle_of(opened, "a2-mine", 5))
    assert texts_in(opened, "threads-cell") == ["5"]
    opened.page.mouse.move(5, 5)
    opened.agrees_with(figure)


def test_values_without_room_in_their_cells_stand_in_them_smaller_or_beside(
    open_figure,
):
    code = """__global__ void scale(float* x, float* y) {
      int i = threadIdx.x;
      x[i] = x[i] * 2;
      y[i] = -123456.0f * i;
    }"""
    x = cuda.to_device(np.arange(1000, 1032, dtype=np.float32))
    launch = traced(code, 1, 32, x, cuda.device_array(32, "float32"))
    opened = open_figure(viz.grid(launch, 5))
    for thread in (5, 0, 15, 31):
        opened.show({"thread": thread})
        opened.agrees_with(viz.grid(launch, thread))
        own = 2 * (1000 + thread), -123456.0 * thread
        for at, value in enumerate(own):
            # Read and written is drawn once, not one number over the other.
            assert texts_in(opened, f"a{at}-mine") == [drawing.number(value)]
    for cell in (0, 15, 30, 31):
        opened.page.mouse.click(*middle_of(opened, "a1-mine", cell))
        assert drawing.number(-123456.0 * cell) in texts_in(opened, "a1-mine")
        assert opened.page.evaluate(_RINGS) == ["a1-mine"]


def test_a_wrong_value_agrees_at_its_thread_and_elsewhere(open_figure):
    code = """__global__ void k(const float* x, float* y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = x[i];
    }"""
    x = cuda.device_array(16, "float32")
    launch = traced(code, 2, 8, x, cuda.device_array(16, "float32"))
    opened = open_figure(viz.grid(launch))
    assert opened.answer == "Thread 0 of block 0 reads x[0], which nobody has written."
    for block, thread in ((1, 3), (0, 0)):
        opened.show({"block": block, "thread": thread})
        opened.agrees_with(viz.grid(launch, thread, block))
