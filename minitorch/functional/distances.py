"""Owns norms of vectors and what is made of them: distances and angles."""

from __future__ import annotations

import math

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .reduce import amax


def norm_of(x: Tensor, p: float, dim: int | None, keepdim: bool) -> Tensor:
    """The p-norm along a dimension, with gradient 0 where it is 0."""
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


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension.

    Args:
        x1, x2: (…, width), which broadcast.
        p: Which norm.
        eps: Added to each difference, so that equal vectors have a gradient.
        keepdim: Keep the last dimension, of size 1.

    Raises:
        ValueError: The shapes do not broadcast.

    Kernel:
        `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(1, 2), minitorch.tensor([[3.0, 4.0]])
        >>> pairwise_distance(x, y).numpy().round(4)
        array([5.])
    """
    require_tensors("pairwise_distance", x1, x2)
    gap = x1 - x2 + eps
    return norm_of(gap, p, len(gap.shape) - 1, keepdim)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of all differences of the rows of x1 and of x2.

    Args:
        x1: (…, m, width).
        x2: (…, n, width).
        p: Which norm, 0 or more.

    Returns:
        (…, m, n). Equal rows have gradient 0.

    Raises:
        ValueError: The widths differ, or p is negative.

    Kernel:
        `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[0.0, 0.0], [3.0, 4.0]])
        >>> cdist(x, x).numpy()
        array([[0., 5.],
               [5., 0.]])
    """
    require_tensors("cdist", x1, x2)
    shapes = tuple(x1.shape), tuple(x2.shape)
    if min(map(len, shapes)) < 2 or shapes[0][-1] != shapes[1][-1] or p < 0:
        raise ValueError(
            f"[cdist] got {shapes[0]}, {shapes[1]} and p {p}; need (…, m, width), "
            "(…, n, width) and p of 0 or more."
        )
    # (…, m, 1, width) - (…, 1, n, width) -> (…, m, n, width)
    gap = x1.unsqueeze(len(shapes[0]) - 1) - x2.unsqueeze(len(shapes[1]) - 2)
    return norm_of(gap, p, len(gap.shape) - 1, False)


def bilinear(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None
) -> Tensor:
    """out[o] = input1 @ weight[o] @ input2 + bias[o].

    Args:
        input1: (…, in1).
        input2: (…, in2).
        weight: (out, in1, in2).
        bias: (out,).

    Returns:
        (…, out).

    Raises:
        ValueError: The shapes do not fit.

    Kernel:
        cpp/kernels/matmul_tiled.cu, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.tensor([[2.0]]), minitorch.tensor([[3.0]])
        >>> bilinear(x, y, minitorch.ones(1, 1, 1)).item()
        6.0
    """
    require_tensors("bilinear", input1, input2, weight, optional=(bias,))
    first, second = tuple(input1.shape), tuple(input2.shape)
    wide = tuple(weight.shape)
    if (
        len(wide) != 3
        or (first[-1:], second[-1:]) != (wide[1:2], wide[2:])
        or first[:-1] != second[:-1]
        or (bias is not None and tuple(bias.shape) != wide[:1])
    ):
        raise ValueError(
            f"[bilinear] got {first}, {second} and weight {wide}; need (…, in1), "
            "(…, in2) and (out, in1, in2), and a bias (out,)."
        )
    out, one, two = wide
    rows = input1._reshape([-1, one]) if first[:-1] else input1.unsqueeze(0)
    # (rows, in1) @ (in1, out in2) -> (rows, out, in2)
    inner = rows @ weight._permute([1, 0, 2])._reshape([one, out * two])
    each = inner._reshape([-1, out, two]) * input2._reshape([-1, 1, two])
    total = _core.Tensor.sum(each, 2, False)._reshape([*first[:-1], out])
    return total if bias is None else total + bias
