"""The tests of tasks 4.3 and 4.4: pooling, maxima, softmax, dropout."""

from __future__ import annotations

import math

import pytest

import minitorch
from minitorch import Tensor, grad_check

from .samples import cells, close, drawn

KERNELS = [(2, 2), (2, 1), (1, 3), (4, 6)]


def cells_of_tile(t: Tensor, index: tuple[int, ...], kernel: tuple[int, int]) -> list:
    """The numbers of the tile that a cell of the pooled image stands for."""
    b, c, i, j = index
    rows, columns = kernel
    return [
        t[b, c, i * rows + k, j * columns + m]
        for k in range(rows)
        for m in range(columns)
    ]


@pytest.mark.task4_3
def test_tile() -> None:
    """Numbers that tell where they come from: row and column of each cell."""
    rows = [[10.0 * i + j for j in range(6)] for i in range(4)]
    tiles, height, width = minitorch.tile(minitorch.tensor([[rows]]), (2, 3))
    assert (tiles.shape, height, width) == ((1, 1, 2, 2, 6), 2, 2)
    found = [tiles[0, 0, 1, 0, k] for k in range(6)]
    assert sorted(found) == [20, 21, 22, 30, 31, 32], "the tile at the left below"


@pytest.mark.task4_3
def test_avg() -> None:
    """The mean of each tile, and its derivative."""
    for turned in (False, True):
        t = drawn(2, 3, 4, 6, turned=turned)
        for kernel in KERNELS:
            out = minitorch.avgpool2d(t, kernel)
            for index in cells(out):
                numbers = cells_of_tile(t, index, kernel)
                where = f"cell {index} of tiles {kernel}"
                close(out[index], sum(numbers) / len(numbers), where)
    grad_check(lambda t: minitorch.avgpool2d(t, (2, 2)), drawn(1, 1, 4, 4))


@pytest.mark.task4_4
def test_max() -> None:
    """The largest cells along each dimension, also of negative numbers."""
    t = drawn(2, 3, 4, turned=True)
    for dim in range(3):
        out = minitorch.max(t, dim)
        for index in cells(out):
            along = [
                t[(*index[:dim], i, *index[dim + 1 :])] for i in range(t.shape[dim])
            ]
            close(out[index], max(along), f"max along {dim} at {index}")
        grad_check(lambda a, dim=dim: minitorch.max(a, dim), drawn(2, 3, 4))
    below = minitorch.tensor([-3.0, -1.0, -2.0])
    close(minitorch.max(below, 0)[0], -1.0, "max of negative numbers")


@pytest.mark.task4_4
def test_max_of_equals() -> None:
    """Equal largest cells share the derivative."""
    t = minitorch.tensor([[5.0, 1.0, 5.0]], requires_grad=True)
    minitorch.max(t, 1).sum().backward()
    for i, need in enumerate([0.5, 0.0, 0.5]):
        close(t.grad[0, i], need, f"grad[0, {i}]")


@pytest.mark.task4_4
def test_max_pool() -> None:
    """The largest cell of each tile."""
    t = drawn(2, 3, 4, 6)
    for kernel in KERNELS:
        out = minitorch.maxpool2d(t, kernel)
        for index in cells(out):
            need = max(cells_of_tile(t, index, kernel))
            close(out[index], need, f"cell {index} of tiles {kernel}")
    grad_check(lambda t: minitorch.maxpool2d(t, (2, 2)), drawn(1, 1, 4, 4))


@pytest.mark.task4_4
def test_drop() -> None:
    """What is dropped is 0, what stays is as it was."""
    t = drawn(20, 20)
    kept = minitorch.dropout(t, 0.0)
    gone = minitorch.dropout(t, 1.0)
    same = minitorch.dropout(t, 1.0, ignore=True)
    some = minitorch.dropout(t, 0.3)
    dropped = 0
    for index in cells(t):
        close(kept[index], t[index], f"rate 0 at {index}")
        close(gone[index], 0.0, f"rate 1 at {index}")
        close(same[index], t[index], f"ignored at {index}")
        dropped += some[index] == 0.0 != t[index]
        assert some[index] in (0.0, t[index]), f"rate 0.3 at {index}"
    assert 60 < dropped < 180, f"{dropped} of 400 cells dropped at rate 0.3"


@pytest.mark.task4_4
def test_softmax() -> None:
    """Shares of e to the power of x: of any size, and along any dimension."""
    t = drawn(1, 2, 3, 4)
    for dim in range(4):
        out = minitorch.softmax(t, dim)
        for index in cells(out):
            along = [
                math.exp(t[(*index[:dim], i, *index[dim + 1 :])])
                for i in range(t.shape[dim])
            ]
            close(out[index], math.exp(t[index]) / sum(along), f"dim {dim}, {index}")
    far = minitorch.softmax(minitorch.tensor([1000.0, 1000.0]), 0)
    close(far[0], 0.5, "softmax of two numbers of 1000")
    grad_check(lambda a: minitorch.softmax(a, 2), t)


@pytest.mark.task4_4
def test_log_softmax() -> None:
    """The logarithm of softmax, also where softmax itself would be 0."""
    t = drawn(1, 2, 3, 4)
    out, need = minitorch.logsoftmax(t, 3), minitorch.softmax(t, 3)
    for index in cells(out):
        close(out[index], math.log(need[index]), f"logsoftmax at {index}")
    far = minitorch.logsoftmax(minitorch.tensor([0.0, 1000.0]), 0)
    close(far[0], -1000.0, "logsoftmax of 0 beside 1000")
    grad_check(lambda a: minitorch.logsoftmax(a, 2), t)
