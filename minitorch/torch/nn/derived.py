"""Owns the layers of PyTorch that are minitorch.nn's under the same signature.

Their sizes, options and numbers are minitorch.nn's; parameters start in the default
dtype of this dialect, and calls take its tensors. Must not know what layers compute.
"""

from __future__ import annotations

import inspect
from typing import Any

from ... import _core, nn
from ..tensor import Tensor
from .arguments import (
    computed,
    device_of,
    dtype_of,
    require_one_dtype,
    require_torch,
)
from .convolution import _Conv, mode_of
from .examples import example
from .functional.losses import rename_reduction
from .module import Module
from .reprs import WORDS


def derived(layer: Any, **more: Any) -> Any:
    """The layer as a class of this dialect; `more` are further attributes."""
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
        """What the layer gives for tensors of this dialect."""
        require_torch(layer.__name__, *inputs[:1])
        require_torch(layer.__name__, *_tensors((*inputs[1:], *options.values())))
        return computed(layer.forward, self, *inputs, **options)

    __init__.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    body = {"__init__": __init__, "forward": forward, "__doc__": _words(layer)}
    body |= {"__module__": __name__, "__qualname__": layer.__name__, **more}
    if layer.__name__ in WORDS:
        body["extra_repr"] = WORDS[layer.__name__]
    if "__repr__" in vars(layer):  # of one line, which this dialect does not write
        body["__repr__"] = layer.__repr__
    return type(layer.__name__, (Module, layer), body)


def _words(layer: Any) -> str:
    """What a layer says of itself, with an example of this dialect in place of its."""
    words = (inspect.getdoc(layer) or "").partition("\nExample:")[0].rstrip()
    return words + example(layer.__name__)


def _tensors(values: Any) -> list[Any]:
    """What is a tensor among arguments, in tuples as well."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, tuple | list):
            found += _tensors(value)
        elif isinstance(value, _core.Tensor):
            found.append(value)
    return found


def _mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """(sz, sz): 0 on and below the diagonal, -inf above."""
    made: Any = nn.Transformer.generate_square_subsequent_mask
    found: Tensor = made(sz, device_of(device), dtype_of(dtype)).as_torch()
    return found


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


class Conv3d(_Conv, nn.Conv3d):
    """functional.conv3d with a weight and a bias of its own; arguments as of Conv1d.

    Example:
        >>> Conv3d(1, 6, 5)
        Conv3d(1, 6, kernel_size=(5, 5, 5), stride=(1, 1, 1))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = kernel_size, stride, padding, dilation
        options = {"dtype": dtype_of(dtype), "device": device_of(device)}
        channels = in_channels, out_channels
        mode = mode_of(padding_mode)
        made: Any = nn.Conv3d.__init__
        made(self, *channels, *sizes, groups, bool(bias), **options, **mode)
        self._settle(padding_mode, stride=stride, padding=padding, dilation=dilation)

    def forward(self, input: Any) -> Any:
        """Applies the layer."""
        require_torch("Conv3d", input)
        require_one_dtype("Conv3d", input, self.weight)
        return computed(nn.Conv3d.forward, self, input)


_HERE = {"layers_of": __package__}

