"""Owns the layers of learned slopes, bilinear maps and transposed convolutions."""

from __future__ import annotations

import math
from typing import Any

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..functional.sliding import several
from ..module import Module, tensor_of
from .fitting import require_input, require_same_device
from .initialise import as_sizes, constant, fan_in_bound, uniform


class PReLU(Module):
    """functional.prelu with slopes that are learned: weight (num_parameters,).

    Example:
        >>> import minitorch
        >>> PReLU()(minitorch.tensor([-2.0, 3.0])).detach().numpy()
        array([-0.5,  3. ])
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        (num_parameters,) = as_sizes("PReLU", num_parameters=num_parameters)
        self.num_parameters, self.init = num_parameters, init
        self.weight = constant((num_parameters,), init, dtype, device or "cpu")

    def forward(self, input: Tensor) -> Tensor:
        """Applies the function."""
        return functional.prelu(input, tensor_of(self.weight))

    def extra_repr(self) -> str:
        """How many slopes."""
        return f"num_parameters={self.num_parameters}"


class Bilinear(Module):
    """functional.bilinear: out[o] = x1 @ weight[o] @ x2 + bias[o].

    weight (out_features, in1_features, in2_features) and bias (out_features,) start
    uniform in ±1/sqrt(in1_features).

    Example:
        >>> import minitorch
        >>> Bilinear(2, 3, 4)(minitorch.zeros(5, 2), minitorch.zeros(5, 3)).shape
        (5, 4)
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        in1_features, in2_features, out_features = as_sizes(
            "Bilinear",
            in1_features=in1_features,
            in2_features=in2_features,
            out_features=out_features,
        )
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features, self.has_bias = out_features, bias
        bound, place = fan_in_bound(in1_features), device or "cpu"
        shape = (out_features, in1_features, in2_features)
        self.weight = uniform(shape, bound, dtype, place)
        made = uniform((out_features,), bound, dtype, place) if bias else None
        self.register_parameter("bias", made)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Applies the layer."""
        require_tensors("Bilinear", input1, input2)
        require_same_device("Bilinear", self.weight, input1, input2)
        bias = tensor_of(self.bias)
        return functional.bilinear(input1, input2, tensor_of(self.weight), bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.has_bias}"
        )


class _ConvTranspose(Module):
    """What the transposed convolutions share: parameters and their start."""

    dimensions = 0

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
        super().__init__()
        name, count = type(self).__name__, self.dimensions
        in_channels, out_channels, groups = as_sizes(
            name, in_channels=in_channels, out_channels=out_channels, groups=groups
        )
        if in_channels % groups or out_channels % groups or padding_mode != "zeros":
            raise ValueError(
                f"[{name}] got {in_channels} and {out_channels} channels, {groups} "
                f"groups and padding_mode {padding_mode!r}; need groups that divide "
                "both, and 'zeros'."
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = several(kernel_size, count, "kernel_size", name)
        self.stride = several(stride, count, "stride", name)
        self.padding = several(padding, count, "padding", name)
        self.output_padding = several(output_padding, count, "output_padding", name)
        self.dilation = several(dilation, count, "dilation", name)
        self.groups, self.padding_mode, self.has_bias = groups, padding_mode, bias
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        bound, place = fan_in_bound(math.prod(shape[1:])), device or "cpu"
        self.weight = uniform(shape, bound, dtype, place)
        made = uniform((out_channels,), bound, dtype, place) if bias else None
        self.register_parameter("bias", made)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Applies the layer; `output_size` chooses among the sizes that fit."""
        name = f"{type(self).__name__}({self.in_channels}, {self.out_channels})"
        require_tensors(name, input)
        shape, count = tuple(input.shape), self.dimensions
        fits = len(shape) in (count + 1, count + 2)
        fits = fits and shape[-1 - count] == self.in_channels
        require_input(name, input, fits, f"(n, {self.in_channels}, …)", self.weight)
        extra = self.output_padding
        if output_size is not None:
            extra = self._extra(shape[-count:], tuple(output_size)[-count:])
        transposed = getattr(functional, f"conv_transpose{count}d")
        bias = tensor_of(self.bias)
        options = self.stride, self.padding, extra, self.groups, self.dilation
        out: Tensor = transposed(input, tensor_of(self.weight), bias, *options)
        return out

    def _extra(
        self, cells: tuple[int, ...], wanted: tuple[int, ...]
    ) -> tuple[int, ...]:
        least = [
            (cells[d] - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(self.dimensions)
        ]
        return tuple(want - low for want, low in zip(wanted, least, strict=True))

    def extra_repr(self) -> str:
        """The sizes, and what is not the default."""
        said = f"{self.in_channels}, {self.out_channels}, "
        said += f"kernel_size={self.kernel_size}, stride={self.stride}"
        for name, plain in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            if set(getattr(self, name)) != {plain}:
                said += f", {name}={getattr(self, name)}"
        said += f", groups={self.groups}" * (self.groups != 1)
        return said + ", bias=False" * (not self.has_bias)


class ConvTranspose1d(_ConvTranspose):
    """functional.conv_transpose1d with a weight and a bias of its own.

    Example:
        >>> import minitorch
        >>> ConvTranspose1d(2, 3, 2, stride=2)(minitorch.zeros(1, 2, 4)).shape
        (1, 3, 8)
    """

    dimensions = 1


class ConvTranspose2d(_ConvTranspose):
    """functional.conv_transpose2d with a weight and a bias of its own.

    weight (in_channels, out_channels / groups, *kernel_size) and bias (out_channels,)
    start uniform in ±1/sqrt(fan_in), fan_in being out_channels / groups kernel cells.

    Example:
        >>> import minitorch
        >>> ConvTranspose2d(2, 3, 2, stride=2)(minitorch.zeros(1, 2, 4, 4)).shape
        (1, 3, 8, 8)
    """

    dimensions = 2
