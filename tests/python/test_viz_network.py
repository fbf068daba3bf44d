"""Tests of the view of a network: against the forum's MyModel by hand."""

from __future__ import annotations

import copy

import pytest

from minitorch import viz
from minitorch.viz.views.network.groups import groups_of
from minitorch.viz.views.network.nets import net_of

from . import explained_model
from .explained import array, deep, my_model
from .picture import check, elements, words


def tagged(figure: viz.Figure, name: str) -> str:
    """The words of an element that can change."""
    (found,) = [
        each for each in elements(figure, "text") if each.get("data-at") == name
    ]
    return "".join(found.itertext())


def test_the_sentence_says_how_empty_the_card_is():
    figure = viz.network(my_model(1))
    check(figure)
    assert figure.answer == (
        "5 kernels, 264 useful multiply-adds: 81 of 82 SMs stay idle."
    )
    # 8,192 + 4,096 multiply-adds; (133 + 3 + 2 + 6 + 3) sectors asked, 48 touched.
    assert figure.detail == (
        "12,288 multiply-adds are executed, 1 in 47 is useful. 1,536 to 4,704 bytes "
        "move. 273 parameters (1,092 bytes). float32, RTX 3090."
    )
    batch = viz.network(my_model(64))
    check(batch)
    assert batch.answer == (
        "5 kernels, 16,896 useful multiply-adds: at most 4 of 82 SMs work, 78 stay "
        "idle."
    )


def test_rows_have_the_numbers_of_the_table():
    shown = words(viz.network(my_model(64)))
    for each in (
        "13 blocks",
        "4 blocks (1 × 4)",
        "16 × 16 threads",
        "16,384 of 32,768",
        "512 of 16,384",
        "64 of 256 threads work",
        "11,264 … 26,624",  # 352 and 832 sectors
        "4,096",  # 128 sectors, touched and asked
        "layer1 matmul",
        "arithmetic, 4 SMs",
        "for its bytes",
    ):
        assert each in shown, each


def test_a_neuron_of_the_batch_has_its_thread():
    """Row 37 is row 5 of block (0, 2): thread (3, 5), number 83, lane 19 of warp 2."""
    figure = viz.network(my_model(64), 0, block=(0, 2), thread=(3, 5))
    check(figure)
    assert tagged(figure, "sm-words") == "block (0, 2) runs on SM 2"
    assert tagged(figure, "sm-how") == "block mod 82, modelled"
    assert tagged(figure, "warp-name") == "Warp 2 of block (0, 2)"
    assert tagged(figure, "warp-count") == "16 of its 32 threads write a cell"
    assert tagged(figure, "lane-name") == "lane 19 is thread (3, 5)"
    assert tagged(figure, "lane-how") == "number 2 × 32 + 19 = 83"
    assert tagged(figure, "thread1") == "writes out[37, 3]"
    assert tagged(figure, "thread0") == f"it writes byte {4 * (37 * 8 + 3):,} of out"
    assert tagged(figure, "cell-words") == "lane 19 writes out[37, 3], byte 1,196"
    assert tagged(figure, "thread3") == "multiply-add 1 of 32"
    # a is (64, 32) by rows, b is a transposed (8, 32): byte 4 * 37 * 32, 4 * 32 * 3.
    assert tagged(figure, "thread4").strip() == "a[37, 0] (byte 4,736 of a)"
    assert tagged(figure, "thread5") == "× b[0, 3] (byte 384 of b)"
    assert "32 multiply-adds a thread; with a cell, 32 useful" in words(figure)
    assert "4 blocks, one an SM, 78 of 82 SMs stay idle" in words(figure)


def test_a_thread_without_a_cell_says_so():
    figure = viz.network(my_model(1), 3, thread=17)
    assert tagged(figure, "thread0") == "it writes no cell: it is past the end"
    assert tagged(figure, "cell-words") == "lane 17 writes no cell"
    assert tagged(figure, "thread3") == "multiply-add 1: padding, no sum is kept"
    assert tagged(figure, "warp-count") == "1 of its 32 threads write a cell"


def test_a_kernel_over_elements_says_what_it_reads():
    figure = viz.network(my_model(64), 1, block=1, thread=43)
    assert tagged(figure, "thread1") == "writes out[37, 3]"  # 256 + 43 = 37 * 8 + 3
    assert tagged(figure, "thread2") == "reads a[37, 3] and b[3]"
    assert "no multiply-add: it reads, computes, writes" in words(figure)


def test_levels_and_bounds_of_a_launch():
    shown = words(viz.network(my_model(64), 0))
    # 16 bytes of registers and 8 of shared memory for each of 32,768 multiply-adds.
    for each in ("524,288", "262,144", "2.0 × fewer", "26,624", "9.8 × fewer"):
        assert each in shown, each
    assert "11,264 … 26,624" in shown
    assert "It takes at least 37.7 ns" in shown
    assert "32,768 multiply-adds on 4 SMs" in shown


