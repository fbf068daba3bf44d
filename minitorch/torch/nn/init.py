"""`torch.nn.init`: initialize tensors in place, without history.

The functions are minitorch.nn.init's, for torch.Tensors.
"""

from __future__ import annotations

from ...nn import init as neutral
from ...nn.init import calculate_gain
from ..arguments import require_torch, torch_function
from ..tensor import Tensor

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


constant_ = torch_function(neutral.constant_)
kaiming_normal_ = torch_function(neutral.kaiming_normal_)
kaiming_uniform_ = torch_function(neutral.kaiming_uniform_)
normal_ = torch_function(neutral.normal_)
ones_ = torch_function(neutral.ones_)
uniform_ = torch_function(neutral.uniform_)
xavier_normal_ = torch_function(neutral.xavier_normal_)
xavier_uniform_ = torch_function(neutral.xavier_uniform_)
zeros_ = torch_function(neutral.zeros_)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return fan-in and fan-out: inputs per output cell, and outputs per input cell.

    Raises:
        ValueError: Fewer than two dimensions.
    """
    require_torch("fan_in", tensor)
    fans: tuple[int, int] = neutral._fans("fan_in", tensor)
    return fans
