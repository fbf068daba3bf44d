"""Functions of networks: pooling, maxima, softmax, dropout (4.3, 4.4).

All are made of tensors' own operations, so that derivatives come by themselves, but for
the maximum's. Must not know layers with parameters.
"""

from __future__ import annotations

from . import operators
from .autodiff import Context
from .fast_ops import FastOps
from .tensor import Tensor
from .tensor_functions import Function, rand

Kernel = tuple[int, int]


def tile(input: Tensor, kernel: Kernel) -> tuple[Tensor, int, int]:
    """Cut images into tiles and lay the cells of each in the last dimension.

    Args:
        input: (batch, channel, height, width).
        kernel: Height and width of a tile; they divide those of the image.

    Returns:
        (batch, channel, new_height, new_width, cells of a tile), new_height and
        new_width.
    """
    batch, channel, height, width = input.shape
    rows, columns = kernel
    assert height % rows == 0, f"tiles of {rows} rows in an image of {height}"
    assert width % columns == 0, f"tiles of {columns} columns in an image of {width}"
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # # Which dimensions does a tile consist of once the image is cut by a view?
    # raise NotImplementedError("Task 4.3")
    ### END STARTER
    down, across = height // rows, width // columns
    # (b, c, h, w) -> (b, c, down, rows, across, columns)
    cut = input.contiguous().view(batch, channel, down, rows, across, columns)
    # -> (b, c, down, across, rows, columns) -> (b, c, down, across, cells)
    moved = cut.permute(0, 1, 2, 4, 3, 5).contiguous()
    return moved.view(batch, channel, down, across, rows * columns), down, across
    ### END SOLUTION


def avgpool2d(input: Tensor, kernel: Kernel) -> Tensor:
    """The mean of each tile: (b, c, h, w) -> (b, c, new_height, new_width)."""
    batch, channel, _, _ = input.shape
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # raise NotImplementedError("Task 4.3")
    ### END STARTER
    tiles, down, across = tile(input, kernel)
    return tiles.mean(4).contiguous().view(batch, channel, down, across)
    ### END SOLUTION


# (tensor, dim) -> the largest cells along dim, which stays with size 1
max_reduce = FastOps.reduce(operators.max, -1e9)


def argmax(input: Tensor, dim: int) -> Tensor:
    """1.0 where the largest cell along `dim` is, else 0.0; equal ones all have 1.0."""
    return max_reduce(input, dim) == input


class Max(Function):
    """The largest cells along a dimension, which stays with size 1."""

    @staticmethod
    def forward(ctx: Context, input: Tensor, dim: Tensor) -> Tensor:
        """`dim` is a tensor of one number."""
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # raise NotImplementedError("Task 4.4")
        ### END STARTER
        axis = int(dim.item())
        ctx.save_for_backward(input, axis)
        return max_reduce(input, axis)
        ### END SOLUTION

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        """The derivative goes to the largest cell; equal ones share it evenly.

        There is none by `dim`: 0.0.
        """
        ### BEGIN SOLUTION
        ### BEGIN STARTER
        # # A small step of one of two largest cells: how far does the maximum move?
        # raise NotImplementedError("Task 4.4")
        ### END STARTER
        input, axis = ctx.saved_values
        largest = argmax(input, axis)
        return grad_output * (largest / largest.sum(axis)), 0.0
        ### END SOLUTION


def max(input: Tensor, dim: int) -> Tensor:
    """The largest cells along `dim`, which stays with size 1."""
    return Max.apply(input, input._ensure_tensor(dim))


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, for numbers of any size."""
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # # exp(1000) is too large for a float. What may be subtracted from all cells?
    # raise NotImplementedError("Task 4.4")
    ### END STARTER
    powers = (input - max_reduce(input.detach(), dim)).exp()
    return powers / powers.sum(dim)
    ### END SOLUTION


def logsoftmax(input: Tensor, dim: int) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, for numbers of any size."""
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # raise NotImplementedError("Task 4.4")
    ### END STARTER
    shifted = input - max_reduce(input.detach(), dim)
    return shifted - shifted.exp().sum(dim).log()
    ### END SOLUTION


def maxpool2d(input: Tensor, kernel: Kernel) -> Tensor:
    """The largest cell of each tile: (b, c, h, w) -> (b, c, new_height, new_width)."""
    batch, channel, _, _ = input.shape
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # raise NotImplementedError("Task 4.4")
    ### END STARTER
    tiles, down, across = tile(input, kernel)
    return max(tiles, 4).contiguous().view(batch, channel, down, across)
    ### END SOLUTION


def dropout(input: Tensor, rate: float, ignore: bool = False) -> Tensor:
    """Set cells to 0 by chance, each with probability `rate`; the others stay.

    Args:
        input: Any shape.
        rate: 0 keeps everything, 1 nothing.
        ignore: Change nothing, as when the network is used and not trained.
    """
    ### BEGIN SOLUTION
    ### BEGIN STARTER
    # raise NotImplementedError("Task 4.4")
    ### END STARTER
    if ignore:
        return input
    kept = 1.0 - (rand(input.shape, backend=input.backend) < rate)
    return input * kept
    ### END SOLUTION
