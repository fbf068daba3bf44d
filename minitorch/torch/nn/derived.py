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
from .module import Module


def _derived(layer: Any, **more: Any) -> Any:
    """The layer as a class of this dialect; `more` are further attributes."""
    signature = inspect.signature(layer.__init__)
    places = "dtype" in signature.parameters and "device" in signature.parameters

    def __init__(self: Any, *args: Any, **options: Any) -> None:
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

    body = {"__init__": __init__, "forward": forward, "__doc__": _words(layer)}
    body |= {"__module__": __name__, "__qualname__": layer.__name__, **more}
    if "__repr__" in vars(layer):  # of one line, which this dialect does not write
        body["__repr__"] = layer.__repr__
    return type(layer.__name__, (Module, layer), body)


def _words(layer: Any) -> str:
    """What a layer says of itself, without its example, which is of MiniTorch's."""
    return (inspect.getdoc(layer) or "").partition("\nExample:")[0].rstrip()


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

AdaptiveAvgPool1d = _derived(nn.AdaptiveAvgPool1d)
AdaptiveAvgPool3d = _derived(nn.AdaptiveAvgPool3d)
AdaptiveMaxPool1d = _derived(nn.AdaptiveMaxPool1d)
AdaptiveMaxPool2d = _derived(nn.AdaptiveMaxPool2d)
AdaptiveMaxPool3d = _derived(nn.AdaptiveMaxPool3d)
AlphaDropout = _derived(nn.AlphaDropout)
AvgPool3d = _derived(nn.AvgPool3d)
BatchNorm3d = _derived(nn.BatchNorm3d)
Bilinear = _derived(nn.Bilinear)
CELU = _derived(nn.CELU)
CTCLoss = _derived(nn.CTCLoss)
ChannelShuffle = _derived(nn.ChannelShuffle)
CircularPad1d = _derived(nn.CircularPad1d)
CircularPad2d = _derived(nn.CircularPad2d)
CircularPad3d = _derived(nn.CircularPad3d)
ConstantPad1d = _derived(nn.ConstantPad1d)
ConstantPad2d = _derived(nn.ConstantPad2d)
ConstantPad3d = _derived(nn.ConstantPad3d)
ConvTranspose1d = _derived(nn.ConvTranspose1d)
ConvTranspose2d = _derived(nn.ConvTranspose2d)
CosineEmbeddingLoss = _derived(nn.CosineEmbeddingLoss)
CosineSimilarity = _derived(nn.CosineSimilarity)
Dropout1d = _derived(nn.Dropout1d)
Dropout2d = _derived(nn.Dropout2d)
Dropout3d = _derived(nn.Dropout3d)
ELU = _derived(nn.ELU)
FeatureAlphaDropout = _derived(nn.FeatureAlphaDropout)
Fold = _derived(nn.Fold)
GLU = _derived(nn.GLU)
GaussianNLLLoss = _derived(nn.GaussianNLLLoss)
GroupNorm = _derived(nn.GroupNorm)
Hardshrink = _derived(nn.Hardshrink)
Hardsigmoid = _derived(nn.Hardsigmoid)
Hardswish = _derived(nn.Hardswish)
Hardtanh = _derived(nn.Hardtanh)
HingeEmbeddingLoss = _derived(nn.HingeEmbeddingLoss)
HuberLoss = _derived(nn.HuberLoss)
InstanceNorm1d = _derived(nn.InstanceNorm1d)
InstanceNorm2d = _derived(nn.InstanceNorm2d)
InstanceNorm3d = _derived(nn.InstanceNorm3d)
KLDivLoss = _derived(nn.KLDivLoss)
LPPool1d = _derived(nn.LPPool1d)
LPPool2d = _derived(nn.LPPool2d)
LocalResponseNorm = _derived(nn.LocalResponseNorm)
LogSigmoid = _derived(nn.LogSigmoid)
MarginRankingLoss = _derived(nn.MarginRankingLoss)
MaxPool3d = _derived(nn.MaxPool3d)
MaxUnpool1d = _derived(nn.MaxUnpool1d)
MaxUnpool2d = _derived(nn.MaxUnpool2d)
Mish = _derived(nn.Mish)
MultiLabelMarginLoss = _derived(nn.MultiLabelMarginLoss)
MultiLabelSoftMarginLoss = _derived(nn.MultiLabelSoftMarginLoss)
MultiMarginLoss = _derived(nn.MultiMarginLoss)
PReLU = _derived(nn.PReLU)
PairwiseDistance = _derived(nn.PairwiseDistance)
PixelShuffle = _derived(nn.PixelShuffle)
PixelUnshuffle = _derived(nn.PixelUnshuffle)
PoissonNLLLoss = _derived(nn.PoissonNLLLoss)
RMSNorm = _derived(nn.RMSNorm)
RReLU = _derived(nn.RReLU)
ReLU6 = _derived(nn.ReLU6)
ReflectionPad1d = _derived(nn.ReflectionPad1d)
ReflectionPad2d = _derived(nn.ReflectionPad2d)
ReflectionPad3d = _derived(nn.ReflectionPad3d)
ReplicationPad1d = _derived(nn.ReplicationPad1d)
ReplicationPad2d = _derived(nn.ReplicationPad2d)
ReplicationPad3d = _derived(nn.ReplicationPad3d)
SELU = _derived(nn.SELU)
SmoothL1Loss = _derived(nn.SmoothL1Loss)
SoftMarginLoss = _derived(nn.SoftMarginLoss)
Softmax2d = _derived(nn.Softmax2d)
Softmin = _derived(nn.Softmin)
Softplus = _derived(nn.Softplus)
Softshrink = _derived(nn.Softshrink)
Softsign = _derived(nn.Softsign)
Tanhshrink = _derived(nn.Tanhshrink)
Threshold = _derived(nn.Threshold)
TripletMarginLoss = _derived(nn.TripletMarginLoss)
TripletMarginWithDistanceLoss = _derived(nn.TripletMarginWithDistanceLoss)
Unflatten = _derived(nn.Unflatten)
Unfold = _derived(nn.Unfold)
Upsample = _derived(nn.Upsample)
UpsamplingBilinear2d = _derived(nn.UpsamplingBilinear2d)
UpsamplingNearest2d = _derived(nn.UpsamplingNearest2d)
ZeroPad1d = _derived(nn.ZeroPad1d)
ZeroPad2d = _derived(nn.ZeroPad2d)
ZeroPad3d = _derived(nn.ZeroPad3d)
RNN = _derived(nn.RNN)
LSTM = _derived(nn.LSTM)
GRU = _derived(nn.GRU)
RNNCell = _derived(nn.RNNCell)
LSTMCell = _derived(nn.LSTMCell)
GRUCell = _derived(nn.GRUCell)
TransformerEncoderLayer = _derived(nn.TransformerEncoderLayer, **_HERE)
TransformerDecoderLayer = _derived(nn.TransformerDecoderLayer, **_HERE)
TransformerEncoder = _derived(nn.TransformerEncoder, **_HERE)
TransformerDecoder = _derived(nn.TransformerDecoder, **_HERE)
Transformer = _derived(
    nn.Transformer, **_HERE, generate_square_subsequent_mask=staticmethod(_mask)
)
