"""`torch.nn.functional`: functions of networks.

They are minitorch.functional's, for tensors of PyTorch's dialect alone.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ... import _core, functional
from ...functional.losses import implied_dim
from .. import pointwise
from ..arguments import require_torch, torch_function
from ..reduce import name_step
from ..tensor import Tensor
from .arguments import require_one_dtype

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
    "gelu",
    "group_norm",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "relu",
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


def _named(function: Callable[..., Any], step: str) -> Callable[..., Any]:
    """Return the function, whose step in a graph has a name of its own in PyTorch."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        return name_step(function(*args, **options), step)

    return torch_function(call)


def _of_one_dtype(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which converts nothing silently here."""

    @functools.wraps(function)
    def call(input: Tensor, weight: Tensor, *args: Any, **options: Any) -> Any:
        require_one_dtype(function.__name__, input, weight)
        return function(input, weight, *args, **options)

    return torch_function(call)


def _broadcast(where: str, input: Any, target: Any) -> tuple[Tensor, Tensor]:
    """Broadcast input and target to one shape, with a warning."""
    require_torch(where, target)
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"[{where}] broadcasts input of shape {tuple(input.shape)} and target of shape "
        f"{tuple(target.shape)}; is that intended? Otherwise give them the same shape.",
        stacklevel=5,
    )
    try:
        shape = _core.Tensor.eq(input.detach(), target.detach()).shape
    except ValueError as error:  # as PyTorch's kind of error
        raise RuntimeError(str(error)) from None
    return input._expand(shape), target._expand(shape)


@torch_function
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Any:
    """Return `functional.l1_loss` of tensors that broadcast."""
    return functional.l1_loss(*_broadcast("l1_loss", input, target), reduction)


@torch_function
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Any:
    """Return `functional.mse_loss` of tensors that broadcast."""
    loss = functional.mse_loss(*_broadcast("mse_loss", input, target), reduction)
    return name_step(loss, "MseLossBackward0")


def _along(function: Callable[..., Any]) -> Any:
    """Return softmax or log_softmax with PyTorch's signature and default dim."""
    name = function.__name__

    @functools.wraps(function)
    def call(
        input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
    ) -> Any:
        require_torch(name, input)
        return function(input, implied_dim(name, input, dim), dtype)

    return call


def relu_(input: Tensor) -> Any:
    """Apply `relu` in place."""
    return relu(input, True)


adaptive_avg_pool2d = torch_function(functional.adaptive_avg_pool2d)
avg_pool1d = torch_function(functional.avg_pool1d)
avg_pool2d = torch_function(functional.avg_pool2d)
batch_norm = torch_function(functional.batch_norm)
binary_cross_entropy = _named(
    functional.binary_cross_entropy, "BinaryCrossEntropyBackward0"
)
binary_cross_entropy_with_logits = _named(
    functional.binary_cross_entropy_with_logits,
    "BinaryCrossEntropyWithLogitsBackward0",
)
conv1d = _of_one_dtype(functional.conv1d)
conv2d = _of_one_dtype(functional.conv2d)
conv_transpose2d = _of_one_dtype(functional.conv_transpose2d)
cosine_similarity = torch_function(functional.cosine_similarity)
cross_entropy = torch_function(functional.cross_entropy)
dropout = torch_function(functional.dropout)
dropout2d = torch_function(functional.dropout2d)
elu = torch_function(functional.elu)
embedding = torch_function(functional.embedding)
gelu = torch_function(functional.gelu)
group_norm = torch_function(functional.group_norm)
layer_norm = torch_function(functional.layer_norm)
leaky_relu = torch_function(functional.leaky_relu)
linear = _of_one_dtype(functional.linear)
log_softmax = _along(pointwise.log_softmax)
max_pool1d = torch_function(functional.max_pool1d)
max_pool2d = torch_function(functional.max_pool2d)
nll_loss = _named(functional.nll_loss, "NllLossBackward0")
normalize = torch_function(functional.normalize)
one_hot = torch_function(functional.one_hot)
pad = torch_function(functional.pad)
relu = torch_function(functional.relu)
rms_norm = torch_function(functional.rms_norm)
scaled_dot_product_attention = torch_function(functional.scaled_dot_product_attention)
sigmoid = torch_function(functional.sigmoid)
silu = torch_function(functional.silu)
smooth_l1_loss = torch_function(functional.smooth_l1_loss)
softmax = _along(pointwise.softmax)
softplus = torch_function(functional.softplus)
tanh = torch_function(functional.tanh)