AdaptiveAvgPool1d = derived(nn.AdaptiveAvgPool1d)
AdaptiveAvgPool3d = derived(nn.AdaptiveAvgPool3d)
AdaptiveMaxPool1d = derived(nn.AdaptiveMaxPool1d)
AdaptiveMaxPool2d = derived(nn.AdaptiveMaxPool2d)
AdaptiveMaxPool3d = derived(nn.AdaptiveMaxPool3d)
AlphaDropout = derived(nn.AlphaDropout)
AvgPool3d = derived(nn.AvgPool3d)
BatchNorm3d = derived(nn.BatchNorm3d)
Bilinear = derived(nn.Bilinear)
CELU = derived(nn.CELU)
CTCLoss = derived(nn.CTCLoss)
ChannelShuffle = derived(nn.ChannelShuffle)
CircularPad1d = derived(nn.CircularPad1d)
CircularPad2d = derived(nn.CircularPad2d)
CircularPad3d = derived(nn.CircularPad3d)
ConstantPad1d = derived(nn.ConstantPad1d)
ConstantPad2d = derived(nn.ConstantPad2d)
ConstantPad3d = derived(nn.ConstantPad3d)
ConvTranspose1d = derived(nn.ConvTranspose1d)
ConvTranspose2d = derived(nn.ConvTranspose2d)
CosineEmbeddingLoss = derived(nn.CosineEmbeddingLoss)
CosineSimilarity = derived(nn.CosineSimilarity)
Dropout1d = derived(nn.Dropout1d)
Dropout2d = derived(nn.Dropout2d)
Dropout3d = derived(nn.Dropout3d)
ELU = derived(nn.ELU)
FeatureAlphaDropout = derived(nn.FeatureAlphaDropout)
Fold = derived(nn.Fold)
GLU = derived(nn.GLU)
GaussianNLLLoss = derived(nn.GaussianNLLLoss)
GroupNorm = derived(nn.GroupNorm)
Hardshrink = derived(nn.Hardshrink)
Hardsigmoid = derived(nn.Hardsigmoid)
Hardswish = derived(nn.Hardswish)
Hardtanh = derived(nn.Hardtanh)
HingeEmbeddingLoss = derived(nn.HingeEmbeddingLoss)
HuberLoss = derived(nn.HuberLoss)
InstanceNorm1d = derived(nn.InstanceNorm1d)
InstanceNorm2d = derived(nn.InstanceNorm2d)
InstanceNorm3d = derived(nn.InstanceNorm3d)
KLDivLoss = derived(nn.KLDivLoss)
LPPool1d = derived(nn.LPPool1d)
LPPool2d = derived(nn.LPPool2d)
LocalResponseNorm = derived(nn.LocalResponseNorm)
LogSigmoid = derived(nn.LogSigmoid)
MarginRankingLoss = derived(nn.MarginRankingLoss)
MaxPool3d = derived(nn.MaxPool3d)
MaxUnpool1d = derived(nn.MaxUnpool1d)
MaxUnpool2d = derived(nn.MaxUnpool2d)
Mish = derived(nn.Mish)
MultiLabelMarginLoss = derived(nn.MultiLabelMarginLoss)
MultiLabelSoftMarginLoss = derived(nn.MultiLabelSoftMarginLoss)
MultiMarginLoss = derived(nn.MultiMarginLoss)
PReLU = derived(nn.PReLU)
PairwiseDistance = derived(nn.PairwiseDistance)
PixelShuffle = derived(nn.PixelShuffle)
PixelUnshuffle = derived(nn.PixelUnshuffle)
PoissonNLLLoss = derived(nn.PoissonNLLLoss)
RMSNorm = derived(nn.RMSNorm)
RReLU = derived(nn.RReLU)
ReLU6 = derived(nn.ReLU6)
ReflectionPad1d = derived(nn.ReflectionPad1d)
ReflectionPad2d = derived(nn.ReflectionPad2d)
ReflectionPad3d = derived(nn.ReflectionPad3d)
ReplicationPad1d = derived(nn.ReplicationPad1d)
ReplicationPad2d = derived(nn.ReplicationPad2d)
ReplicationPad3d = derived(nn.ReplicationPad3d)
SELU = derived(nn.SELU)
SmoothL1Loss = derived(nn.SmoothL1Loss)
SoftMarginLoss = derived(nn.SoftMarginLoss)
Softmax2d = derived(nn.Softmax2d)
Softmin = derived(nn.Softmin)
Softplus = derived(nn.Softplus)
Softshrink = derived(nn.Softshrink)
Softsign = derived(nn.Softsign)
Tanhshrink = derived(nn.Tanhshrink)
Threshold = derived(nn.Threshold)
TripletMarginLoss = derived(nn.TripletMarginLoss)
TripletMarginWithDistanceLoss = derived(nn.TripletMarginWithDistanceLoss)
Unflatten = derived(nn.Unflatten)
Unfold = derived(nn.Unfold)
Upsample = derived(nn.Upsample)
UpsamplingBilinear2d = derived(nn.UpsamplingBilinear2d)
UpsamplingNearest2d = derived(nn.UpsamplingNearest2d)
ZeroPad1d = derived(nn.ZeroPad1d)
ZeroPad2d = derived(nn.ZeroPad2d)
ZeroPad3d = derived(nn.ZeroPad3d)
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
