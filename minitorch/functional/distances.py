"""Norms of vectors, distances and angles."""

from __future__ import annotations

import math

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .reduce import amax

__all__ = ["cosine_similarity", "normalize"]


def norm_of(x: Tensor, p: float, dim: int | None, keepdim: bool) -> Tensor:
    """Return the p-norm along a dimension, with gradient 0 where it is 0."""
    if p == 1:
        return _core.Tensor.sum(x.abs(), dim, keepdim)
    if math.isinf(p):
        size = x.abs() if p > 0 else -x.abs()
        best = amax(size, dim, keepdim)
        return best if p > 0 else -best
    if p == 0:
        return _core.Tensor.sum(x.ne(0)._cast(x.dtype), dim, keepdim)
    power = x * x if p == 2 else x.abs() ** p
    total = _core.Tensor.sum(power, dim, keepdim)
    none = total.eq(0)
    safe = none._where(1.0, total)
    return none._where(0.0, safe.sqrt() if p == 2 else safe ** (1 / p))


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12
) -> Tensor:
    """x / max(norm of x, eps): vectors of length 1 along `dim`.

    Args:
        input: Any shape.
        p: Which norm.
        dim: The dimension of the vectors.
        eps: The least to divide by.

    Returns:
        Shape, dtype and device of the input.

    Kernel:
        `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> normalize(minitorch.tensor([[3.0, 4.0]])).numpy()
        array([[0.6, 0.8]])
    """
    require_tensors("normalize", input)
    return input / norm_of(input, p, dim, True).clamp(eps)


def cosine_similarity(
    x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8
) -> Tensor:
    """x1 · x2 / (max(|x1|, eps) max(|x2|, eps)): the cosine of their angle.

    Args:
        x1, x2: Shapes that broadcast.
        dim: The dimension of the vectors, of the broadcast shape.
        eps: The least length to divide by.

    Returns:
        The broadcast shape without `dim`.

    Raises:
        ValueError: The shapes do not broadcast.

    Kernel:
        `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[1.0, 0.0], [1.0, 1.0]])
        >>> cosine_similarity(x, minitorch.tensor([[2.0, 0.0]])).numpy().round(4)
        array([1.    , 0.7071])
    """
    require_tensors("cosine_similarity", x1, x2)
    dot = x1 * x2
    wide = tuple(dot.shape)
    lengths = [
        norm_of(x if tuple(x.shape) == wide else x + dot.detach() * 0, 2, dim, False)
        for x in (x1, x2)
    ]
    top = _core.Tensor.sum(dot, dim, False)
    return top / (lengths[0].clamp(eps) * lengths[1].clamp(eps))
