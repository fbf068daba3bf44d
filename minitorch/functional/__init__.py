"""Owns the list of functions under PyTorch's names and with its meaning.

`import minitorch.functional as F`. Where upstream MiniTorch has a function of the same
name with another meaning, that one is `minitorch.<name>`; docs/minitorch_api.md lists
the pairs. One file a family; this file knows none of their insides.
"""

from __future__ import annotations

from ..op_calls import overridable
from .activations import elu, leaky_relu, logsigmoid, relu6, softplus
from .attention import scaled_dot_product_attention
from .conv import conv1d, conv2d, conv_transpose2d
from .distances import cosine_similarity, normalize
from .dropout import dropout, dropout2d
from .embedding import embedding, embedding_bag
from .group_normalisation import group_norm, instance_norm, rms_norm
from .indexing import (
    cat,
    chunk,
    flatten,
    flip,
    gather,
    index_select,
    masked_fill,
    one_hot,
    repeat,
    scatter,
    scatter_add,
    split,
    squeeze,
    stack,
    transpose,
    tril,
    triu,
    unsqueeze,
)
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    l1_loss,
    log_softmax,
    mse_loss,
    nll_loss,
    softmax,
)
from .math import (
    abs as abs,
)
from .math import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    ceil,
    clamp,
    copysign,
    cos,
    cosh,
    digamma,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    fmod,
    gelu,
    hypot,
    isfinite,
    isinf,
    isnan,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    neg,
    reciprocal,
    relu,
    rsqrt,
    sigmoid,
    sign,
    silu,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
    where,
)
from .math import (
    round as round,
)
from .normalisation import batch_norm, layer_norm
from .padding import pad
from .pooling import adaptive_avg_pool2d, avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from .products import linear, matmul
from .reduce import (
    all as all,
)
from .reduce import (
    amax,
    amin,
    argmax,
    argmin,
    cumsum,
    logsumexp,
    mean,
    prod,
    std,
    var,
)
from .reduce import (
    any as any,
)
from .reduce import (
    max as max,
)
from .reduce import (
    min as min,
)
from .reduce import (
    sum as sum,
)
from .regression_losses import huber_loss, kl_div, smooth_l1_loss
from .resampling import interpolate, pixel_shuffle

__all__ = [
    "acos",
    "acosh",
    "adaptive_avg_pool2d",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cat",
    "ceil",
    "chunk",
    "clamp",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "copysign",
    "cos",
    "cosh",
    "cosine_similarity",
    "cross_entropy",
    "cumsum",
    "digamma",
    "dropout",
    "dropout2d",
    "elu",
    "embedding",
    "embedding_bag",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "flatten",
    "flip",
    "floor",
    "fmod",
    "gather",
    "gelu",
    "group_norm",
    "huber_loss",
    "hypot",
    "index_select",
    "instance_norm",
    "interpolate",
    "isfinite",
    "isinf",
    "isnan",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "lgamma",
    "linear",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsigmoid",
    "logsumexp",
    "masked_fill",
    "matmul",
    "max_pool1d",
    "max_pool2d",
    "maximum",
    "mean",
    "minimum",
    "mse_loss",
    "neg",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "prod",
    "reciprocal",
    "relu",
    "relu6",
    "repeat",
    "rms_norm",
    "rsqrt",
    "scaled_dot_product_attention",
    "scatter",
    "scatter_add",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "split",
    "sqrt",
    "squeeze",
    "stack",
    "std",
    "tan",
    "tanh",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "unsqueeze",
    "var",
    "where",
]

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("abs", "all", "any", "max", "min", "round", "sum")

for _name in (*__all__, *_HIDING):
    globals()[_name] = overridable(globals()[_name])


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])
