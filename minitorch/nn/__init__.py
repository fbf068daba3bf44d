"""Layers, losses and functions of networks, built from tensors alone.

Layers have PyTorch's parameter names, shapes and start, so that state dicts exchange.
Functions have upstream MiniTorch's meaning; PyTorch's are minitorch.functional's.
"""

from __future__ import annotations

import sys

from .. import functional
from ..module import Module, Parameter
from . import (
    activations,
    attention,
    containers,
    conv,
    function_layers,
    functions,
    init,
    linear,
    losses,
    normalisation,
    pooling,
    recurrent,
    transformer,
)
from .activations import *
from .attention import *
from .containers import *
from .conv import *
from .function_layers import *
from .functions import *
from .functions import max as max
from .linear import *
from .losses import *
from .normalisation import *
from .pooling import *
from .recurrent import *
from .transformer import *

__all__ = [
    *activations.__all__,
    *attention.__all__,
    *containers.__all__,
    *conv.__all__,
    *function_layers.__all__,
    *functions.__all__,
    *linear.__all__,
    *losses.__all__,
    *normalisation.__all__,
    *pooling.__all__,
    *recurrent.__all__,
    *transformer.__all__,
    "Module",
    "Parameter",
    "functional",
    "init",
]

# `import minitorch.nn.functional as F`, as PyTorch's programs write it: one module.
sys.modules[f"{__name__}.functional"] = functional

# Not brought by `import *`, where they would hide Python's own.
_HIDING = ("max",)


def __dir__() -> list[str]:
    return sorted([*__all__, *_HIDING])
