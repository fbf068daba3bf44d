"""Pooling layers, fixed and adaptive, and Flatten."""

from __future__ import annotations

from typing import Any, ClassVar

from .._core import Tensor
from ..functional.arguments import one
from ..functional.indexing import flatten
from ..functional.pooling import require_output_size
from .fitting import naming
from .function_layers import FunctionLayer

__all__ = [
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "Flatten",
    "MaxPool1d",
    "MaxPool2d",
]


class _Pool(FunctionLayer):
    """A pooling function whose errors name the layer; stride is kernel_size."""

    def _option(self, name: str, value: Any) -> None:
        if name == "stride" and value is None:
            value = self.kernel_size
        super()._option(name, value)

    def forward(self, input: Tensor) -> Any:
        """Apply the function."""
        with naming(repr(self), input):
            return super().forward(input)


class MaxPool1d(_Pool):
    """functional.max_pool1d with its sizes kept.

    Example:
        >>> import minitorch
        >>> MaxPool1d(2)(minitorch.zeros(1, 3, 8)).shape
        (1, 3, 4)
    """

    function = "max_pool1d"
    printed = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    ceil_mode = False  # PyTorch prints it


class MaxPool2d(MaxPool1d):
    """functional.max_pool2d with its sizes kept.

    Example:
        >>> import minitorch
        >>> MaxPool2d(3, stride=2, padding=1)(minitorch.zeros(1, 3, 8, 8)).shape
        (1, 3, 4, 4)
    """

    function = "max_pool2d"


class AvgPool2d(_Pool):
    """functional.avg_pool2d with its sizes kept.

    Example:
        >>> import minitorch
        >>> AvgPool2d(4)(minitorch.zeros(1, 3, 8, 8)).shape
        (1, 3, 2, 2)
    """

    function = "avg_pool2d"
    printed: ClassVar[tuple[str, ...]] = ("kernel_size", "stride", "padding")


class AvgPool1d(AvgPool2d):
    """functional.avg_pool1d with its sizes kept, as tuples of one.

    Example:
        >>> import minitorch
        >>> AvgPool1d(2)(minitorch.zeros(1, 3, 8)).shape
        (1, 3, 4)
    """

    function = "avg_pool1d"

    def _option(self, name: str, value: Any) -> None:
        if name in self.printed and value is not None:
            value = (one(value, name, type(self).__name__),)
        super()._option(name, value)


class AdaptiveAvgPool2d(_Pool):
    """functional.adaptive_avg_pool2d(x, output_size).

    Example:
        >>> import minitorch
        >>> AdaptiveAvgPool2d((1, 1))(minitorch.zeros(2, 3, 7, 7)).shape
        (2, 3, 1, 1)
    """

    function = "adaptive_avg_pool2d"

    def _option(self, name: str, value: Any) -> None:
        require_output_size(value, type(self).__name__)
        super()._option(name, value)


class Flatten(FunctionLayer):
    """The dimensions from `start_dim` to `end_dim` as one: (n, a, b) -> (n, a b).

    Example:
        >>> import minitorch
        >>> Flatten()(minitorch.zeros(2, 3, 4)).shape
        (2, 12)
    """

    function = "flatten"

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(start_dim, end_dim)

    def forward(self, input: Tensor) -> Any:
        """Flatten the dimensions; errors name the layer."""
        with naming("Flatten", input):
            if len(input.shape) == 1 and self.start_dim == 1:  # images without cells
                return input.reshape(input.shape[0], 1)
            return flatten(input, self.start_dim, self.end_dim)
