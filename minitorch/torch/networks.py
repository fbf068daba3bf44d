"""Owns the functions of networks that `torch` has beside `torch.nn.functional`.

Those of one name and one signature are functional's; these take their arguments in
another order. Must not know layers.
"""

from __future__ import annotations

from typing import Any

from .nn import functional as F
from .nn.functional import (
    avg_pool1d,
    conv1d,
    conv2d,
    conv_transpose2d,
    max_pool1d,
    max_pool2d,
    relu_,
)
from .tensor import Tensor

__all__ = [
    "avg_pool1d",
    "batch_norm",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "dropout",
    "dropout_",
    "embedding",
    "layer_norm",
    "max_pool1d",
    "max_pool2d",
    "relu_",
]


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each cell 0 with probability `p`, and x / (1 - p) otherwise, if `train`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.dropout(torch.ones(2), 0.5, False).tolist()
        [1.0, 1.0]
    """
    return F.dropout(input, p, train)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` in place."""
    return F.dropout(input, p, train, inplace=True)


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last dimensions.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.layer_norm(torch.tensor([1.0, 3.0]), (2,), eps=0.0).tolist()
        [-1.0, 1.0]
    """
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`torch.nn.functional.batch_norm`, with weight and bias before the statistics."""
    statistics = running_mean, running_var
    return F.batch_norm(input, *statistics, weight, bias, training, momentum, eps)


def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of a table: `torch.nn.functional.embedding`, with the table first.

    Args:
        padding_idx: A row that gets no gradient; -1 for none.
    """
    skipped = None if padding_idx == -1 else padding_idx
    often = scale_grad_by_freq
    return F.embedding(indices, weight, skipped, scale_grad_by_freq=often)
