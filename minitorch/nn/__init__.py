"""Owns the list of layers, losses and functions of networks, built from tensors alone.

Layers have PyTorch's parameter names, shapes and start, so that state dicts exchange.
Functions have upstream MiniTorch's meaning; PyTorch's are minitorch.functional's.
"""

from __future__ import annotations

import sys

from .. import functional
from ..module import Module, Parameter
from ..nn_functions import (
    argmax,
    avgpool2d,
    dropout,
    logsoftmax,
    maxpool2d,
    softmax,
    tile,
)
from ..nn_functions import (
    max as max,
)
from . import init
from .activations import (
    GELU,
    Identity,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Tanh,
)
from .attention import MultiheadAttention
from .containers import ModuleList, Sequential
from .conv import Conv1d, Conv2d, ConvTranspose2d
from .distance_losses import HuberLoss, KLDivLoss, SmoothL1Loss
from .function_layers import (
    ELU,
    Dropout2d,
    LogSigmoid,
    PixelShuffle,
    ReflectionPad2d,
    ReLU6,
    Softplus,
    Upsample,
    ZeroPad2d,
)
from .functions import cross_entropy, nll_loss
from .group_normalisation import GroupNorm, InstanceNorm2d, RMSNorm
from .linear import Embedding, EmbeddingBag, Linear
from .losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
)
from .normalisation import BatchNorm1d, BatchNorm2d, Dropout, LayerNorm
from .pooling import (
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    Flatten,
    MaxPool1d,
    MaxPool2d,
)
from .recurrent import GRU, LSTM, RNN
from .recurrent_cells import GRUCell, LSTMCell, RNNCell
from .transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

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
    "EmbeddingBag",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "HuberLoss",
    "Identity",
    "InstanceNorm2d",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Module",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "Parameter",
    "PixelShuffle",
    "RMSNorm",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "ReflectionPad2d",
    "Sequential",
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
    "Upsample",
    "ZeroPad2d",
    "argmax",
    "avgpool2d",
    "cross_entropy",
    "dropout",
    "functional",
    "init",
    "logsoftmax",
    "maxpool2d",
    "nll_loss",
    "softmax",
    "tile",
]

# `import minitorch.nn.functional as F`, as PyTorch's programs write it: one module.
sys.modules[f"{__name__}.functional"] = functional

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("max",)


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])
