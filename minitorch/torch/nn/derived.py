"""The layers of PyTorch that are minitorch.nn's under the same signature.

Their parameters start in the default dtype of this dialect, and calls take its tensors.
"""

from __future__ import annotations

import inspect
from typing import Any

from ... import nn
from ...nn.function_layers import FunctionLayer
from ..tensor import Tensor
from . import functional as F
from .adapters import bound, tensors_in, with_switches
from .arguments import computed, device_of, dtype_of, require_torch
from .module import Module
from .normalisation import _BatchNorm

__all__ = [
    "ELU",
    "BCELoss",
    "BCEWithLogitsLoss",
    "ConvTranspose2d",
    "CrossEntropyLoss",
    "Dropout2d",
    "GRUCell",
    "GroupNorm",
    "HuberLoss",
    "InstanceNorm2d",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LogSigmoid",
    "MSELoss",
    "MultiheadAttention",
    "NLLLoss",
    "PixelShuffle",
    "RMSNorm",
    "RNNCell",
    "ReLU6",
    "ReflectionPad2d",
    "SmoothL1Loss",
    "Softplus",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Upsample",
    "ZeroPad2d",
]


def layer_of(layer: Any, **more: Any) -> Any:
    """Return the layer as a class of this dialect; `more` are further attributes."""
    name = layer.__name__
    plain = inspect.signature(layer)
    signature = with_switches(plain)
    has_dtype = "dtype" in signature.parameters

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        if signature is plain and not has_dtype:
            layer.__init__(self, *args, **options)
            return
        given = bound(name, signature, args, options)
        if has_dtype:
            given["dtype"] = dtype_of(given.get("dtype"))
            given["device"] = device_of(given.get("device"))
        layer.__init__(self, **given)

    def forward(self: Any, *inputs: Any, **options: Any) -> Any:
        """Apply the layer to tensors of this dialect."""
        require_torch(name, *inputs[:1])
        require_torch(name, *tensors_in((*inputs[1:], *options.values())))
        return computed(layer.forward, self, *inputs, **options)

    doc = (inspect.getdoc(layer) or "").partition("\nExample:")[0].rstrip()
    body = {"__init__": __init__, "forward": forward, "__doc__": doc}
    body |= {"__module__": __name__, "__qualname__": name, **more}
    if issubclass(layer, FunctionLayer):
        body["functions"] = F
    made = type(name, (Module, layer), body)
    made.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    return made


def _inplace(layer: Any) -> str:
    alpha = f"alpha={layer.alpha}" if hasattr(layer, "alpha") else ""
    return ", ".join(filter(None, [alpha, "inplace=True" * layer.inplace]))


def _upsample(layer: Any) -> str:
    factor = layer.scale_factor
    if factor is None:
        size = f"size={layer.size}"
    elif isinstance(factor, tuple | list):
        size = f"scale_factor={tuple(map(float, factor))}"
    else:
        size = f"scale_factor={float(factor)}"
    return f"{size}, mode={layer.mode!r}"


def _group_norm(layer: Any) -> str:
    return (
        f"{layer.num_groups}, {layer.num_channels}, eps={layer.eps}, "
        f"affine={layer.affine}, bias={layer.bias is not None}"
    )


def _mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """(sz, sz): 0 on and below the diagonal, -inf above."""
    made: Any = nn.Transformer.generate_square_subsequent_mask
    mask: Tensor = made(sz, device_of(device), dtype_of(dtype)).as_torch()
    return mask


class MultiheadAttention(Module, nn.MultiheadAttention):
    """Attention in `num_heads` parts of the width, joined by a linear map.

    Arguments as PyTorch has them, in its order; of a call see minitorch.nn's.

    Example:
        >>> import minitorch
        >>> layer = MultiheadAttention(8, 2, batch_first=True)
        >>> x = minitorch.rand(3, 5, 8, dtype="float32").as_torch()
        >>> out, weights = layer(x, x, x)
        >>> tuple(out.shape), tuple(weights.shape)
        ((3, 5, 8), (3, 5, 5))
    """

    layers_of = __package__ or ""

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        nn.MultiheadAttention.__init__(
            self,
            embed_dim,
            num_heads,
            dropout,
            bias,
            batch_first,
            dtype_of(dtype),
            device_of(device),
            add_bias_kv=add_bias_kv,
            add_zero_attn=add_zero_attn,
            kdim=kdim,
            vdim=vdim,
        )

    def forward(self, query: Any, key: Any, value: Any, *args: Any, **more: Any) -> Any:
        """The output, and the weights or None."""
        require_torch("MultiheadAttention", query, key, value)
        require_torch("MultiheadAttention", *tensors_in((*args, *more.values())))
        given = (query, key, value, *args)
        return computed(nn.MultiheadAttention.forward, self, *given, **more)


_HERE = {"layers_of": __package__}

ConvTranspose2d = layer_of(nn.ConvTranspose2d)
Dropout2d = layer_of(
    nn.Dropout2d, extra_repr=lambda layer: f"p={layer.p}, inplace=False"
)
ELU = layer_of(nn.ELU, extra_repr=_inplace)
GroupNorm = layer_of(nn.GroupNorm, extra_repr=_group_norm)
BCELoss = layer_of(nn.BCELoss)
BCEWithLogitsLoss = layer_of(nn.BCEWithLogitsLoss)
CrossEntropyLoss = layer_of(nn.CrossEntropyLoss)
L1Loss = layer_of(nn.L1Loss)
MSELoss = layer_of(nn.MSELoss)
NLLLoss = layer_of(nn.NLLLoss)
HuberLoss = layer_of(nn.HuberLoss)
InstanceNorm2d = layer_of(nn.InstanceNorm2d, extra_repr=_BatchNorm.extra_repr)
KLDivLoss = layer_of(nn.KLDivLoss)
LogSigmoid = layer_of(nn.LogSigmoid)
PixelShuffle = layer_of(nn.PixelShuffle)
RMSNorm = layer_of(nn.RMSNorm)
ReLU6 = layer_of(nn.ReLU6, extra_repr=_inplace)
ReflectionPad2d = layer_of(nn.ReflectionPad2d)
SmoothL1Loss = layer_of(nn.SmoothL1Loss)
Softplus = layer_of(nn.Softplus)
Upsample = layer_of(nn.Upsample, extra_repr=_upsample)
ZeroPad2d = layer_of(nn.ZeroPad2d)
RNNCell = layer_of(nn.RNNCell)
LSTMCell = layer_of(nn.LSTMCell)
GRUCell = layer_of(nn.GRUCell)
TransformerEncoderLayer = layer_of(nn.TransformerEncoderLayer, **_HERE)
TransformerDecoderLayer = layer_of(nn.TransformerDecoderLayer, **_HERE)
TransformerEncoder = layer_of(nn.TransformerEncoder, **_HERE)
TransformerDecoder = layer_of(nn.TransformerDecoder, **_HERE)
Transformer = layer_of(
    nn.Transformer, **_HERE, generate_square_subsequent_mask=staticmethod(_mask)
)
