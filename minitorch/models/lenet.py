"""LeNet-5, the network of PyTorch's first tutorial."""

from __future__ import annotations

from typing import Any

from .. import functional
from .._core import Tensor
from ..module import Module
from ..nn.conv import Conv2d
from ..nn.linear import Linear
from .weights import with_weights


class LeNet5(Module):
    """Two convolutions and three matrices: LeCun et al. (1998), with ReLU and maxima.

    conv1 (6, 1, 5, 5), conv2 (16, 6, 5, 5), fc1 (120, 400), fc2 (84, 120),
    fc3 (num_classes, 84): 61,706 parameters for 10 classes.

    Args:
        num_classes: Outputs.
        dtype: Of the parameters; the default dtype if None.
        device: "cpu" or "cuda".

    Example:
        >>> import minitorch
        >>> LeNet5()(minitorch.zeros(2, 1, 32, 32)).shape
        (2, 10)
    """

    def __init__(
        self, num_classes: int = 10, dtype: Any = None, device: str = "cpu"
    ) -> None:
        super().__init__()
        kind = {"dtype": dtype, "device": device}
        self.conv1 = Conv2d(1, 6, 5, **kind)
        self.conv2 = Conv2d(6, 16, 5, **kind)
        self.fc1 = Linear(16 * 5 * 5, 120, **kind)
        self.fc2 = Linear(120, 84, **kind)
        self.fc3 = Linear(84, num_classes, **kind)

    def forward(self, x: Tensor) -> Tensor:
        """Return scores: (n, 1, 32, 32) -> (n, num_classes)."""
        x = functional.max_pool2d(self.conv1(x).relu(), 2)  # (n, 6, 14, 14)
        x = functional.max_pool2d(self.conv2(x).relu(), 2)  # (n, 16, 5, 5)
        x = functional.flatten(x, 1)  # (n, 400)
        x = self.fc1(x).relu()
        x = self.fc2(x).relu()
        out: Tensor = self.fc3(x)
        return out


def lenet5(*, weights: Any = None, **options: Any) -> LeNet5:
    """LeNet-5; options are those of LeNet5, weights as for resnet50.

    Example:
        >>> sum(p.numel() for p in lenet5().parameters())
        61706
    """
    return with_weights("lenet5", LeNet5(**options), weights)
