"""Tests of the grid view: cells and writers against NumPy, and the picture's marks."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.render import parts_of
from minitorch.viz.scene.scene import sentences
from minitorch.viz.traces.launches import hue_of
from minitorch.viz.views.grid.picture import scene_of, slots_of
from minitorch.viz.views.grid.touched import grid_data

from .grid_cells import touched
from .picture import check, with_fill, words
from .scenes import check_scene
from .step_kernels import traced

pytestmark = pytest.mark.cuda

MATMUL = """__global__ void matmul(const float* A, const float* B, float* C) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < 16; k++) acc += A[row * 16 + k] * B[k * 16 + col];
  C[row * 16 + col] = acc;
}"""


@pytest.fixture(scope="module")
def matmul():
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    c = cuda.device_array((16, 16), "float32")
    launch = traced(MATMUL, (2, 2), (8, 8), a, b, c)
    return launch, {"A": a, "B": b, "C": c}, numbers


def test_each_thread_touches_its_row_its_column_and_its_cell(matmul):
    launch, arrays, _ = matmul
    for number in range(0, 256, 37):
        block, thread = divmod(number, 64)
        row = block // 2 * 8 + thread // 8
        column = block % 2 * 8 + thread % 8
        data = grid_data(launch, thread, block, arrays)
        assert touched(data, 0, "reads") == [[row, k] for k in range(16)]
        assert touched(data, 1, "reads") == [[k, column] for k in range(16)]
        assert touched(data, 2, "writes") == [[row, column]]
        for at, way in ((0, "writes"), (1, "writes"), (2, "reads")):
            assert touched(data, at, way) == []


def test_each_cell_knows_the_block_that_wrote_it(matmul):
    launch, arrays, _ = matmul
    row, column = np.indices((16, 16))
    data = grid_data(launch, arrays=arrays)
    assert (data.arrays[2].writer == row // 8 * 2 + column // 8).all()
    assert (data.arrays[0].writer == -1).all()


def test_the_counter_of_a_loop_stands_beside_the_cells(matmul):
    launch, arrays, _ = matmul
    figure = viz.grid(launch, (3, 2), (0, 1), arrays=arrays)
    order = figure.data.order
    mine = np.nonzero(order.thread == 2 * 64 + 19)[0]
    assert [order.turns[at] for at in mine] == [f"k = {k}" for k in range(16)] + [""]
    assert words(figure).count(f"k = {figure.state['access']}") == 2


@pytest.mark.parametrize(
    "loop",
    ["for (int k = 0; k < 16; k += 2) sum += x[k];",
     "for (int k = 0; k < 16; k++) if (k % 3 == 1) sum += x[k];",
     "for (int k = 1; k < 16; k++) sum += x[k];"],
)  # fmt: skip
def test_a_counter_that_is_not_sure_is_left_out(loop):
    code = (
        f"__global__ void k(const float* x, float* y) {{\n  float sum = 0;\n  {loop}\n"
    )
    x = cuda.to_device(np.ones(16, np.float32))
    launch = traced(
        f"{code}  y[0] = sum;\n}}", 1, 1, x, cuda.device_array(1, "float32")
    )
    assert set(grid_data(launch).order.turns) == {""}


def test_what_blocks_wrote_has_outlines(matmul):
    launch, arrays, _ = matmul
    scene = scene_of(grid_data(launch, arrays=arrays))
    marks = {each.title: each for panel in scene.panels for each in panel.marks
             if hasattr(each, "outlines")}  # fmt: skip
    assert marks["A"].outlines is None
    boxes = [[8 * row, 8 * column, 8, 8] for row in (0, 1) for column in (0, 1)]
    assert marks["C"].outlines[:, :4].tolist() == boxes


def test_how_often_cells_are_read(matmul):
    # A thread reads 16 + 16 cells; a warp has 4 rows of 8 threads, a block 8 by 8.
    reuse = grid_data(matmul[0]).threads.reuse
    found = [(int(each.reads[0]), int(each.cells[0])) for each in reuse]
    assert found == [(32, 32), (1024, 192), (2048, 256), (8192, 512)]


def test_the_picture_says_what_the_numbers_say(matmul):
    launch, arrays, numbers = matmul
    figure = viz.grid(launch, (3, 2), (0, 1), arrays=arrays)
    check(figure)
    assert figure.answer == (
        "Thread (3, 2) of block (0, 1) reads row 10 of A and column 3 of B, and "
        "writes C[10, 3]."
    )
    shown = words(figure)
    value = numbers[0][10] @ numbers[1][:, 3]
    assert f"{value:g}" in shown
    assert "Grid: 2 × 2 blocks of 8 × 8 threads" in shown
    assert "16 × 16 · the thread reads row 10" in shown
    assert {"0 × 8 + 3 = 3", "1 × 8 + 2 = 10"} <= set(shown)
    for name in ("0,0", "1,0", "0,1", "1,1"):
        assert name in shown
    # Block (0, 1) is number 2: the hue of its thread, its cell, and the key's.
    assert with_fill(figure, "var(--c2)") + with_fill(figure, "var(--c2)", "path") == 3
    check_scene(figure, scene_of(figure.data), 12)


def unnamed(launch: cuda.Launch) -> cuda.Launch:
    """A launch whose arguments nobody knows."""
    found = copy.copy(launch)
    found.arguments = ()
    return found


def test_without_names_stretches_of_memory_are_numbered(matmul):
    figure = viz.grid(unnamed(matmul[0]), 19, 2)
    check(figure)
    assert figure.answer == (
        "Thread (3, 2) of block (0, 1) reads array 1[160–175] and 16 cells of array 2, "
        "and writes array 3[163]."
    )


def _place(array: cuda.DeviceArray) -> int:
    return array.pointer


STENCIL = """__global__ void stencil(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}"""


@pytest.mark.parametrize("first", [0, 1])
def test_an_unnamed_array_begins_where_the_parameter_points(first):
    """The first cell that is written is y[1]; it must not be called y[0].

    The numbers do not depend on which array lies at the lower address.
    """
    pair = sorted((cuda.to_device(np.ones(100, np.float32)) for _ in "xy"), key=_place)
    x, y = pair[first], pair[1 - first]
    launch = traced(STENCIL, 4, 32, x, y, 100)
    figure = viz.grid(unnamed(launch), 16, 2)
    assert figure.answer == (
        "Thread 16 of block 2 reads array 1[79–81], and writes array 2[80]."
    )
    named = viz.grid(launch, 16, 2, arrays={"x": x, "y": y})
    check(named)
    assert named.answer == "Thread 16 of block 2 reads x[79–81], and writes y[80]."


def test_arrays_have_the_names_of_the_parameters(matmul):
    """No dict is needed; the values are those that the launch left behind."""
    launch, given, numbers = matmul
    given["C"].copy_to_device(np.zeros((16, 16), np.float32))  # later: it does not show
    figure = viz.grid(launch, (3, 2), (0, 1))
    check(figure)
    assert figure.answer == (
        "Thread (3, 2) of block (0, 1) reads row 10 of A and column 3 of B, and "
        "writes C[10, 3]."
    )
    left = [each.array.values for each in figure.data.arrays]
    for found, expected in zip(left, [*numbers, numbers[0] @ numbers[1]], strict=True):
        assert (found == expected).all()


def test_names_of_arguments_that_are_one_array_or_behind_a_variable():
    code = """__device__ float scale[4];
    __global__ void k(const float* in, float* out, float* far, int n) {
      out[threadIdx.x] = in[threadIdx.x] + 1;
      if (n > 0) scale[threadIdx.x % 4] = n;
    }"""
    x = cuda.to_device(np.arange(8, dtype=np.float32))
    untouched = cuda.to_device(np.ones(3, np.float32))
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, "k")[1, 8](x, x, untouched, 5)
    data = viz.grid(run.launches[0], 3).data
    assert [each.array.name for each in data.arrays] == ["in = out", "array 1"]
    assert data.arrays[0].array.values.tolist() == list(range(1, 9))
    assert touched(data, 1, "writes") == [[3]]


@cuda.jit
def mark(turned):
    i = cuda.threadIdx.x
    turned[i, 1] = 10 * i


def test_what_a_launch_left_in_a_view():
    whole = cuda.to_device(np.zeros((3, 6), np.int16))
    with cuda.inspect(trace=True) as run:
        mark[1, 3](whole[::-1, ::2].T)  # (3, 3), strides (4, -12)
    data = viz.grid(run.launches[0], 2).data
    (found,) = data.arrays
    assert found.array.name == "turned"
    assert found.array.values.tolist() == [[0, 0, 0], [0, 10, 0], [0, 20, 0]]
    assert touched(data, 0, "writes") == [[2, 1]]


def test_what_a_launch_left_by_accesses_of_other_sizes():
    code = """__global__ void k(unsigned char* a, double* b) {
      int t = threadIdx.x;
      a[3 * t] = 200 + t;
      reinterpret_cast<float*>(b)[2 * t + 1] = 1.0f;
      atomicAdd((int*)(a + 32), 2);
    }"""
    a = cuda.to_device(np.zeros(64, np.uint8))
    b = cuda.to_device(np.full(4, 2.0))
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, "k")[1, 4](a, b)
    left = [each.array.values for each in viz.grid(run.launches[0]).data.arrays]
    expected = np.full(4, 2.0)
    expected.view(np.float32)[1::2] = 1
    assert left[0].tolist() == a.copy_to_host().tolist()
    assert left[0][[0, 3, 6, 9, 32]].tolist() == [200, 201, 202, 203, 8]
    assert (left[1] == expected).all()


def test_strided_arrays_are_found_by_their_own_indices():
    code = "__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }"
    whole = cuda.to_device(np.zeros((4, 6), np.float32))
    turned, part = whole.T, whole[1:3, ::2]
    launch = traced(code, 1, 24, whole.reshape(24))
    data = grid_data(launch, 13, arrays={"t": turned, "p": part})
    assert touched(data, 0, "writes") == [[1, 2]]  # 13 = 2 * 6 + 1
    assert touched(data, 1, "writes") == []
    data = grid_data(launch, 14, arrays={"p": part})
    assert touched(data, 0, "writes") == [[1, 1]]  # 14 = (1 + 1) * 6 + 2 * 1


def test_nan_infinity_and_long_names_are_drawn():
    code = "__global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[0]; }"
    x = cuda.to_device(np.array([np.nan, np.inf], np.float32))
    y = cuda.device_array(8, "float32")
    launch = traced(code, 1, 8, x, y)
    figure = viz.grid(launch, 2, arrays={"<b>" + "long" * 100: x, "y": y})
    check(figure)
    assert any("NaN" in each for each in words(figure))


@pytest.mark.parametrize(
    ("grid", "block"),
    [((3, 2, 2), (4, 3, 2)), (1, 1), (1, 1024), (700, 1), (2000, 64), ((40, 40), 32)],
)
def test_every_shape_stays_within_the_budget(grid, block):
    code = """__global__ void mark(int* x) {
      int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
      if (threadIdx.x + threadIdx.y + threadIdx.z == 0) x[block] = block;
    }"""
    x = cuda.device_array(4096, "int32")
    launch = traced(code, grid, block, x, counters=False)
    figure = viz.grid(launch, arrays={"x": x})
    check(figure)
    blocks = np.prod(launch.grid)
    assert (figure.data.arrays[0].writer[:blocks] == np.arange(blocks)).all()
    more = blocks - figure.data.threads.blocks
    said = f"… and {more:,} more blocks like these"
    assert any(said in each for each in words(figure)) == (more > 0)
    check_scene(figure, scene_of(figure.data), 4)


def test_threads_do_not_lie_on_each_other():
    for block in ((4, 3, 2), (40, 2, 1), (32, 1, 1), (100, 1, 1)):
        slots, wide, outlines = slots_of((2, 1, 1), block, 0, 2)
        assert len(set(slots.tolist())) == 2 * np.prod(block)
        for at, own in enumerate(slots.reshape(2, -1)):
            row, column, rows, columns, _ = outlines[at].tolist()
            assert (own // wide >= row).all()
            assert (own // wide < row + rows).all()
            assert (own % wide >= column).all()
            assert (own % wide < column + columns).all()


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("i<2 && n>0", ": i<2 && n>0, with i = 3 and n = 4."),
        ("n - i > 1 || i == n", ": n - i > 1 || i == n, with n = 4 and i = 3."),
        ("i = n - 4", ": i = n - 4, with i = 3 and n = 4."),  # a usual mistake
    ],
)
def test_why_a_thread_stops(condition, reason):
    launch = traced(
        "__global__ void k(int* x, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"  if ({condition}) x[i] = n;\n}}",
        1, 4, cuda.to_device(np.zeros(4, np.int32)), np.int32(4),
    )  # fmt: skip
    detail = viz.grid(launch, 3).detail
    assert detail.startswith(f"Line 3 is the last that it runs{reason}")


def test_a_thread_that_touches_nothing_and_an_atomic():
    code = "__global__ void count(int* x) { if (threadIdx.x < 4) atomicAdd(x, 1); }"
    x = cuda.to_device(np.zeros(1, np.int32))
    launch = traced(code, 1, 32, x)
    assert viz.grid(launch, 20).answer == "Thread 20 touches no cell."
    assert ": threadIdx.x < 4, with threadIdx.x = 20." in viz.grid(launch, 20).detail
    figure = viz.grid(launch, 2, arrays={"x": x})
    check(figure)
    assert figure.answer == "Thread 2 updates x[0]."


def test_bad_input(matmul):
    launch = matmul[0]
    with pytest.raises(
        IndexError, match=r"got thread \(8, 0\); need one within \(8, 8"
    ):
        viz.grid(launch, (8, 0))
    with pytest.raises(IndexError, match="got block 4; need one within"):
        viz.grid(launch, block=4)
    with pytest.raises(
        TypeError, match=r"got thread 'a'; need a number or an index \(x, y, z\)"
    ):
        viz.grid(launch, "a")
    with pytest.raises(TypeError, match="got list for arrays; need a dict"):
        viz.grid(launch, arrays=[1])
    with pytest.raises(TypeError, match="got ndarray for 'a'; need a device array"):
        viz.grid(launch, arrays={"a": np.ones(3)})
    with pytest.raises(ValueError, match="'a' has 0 elements"):
        viz.grid(launch, arrays={"a": cuda.device_array(0, "float32")})
    with pytest.raises(TypeError, match="got NoneType; need a launch"):
        viz.grid(None)


def test_neighbouring_blocks_differ_in_hue():
    for grid in ((4, 4, 1), (5, 3, 1), (2, 2, 2), (7, 1, 1), (1, 4, 1)):
        hue = hue_of(np.arange(np.prod(grid)), grid).reshape(grid[::-1])
        assert (np.diff(hue, axis=2) != 0).all()
        assert (np.diff(hue, axis=1) != 0).all()
        assert len(np.unique(hue)) == 4


def test_a_picture_of_4096_threads_is_small():
    code = """__global__ void add(const float* x, float* y) {
      int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
      y[i * 64 + j] = x[i * 64 + j] + 1;
    }"""
    x, y = (cuda.to_device(np.ones((64, 64), np.float32)) for _ in "xy")
    launch = traced(code, (4, 4), (16, 16), x, y, counters=False)
    figure = viz.grid(launch, arrays={"x": x, "y": y})
    check(figure)
    assert len(figure.svg()) < 60_000


_KEY = "thread of this block (number: threadIdx.{}), or cell it wrote"


def corners(grid, block) -> set[str]:
    """What a kernel's picture says, whose threads write nothing of interest."""
    x = cuda.device_array(1, "int32")
    code = "__global__ void k(int* x) { if (threadIdx.x == 99) x[0] = 1; }"
    figure = viz.grid(traced(code, grid, block, x), arrays={"x": x})
    check(figure)
    return set(words(figure))


