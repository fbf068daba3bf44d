"""Owns the list of functions under PyTorch's names and with its meaning.

`import minitorch.functional as F`. Where upstream MiniTorch has a function of the same
name with another meaning, that one is `minitorch.<name>`; docs/minitorch_api.md lists
the pairs. One file a family; this file knows none of their insides.
"""

from __future__ import annotations

from .attention import scaled_dot_product_attention
from .conv import conv1d, conv2d, conv_transpose2d
from .dropout import dropout
from .embedding import embedding
from .normalisation import batch_norm, layer_norm
from .pooling import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "dropout",
    "embedding",
    "layer_norm",
    "max_pool1d",
    "max_pool2d",
    "scaled_dot_product_attention",
]
