"""The convolution layers."""

from __future__ import annotations

import math
from typing import Any

from .. import functional
from .._core import FitError, Tensor
from ..functional.arguments import Sizes, require_tensors, several
from ..module import Module, tensor_of
from .fitting import naming, require_input
from .initialise import as_sizes, fan_in_bound, uniform

__all__ = ["Conv1d", "Conv2d", "ConvTranspose2d"]

_SIZES = {1: "length", 2: "height, width"}


class _Conv(Module):
    """Base of the convolutions: parameters and their initialization."""

    dimensions = 0
    transposed = False

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
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if padding_mode != "zeros":
            raise FitError(
                f"[{name}] got padding_mode {padding_mode!r}; need 'zeros'. Try "
                "functional.pad on the input."
            )
        self.padding_mode = padding_mode
        in_channels, out_channels, groups = as_sizes(
            name, in_channels=in_channels, out_channels=out_channels, groups=groups
        )
        if in_channels % groups or out_channels % groups:
            raise FitError(
                f"[{name}] got in_channels {in_channels}, out_channels {out_channels} "
                f"and groups {groups}; groups must divide in_channels and out_channels."
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = several(kernel_size, self.dimensions, "kernel_size", name)
        as_sizes(name, kernel_size=min(self.kernel_size))
        self.stride = several(stride, self.dimensions, "stride", name)
        self.dilation = several(dilation, self.dimensions, "dilation", name)
        self.padding = self._known_padding(padding)
        self.output_padding, self.groups = (0,) * self.dimensions, groups
        ends = (out_channels, in_channels // groups)
        if self.transposed:
            ends = (in_channels, out_channels // groups)
        shape = (*ends, *self.kernel_size)
        bound, target_device = fan_in_bound(math.prod(shape[1:])), device or "cpu"
        self.weight = uniform(shape, bound, dtype, target_device)
        drawn = uniform((out_channels,), bound, dtype, target_device) if bias else None
        self.register_parameter("bias", drawn)

    def _known_padding(self, padding: Any) -> Any:
        """Return the padding as a tuple or a valid word; raise otherwise."""
        name = type(self).__name__
        if not isinstance(padding, str):
            return several(padding, self.dimensions, "padding", name)
        if padding not in ("same", "valid"):
            raise FitError(
                f"[{name}] got padding {padding!r}; need integers, 'same' or 'valid'."
            )
        if padding == "same" and any(step != 1 for step in self.stride):
            raise FitError(
                f"[{name}] padding 'same' needs stride 1, got stride {self.stride}."
            )
        return padding

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
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
            out: Tensor = convolve(
                input, weight, bias, self.stride, self.padding, *options
            )
        return out

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        text = f"{self.in_channels}, {self.out_channels}, "
        text += f"kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            text += f", {name}={value}" * (value != (usual,) * self.dimensions)
        text += f", groups={self.groups}" * (self.groups != 1)
        return text + ", bias=False" * (self.bias is None)


class Conv1d(_Conv):
    """functional.conv1d with a learned weight and bias.

    weight (out_channels, in_channels / groups, kernel_size) and bias (out_channels,)
    start uniform in ±1/sqrt(fan_in), fan_in being the inputs of one output cell.

    Example:
        >>> import minitorch
        >>> Conv1d(2, 4, 3, padding=1)(minitorch.zeros(5, 2, 9)).shape
        (5, 4, 9)
    """

    dimensions = 1


class Conv2d(_Conv):
    """functional.conv2d with a learned weight and bias.

    weight (out_channels, in_channels / groups, *kernel_size) and bias (out_channels,)
    start uniform in ±1/sqrt(fan_in), fan_in being the inputs of one output cell.

    Example:
        >>> import minitorch
        >>> Conv2d(1, 4, 3, stride=2)(minitorch.zeros(5, 1, 9, 9)).shape
        (5, 4, 4, 4)
    """

    dimensions = 2


class ConvTranspose2d(_Conv):
    """functional.conv_transpose2d with a learned weight and bias.

    weight (in_channels, out_channels / groups, *kernel_size) and bias (out_channels,)
    start uniform in ±1/sqrt(fan_in), fan_in being out_channels / groups kernel cells.

    Example:
        >>> import minitorch
        >>> ConvTranspose2d(2, 3, 2, stride=2)(minitorch.zeros(1, 2, 4, 4)).shape
        (1, 3, 8, 8)
    """

    dimensions, transposed = 2, True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = kernel_size, stride, padding, dilation, groups, bias, padding_mode
        super().__init__(in_channels, out_channels, *sizes, device=device, dtype=dtype)
        name = type(self).__name__
        self.output_padding = several(output_padding, 2, "output_padding", name)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        name = f"{type(self).__name__}({self.in_channels}, {self.out_channels})"
        require_tensors(name, input)
        shape = tuple(input.shape)
        fits = len(shape) in (3, 4) and shape[-3] == self.in_channels
        require_input(name, input, fits, f"(n, {self.in_channels}, …)", self.weight)
        sizes = self.stride, self.padding, self.output_padding
        options = *sizes, self.groups, self.dilation
        weight, bias = tensor_of(self.weight), tensor_of(self.bias)
        return functional.conv_transpose2d(input, weight, bias, *options)