def test_threads_of_small_blocks_show_all_their_numbers():
    square = corners((1, 3), (4, 3))
    assert {_KEY.format("x,y"), "0,0", "3,2", "1,0"} <= square
    assert "4,0" not in square
    assert {"0,0,0", "1,0,1", "1,1,1"} <= corners(1, (2, 2, 2))
    # Without room for all there is the first, as in blocks of one dimension.
    wide = corners(1, (16, 2))
    assert _KEY.format("x") in wide
    assert {"0", "15"} <= wide
    assert not {"0,0", "15,1"} & wide


def test_accesses_have_their_line_cells_values_and_sums():
    numbers = np.random.default_rng(0).integers(1, 9, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    c = cuda.device_array((16, 16), "float32")
    figure = viz.grid(traced(MATMUL, (2, 2), (8, 8), a, b, c), (3, 2), 2)
    check(figure)
    order = figure.data.order
    mine = order.thread == 2 * 64 + 19
    assert order.line[mine].tolist() == [4] * 16 + [5]
    assert order.array[mine].tolist() == [[0, 1, -1]] * 16 + [[2, -1, -1]]
    cells = [[160 + k, 16 * k + 3] for k in range(16)]
    assert order.cell[mine, :2].tolist() == [*cells, [163, -1]]
    assert figure.state["access"] == 8
    sums = np.cumsum(numbers[0][10] * numbers[1][:, 3])
    said = {"reads A[10, 8]", "reads B[8, 3]", f"{sums[7]:g} → {sums[8]:g}"}
    said |= {f"{numbers[0][10, 8]:g} × {numbers[1][8, 3]:g} =", f"{sums[-1]:g}"}
    assert said <= set(words(figure))
    assert "{access} of 17" in figure.scene.words
    check_scene(figure, scene_of(figure.data), 12)


@pytest.mark.parametrize("source", [True, False])
def test_code_is_shown_where_there_is_some(matmul, source):
    launch = copy.copy(matmul[0])
    if not source:
        launch.source, launch.source_file = "", ""
    figure = viz.grid(launch, (3, 2), (0, 1))
    check(figure)
    assert ("Why this cell?" in words(figure)) == source
    assert "reads A[10, 10]" in words(figure)  # in the middle, of those without a zero
    assert ("line 4 reads 2 cells" in words(figure)) == (launch.trace.line[0] > 0)


def test_the_cells_of_a_warp_and_of_a_block(matmul):
    figure = viz.grid(matmul[0], (3, 2), (0, 1))
    found = []
    for who in (1, 2):
        found.append(sentences(figure.scene, {**figure.state, "who": who})[0])
    assert found == [
        "Warp 0 of block (0, 1) reads rows 8–11 of A and columns 0–7 of B, and writes "
        "C[8–11, 0–7].",
        "Block (0, 1) reads rows 8–15 of A and columns 0–7 of B, and writes "
        "C[8–15, 0–7].",
    ]


def test_arrays_that_share_a_side_have_one_scale_and_guides():
    code = """__global__ void matmul(const float* a, const float* b, float* c) {
      int row = threadIdx.y, col = threadIdx.x;
      float acc = 0;
      for (int k = 0; k < 24; k++) acc += a[row * 24 + k] * b[k * 16 + col];
      c[row * 16 + col] = acc;
    }"""
    sizes = ((18, 24), (24, 16), (18, 16))
    arrays = [cuda.to_device(np.ones(size, np.float32)) for size in sizes]
    figure = viz.grid(traced(code, 1, (16, 18), *arrays), (3, 2))
    check(figure)
    marks = [each for panel in figure.scene.panels for each in panel.marks]
    own = [each for each in marks if getattr(each, "name", "").startswith("array")]
    assert len({each.size for each in own}) == 1
    assert len(figure.scene.over) == 2
    # On a narrow page the code stands between the arrays.
    parts = parts_of(figure.scene, figure.state, 380)[0]
    names = [getattr(part.mark, "title", "") for part in parts]
    names = [each for each in names if each in ("a", "b", "c", "Why this cell?")]
    assert names == ["a", "Why this cell?", "b", "c"]
    heads = len(re.findall("marker-end", figure.svg()))
    assert heads == 2
    # Where a row is read for another row of the result, no arrow leads there.
    turned = code.replace("c[row * 16 + col]", "c[col * 18 + row]")
    arrays[2] = cuda.to_device(np.ones((16, 18), np.float32))
    figure = viz.grid(traced(turned, 1, (16, 18), *arrays), (3, 2))
    assert "marker-end" not in figure.svg()


def test_cells_that_are_read_have_their_boxes_where_boxes_are_small():
    n = 32
    a, b = (cuda.to_device(np.ones((n, n), np.float32)) for _ in "ab")
    code = MATMUL.replace("16", str(n))
    figure = viz.grid(
        traced(code, (4, 4), (8, 8), a, b, cuda.device_array((n, n), "float32"))
    )
    paths = re.findall(
        r'<path d="([^"]*)"[^>]*stroke-dasharray="2.6 1.8"', figure.svg()
    )
    assert sorted(path.count("M") for path in paths)[-2:] == [n, n]


@pytest.mark.parametrize(("count", "shown"), [(100, True), (128, True), (129, False)])
def test_all_values_of_small_arrays_stand_in_their_cells(count, shown):
    code = """__global__ void k(int* x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] = 700 + i;
    }"""
    x = cuda.to_device(np.zeros(count, np.int32))
    figure = viz.grid(traced(code, 5, 32, x, count), 2, 0)
    check(figure)
    said = words(figure)
    assert said.count("702") == 2  # the thread's own, and that of its access
    assert ("705" in said) == shown
    assert (f"{700 + count - 1}" in said) == shown
