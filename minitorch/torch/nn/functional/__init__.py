"""PyTorch's functions of networks: `import minitorch.torch.nn.functional as F`."""

from __future__ import annotations

from . import activations, convolution, further, normalisation, pooling
from .activations import *
from .convolution import *
from .further import *
from .normalisation import *
from .pooling import *

__all__ = [
    *activations.__all__,
    *convolution.__all__,
    *further.__all__,
    *normalisation.__all__,
    *pooling.__all__,
]
