"""Tests of the tensor view: each element's cell against what NumPy finds there."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import minitorch
from minitorch import cuda, viz
from minitorch.viz.scene.scene import sentences
from minitorch.viz.views.tensor.data import GAP, NOBODY
from minitorch.viz.views.tensor.picture import scene_of

from .picture import check, words
from .scenes import check_scene


def cells_of(array) -> np.ndarray:
    """The cell of each element that is drawn, in the array's shape."""
    return array.cells(array.drawn).reshape([len(each) for each in array.window])


def numbered(*shape: int, dtype: str = "float32") -> np.ndarray:
    """An array whose cells hold their own numbers."""
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


VIEWS = {
    "plain": lambda a: a,
    "permute": lambda a: a.transpose(2, 0, 1),
    "slice": lambda a: a[1:, ::2, 1:3],
    "reversed": lambda a: a[::-1, :, ::-1],
    "column": lambda a: a[:, :, 1],
    "one element": lambda a: a[1, 2, 3],
    "expand": lambda a: np.broadcast_to(a[:, :1], (2, 5, 4)),
    "window": lambda a: np.lib.stride_tricks.sliding_window_view(a[0, 0], 2),
}


@pytest.mark.parametrize("name", VIEWS)
def test_every_element_lies_in_the_cell_that_holds_its_number(name):
    whole = numbered(2, 3, 4)
    view = np.asarray(VIEWS[name](whole))
    data = viz.tensor(whole, view).data
    if not np.shares_memory(whole, view):  # an element taken out by NumPy is a copy
        assert not data.shared
        return
    seen = data.arrays[1]
    assert np.array_equal(cells_of(seen), view)
    assert np.array_equal(seen.values, view.reshape(-1))
    assert seen.different == len(np.unique(view))
    assert data.memories[0].cells == 24


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_tensors_say_where_they_lie(device):
    t = minitorch.tensor(numbered(4, 6), device=device)
    for view in (t, t.permute(1, 0), t[1:3, 2:], t[2:, 0:1].expand(2, 5)):
        data = viz.tensor(t, view).data
        seen = data.arrays[1]
        assert data.shared
        assert data.memories[0].cells == 24
        assert np.array_equal(cells_of(seen), view.numpy())
        assert np.array_equal(seen.values, view.numpy().reshape(-1))
    assert viz.tensor(t[1:3, 2:]).data.memories[0].cells == 24
    assert not viz.tensor(t, t + 0).data.shared


def test_device_arrays_and_protocols():
    d = cuda.to_device(numbered(4, 6))
    seen = viz.tensor(d[1:, ::2].T).data.arrays[0]
    assert np.array_equal(cells_of(seen), numbered(4, 6)[1:, ::2].T)
    assert seen.device == "cuda"

    class Lent:
        def __init__(self, array: np.ndarray) -> None:
            self.__array_interface__ = array[:, 1:].__array_interface__
            self.keep = array

    assert viz.tensor(Lent(numbered(2, 3))).data.arrays[0].strides == (3, 1)


def test_a_tensor_and_its_numpy_view_are_one_memory():
    t = minitorch.tensor(numbered(2, 3))
    assert viz.tensor(t, t.numpy().T).data.shared


def grounds(figure):
    """The looks of the cells of each mark."""
    scene = scene_of(figure.data)
    marks = [mark for panel in scene.panels for mark in panel.marks]
    return [
        [scene.looks[look] if look >= 0 else None for look in mark.looks[0]]
        for mark in marks
        if mark.looks
    ]


