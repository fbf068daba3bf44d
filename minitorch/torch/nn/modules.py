"""`torch.nn.modules`, PyTorch's second place for the same layers.

`from torch.nn.modules.conv import Conv2d` and the like find them.
"""

from __future__ import annotations

import sys
from typing import Any

_PARTS = (
    "activation",
    "batchnorm",
    "container",
    "conv",
    "dropout",
    "flatten",
    "linear",
    "loss",
    "module",
    "normalization",
    "pooling",
    "rnn",
    "sparse",
    "transformer",
    "utils",
)


for _part in _PARTS:
    sys.modules[f"{__name__}.{_part}"] = sys.modules[__name__]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return sys.modules[__name__]
    return getattr(sys.modules[__name__.rpartition(".")[0]], name)
