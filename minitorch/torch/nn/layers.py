"""Layers of PyTorch's dialect, derived from minitorch.nn's.

Their parameters start in the default dtype of this dialect.
"""

from __future__ import annotations

import inspect
from typing import Any

from ... import nn
from ...autograd.function import no_grad
from ...autograd.stand_ins import is_given_values
from ...nn.function_layers import FunctionLayer
from ..arguments import require_torch
from ..tensor import Tensor
from . import functional as F
from .arguments import device_of, dtype_of, require_one_dtype
from .module import Module
from .utils.rnn import PackedSequence

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "RNN",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2d",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "MultiheadAttention",
    "NLLLoss",
    "RMSNorm",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Tanh",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "ZeroPad2d",
]

# Those that convert nothing silently.
_ONE_DTYPE = (nn.Conv1d, nn.Conv2d, nn.Linear)


def layer_of(layer: Any, **more: Any) -> Any:
    """Return the layer as a class of this dialect; `more` are additional attributes."""
    name = layer.__name__
    signature = inspect.signature(layer)
    has_dtype = "dtype" in signature.parameters
    one_dtype = issubclass(layer, _ONE_DTYPE)

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        if not has_dtype:
            layer.__init__(self, *args, **options)
            return
        try:
            given = signature.bind(*args, **options).arguments
        except TypeError as error:
            text = f"[{name}] {error}; the signature is {signature}."
            raise TypeError(text) from None
        given["dtype"] = dtype_of(given.get("dtype"))
        given["device"] = device_of(given.get("device"))
        layer.__init__(self, **given)

    def forward(self: Any, *inputs: Any, **options: Any) -> Any:
        """Apply the layer to tensors of this dialect."""
        if not is_given_values(inputs, options):
            require_torch(name, *inputs[:1])
            if one_dtype:
                require_one_dtype(name, inputs[0], self.weight)
        return layer.forward(self, *inputs, **options)

    doc = (inspect.getdoc(layer) or "").partition("\nExample:")[0].rstrip()
    body = {"__init__": __init__, "forward": forward, "__doc__": doc}
    body |= {"__module__": __name__, "__qualname__": name, **more}
    if has_dtype:
        body["reset_parameters"] = _reset_parameters
    if issubclass(layer, FunctionLayer):
        body["functions"] = F
    result = type(name, (Module, layer), body)
    result.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    return result


def _reset_parameters(self: Any) -> None:
    """Initialize parameters and buffers again, in place."""
    layer = next(base for base in type(self).__mro__ if base.__module__ == __name__)
    given = {
        name: getattr(self, name)
        for name in inspect.signature(layer).parameters
        if hasattr(self, name)
    }
    if "bias" in given and not isinstance(given["bias"], bool):
        given["bias"] = given["bias"] is not None
    kept = dict(self.named_parameters()) | dict(self.named_buffers())
    with no_grad():
        for name, start in layer(**given).state_dict().items():
            if name in kept:
                kept[name].copy_(start._to_device(kept[name].device))


def _ordered(state: Any, order: Any) -> Any:
    """Reorder the sequences of a state (layers * directions, n, width)."""
    return state if state is None or order is None else state.index_select(1, order)


def _recurrent(layer: Any) -> Any:
    """Return the recurrent layer, which also accepts a PackedSequence."""
    plain = layer_of(layer)

    def forward(self: Any, input: Any, hx: Any = None) -> Any:
        """Apply the layer to a tensor or a PackedSequence."""
        if not isinstance(input, PackedSequence):
            return plain.forward(self, input, hx)
        several = issubclass(layer, nn.LSTM)
        given = hx if several or hx is None else (hx,)
        require_torch(layer.__name__, input.data, *(given or ()))
        order, back = input.sorted_indices, input.unsorted_indices
        given = given and tuple(_ordered(state, order) for state in given)
        counts: Any = input.batch_sizes
        out, last = self._run_packed(input.data, counts.tolist(), given)
        last = tuple(_ordered(state, back) for state in last)
        packed = PackedSequence(out, counts, order, back)
        return packed, (last if several else last[0])

    body = {"forward": forward, "__module__": __name__, "__doc__": plain.__doc__}
    return type(layer.__name__, (plain,), body)


def _mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Return a causal mask (sz, sz): 0 on and below the diagonal, -inf above."""
    generate: Any = nn.Transformer.generate_square_subsequent_mask
    mask: Tensor = generate(sz, device_of(device), dtype_of(dtype)).as_torch()
    return mask


AdaptiveAvgPool2d = layer_of(nn.AdaptiveAvgPool2d)
AvgPool1d = layer_of(nn.AvgPool1d)
AvgPool2d = layer_of(nn.AvgPool2d)
BatchNorm1d = layer_of(nn.BatchNorm1d)
BatchNorm2d = layer_of(nn.BatchNorm2d)
BCELoss = layer_of(nn.BCELoss)
BCEWithLogitsLoss = layer_of(nn.BCEWithLogitsLoss)
Conv1d = layer_of(nn.Conv1d)
Conv2d = layer_of(nn.Conv2d)
ConvTranspose2d = layer_of(nn.ConvTranspose2d)
CrossEntropyLoss = layer_of(nn.CrossEntropyLoss)
Dropout = layer_of(nn.Dropout)
Dropout2d = layer_of(nn.Dropout2d)
ELU = layer_of(nn.ELU)
Embedding = layer_of(nn.Embedding)
Flatten = layer_of(nn.Flatten)
GELU = layer_of(nn.GELU)
GroupNorm = layer_of(nn.GroupNorm)
GRU = _recurrent(nn.GRU)
Identity = layer_of(nn.Identity)
L1Loss = layer_of(nn.L1Loss)
LayerNorm = layer_of(nn.LayerNorm)
LeakyReLU = layer_of(nn.LeakyReLU)
Linear = layer_of(nn.Linear)
LogSoftmax = layer_of(nn.LogSoftmax)
LSTM = _recurrent(nn.LSTM)
MaxPool1d = layer_of(nn.MaxPool1d)
MaxPool2d = layer_of(nn.MaxPool2d)
MSELoss = layer_of(nn.MSELoss)
MultiheadAttention = layer_of(nn.MultiheadAttention, adopts_layers=True)
NLLLoss = layer_of(nn.NLLLoss)
ReLU = layer_of(nn.ReLU)
RMSNorm = layer_of(nn.RMSNorm)
RNN = _recurrent(nn.RNN)
Sigmoid = layer_of(nn.Sigmoid)
SiLU = layer_of(nn.SiLU)
SmoothL1Loss = layer_of(nn.SmoothL1Loss)
Softmax = layer_of(nn.Softmax)
Softplus = layer_of(nn.Softplus)
Tanh = layer_of(nn.Tanh)
Transformer = layer_of(
    nn.Transformer,
    adopts_layers=True,
    generate_square_subsequent_mask=staticmethod(_mask),
)
TransformerDecoder = layer_of(nn.TransformerDecoder, adopts_layers=True)
TransformerDecoderLayer = layer_of(nn.TransformerDecoderLayer, adopts_layers=True)
TransformerEncoder = layer_of(nn.TransformerEncoder, adopts_layers=True)
TransformerEncoderLayer = layer_of(nn.TransformerEncoderLayer, adopts_layers=True)
ZeroPad2d = layer_of(nn.ZeroPad2d)
