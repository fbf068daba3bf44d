"""The public tests of task 2.3: map, zip and reduce over rows of memory."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import TensorData, operators, tensor_map, tensor_reduce, tensor_zip


def filled(shape: tuple[int, ...], order: tuple[int, ...] | None = None) -> TensorData:
    """0, 1, 2, ... row by row, in memory in another order of dimensions."""
    values = np.arange(float(np.prod(shape))).reshape(shape)
    order = tuple(range(len(shape))) if order is None else order
    row = np.ascontiguousarray(values.transpose(order))
    data = TensorData(row.reshape(-1), row.shape)
    return data.permute(*np.argsort(order).tolist())


def array_of(data: TensorData) -> np.ndarray:
    """A NumPy array with the numbers of a tensor."""
    out = np.zeros(data.shape)
    for index in data.indices():
        out[index] = data.get(index)
    return out


@pytest.mark.task2_3
def test_map() -> None:
    """out[i] = fn(a[i]), `a` broadcast."""
    out, a = filled((2, 3)), filled((3,))
    tensor_map(lambda x: 10 * x)(*out.tuple(), *a.tuple())
    assert array_of(out).tolist() == [[0, 10, 20], [0, 10, 20]]
    assert array_of(a).tolist() == [0, 1, 2]


@pytest.mark.task2_3
@pytest.mark.parametrize("out_order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_map_into_any_order(order: tuple[int, ...], out_order: tuple[int, ...]) -> None:
    """What is where in memory does not change what is computed."""
    out, a = filled((2, 3, 4), out_order), filled((2, 3, 4), order)
    tensor_map(operators.neg)(*out.tuple(), *a.tuple())
    assert array_of(out).tolist() == (-array_of(a)).tolist()


@pytest.mark.task2_3
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_zip(order: tuple[int, ...]) -> None:
    """A column and a row make a matrix, whatever the order of its memory."""
    out, column, row = filled((4, 3), order), filled((4, 1)), filled((3,))
    tensor_zip(lambda x, y: 10 * x + y)(*out.tuple(), *column.tuple(), *row.tuple())
    assert array_of(out).tolist() == [[10 * i + j for j in range(3)] for i in range(4)]


@pytest.mark.task2_3
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_reduce(dim: int, order: tuple[int, ...]) -> None:
    """Cells along a dimension are joined, whichever it is."""
    a = filled((2, 3, 4), order)
    shape = [2, 3, 4]
    shape[dim] = 1
    out = TensorData([0.0] * (24 // a.shape[dim]), tuple(shape))
    tensor_reduce(operators.add)(*out.tuple(), *a.tuple(), dim)
    assert array_of(out).tolist() == array_of(a).sum(dim, keepdims=True).tolist()


@pytest.mark.task2_3
def test_reduce_starts_with_what_is_there() -> None:
    """fn gets what there was first, and a cell second."""
    out, a = TensorData([7.0], (1,)), TensorData([1.0, 2.0, 3.0], (3,))
    tensor_reduce(lambda total, x: 10 * total + x)(*out.tuple(), *a.tuple(), 0)
    assert out.get((0,)) == 7123.0
    assert array_of(a).tolist() == [1.0, 2.0, 3.0]