def test_the_picture_of_a_permutation():
    t = minitorch.tensor([[10, 11, 12], [13, 14, 15]])
    figure = viz.tensor(t, t.permute(1, 0), index=(0, 2), names=("t", "t<T>"))
    check(figure)
    assert figure.answer == (
        "Element [0, 2] of t and element [2, 0] of t<T> both lie in cell 2 of storage."
    )
    assert (
        "a step down moves 1 cell, a step to the right moves 3 cells" in figure.detail
    )
    assert "What is written to one changes the other." in figure.detail
    shown = words(figure)
    for value in range(10, 16):
        assert shown.count(str(value)) == 3  # t, its permutation, storage
    assert "shape (2, 3) · strides (3, 1) · float64 · cpu" in shown
    assert "[0, 2] → 0 × 3 + 2 × 1 = cell 2" in shown
    assert "[2, 0] → 2 × 1 + 0 × 3 = cell 2" in shown
    # Rows of t are columns of the other, and stretches of storage.
    one, other, storage = grounds(figure)
    assert one == storage == [("belongs", 0)] * 3 + [("belongs", 1)] * 3
    assert other == [("belongs", 0), ("belongs", 1)] * 3


def test_arithmetic_in_the_answer():
    view = numbered(6, 8)[1:5, ::2]
    figure = viz.tensor(view, index=(2, -1))
    assert figure.answer == (
        "Element [2, 3] lies in cell 30 of storage: 8 + 2 × 8 + 3 × 2 = 30 "
        "(start 8, strides (8, 2))."
    )
    assert "It sees 16 of 48 cells." in figure.detail
    assert grounds(figure)[1].count(("empty", 0)) == 48 - 16


def test_broadcast_marks_all_elements_of_a_cell():
    row = numbered(3)
    figure = viz.tensor(row, np.broadcast_to(row, (4, 3)), index=1)
    check(figure)
    assert "12 elements lie in 3 cells: each is seen 4 times." in figure.detail
    assert "another element in the same cell" in words(figure)


def test_what_the_second_does_not_see():
    a = numbered(3, 4)
    figure = viz.tensor(a, a[1:], index=(0, 2))
    assert figure.answer == "Element [0, 2] of a lies in cell 2; b does not see it."
    assert viz.tensor(a[1:], a[:1]).answer.endswith("b does not see it.")
    assert viz.tensor(a, a.copy()).answer == "a and b each lie in storage of their own."


EDGES = {
    "empty": (
        np.zeros((0, 3)),
        "Shape (0, 3) has no element: nothing lies in storage.",
    ),
    "no dimension": (np.float32(3), "The only element lies in cell 0 of storage."),
    "large": (np.broadcast_to(np.zeros(1, np.int8), (9000, 9000)), "5 × 0 = 0"),
    "very large": (np.zeros((3000, 2000), np.int8), "5 × 2,000 + 5 × 1 = 10,005"),
    "six": (numbered(2, 3, 4, 5, 2, 2), "Element [1, 2, 2, 3, 1, 1] lies in cell 455"),
    "long": (numbered(1, 1000), "Element [0, 5] lies in cell 5 of"),
}


@pytest.mark.parametrize("name", EDGES)
def test_shapes_at_the_edge(name):
    array, answer = EDGES[name]
    figure = viz.tensor(array)
    check(figure)
    assert answer in figure.answer
    check_scene(figure, scene_of(figure.data), 6)


VALUES = {
    "float64": (np.array([np.nan, -np.inf, 1e30, -0.00012345]), ["NaN", "-∞", "1e+30"]),
    "float16": (np.array([0.1, 65504], np.float16), ["0.1", "65,504"]),
    "bool": (np.array([True, False]), ["True", "False"]),
    "complex64": (np.array([1 - 2j, np.nan], np.complex64), ["(1-2j)"]),
    "int64": (np.array([-(2**40), 7]), ["-1e+12", "7"]),
    "text": (np.array(["<b>", "very long words"]), ["<b>", "very l…"]),
    "record": (np.zeros(2, [("x", "f4"), ("y", "i4")]), ["(0.0, …"]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_any_type_are_drawn(name):
    array, expected = VALUES[name]
    figure = viz.tensor(array, names=["<b>" + "long" * 90])
    check(figure)
    assert set(expected) <= set(words(figure))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "bool", "int64"])
def test_tensors_of_other_types(dtype):
    t = minitorch.tensor([[1, 0], [1, 1]]).to(dtype)
    seen = viz.tensor(t.permute(1, 0)).data.arrays[0]
    assert seen.dtype == dtype
    assert seen.values.astype(float).tolist() == [1, 1, 0, 1]


