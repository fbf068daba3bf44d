"""Tests of how tensors lie in memory: TensorData, tensors made of parts."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import IndexingError, TensorData


def test_layout():
    data = TensorData(range(24), (2, 3, 4))
    assert (data.shape, data.strides, data.dims) == ((2, 3, 4), (12, 4, 1), 3)
    assert (data.size, data.is_contiguous()) == (24, True)
    turned = data.permute(2, 0, 1)
    assert (turned.shape, turned.strides) == ((4, 2, 3), (1, 12, 4))
    assert not turned.is_contiguous()
    grid = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    assert [turned.get(i) for i in turned.indices()] == list(grid.reshape(-1))
    assert turned.sample() in set(turned.indices())
    turned.set((3, 1, 2), -1.0)
    assert data.get((1, 2, 3)) == -1.0


@pytest.mark.parametrize("index", [(2, 0), (0, -1), (0,), (0, 0, 0), 1, (0, 3)])
def test_an_index_must_fit(index):
    with pytest.raises(IndexingError, match=r"\[TensorData\] .*index"):
        TensorData(range(6), (2, 3)).index(index)


def test_parts_must_fit():
    with pytest.raises(IndexingError, match=r"got strides \(6,\) for shape \(3, 5\)"):
        TensorData([0] * 15, (3, 5), (6,))
    with pytest.raises(AssertionError, match="got 5 numbers"):
        TensorData([0] * 5, (2, 3))
    with pytest.raises(AssertionError, match="need a tuple"):
        TensorData([0] * 6, [2, 3])
    with pytest.raises(AssertionError, match="every dimension exactly once"):
        TensorData([0] * 6, (2, 3)).permute(0, 0)


@pytest.mark.parametrize(
    ("a", "b"),
    [((1,), (5, 5)), ((2, 3), (3,)), ((5, 1, 5, 1), (1, 5, 1, 5)), ((), (2,))],
)
def test_shapes_broadcast_as_numpy_has_it(a, b):
    assert minitorch.shape_broadcast(a, b) == np.broadcast_shapes(a, b)
    assert minitorch.shape_broadcast(b, a) == np.broadcast_shapes(a, b)


def test_shapes_that_do_not_broadcast():
    with pytest.raises(IndexingError, match=r"\(5, 2\) and \(5,\).*\(2 vs 5\)"):
        minitorch.shape_broadcast((5, 2), (5,))


def test_indices_of_broadcast_cells():
    big, small = np.empty((4, 2, 3)), np.arange(3.0).reshape(1, 3)
    found = np.empty(big.shape)
    index = [0, 0]
    for i in np.ndindex(big.shape):
        minitorch.broadcast_index(i, big.shape, small.shape, index)
        found[i] = small[tuple(index)]
    assert (found == np.broadcast_to(small, big.shape)).all()


def test_text():
    assert TensorData([1, 2.345, 3, 4], (2, 2)).to_string() == (
        "\n[\n\t[1.00 2.35]\n\t[3.00 4.00]]"
    )


def test_a_tensor_shares_the_memory_of_its_data():
    data = TensorData(range(6), (3, 2), (1, 3))
    t = minitorch.Tensor(data, name="x", backend=minitorch.FastBackend)
    assert t.numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (t.strides, t.name, t.requires_grad) == ((1, 3), "x", False)
    data.set((2, 1), 50.0)
    assert t[2, 1] == 50.0
    t._tensor.set((0, 0), -7.0)
    assert data.get((0, 0)) == -7.0
    storage, shape, strides = t.tuple()
    assert (list(shape), list(strides), len(storage)) == ([3, 2], [1, 3], 6)
    storage[:] = 2.0
    assert (t.numpy() == 2.0).all()


def test_rows_that_cannot_be_shared_are_copied():
    row = np.arange(4.0)
    row.flags.writeable = False
    t = minitorch.Tensor(TensorData(row, (2, 2)))
    t._tensor.set((0, 0), 9.0)
    assert (t[0, 0], row[0]) == (9.0, 0.0)


def test_data_of_views():
    grid = minitorch.tensor(np.arange(12.0).reshape(3, 4))
    for view in (grid[1:, 1:3], grid[:, 0:1].expand(3, 5), grid.permute(1, 0)):
        data = view._tensor
        found = [data.get(i) for i in data.indices()]
        assert found == view.numpy().reshape(-1).tolist()


def test_only_data_makes_a_tensor():
    with pytest.raises(TypeError, match=r"got list; need a TensorData.*tensor\("):
        minitorch.Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="got NoneType; need a TensorData"):
        minitorch.Tensor()
    with pytest.raises(ValueError, match="need 4"):
        minitorch.Tensor(TensorData.over(np.zeros(3), (2, 2), (2, 1)))


def test_names_and_numbers_of_tensors():
    a, b = minitorch.zeros(1), minitorch.zeros(1)
    assert a.unique_id != b.unique_id
    assert a.name == str(a.unique_id)
    minitorch.Parameter(a, name="weight")
    assert (a.name, a.requires_grad, a.requires_grad()) == ("weight", True, True)
    assert not minitorch.zeros(1).requires_grad()
