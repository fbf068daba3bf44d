"""`torch.nn.init`: initialize tensors in place, without history.

The functions are minitorch.nn.init's, for torch.Tensors and with a generator.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ...nn import init as neutral
from ...nn.init import calculate_gain
from ..random import drawing_from
from ..tensor import Tensor
from .arguments import call_library, require_torch

__all__ = [
    "calculate_gain",
    "constant_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def _of_torch(function: Callable[..., Any]) -> Any:
    """Return the function for torch.Tensors, with `generator` as last argument."""
    name = function.__name__
    signature = inspect.signature(function)
    rows = list(signature.parameters.values())
    drawn = rows[1:] and name != "constant_"
    if drawn:
        rows.append(rows[1].replace(name="generator", default=None))
    signature = signature.replace(parameters=rows)

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options).arguments
        require_torch(name, given["tensor"])
        with drawing_from(name, given.pop("generator", None)):
            return call_library(function, **given)

    call.__signature__ = signature  # type: ignore[attr-defined]  # for help()
    return call


constant_ = _of_torch(neutral.constant_)
kaiming_normal_ = _of_torch(neutral.kaiming_normal_)
kaiming_uniform_ = _of_torch(neutral.kaiming_uniform_)
normal_ = _of_torch(neutral.normal_)
ones_ = _of_torch(neutral.ones_)
uniform_ = _of_torch(neutral.uniform_)
xavier_normal_ = _of_torch(neutral.xavier_normal_)
xavier_uniform_ = _of_torch(neutral.xavier_uniform_)
zeros_ = _of_torch(neutral.zeros_)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return fan-in and fan-out: inputs per output cell, and outputs per input cell.

    Raises:
        ValueError: Fewer than two dimensions.
    """
    require_torch("fan_in", tensor)
    fans: tuple[int, int] = neutral._fans("fan_in", tensor)
    return fans