def test_history_does_not_matter():
    t = minitorch.tensor([[1.0, 2.0]], requires_grad=True)
    assert viz.tensor(t, (t * 1).permute(1, 0)).data.arrays[1].shape == (2, 1)


def test_moving_the_focus_finds_the_other_array():
    a = numbered(3, 4)
    figure = viz.tensor(a, a[:, ::-1].T, index=(0, 1))
    assert figure.data.foci[:12].tolist() == [
        [4 * row + column, 3 * (3 - column) + row]
        for row, column in itertools.product(range(3), range(4))
    ]
    scene = scene_of(figure.data)
    check_scene(figure, scene)
    (axis,) = scene.axes
    moves = {keys: to for keys, _, to in axis.moves}
    assert moves["A D"][:, 5].tolist() == [4, 6]
    assert moves["W S"][:, 5].tolist() == [1, 9]
    assert moves["W S"][:, 12 + 9].tolist() == [12 + 6, 12 + 9]  # the last row of b
    state = {"element": 12 + 9}
    assert sentences(scene, state)[0] == (
        "Element [0, 0] of a and element [3, 0] of b both lie in cell 0 of storage."
    )


def test_storage_of_a_large_array_has_every_cell_that_is_drawn():
    memory = viz.tensor(np.zeros((3000, 2000), np.int8)).data.memories[0]
    shown = memory.shown.tolist()
    assert shown[:15] == [*range(14), GAP]
    assert shown[-2:] == [11 * 2000 + 13, GAP]
    assert memory.element[memory.shown != GAP].tolist() == list(range(12 * 14))
    a = numbered(1000)[::3]
    memory = viz.tensor(a).data.memories[0]
    assert memory.shown.tolist() == [*range(3 * 15 + 1), GAP]
    assert memory.owners[:4].tolist() == [0, NOBODY, NOBODY, 1]


PAIRS = {
    "permuted": lambda a: (a, a.transpose(2, 0, 1)),
    "slice": lambda a: (a[:, 1:, ::2],),
    "expanded": lambda a: (a[0, :1], np.broadcast_to(a[0, :1], (5, 4))),
    "partly seen": lambda a: (a[1:], a[:, 0]),
    "copy": lambda a: (a[0], a[0].T.copy()),
    "five dimensions": lambda a: (a.reshape(1, 2, 3, 2, 2),),
    "window": lambda a: (np.lib.stride_tricks.sliding_window_view(a.reshape(-1), 4),),
    "one is empty": lambda a: (a, a[:0]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_both_renderers_draw_the_same(name):
    figure = viz.tensor(*PAIRS[name](numbered(2, 3, 4)))
    check(figure)
    check_scene(figure, scene_of(figure.data), 12)


def test_bad_input():
    a = numbered(2, 3)
    with pytest.raises(TypeError, match=r"\[viz.tensor\] got list; need a tensor"):
        viz.tensor([1, 2])
    with pytest.raises(IndexError, match=r"index \(2, 0\) is out of range for shape"):
        viz.tensor(a, index=(2, 0))
    with pytest.raises(IndexError, match="index 1 is out of range"):
        viz.tensor(a, index=1)
    with pytest.raises(TypeError, match="got index 'x'"):
        viz.tensor(a, index="x")
    with pytest.raises(IndexError, match=r"out of range for shape \(0,\)"):
        viz.tensor(np.zeros(0), index=0)
    with pytest.raises(ValueError, match=r"got names \('a',\); need 2, one for each"):
        viz.tensor(a, a, names=("a",))
    with pytest.raises(TypeError, match="got str for names; need a list"):
        viz.tensor(a, a, names="ab")
    with pytest.raises(TypeError, match="need one int for each dimension"):
        viz.tensor(a, index=np.ones((2, 2)))
    record = np.zeros(3, [("x", "u1"), ("y", "<u4")])
    with pytest.raises(ValueError, match="are not multiples of"):
        viz.tensor(record["y"])
    with pytest.raises(ValueError, match="of 1-byte elements"):
        viz.tensor(a, a.view(np.int8))
