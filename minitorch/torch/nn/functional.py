"""`torch.nn.functional`: functions of networks.

They are minitorch.functional's, for tensors of PyTorch's dialect alone.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ... import _core, functional
from ...autograd.stand_ins import is_given_values
from ...functional.losses import implied_dim
from .. import pointwise
from ..reduce import name_step
from ..tensor import Tensor
from .arguments import call_library, require_one_dtype, require_torch

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
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
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

# The losses whose step in a graph has a name of its own in PyTorch.
_STEPS = {
    "binary_cross_entropy": "BinaryCrossEntropyBackward0",
    "binary_cross_entropy_with_logits": "BinaryCrossEntropyWithLogitsBackward0",
    "mse_loss": "MseLossBackward0",
    "nll_loss": "NllLossBackward0",
}
# Those that convert nothing silently.
_ONE_DTYPE = ("conv1d", "conv2d", "conv_transpose2d", "linear")
# The losses whose input and target PyTorch broadcasts.
_BROADCAST = ("l1_loss", "mse_loss")


def tensors_in(values: Any) -> list[Any]:
    """Return the tensors among the arguments, including those in tuples and lists."""
    tensors: list[Any] = []
    for value in values:
        if isinstance(value, tuple | list):
            tensors += tensors_in(value)
        elif isinstance(value, _core.Tensor):
            tensors.append(value)
    return tensors


def bind_arguments(
    where: str, signature: Any, args: Any, options: Any
) -> dict[str, Any]:
    """Return arguments by name, as the signature has them.

    Raises:
        TypeError: They do not fit the signature.
    """
    try:
        return dict(signature.bind(*args, **options).arguments)
    except TypeError as error:
        raise TypeError(f"[{where}] {error}; the signature is {signature}.") from None


def _broadcast(where: str, given: dict[str, Any]) -> dict[str, Any]:
    """Broadcast input and target to one shape, with a warning."""
    input, target = given["input"], given["target"]
    require_torch(where, input, target)
    if input.shape == target.shape:
        return given
    warnings.warn(
        f"[{where}] broadcasts input of shape {tuple(input.shape)} and target of shape "
        f"{tuple(target.shape)}; is that intended? Otherwise give them the same shape.",
        stacklevel=4,
    )
    try:
        shape = _core.Tensor.eq(input.detach(), target.detach()).shape
    except ValueError as error:  # as PyTorch's kind of error
        raise RuntimeError(str(error)) from None
    wide = {"input": input._expand(shape), "target": target._expand(shape)}
    return {**given, **wide}


def torch_function(function: Callable[..., Any]) -> Any:
    """Return the function, restricted to tensors of PyTorch's dialect."""
    name = function.__name__
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if is_given_values(args, options):
            return function(*args, **options)
        tensors = tensors_in((*args[1:], *options.values()))
        require_torch(name, *args[:1], *tensors)
        if name in _ONE_DTYPE:
            require_one_dtype(name, *args[:1], *tensors)
        if name in _BROADCAST:
            given = bind_arguments(name, signature, args, options)
            args, options = (), _broadcast(name, given)
        result = call_library(function, *args, **options)
        return name_step(result, _STEPS[name]) if name in _STEPS else result

    return call


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
binary_cross_entropy = torch_function(functional.binary_cross_entropy)
binary_cross_entropy_with_logits = torch_function(
    functional.binary_cross_entropy_with_logits
)
conv1d = torch_function(functional.conv1d)
conv2d = torch_function(functional.conv2d)
conv_transpose2d = torch_function(functional.conv_transpose2d)
cosine_similarity = torch_function(functional.cosine_similarity)
cross_entropy = torch_function(functional.cross_entropy)
dropout = torch_function(functional.dropout)
dropout2d = torch_function(functional.dropout2d)
elu = torch_function(functional.elu)
embedding = torch_function(functional.embedding)
gelu = torch_function(functional.gelu)
group_norm = torch_function(functional.group_norm)
l1_loss = torch_function(functional.l1_loss)
layer_norm = torch_function(functional.layer_norm)
leaky_relu = torch_function(functional.leaky_relu)
linear = torch_function(functional.linear)
log_softmax = _along(pointwise.log_softmax)
logsigmoid = torch_function(functional.logsigmoid)
max_pool1d = torch_function(functional.max_pool1d)
max_pool2d = torch_function(functional.max_pool2d)
mse_loss = torch_function(functional.mse_loss)
nll_loss = torch_function(functional.nll_loss)
normalize = torch_function(functional.normalize)
one_hot = torch_function(functional.one_hot)
pad = torch_function(functional.pad)
relu = torch_function(functional.relu)
relu6 = torch_function(functional.relu6)
rms_norm = torch_function(functional.rms_norm)
scaled_dot_product_attention = torch_function(functional.scaled_dot_product_attention)
sigmoid = torch_function(functional.sigmoid)
silu = torch_function(functional.silu)
smooth_l1_loss = torch_function(functional.smooth_l1_loss)
softmax = _along(pointwise.softmax)
softplus = torch_function(functional.softplus)
tanh = torch_function(functional.tanh)
