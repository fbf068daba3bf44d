"""The layers of PyTorch that are minitorch.nn's under the same signature.

Their parameters start in the default dtype of this dialect, and calls take its tensors.
"""

from __future__ import annotations

import inspect
from typing import Any

from ... import _core, nn
from ..tensor import Tensor
from .arguments import computed, device_of, dtype_of, require_torch
from .functional.losses import rename_reduction
from .module import Module
from .normalisation import _BatchNorm

__all__ = [
    "ELU",
    "ConvTranspose2d",
    "Dropout2d",
    "GRUCell",
    "GroupNorm",
    "HuberLoss",
    "InstanceNorm2d",
    "KLDivLoss",
    "LSTMCell",
    "LogSigmoid",
    "MultiheadAttention",
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


def derived(layer: Any, **more: Any) -> Any:
    """Return the layer as a class of this dialect; `more` are further attributes."""
    signature = inspect.signature(layer.__init__)
    places = "dtype" in signature.parameters and "device" in signature.parameters
    is_loss = layer.__name__.endswith("Loss")

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        if is_loss:
            rename_reduction(layer.__name__, options)
        if not places:
            layer.__init__(self, *args, **options)
            return
        try:
            bound = signature.bind(self, *args, **options)
        except TypeError as error:
            raise TypeError(f"[{layer.__name__}] {error}; need {signature}.") from None
        bound.apply_defaults()
        bound.arguments["dtype"] = dtype_of(bound.arguments["dtype"])
        bound.arguments["device"] = device_of(bound.arguments["device"])
        layer.__init__(*bound.args, **bound.kwargs)

    def forward(self: Any, *inputs: Any, **options: Any) -> Any:
        """Apply the layer to tensors of this dialect."""
        require_torch(layer.__name__, *inputs[:1])
        require_torch(layer.__name__, *_tensors((*inputs[1:], *options.values())))
        return computed(layer.forward, self, *inputs, **options)

    __init__.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    doc = (inspect.getdoc(layer) or "").partition("\nExample:")[0].rstrip()
    body = {"__init__": __init__, "forward": forward, "__doc__": doc}
    body |= {"__module__": __name__, "__qualname__": layer.__name__, **more}
    return type(layer.__name__, (Module, layer), body)


def _tensors(values: Any) -> list[Any]:
    """What is a tensor among arguments, in tuples as well."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, tuple | list):
            found += _tensors(value)
        elif isinstance(value, _core.Tensor):
            found.append(value)
    return found


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
        require_torch("MultiheadAttention", *_tensors((*args, *more.values())))
        given = (query, key, value, *args)
        return computed(nn.MultiheadAttention.forward, self, *given, **more)


_HERE = {"layers_of": __package__}
_NO_REPR = {"extra_repr": lambda layer: ""}

ConvTranspose2d = derived(nn.ConvTranspose2d)
Dropout2d = derived(
    nn.Dropout2d, extra_repr=lambda layer: f"p={layer.p}, inplace=False"
)
ELU = derived(nn.ELU, extra_repr=_inplace)
GroupNorm = derived(nn.GroupNorm, extra_repr=_group_norm)
HuberLoss = derived(nn.HuberLoss, **_NO_REPR)
InstanceNorm2d = derived(nn.InstanceNorm2d, extra_repr=_BatchNorm.extra_repr)
KLDivLoss = derived(nn.KLDivLoss, **_NO_REPR)
LogSigmoid = derived(nn.LogSigmoid)
PixelShuffle = derived(nn.PixelShuffle)
RMSNorm = derived(nn.RMSNorm)
ReLU6 = derived(nn.ReLU6, extra_repr=_inplace)
ReflectionPad2d = derived(nn.ReflectionPad2d)
SmoothL1Loss = derived(nn.SmoothL1Loss, **_NO_REPR)
Softplus = derived(nn.Softplus)
Upsample = derived(nn.Upsample, extra_repr=_upsample)
ZeroPad2d = derived(nn.ZeroPad2d)
RNNCell = derived(nn.RNNCell)
LSTMCell = derived(nn.LSTMCell)
GRUCell = derived(nn.GRUCell)
TransformerEncoderLayer = derived(nn.TransformerEncoderLayer, **_HERE)
TransformerDecoderLayer = derived(nn.TransformerDecoderLayer, **_HERE)
TransformerEncoder = derived(nn.TransformerEncoder, **_HERE)
TransformerDecoder = derived(nn.TransformerDecoder, **_HERE)
Transformer = derived(
    nn.Transformer, **_HERE, generate_square_subsequent_mask=staticmethod(_mask)
)
