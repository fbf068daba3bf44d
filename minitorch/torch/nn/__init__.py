"""PyTorch's layers, losses and containers: `torch.nn`.

Each layer is minitorch.nn's with PyTorch's signature, names and repr.
"""

from __future__ import annotations

from . import (
    containers,
    functional,
    init,
    layers,
    module,
    modules,
    parameter,
    utils,
)
from .containers import *
from .layers import *
from .module import *
from .parameter import *

__all__ = [
    *containers.__all__,
    *layers.__all__,
    *module.__all__,
    *parameter.__all__,
    "functional",
    "init",
    "modules",
    "utils",
]
