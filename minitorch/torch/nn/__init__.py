"""Owns the list of PyTorch's layers, losses and containers: `torch.nn`.

Each layer is minitorch.nn's with PyTorch's signature, names and repr. One file a
family; this one knows none of their insides.
"""

from __future__ import annotations

from . import functional
from .activations import (
    GELU,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Tanh,
)
from .containers import (
    ModuleDict,
    ModuleList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from .linear import Embedding, Identity, Linear
from .module import Module
from .parameter import Buffer, Parameter

__all__ = [
    "GELU",
    "Buffer",
    "Embedding",
    "Identity",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "functional",
]
