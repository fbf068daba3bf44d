"""Owns the list of functions of networks under PyTorch's names.

`import minitorch.torch.nn.functional as F`. One file a family; this one knows none of
their insides.
"""

from __future__ import annotations

from .activations import (
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu_,
    sigmoid,
    silu,
    softmax,
    tanh,
)
from .convolution import conv1d, conv2d, conv_transpose2d, linear
from .further import (
    cosine_similarity,
    dropout2d,
    elu,
    embedding_bag,
    group_norm,
    huber_loss,
    instance_norm,
    interpolate,
    kl_div,
    logsigmoid,
    normalize,
    pad,
    pixel_shuffle,
    relu6,
    rms_norm,
    smooth_l1_loss,
    softplus,
)
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
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout2d",
    "elu",
    "embedding",
    "embedding_bag",
    "gelu",
    "group_norm",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
]
