"""Tests of the view of a network: against the forum's MyModel by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import minitorch
from minitorch import nn, viz
from minitorch.network import Explanation
from minitorch.viz.scene.render import draw
from minitorch.viz.views.network.picture import NetworkScene, layout_of
from minitorch.viz.views.network.rows import MOST_ROWS, rows_of

from . import explained_model
from .explained import array, deep, my_model, with_kernel
from .picture import check, words
from .scenes import check_scene


def test_the_sentence_follows_the_kernel():
    figure = viz.network(my_model(1))
    check(figure)
    assert figure.answer == (
        "Kernel 1 of 5, matmul_tiled of layer1 matmul, has 1 block: 81 of 82 SMs stay "
        "idle."
    )
    assert figure.detail == (
        "Grid 1, block 16 × 16 (net.py:9); an SM holds at most 6 blocks, 48 of 48 "
        "warps. 273 parameters (1,092 bytes). float32, RTX 3090."
    )
    # 8,192 + 4,096 multiply-adds; (133 + 3 + 2 + 6 + 3) sectors asked, 48 touched.
    assert {"264 of 12,288", "1,536 … 4,704", "1 of 82 SMs"} <= set(words(figure))
    assert viz.network(my_model(64), 1).answer == (
        "Kernel 2 of 5, zip of layer1 add, has 2 blocks: 80 of 82 SMs stay idle."
    )


def test_rows_have_the_numbers_of_the_table():
    shown = words(viz.network(my_model(64)))
    for text in (
        "13 blocks",
        "16 × 16 threads",
        "16,384 of 32,768",
        "512 of 16,384",
        "11,264 … 26,624",  # 352 and 832 sectors
        "4,096",  # 128 sectors, touched and asked
        "layer1 matmul",
        "arithmetic, 4 SMs",
        "for its bytes",
    ):
        assert text in shown, text


def test_a_neuron_of_the_batch_has_its_thread():
    """Row 37 is row 5 of block (0, 2): thread (3, 5), number 83, lane 19 of warp 2."""
    explained = my_model(64)
    figure = viz.network(explained, 0, block=(0, 2), thread=(3, 5))
    check(figure)
    shown = words(figure)
    for text in (
        "block (0, 2) on SM 2, modelled",
        "Block (0, 2): 256 threads",
        "lane 19 of warp 2: thread (3, 5)",
        "lane 19 writes out[37, 3]",
        "It writes array out: 64 × 8 cells, in 4 parts",
    ):
        assert text in shown, text
    check_scene(figure, NetworkScene(explained).scene())


def test_a_thread_without_a_cell_says_so():
    shown = words(viz.network(my_model(1), 3, thread=17))
    assert "lane 17 writes no cell" in shown


def test_cells_that_are_not_in_order_have_their_names():
    """A result that lies column by column: element [2, 1] is the cell 1 * 4 + 2."""
    explained = my_model(64)
    owners = {1: tuple(range(12))}
    explained = replace(
        with_kernel(explained, 1, outputs=(array("out", (4, 3), (1, 4)),)),
        _owners=lambda: owners,
    )
    assert "lane 6 writes out[2, 1]" in words(viz.network(explained, 1, 0, 6))


def test_levels_and_bounds_of_a_launch():
    shown = words(viz.network(my_model(64), 0))
    # 16 bytes of registers and 8 of shared memory for each of 32,768 multiply-adds.
    for text in ("524,288", "262,144", "2.0 × fewer", "26,624", "9.8 × fewer"):
        assert text in shown, text
    assert "11,264 … 26,624" in shown
    assert "It takes at least 37.7 ns" in shown
    assert any(each.endswith("32,768 multiply-adds on 4 SMs") for each in shown)


def test_a_deep_network_folds_by_its_modules():
    explained = deep()
    rows = rows_of(explained)
    assert [row.name for row in rows] == [
        f"layer{at // 2 + 1}.{at % 2}" for at in range(8)
    ]
    assert {row.sums.launches for row in rows} == {7}
    figure = viz.network(explained)
    check(figure)
    shown = words(figure)
    assert "BasicBlock · 7 kernels" in shown
    assert "5,488 blocks" in shown  # 7 of 784
    # 784 = 9 * 82 + 46
    assert "784 blocks: 10 for 46 of 82 SMs, at most 9 for the others." in figure.answer
    assert "who writes one: explanation.neuron(layer, index)" in shown
    assert len(rows_of(deep(40))) <= MOST_ROWS
    check_scene(figure, NetworkScene(explained).scene(), 8)


def test_launches_without_modules_are_one_row():
    one = my_model(1).kernels[0]
    kernels = [replace(one, index=at, layer=0, layer_name="", grid=(1, at + 1, 1),
                       blocks=at + 1) for at in range(100)]  # fmt: skip
    many = replace(my_model(1), kernels=tuple(kernels), _owners=dict)
    (row,) = rows_of(many)
    assert (row.name, row.below) == (many.call, "MyModel · 100 kernels")
    assert row.sums.launches == 100
    check(viz.network(many))


def test_many_large_launches_have_a_small_picture():
    explained = deep(20)
    kernels = [replace(kernel, grid=(12_000 - kernel.index, 1, 1),
                       blocks=12_000 - kernel.index)
               for kernel in explained.kernels]  # fmt: skip
    figure = viz.network(replace(explained, kernels=tuple(kernels)), 1, 11_998)
    check(figure)
    assert "block 11,998 on SM 26, modelled" in words(figure)  # 11998 = 146 * 82 + 26
    assert len(figure.scene.packed()) <= 1_000_000


@pytest.mark.cuda
def test_repeated_steps_are_one_row():
    """An LSTM's step launches a dozen kernels; ten steps have as many rows as one."""
    lstm = nn.LSTM(8, 16, dtype="float32")
    x = minitorch.ones(10, 4, 8, dtype="float32")
    explained = minitorch.explain(lstm, x, gpu="rtx3090")
    rows = rows_of(explained)
    assert len(rows) < 12 < 100 < len(explained.kernels)
    assert any(row.below == "matmul · 10 times" for row in rows)
    figure = viz.network(explained)
    check(figure)
    assert len(figure.scene.packed()) <= 1_000_000


