"""The tests of tasks 4.1 and 4.2: convolutions and their derivatives."""

from __future__ import annotations

import pytest

import minitorch
from minitorch import grad_check

from .samples import check_convolution, close, drawn


@pytest.mark.task4_1
def test_conv1d_simple() -> None:
    """The weight lies on the cell and those behind it; beyond the end are zeros."""
    signal = minitorch.tensor([[[1.0, 2.0, 4.0, 8.0]]])
    out = minitorch.conv1d(signal, minitorch.tensor([[[1.0, 10.0, 100.0]]]))
    for i, need in enumerate([421.0, 842.0, 84.0, 8.0]):
        close(out[0, 0, i], need, f"out[0, 0, {i}]")


@pytest.mark.task4_1
def test_conv1d() -> None:
    """A weight as long as the signal, and a longer one."""
    for width, reach in [(6, 4), (3, 3), (2, 5), (1, 1)]:
        x, w = drawn(1, 1, width), drawn(1, 1, reach, seed=1)
        check_convolution(x, w, minitorch.conv1d(x, w))
        grad_check(minitorch.conv1d, x, w)


@pytest.mark.task4_1
def test_conv1d_channel() -> None:
    """Channels of the input are summed; each channel of the output has weights."""
    for turned in (False, True):
        x, w = drawn(2, 2, 6, turned=turned), drawn(3, 2, 2, seed=1, turned=turned)
        out = minitorch.conv1d(x, w)
        assert out.shape == (2, 3, 6)
        check_convolution(x, w, out)
        grad_check(minitorch.conv1d, x, w)


@pytest.mark.task4_2
def test_conv() -> None:
    """Images: the weight reaches to the right and down."""
    for size in [(2, 4), (3, 1), (5, 5)]:
        x, w = drawn(1, 1, 4, 5), drawn(1, 1, *size, seed=1)
        check_convolution(x, w, minitorch.conv2d(x, w))
        grad_check(minitorch.conv2d, x, w)


@pytest.mark.task4_2
def test_conv_batch() -> None:
    """Each image of a batch by itself."""
    x, w = drawn(3, 1, 4, 3, turned=True), drawn(1, 1, 2, 2, seed=1)
    check_convolution(x, w, minitorch.conv2d(x, w))
    grad_check(minitorch.conv2d, x, w)


@pytest.mark.task4_2
def test_conv_channel() -> None:
    """Channels, as in one dimension."""
    x, w = drawn(2, 2, 4, 5), drawn(3, 2, 2, 3, seed=1, turned=True)
    out = minitorch.conv2d(x, w)
    assert out.shape == (2, 3, 4, 5)
    check_convolution(x, w, out)
    grad_check(minitorch.conv2d, x, w)


@pytest.mark.task4_2
def test_conv2() -> None:
    """A derivative that can be counted: how often does each cell meet the weight?"""
    x = minitorch.tensor([[[[1.0] * 3] * 3]], requires_grad=True)
    w = minitorch.tensor([[[[1.0] * 2] * 2]], requires_grad=True)
    minitorch.conv2d(x, w).sum().backward()
    need = [[1, 2, 2], [2, 4, 4], [2, 4, 4]]
    for i in range(3):
        for j in range(3):
            close(x.grad[0, 0, i, j], need[i][j], f"x.grad[0, 0, {i}, {j}]")
    for k, need_of_w in enumerate([[9, 6], [6, 4]]):
        for m in range(2):
            close(w.grad[0, 0, k, m], need_of_w[m], f"w.grad[0, 0, {k}, {m}]")
