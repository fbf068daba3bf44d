"""Tests of `viz.tiles`: counts of fetches, rounds and warps worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, viz
from minitorch.viz.scene.scene import sentences
from minitorch.viz.views.tiles.picture import scene_of

from .picture import check
from .scenes import check_scene
from .test_viz_compare import NAIVE, TILED

pytestmark = pytest.mark.cuda


def product(code: str) -> cuda.Launch:
    numbers = np.random.default_rng(0).random((2, 16, 16), dtype=np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    kernel = cuda.RawKernel(code, code.split("(")[0].split()[-1])
    with cuda.inspect(trace=True) as run:
        kernel[(2, 2), (8, 8)](a, b, cuda.device_array((16, 16), "float32"))
    return run.launches[0]


@pytest.fixture(scope="module")
def tiled() -> cuda.Launch:
    return product(TILED)


def test_tiles_are_fetched_once_by_each_block_that_needs_them(tiled):
    """Of 2 x 2 blocks two need a tile, and each number is used by 8 threads there."""
    figure = viz.tiles(tiled, (1, 0))
    check(figure)
    data = figure.data
    assert data.rounds == 2
    assert {each.array.name for each in data.sources} == {"A", "B"}
    for source in data.sources:
        assert (source.fetched == 2).all()
        assert source.shared.all()
        assert (source.uses == 8).all()
    name = max(
        data.sources, key=lambda each: each.mean(int(each.uses.sum()))
    ).array.name
    assert figure.answer == (
        f"Each number of {name} is fetched 2 times from global memory instead of 16: "
        "once for each block that needs it, then 8 reads find it in shared memory."
    )
    assert "Block (1, 0) fetches 64 numbers of" in figure.detail
    assert "in round 1 of 2." in figure.detail
    check_scene(figure, scene_of(data))


def test_a_tile_of_a_round_and_who_loads_it(tiled):
    """Block (1, 0) loads A[0:8, 8:16] in round 2, a row of the tile by 8 threads."""
    source = next(
        each for each in viz.tiles(tiled).data.sources if each.array.name == "A"
    )
    mine = (source.block == 1) & (source.round == 1)
    rows, columns = np.divmod(source.cell[mine], 16)
    np.testing.assert_array_equal(source.thread[mine], 8 * rows + columns - 8)
    assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == [
        (row, column) for row in range(8) for column in range(8, 16)
    ]


def test_one_number_is_followed(tiled):
    """A[3, 9] is loaded by two blocks, each time by its thread (1, 3)."""
    figure = viz.tiles(tiled)
    names = [each.array.name for each in figure.data.sources]
    number = 256 * names.index("A") + 3 * 16 + 9
    state = {"block": 0, "round": 0, "number": number}
    assert sentences(figure.scene, state)[1].endswith(
        "A[3, 9] is fetched 2 times, by thread (1, 3) of block (0, 0) and thread "
        "(1, 3) of block (1, 0), and read 16 times from shared memory."
    )


def test_equal_numbers_keep_their_arrays():
    """With ones everywhere only the order of loads tells A from B."""
    ones = [cuda.to_device(np.ones((16, 16), np.float32)) for _ in range(3)]
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(TILED, "tiled")[(2, 2), (8, 8)](*ones)
    for source in viz.tiles(run.launches[0]).data.sources:
        assert source.shared.all()
        assert (source.uses == 8).all()


def test_without_shared_memory_each_thread_fetches():
    figure = viz.tiles(product(NAIVE))
    check(figure)
    assert figure.answer.endswith(
        "is fetched 16 times from global memory: no thread shares what it loads."
    )
    assert "128 numbers of A (8 times each)" in figure.detail
    assert "A[8, 0] is fetched 16 times, by thread (0, 0) of" in figure.detail
    assert "14 more." in figure.detail
    check_scene(figure, scene_of(figure.data), 6)


def test_shapes_and_values():
    code = """__global__ void k(const float* x, float* y) {
      __shared__ float s[33];
      int t = threadIdx.x;
      s[t] = x[t + 1];
      __syncthreads();
      y[t] = s[31 - t] + x[0];
    }"""
    x = cuda.to_device(np.full(40, np.nan, np.float32))
    with cuda.inspect(trace=True) as run:
        cuda.RawKernel(code, "k")[1, 32](x, cuda.device_array(32, "float32"))
    figure = viz.tiles(run.launches[0])
    check(figure)
    (source,) = figure.data.sources
    assert source.fetched.tolist() == [32] + [1] * 32 + [0] * 7
    assert int(source.shared.sum()) == 32
    check_scene(figure, scene_of(figure.data), 4)


def test_bad_input(tiled):
    with pytest.raises(TypeError, match=r"\[viz.tiles\] got int; need a launch"):
        viz.tiles(3)
    with pytest.raises(IndexError, match=r"\[viz.tiles\] got block 4; need one within"):
        viz.tiles(tiled, 4)
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel("__global__ void k(int* x) { *x = 3; }", "k")
        kernel[1, 1](cuda.device_array(1, "int32"))
    with pytest.raises(ValueError, match="reads no global memory"):
        viz.tiles(run.launches[0])
    large = cuda.to_device(np.ones(1 << 20, np.float32))
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel(
            "__global__ void k(float* x) { x[blockIdx.x] *= 2; }", "k"
        )
        kernel[3, 1](large)
    with pytest.raises(ValueError, match="Use a smaller launch"):
        viz.tiles(run.launches[0])