def test_measured_places_are_followed():
    places = ((0, 7), (1, 3), (2, 81), (3, 7))
    explained = with_kernel(my_model(64), noted_places=places, seconds=4.1e-6)
    figure = viz.network(explained, 0, block=2)
    check(figure)
    shown = words(figure)
    assert "block (0, 2) on SM 81, measured" in shown
    assert "measured: 4.1 µs" in shown
    assert ": 79 of 82 SMs stay idle." in figure.answer
    shown = words(viz.network(explained, 1, block=1))
    assert "block 1 on SM 1, modelled" in shown
    explained = with_kernel(explained, seconds=None)
    shown = words(viz.network(explained, 0, block=2))
    assert "block (0, 2) on SM 81, emulated" in shown


@pytest.mark.cuda
def test_the_explanation_of_a_run_has_a_picture():
    explained = explained_model.explained()
    figure = viz.network(explained, 0, block=(0, 2), thread=(3, 5))
    check(figure)
    assert "16,896 of 49,152" in words(figure)
    assert "lane 19 writes out[37, 3]" in words(figure)
    check_scene(figure, NetworkScene(explained).scene())


def test_odd_shapes_have_pictures():
    odd = {"block": (10, 7, 1), "threads": 70, "grid": (3, 2, 2), "blocks": 12,
           "outputs": (), "inputs": (), "occupancy": None, "waves": None}  # fmt: skip
    moved = replace(my_model(1).kernels[0].moved, touched=None)
    explained = with_kernel(my_model(1), **odd, moved=moved)
    figure = viz.network(explained, 0, block=(2, 1, 1), thread=(9, 6))
    check(figure)
    shown = words(figure)
    assert "lane 5 of warp 2: thread (9, 6)" in shown
    assert "What it writes is not known" in shown
    owners = {0: tuple(range(840))}
    explained = replace(
        with_kernel(explained, outputs=(array("y", (2, 3, 4, 5, 7)),)),
        _owners=lambda: owners,
    )
    figure = viz.network(explained, 0, thread=69)
    check(figure)  # 35 + 4 * 7 + 6
    assert "lane 5 writes y[0, 0, 1, 4, 6]" in words(figure)
    check_scene(figure, NetworkScene(explained).scene())


@pytest.mark.parametrize("shape", [(1, 120), (64, 8), (4096,), (2, 3, 4, 5), (1,)])
def test_cells_have_places_of_their_own(shape):
    slots, wide, side = layout_of(shape)
    assert len(np.unique(slots)) == len(slots) == np.prod(shape)
    assert side >= 4.5
    assert slots.max() // wide * side < 800


def test_a_still_of_any_width_holds_its_words():
    scene = NetworkScene(my_model(64)).scene()
    state = {"kernel": 0, "block": 2, "warp": 2, "lane": 19}
    for width in (340, 696, 1080):
        assert draw(scene, state, width).height > 500


def test_bad_input():
    for given in (3, my_model().to_dict()):
        with pytest.raises(
            TypeError, match=r"\[viz.network\] got \w+; need an explanation"
        ):
            viz.network(given)
    empty = Explanation("f", my_model().gpu, (), (), (), None, dict)
    with pytest.raises(ValueError, match="has no launch"):
        viz.network(empty)
    with pytest.raises(IndexError, match=r"got kernel 5; need one within .5, 1"):
        viz.network(my_model(), 5)
    with pytest.raises(TypeError, match="got kernel 'a'; need a number"):
        viz.network(my_model(), "a")
    with pytest.raises(
        IndexError, match=r"\[viz.network\] got block 1; need one within"
    ):
        viz.network(my_model(), 0, 1)
    with pytest.raises(TypeError, match=r"got thread 1\.5; need a number"):
        viz.network(my_model(), 0, 0, 1.5)
