"""Tests of the live grid view: keys, pointer, and agreement with what Python draws."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz

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


def point(opened, x: float, y: float) -> tuple[float, float]:
    """Where a point of the picture is on the screen, below its sentences."""
    box = opened.page.locator(".mt-live > svg").bounding_box()
    return box["x"] + 20 + x, box["y"] + y


def test_the_pointer_moves_the_focus(open_figure, matmul):
    for width in (1160, 420):
        opened = open_figure(viz.grid(matmul, 0, 0), width=width)
        # Row 10 and column 3 of the grid's 16 by 16 threads of 17.5 pixels.
        opened.page.mouse.click(*point(opened, 30 + 17.5 * 3.5, 24 + 17.5 * 10.5))
        opened.agrees_with(viz.grid(matmul, (3, 2), (0, 1)))


def test_a_cell_tells_who_reads_and_writes_it_and_leads_there(open_figure, matmul):
    opened = open_figure(viz.grid(matmul, 0, 0))
    below, right = 346, 340  # of the grid: A; of A: C
    tip = opened.page.locator("svg > title").last
    # A's row 10 is read by the threads of row 10, and C's cell written by its own.
    opened.page.mouse.move(*point(opened, 25 + 18 * 3.5, below + 24 + 18 * 10.5))
    said = "A[10, 3] is read by 16 threads, and written by no thread."
    assert tip.text_content() == said
    at = point(opened, right + 25 + 18 * 3.5, below + 24 + 18 * 10.5)
    opened.page.mouse.move(*at)
    assert tip.text_content() == (
        "C[10, 3] is read by no thread, and written by thread (3, 2) of block (0, 1)."
    )
    opened.page.mouse.click(*at)
    opened.agrees_with(viz.grid(matmul, (3, 2), (0, 1)))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_usable_without_eyes_and_mouse(
    open_figure, matmul, screenshots, theme
):
    opened = open_figure(viz.grid(matmul, (3, 2), (0, 1)), theme=theme)
    opened.screenshot(screenshots, f"grid-{theme}")
    assert opened.serious_findings() == []


@pytest.mark.parametrize("width", [420, 820, 1280])
def test_words_are_read_and_whole_at_every_width(open_figure, matmul, width):
    opened = open_figure(viz.grid(matmul), width=width)
    assert opened.unread() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


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
    # Of 16 blocks around the first focus.
    assert opened.state == {"block": 27, "thread": 5, "access": 1, "who": 0}
    assert opened.answer == "Thread 5 of block 27 writes x[6917]."
    with pytest.raises(Exception, match="which is not here: no warp 3"):
        opened.show({"warp": 3})


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
