"""MiniTorch's functions of networks: pooling, maxima, softmax, dropout, losses.

They work with any backend: this library's in C++, any other by tensors' methods; the
losses with this library's. PyTorch's functions of these names are in
`minitorch.functional`.
"""

from __future__ import annotations

from typing import Any

from .. import operators
from .._core import FitError, Tensor
from ..autodiff import Context
from ..autograd.function import Function
from ..fast_ops import FastOps
from ..functional import avg_pool2d, max_pool2d
from ..functional.arguments import require_tensors
from ..tensors.create import rand
from ..tensors.tensor_backend import is_foreign, like, plain, with_backend

__all__ = [
    "argmax",
    "avgpool2d",
    "cross_entropy",
    "dropout",
    "logsoftmax",
    "maxpool2d",
    "nll_loss",
    "softmax",
    "tile",
]

Kernel = tuple[int, int]

max_reduce = FastOps.reduce(operators.max, -1e9)


def tile(input: Tensor, kernel: Kernel) -> tuple[Tensor, int, int]:
    """Cut images into tiles; the elements of each are in the last dimension.

    Args:
        input: (batch, channel, height, width).
        kernel: Height and width of a tile, which divide those of the image.

    Returns:
        (batch, channel, new height, new width, cells of a tile), and the new height and
        width.

    Raises:
        AssertionError: A tile does not divide the image.

    Example:
        >>> import minitorch
        >>> tiles, height, width = tile(minitorch.zeros(1, 1, 4, 6), (2, 3))
        >>> tiles.shape, height, width
        ((1, 1, 2, 2, 6), 2, 2)
    """
    down, across = _tiles("tile", input, kernel)
    batch, channel = input.shape[:2]
    rows, columns = kernel
    # (b, c, h, w) -> (b, c, down, rows, across, columns)
    cut = input.contiguous().view(batch, channel, down, rows, across, columns)
    # -> (b, c, down, across, rows, columns) -> (b, c, down, across, cells)
    moved = cut.permute(0, 1, 2, 4, 3, 5).contiguous()
    return moved.view(batch, channel, down, across, rows * columns), down, across


def _tiles(where: str, input: Tensor, kernel: Kernel) -> Kernel:
    """Return the number of tiles vertically and horizontally."""
    require_tensors(where, input)
    if input.dims != 4:
        raise FitError(
            f"[{where}] got shape {tuple(input.shape)}; need (batch, channel, height, "
            "width)."
        )
    rows, columns = kernel
    if rows < 1 or columns < 1:
        raise FitError(f"[{where}] got kernel {kernel}; need sizes of at least 1.")
    for name, size, part in zip(
        ("height", "width"), input.shape[2:], kernel, strict=True
    ):
        assert size % part == 0, (
            f"[{where}] got {name} {size}; need a multiple of {part}."
        )
    return input.shape[2] // rows, input.shape[3] // columns


def avgpool2d(input: Tensor, kernel: Kernel) -> Tensor:
    """Return the mean of each tile: (b, c, h, w) -> (b, c, h / rows, w / columns).

    Example:
        >>> import minitorch
        >>> avgpool2d(minitorch.ones(1, 1, 2, 2), (2, 2)).numpy()
        array([[[[1.]]]])
    """
    require_tensors("avgpool2d", input)
    if not is_foreign(input):
        _tiles("avgpool2d", input, kernel)
        return avg_pool2d(input, kernel)
    tiles, down, across = tile(input, kernel)
    return tiles.mean(4).view(input.shape[0], input.shape[1], down, across)


def maxpool2d(input: Tensor, kernel: Kernel) -> Tensor:
    """Return the maximum of each tile: (b, c, h, w) -> (b, c, h / rows, w / columns).

    Example:
        >>> import minitorch
        >>> maxpool2d(minitorch.tensor([[[[1.0, 5.0], [3.0, 2.0]]]]), (1, 2)).numpy()
        array([[[[5.],
                 [3.]]]])
    """
    require_tensors("maxpool2d", input)
    if not is_foreign(input):
        _tiles("maxpool2d", input, kernel)
        pooled: Tensor = max_pool2d(input, kernel)
        return pooled
    tiles, down, across = tile(input, kernel)
    return max(tiles, 4).view(input.shape[0], input.shape[1], down, across)