def test_a_deep_network_folds_by_its_modules():
    net = net_of(deep())
    groups = groups_of(net)
    assert [each.name for each in groups] == [
        f"layer{at // 2 + 1}.{at % 2}" for at in range(8)
    ]
    assert {each.count for each in groups} == {7}
    figure = viz.network(deep())
    check(figure)
    shown = words(figure)
    assert "BasicBlock · 7 kernels" in shown
    assert "5,488 blocks" in shown  # 7 of 784
    # 784 = 9 * 82 + 46
    assert "10 blocks on 46 SMs, at most 9 on others" in shown
    assert "each kernel fills all 82 SMs" in figure.answer
    assert "explanation.neuron(layer, index)" in shown
    assert len(groups_of(net_of(deep(40)))) <= 16


def test_rows_of_one_name_are_told_apart():
    """Stretches of "net" between launches of none: those of two parts are split."""
    layers = ["net.a"] * 12 + [""] + ["net.a", "net.b"] + [""] + ["net.b", "net.c"]
    explained = my_model()
    explained["layers"] = [{"name": each, "type": "T"} for each in layers]
    first = explained["kernels"][1]
    explained["kernels"] = [
        first | {"index": at, "layer": at, "op": 1} for at in range(len(layers))
    ]
    net = net_of(explained)
    found = [(each.first, each.last) for each in groups_of(net)]
    assert found == [(0, 11), (12, 12), (13, 13), (14, 14), (15, 15), (16, 16),
                     (17, 17)]  # fmt: skip


def test_launches_without_modules_fold_by_their_numbers():
    many = my_model(1)
    many["kernels"] = [
        {**many["kernels"][at % 5], "index": at, "layer": 0} for at in range(500)
    ]
    groups = groups_of(net_of(many))
    assert len(groups) <= 16
    assert groups[0].name == f"kernels 1–{groups[0].count}"
    assert [each.first for each in groups[1:]] == [
        each.last + 1 for each in groups[:-1]
    ]
    assert groups[-1].last == 499
    check(viz.network(many))


def test_measured_places_are_followed():
    explained = my_model(64)
    places = [[0, 7], [1, 3], [2, 81], [3, 7]]
    explained["kernels"][0] |= {"places": places, "sms_used": 3, "seconds": 4.1e-6}
    figure = viz.network(explained, 0, block=2)
    check(figure)
    assert tagged(figure, "sm-words") == "block (0, 2) runs on SM 81"
    assert tagged(figure, "sm-how") == "measured"
    assert "measured: 4.1 µs" in words(figure)
    other = viz.network(explained, 1, block=1)
    assert tagged(other, "sm-how") == "block mod 82, modelled"
    explained["kernels"][0]["seconds"] = None
    figure = viz.network(explained, 0, block=2)
    assert tagged(figure, "sm-how") == "the emulator's place"


@pytest.mark.cuda
def test_the_explanation_of_a_run_has_a_picture():
    figure = viz.network(explained_model.explained().to_dict())
    check(figure)
    assert "16,896 useful multiply-adds" in figure.answer


def test_odd_shapes_have_pictures():
    explained = my_model(1)
    (first, *_) = explained["kernels"]
    first |= {"block": [10, 7, 1], "grid": [3, 2, 2], "owners": None}
    first |= {"outputs": [], "inputs": [], "occupancy": None, "waves": None}
    first["moved"] = copy.deepcopy(first["moved"]) | {"touched": None}
    figure = viz.network(explained, 0, block=(2, 1, 1), thread=(9, 6))
    check(figure)
    assert tagged(figure, "warp-name") == "Warp 2 of block (2, 1, 1)"
    assert tagged(figure, "lane-name") == "lane 5 is thread (9, 6)"
    first |= {"outputs": [array("y", (2, 3, 4, 5, 7))], "owners": list(range(840))}
    figure = viz.network(explained, 0, thread=69)
    check(figure)
    assert tagged(figure, "thread1") == "writes y[0, 0, 1, 4, 6]"  # 35 + 4 * 7 + 6


def test_bad_input():
    with pytest.raises(
        TypeError, match=r"\[viz.network\] got int; need an explanation"
    ):
        viz.network(3)
    with pytest.raises(
        ValueError, match=r"got schema None; need 'minitorch.explain/1'"
    ):
        viz.network({})
    lacking = my_model()
    del lacking["kernels"][2]["moved"]
    with pytest.raises(ValueError, match=r"lacks something \('moved'\)"):
        viz.network(lacking)
    with pytest.raises(ValueError, match="without a launch"):
        viz.network({**my_model(), "kernels": []})
    with pytest.raises(IndexError, match="got kernel 5; need one from 0 to 4"):
        viz.network(my_model(), 5)
    with pytest.raises(TypeError, match="got kernel 'a'; need its number"):
        viz.network(my_model(), "a")
    with pytest.raises(
        IndexError, match=r"\[viz.network\] got block 1; need one within"
    ):
        viz.network(my_model(), 0, 1)
    with pytest.raises(TypeError, match=r"got thread 1\.5; need a number"):
        viz.network(my_model(), 0, 0, 1.5)
