"""Owns the convolution layers."""

from __future__ import annotations

import math
from typing import Any

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..functional.sliding import Sizes, several
from ..module import Module, tensor_of
from .fitting import naming, require_input
from .initialise import as_sizes, fan_in_bound, uniform

#: PyTorch's names of the ways to pad, and those of functional.pad.
_PADDING = {
    "zeros": "constant",
    "reflect": "reflect",
    "replicate": "replicate",
    "circular": "circular",
}


_SIZES = {1: "length", 2: "height, width", 3: "depth, height, width"}


def _known_mode(layer: str, padding_mode: str) -> str:
    if padding_mode not in _PADDING:
        raise ValueError(
            f"[{layer}] got padding_mode {padding_mode!r}; need one of "
            f"{list(_PADDING)}."
        )
    return padding_mode


class _Conv(Module):
    """What the convolutions share: parameters and their start."""

    dimensions = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: Any = None,
        device: str = "cpu",
        *,
        padding_mode: str = "zeros",
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.padding_mode = _known_mode(name, padding_mode)
        in_channels, out_channels, groups = as_sizes(
            name, in_channels=in_channels, out_channels=out_channels, groups=groups
        )
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                f"[{name}] got {in_channels} and {out_channels} channels in {groups} "
                "groups; need groups that divide both."
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = several(kernel_size, self.dimensions, "kernel_size", name)
        as_sizes(name, kernel_size=min(self.kernel_size))
        self.stride, self.padding = stride, padding
        self.dilation, self.groups = dilation, groups
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        bound = fan_in_bound(math.prod(shape[1:]))
        self.weight = uniform(shape, bound, dtype, device)
        self.has_bias = bias
        drawn = uniform((out_channels,), bound, dtype, device) if bias else None
        self.register_parameter("bias", drawn)

    def forward(self, input: Tensor) -> Tensor:
        """Applies the layer."""
        name = (
            f"{type(self).__name__}({self.in_channels}, {self.out_channels}, "
            f"kernel_size={self.kernel_size})"
        )
        require_tensors(name, input)
        sizes = _SIZES[self.dimensions]
        channels = tuple(input.shape[-1 - self.dimensions : -self.dimensions])
        batched = len(input.shape) - self.dimensions  # 2, or 1 for one image alone
        fits = batched in (1, 2) and channels == (self.in_channels,)
        need = f"(n, {self.in_channels}, {sizes}) or ({self.in_channels}, {sizes})"
        require_input(name, input, fits, need, self.weight)
        convolve = getattr(functional, f"conv{self.dimensions}d")
        weight, bias = tensor_of(self.weight), tensor_of(self.bias)
        options = self.dilation, self.groups
        with naming(name, input):
            wide, padding = self._padded(input)
            out: Tensor = convolve(wide, weight, bias, self.stride, padding, *options)
        return out

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input with cells of its own around it, and the zeros still to come."""
        if self.padding_mode == "zeros" or self.padding == "valid":
            return input, self.padding
        count = self.dimensions
        gaps = several(self.dilation, count, "dilation", type(self).__name__)
        if self.padding == "same":
            total = [g * (k - 1) for g, k in zip(gaps, self.kernel_size, strict=True)]
            ends = [(each // 2, each - each // 2) for each in total]
        else:
            pads = several(self.padding, count, "padding", type(self).__name__)
            ends = [(each, each) for each in pads]
        flat = [cells for each in reversed(ends) for cells in each]
        return functional.pad(input, flat, _PADDING[self.padding_mode]), 0

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.in_channels}, {self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding!r}, dilation={self.dilation}, "
            f"groups={self.groups}, bias={self.has_bias})"
        )


class Conv1d(_Conv):
    """functional.conv1d with a weight and a bias of its own.

    weight (out_channels, in_channels / groups, kernel_size) and bias (out_channels,)
    start uniform in ±1/sqrt(fan_in), fan_in being the inputs of one output cell.

    Example:
        >>> import minitorch
        >>> Conv1d(2, 4, 3, padding=1)(minitorch.zeros(5, 2, 9)).shape
        (5, 4, 9)
    """

    dimensions = 1


class Conv2d(_Conv):
    """functional.conv2d with a weight and a bias of its own.

    weight (out_channels, in_channels / groups, *kernel_size) and bias (out_channels,)
    start uniform in ±1/sqrt(fan_in), fan_in being the inputs of one output cell.

    Example:
        >>> import minitorch
        >>> Conv2d(1, 4, 3, stride=2)(minitorch.zeros(5, 1, 9, 9)).shape
        (5, 4, 4, 4)
    """

    dimensions = 2


class Conv3d(_Conv):
    """functional.conv3d with a weight and a bias of its own; as Conv2d.

    Example:
        >>> import minitorch
        >>> Conv3d(1, 4, 2)(minitorch.zeros(5, 1, 3, 3, 3)).shape
        (5, 4, 2, 2, 2)
    """

    dimensions = 3
