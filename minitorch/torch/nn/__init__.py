"""PyTorch's layers, losses and containers: `torch.nn`.

Each layer is minitorch.nn's with PyTorch's signature, names and repr.
"""

from __future__ import annotations

from . import (
    activations,
    containers,
    convolution,
    derived,
    functional,
    init,
    linear,
    module,
    modules,
    normalisation,
    parameter,
    pooling,
    recurrent,
    utils,
)
from .activations import *
from .containers import *
from .convolution import *
from .derived import *
from .linear import *
from .module import *
from .normalisation import *
from .parameter import *
from .pooling import *
from .recurrent import *

__all__ = [
    *activations.__all__,
    *containers.__all__,
    *convolution.__all__,
    *derived.__all__,
    *linear.__all__,
    *module.__all__,
    *normalisation.__all__,
    *parameter.__all__,
    *pooling.__all__,
    *recurrent.__all__,
    "functional",
    "init",
    "modules",
    "utils",
]
