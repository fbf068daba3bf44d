"""The pooling layers, fixed and adaptive, and Flatten, which follows them."""

from __future__ import annotations

from typing import Any

from .. import functional
from .._core import Tensor
from ..functional.pooling import require_output_size
from ..module import Module
from .fitting import naming

__all__ = [
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "Flatten",
    "MaxPool1d",
    "MaxPool2d",
]


class _Pool(Module):
    """A pooling function with its options."""

    function = ""

    def __init__(self, kernel_size: Any, stride: Any = None, **options: Any) -> None:
        super().__init__()
        self.options = {"kernel_size": kernel_size, "stride": stride, **options}

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function."""
        with naming(repr(self), input):
            out: Tensor = getattr(functional, self.function)(input, **self.options)
        return out

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v}" for k, v in self.options.items() if v is not None)
        return f"{type(self).__name__}({given})"


class MaxPool1d(_Pool):
    """functional.max_pool1d(x, kernel_size, stride, padding, dilation).

    Example:
        >>> import minitorch
        >>> MaxPool1d(2)(minitorch.zeros(1, 3, 8)).shape
        (1, 3, 4)
    """

    function = "max_pool1d"

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1
    ) -> None:
        super().__init__(kernel_size, stride, padding=padding, dilation=dilation)


class MaxPool2d(MaxPool1d):
    """functional.max_pool2d(x, kernel_size, stride, padding, dilation).

    Example:
        >>> import minitorch
        >>> MaxPool2d(3, stride=2, padding=1)(minitorch.zeros(1, 3, 8, 8)).shape
        (1, 3, 4, 4)
    """

    function = "max_pool2d"


class AvgPool1d(_Pool):
    """functional.avg_pool1d(x, kernel_size, stride, padding, count_include_pad).

    Example:
        >>> import minitorch
        >>> AvgPool1d(2)(minitorch.zeros(1, 3, 8)).shape
        (1, 3, 4)
    """

    function = "avg_pool1d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(
            kernel_size, stride, padding=padding, count_include_pad=count_include_pad
        )


class AvgPool2d(AvgPool1d):
    """functional.avg_pool2d(x, kernel_size, stride, padding, count_include_pad).

    Example:
        >>> import minitorch
        >>> AvgPool2d(4)(minitorch.zeros(1, 3, 8, 8)).shape
        (1, 3, 2, 2)
    """

    function = "avg_pool2d"


class AdaptiveAvgPool2d(Module):
    """functional.adaptive_avg_pool2d(x, output_size).

    Example:
        >>> import minitorch
        >>> AdaptiveAvgPool2d((1, 1))(minitorch.zeros(2, 3, 7, 7)).shape
        (2, 3, 1, 1)
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        require_output_size(output_size, "AdaptiveAvgPool2d")
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function."""
        with naming(repr(self), input):
            return functional.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """The size of the output."""
        return f"output_size={self.output_size}"


class Flatten(Module):
    """The dimensions from `start_dim` to `end_dim` as one: (n, a, b) -> (n, a b).

    Example:
        >>> import minitorch
        >>> Flatten()(minitorch.zeros(2, 3, 4)).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Joins the dimensions; an input of fewer is an error that names it."""
        with naming("Flatten", input):
            if len(input.shape) == 1 and self.start_dim == 1:  # images without cells
                return input.reshape(input.shape[0], 1)
            return functional.flatten(input, self.start_dim, self.end_dim)
