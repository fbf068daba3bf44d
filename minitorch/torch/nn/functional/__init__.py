"""Owns the list of functions of networks under PyTorch's names.

`import minitorch.torch.nn.functional as F`. One file a family; this one knows none of
their insides.
"""

from __future__ import annotations

from .activations import (
    gelu,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    relu,
    relu_,
    sigmoid,
    silu,
    softmax,
    softmin,
    tanh,
)
from .convolution import conv1d, conv2d, conv_transpose2d, linear
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    l1_loss,
    mse_loss,
    nll_loss,
)
from .normalisation import (
    batch_norm,
    dropout,
    embedding,
    layer_norm,
    one_hot,
    scaled_dot_product_attention,
)
from .pooling import (
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)

__all__ = [
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "cross_entropy",
    "dropout",
    "embedding",
    "gelu",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "relu_",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "tanh",
]
