"""The pooling layers and Flatten with PyTorch's signatures and reprs."""

from __future__ import annotations

from typing import Any, cast

from ... import functional, nn
from ...functional.arguments import several
from ..tensor import Tensor
from . import functional as F
from .arguments import require_torch
from .module import Module

__all__ = [
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "Flatten",
    "MaxPool1d",
    "MaxPool2d",
]


class _Pool(Module):
    """What pooling layers share: their sizes, as they were given."""

    kernel_size: Any
    stride: Any
    padding: Any

    def _keep_options(self, **options: Any) -> None:
        Module.__init__(self)
        for name, value in options.items():
            setattr(self, name, value)
        self.stride = self.kernel_size if self.stride is None else self.stride


class _MaxPool(_Pool):
    """What the two layers of maxima share."""

    dilation: Any
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        self._keep_options(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )

    def forward(self, input: Any) -> Any:
        """Applies the function."""
        function = F.max_pool1d if self._get_name() == "MaxPool1d" else F.max_pool2d
        sizes = self.kernel_size, self.stride, self.padding, self.dilation
        return function(input, *sizes, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool, nn.MaxPool1d):
    """functional.max_pool1d with its sizes kept.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.MaxPool1d(2)
        >>> layer(torch.rand(1, 3, 8)).shape
        torch.Size([1, 3, 4])
    """


class MaxPool2d(_MaxPool, nn.MaxPool2d):
    """functional.max_pool2d with its sizes kept.

    Example:
        >>> MaxPool2d(2)
        MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
    """


class AvgPool1d(_Pool, nn.AvgPool1d):
    """functional.avg_pool1d with its sizes kept.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.AvgPool1d(2)
        >>> layer(torch.rand(1, 3, 8)).shape
        torch.Size([1, 3, 4])
    """

    ceil_mode: bool
    count_include_pad: bool

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self._keep_options(
            kernel_size=several(kernel_size, 1, "kernel_size", "AvgPool1d"),
            stride=None
            if stride is None
            else several(stride, 1, "stride", "AvgPool1d"),
            padding=several(padding, 1, "padding", "AvgPool1d"),
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        sizes = self.kernel_size, self.stride, self.padding
        return F.avg_pool1d(input, *sizes, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class AvgPool2d(_Pool, nn.AvgPool2d):
    """functional.avg_pool2d with its sizes kept.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.AvgPool2d(2)
        >>> layer(torch.rand(1, 3, 8, 8)).shape
        torch.Size([1, 3, 4, 4])
    """

    ceil_mode: bool
    count_include_pad: bool
    divisor_override: int | None

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self._keep_options(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        sizes = self.kernel_size, self.stride, self.padding
        more = self.ceil_mode, self.count_include_pad, self.divisor_override
        return F.avg_pool2d(input, *sizes, *more)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class AdaptiveAvgPool2d(Module, nn.AdaptiveAvgPool2d):
    """functional.adaptive_avg_pool2d(x, output_size).

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.AdaptiveAvgPool2d(1)
        >>> layer(torch.rand(1, 3, 7, 5)).shape
        torch.Size([1, 3, 1, 1])
    """

    def __init__(self, output_size: Any) -> None:
        nn.AdaptiveAvgPool2d.__init__(self, output_size)

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class Flatten(Module, nn.Flatten):
    """The dimensions from `start_dim` to `end_dim` as one: (n, a, b) -> (n, a b).

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.Flatten()
        >>> layer(torch.rand(2, 3, 4, 4)).shape
        torch.Size([2, 48])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        nn.Flatten.__init__(self, start_dim, end_dim)

    def forward(self, input: Any) -> Tensor:
        """Joins the dimensions."""
        require_torch("Flatten", input)
        dims = self.start_dim, self.end_dim
        return cast(Tensor, functional.flatten(input, *dims))

    def extra_repr(self) -> str:
        """The dims."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