def argmax(input: Tensor, dim: int) -> Tensor:
    """1.0 where the maximum along `dim` is, else 0.0; equal ones all have 1.0.

    Example:
        >>> import minitorch
        >>> argmax(minitorch.tensor([[1.0, 3.0, 2.0]]), 1).numpy()
        array([[0., 1., 0.]])
    """
    require_tensors("argmax", input)
    return input == like(plain(input).amax(dim, keepdim=True), input)


class Max(Function):
    """The maximum along a dimension, which stays with size 1."""

    @staticmethod
    def forward(ctx: Context, input: Tensor, dim: Any) -> Tensor:
        """Return the largest elements."""
        axis = int(dim.item()) if isinstance(dim, Tensor) else int(dim)
        ctx.save_for_backward(input, axis)
        return like(plain(input).amax(axis, keepdim=True), input)

    @staticmethod
    def backward(ctx: Context, grad_output: Tensor) -> tuple[Tensor, float]:
        """Return the gradient at the largest elements; equal ones share it."""
        input, axis = ctx.saved_values
        largest = argmax(input, axis)
        return grad_output * (largest / largest.sum(axis)), 0.0


def max(input: Tensor, dim: int) -> Tensor:
    """Return the maximum along `dim`, kept with size 1; equal ones share the gradient.

    Example:
        >>> import minitorch
        >>> max(minitorch.tensor([[1.0, 3.0, 2.0]]), 1).numpy()
        array([[3.]])
    """
    require_tensors("max", input)
    if is_foreign(input):
        return Max.apply(input, dim)
    return input.amax(dim, keepdim=True)


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow.

    Example:
        >>> import minitorch
        >>> softmax(minitorch.tensor([[0.0, 0.0]]), 1).numpy()
        array([[0.5, 0.5]])
    """
    require_tensors("softmax", input)
    if is_foreign(input):
        powers = _shifted(input, dim).exp()
        return powers / powers.sum(dim)
    return input.log_softmax(dim).exp()


def logsoftmax(input: Tensor, dim: int) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow.

    Example:
        >>> import minitorch
        >>> logsoftmax(minitorch.tensor([[1000.0, 0.0]]), 1).numpy()
        array([[    0., -1000.]])
    """
    require_tensors("logsoftmax", input)
    if is_foreign(input):
        shifted = _shifted(input, dim)
        return shifted - shifted.exp().sum(dim).log()
    return input.log_softmax(dim)


def _shifted(input: Tensor, dim: int) -> Tensor:
    """Subtract the maximum, which does not change softmax."""
    return input - max(input, dim).detach()


def dropout(input: Tensor, rate: float, ignore: bool = False) -> Tensor:
    """Set random elements to 0, each with probability `rate`; the others stay.

    Args:
        input: Any shape.
        rate: 0 keeps everything, 1 nothing.
        ignore: Change nothing, as in evaluation.

    Example:
        >>> import minitorch
        >>> dropout(minitorch.ones(3), 1.0).numpy()
        array([0., 0., 0.])
    """
    require_tensors("dropout", input)
    if ignore:
        return input
    noise = rand(*input.shape, dtype=input.dtype, device=input.device)
    return input * with_backend(1 - (noise < rate), input._backend())


def nll_loss(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """Mean of -log_probabilities[i, labels[i]].

    Args:
        log_probabilities: (n, classes).
        labels: (n,), integers 0 to classes - 1 of any dtype.

    Returns:
        Shape (1,).

    Raises:
        ValueError: The shapes do not fit.
        IndexError: A label lies outside the classes.

    Example:
        >>> import minitorch
        >>> nll_loss(minitorch.tensor([[-1.0, -2.0]]), minitorch.tensor([1])).item()
        2.0
    """
    require_tensors("nll_loss", log_probabilities, labels)
    return log_probabilities._nll_loss(labels)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """nll_loss(log_softmax(logits), labels), as one function.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 4)
        >>> round(cross_entropy(x, minitorch.tensor([2])).item(), 4)
        1.3863
    """
    require_tensors("cross_entropy", logits, labels)
    return logits._cross_entropy(labels)
