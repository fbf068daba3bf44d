"""PyTorch's functions of networks: `import minitorch.torch.nn.functional as F`.

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
from ..reduce import called
from ..tensor import Tensor
from .arguments import computed, require_one_dtype, require_torch

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


def with_switches(signature: inspect.Signature) -> inspect.Signature:
    """Add PyTorch's two deprecated arguments of losses to the signature."""
    rows = list(signature.parameters.values())
    names = list(signature.parameters)
    if "reduction" not in names or "delta" in names:  # huber_loss never had them
        return signature
    before = names.index("reduction")
    first = names.index("ignore_index") if "ignore_index" in names else before
    old = rows[before].replace(name="reduce", default=None)
    rows.insert(before, old)
    rows.insert(first, old.replace(name="size_average"))
    return signature.replace(parameters=rows)


def bound(where: str, signature: Any, args: Any, options: Any) -> dict[str, Any]:
    """Return arguments by name; translate the deprecated ones to `reduction`."""
    try:
        given = signature.bind(*args, **options).arguments
    except TypeError as error:
        raise TypeError(f"[{where}] {error}; need {signature}.") from None
    average, reduce = given.pop("size_average", None), given.pop("reduce", None)
    if average is None and reduce is None:
        return dict(given)
    warnings.warn(
        f"[{where}] got size_average or reduce, which are old; need reduction=.",
        stacklevel=4,
    )
    word = "none" if reduce is False else "sum" if average is False else "mean"
    return {**given, "reduction": word}


def _broadcast(where: str, given: dict[str, Any]) -> None:
    """Broadcast input and target to one shape, with a warning."""
    input, target = given["input"], given["target"]
    require_torch(where, input, target)
    if input.shape == target.shape:
        return
    warnings.warn(
        f"[{where}] got input {tuple(input.shape)} and target {tuple(target.shape)}, "
        "which are broadcast; need one shape if that is not meant.",
        stacklevel=4,
    )
    try:
        shape = _core.Tensor.eq(input.detach(), target.detach()).shape
    except ValueError as error:  # as PyTorch's kind of error
        raise RuntimeError(str(error)) from None
    given["input"], given["target"] = input._expand(shape), target._expand(shape)


def function_of(function: Callable[..., Any]) -> Any:
    """Return the function, restricted to tensors of PyTorch's dialect."""
    name = function.__name__
    plain = inspect.signature(function)
    signature = with_switches(plain)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if is_given_values(args, options):
            return function(*args, **options)
        tensors = tensors_in((*args[1:], *options.values()))
        require_torch(name, *args[:1], *tensors)
        if name in _ONE_DTYPE:
            require_one_dtype(name, *args[:1], *tensors)
        if signature is plain:
            return computed(function, *args, **options)
        given = bound(name, signature, args, options)
        if name in _BROADCAST:
            _broadcast(name, given)
        result = computed(function, **given)
        return called(result, _STEPS[name]) if name in _STEPS else result

    call.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    return call


def _along(function: Callable[..., Any]) -> Any:
    """Return softmax or log_softmax with PyTorch's signature and default dim."""
    name = function.__name__

    @functools.wraps(function)
    def call(
        input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
    ) -> Any:
        require_torch(name, input)
        x: Any = input if dtype is None else input._cast(_core.as_dtype(dtype))
        if not x.dtype.is_floating_point:
            raise RuntimeError(
                f"[{name}] got {x.dtype.name}; need a floating dtype. Try .float()."
            )
        return (
            function(x, dim) if x.dims else function(x._reshape((1,)), dim)._reshape(())
        )

    return call


def relu_(input: Tensor) -> Any:
    """Apply `relu` in place."""
    return relu(input, True)


adaptive_avg_pool2d = function_of(functional.adaptive_avg_pool2d)
avg_pool1d = function_of(functional.avg_pool1d)
avg_pool2d = function_of(functional.avg_pool2d)
batch_norm = function_of(functional.batch_norm)
binary_cross_entropy = function_of(functional.binary_cross_entropy)
binary_cross_entropy_with_logits = function_of(
    functional.binary_cross_entropy_with_logits
)
conv1d = function_of(functional.conv1d)
conv2d = function_of(functional.conv2d)
conv_transpose2d = function_of(functional.conv_transpose2d)
cosine_similarity = function_of(functional.cosine_similarity)
cross_entropy = function_of(functional.cross_entropy)
dropout = function_of(functional.dropout)
dropout2d = function_of(functional.dropout2d)
elu = function_of(functional.elu)
embedding = function_of(functional.embedding)
embedding_bag = function_of(functional.embedding_bag)
gelu = function_of(functional.gelu)
group_norm = function_of(functional.group_norm)
huber_loss = function_of(functional.huber_loss)
instance_norm = function_of(functional.instance_norm)
interpolate = function_of(functional.interpolate)
kl_div = function_of(functional.kl_div)
l1_loss = function_of(functional.l1_loss)
layer_norm = function_of(functional.layer_norm)
leaky_relu = function_of(functional.leaky_relu)
linear = function_of(functional.linear)
log_softmax = _along(functional.log_softmax)
logsigmoid = function_of(functional.logsigmoid)
max_pool1d = function_of(functional.max_pool1d)
max_pool2d = function_of(functional.max_pool2d)
mse_loss = function_of(functional.mse_loss)
nll_loss = function_of(functional.nll_loss)
normalize = function_of(functional.normalize)
one_hot = function_of(functional.one_hot)
pad = function_of(functional.pad)
pixel_shuffle = function_of(functional.pixel_shuffle)
relu = function_of(functional.relu)
relu6 = function_of(functional.relu6)
rms_norm = function_of(functional.rms_norm)
scaled_dot_product_attention = function_of(functional.scaled_dot_product_attention)
sigmoid = function_of(functional.sigmoid)
silu = function_of(functional.silu)
smooth_l1_loss = function_of(functional.smooth_l1_loss)
softmax = _along(functional.softmax)
softplus = function_of(functional.softplus)
tanh = function_of(functional.tanh)
