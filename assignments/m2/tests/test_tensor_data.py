"""The public tests of tasks 2.1 and 2.2: places in memory, and shapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import DataObject, data

import minitorch
from minitorch import TensorData, broadcast_index, index_to_position, to_index

from .tensor_strategies import indices, tensor_data

# Task 2.1


@pytest.mark.task2_1
def test_layout() -> None:
    """A step along a dimension goes as far as its stride says."""
    rows = TensorData([0] * 15, (3, 5), (5, 1))
    assert rows.is_contiguous()
    assert rows.index((1, 0)) == 5
    assert rows.index((1, 2)) == 7

    columns = TensorData([0] * 15, (5, 3), (1, 5))
    assert not columns.is_contiguous()
    assert columns.index((2, 1)) == 7
    assert TensorData([0] * 16, (4, 2, 2)).strides == (4, 2, 1)


@pytest.mark.task2_1
def test_position_of_a_long_index() -> None:
    """A thread's index has room for many dimensions: the strides say how many count."""
    assert index_to_position([2, 1, 99, 99], [10, 3]) == 23


@pytest.mark.task2_1
def test_to_index_counts_row_by_row() -> None:
    """The last dimension runs fastest."""
    found, index = [], [0, 0]
    for ordinal in range(6):
        to_index(ordinal, (2, 3), index)
        found.append(tuple(index))
    assert found == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


@pytest.mark.task2_1
@given(tensor_data())
def test_enumeration(tensor_data: TensorData) -> None:
    """Every index once, and all within the shape."""
    found = list(tensor_data.indices())
    assert len(found) == tensor_data.size
    assert len(set(found)) == len(found)
    for index in found:
        for at, size in zip(index, tensor_data.shape, strict=True):
            assert 0 <= at < size


@pytest.mark.task2_1
@given(tensor_data())
def test_index(tensor_data: TensorData) -> None:
    """Every cell has a place of its own in the row."""
    places = {tensor_data.index(index) for index in tensor_data.indices()}
    assert places == set(range(tensor_data.size))

    base = [0] * tensor_data.dims
    base[0] = -1
    with pytest.raises(minitorch.IndexingError):
        tensor_data.index(tuple(base))


@pytest.mark.task2_1
@given(data())
def test_permute(data: DataObject) -> None:
    """The same cell under an index turned round; twice is the tensor itself."""
    one = data.draw(tensor_data())
    index = data.draw(indices(one))
    turned = one.permute(*reversed(range(one.dims)))
    assert one.index(index) == turned.index(tuple(reversed(index)))

    back = turned.permute(*reversed(range(turned.dims)))
    assert one.index(index) == back.index(index)


@pytest.mark.task2_1
def test_permute_shares() -> None:
    """Dimension i of the result is dimension order[i] here, over the same row."""
    one = TensorData(list(range(24)), (2, 3, 4))
    other = one.permute(2, 0, 1)
    assert other.shape == (4, 2, 3)
    assert other.strides == (1, 12, 4)
    one.set((1, 2, 3), 99.0)
    assert other.get((3, 1, 2)) == 99.0


# Task 2.2


@pytest.mark.task2_2
def test_shape_broadcast() -> None:
    """From the right: equal, or 1, or missing."""
    broadcast = minitorch.shape_broadcast
    assert broadcast((1,), (5, 5)) == (5, 5)
    assert broadcast((5, 5), (1,)) == (5, 5)
    assert broadcast((1, 5, 5), (5, 5)) == (1, 5, 5)
    assert broadcast((5, 1, 5, 1), (1, 5, 1, 5)) == (5, 5, 5, 5)
    assert broadcast((2, 5), (5,)) == (2, 5)
    for first, second in (((5, 7, 5, 1), (1, 5, 1, 5)), ((5, 2), (5,))):
        with pytest.raises(minitorch.IndexingError):
            broadcast(first, second)


@pytest.mark.task2_2
def test_broadcast_index() -> None:
    """A row beside a matrix, a column beside a matrix, one number for all."""
    big, index = [4, 2], [0]
    broadcast_index(big, (5, 3), (3,), index)
    assert index == [2]
    column = [9, 9]
    broadcast_index(big, (5, 3), (5, 1), column)
    assert column == [4, 0]
    broadcast_index(big, (5, 3), (1,), index)
    assert index == [0]
    assert big == [4, 2]


@given(tensor_data())
def test_string(tensor_data: TensorData) -> None:
    """Any tensor can be printed."""
    tensor_data.to_string()
