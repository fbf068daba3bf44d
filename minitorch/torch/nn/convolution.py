"""The convolution layers with PyTorch's signatures, attributes and reprs."""

from __future__ import annotations

from typing import Any, cast

from ... import nn
from ...functional.arguments import several
from ..tensor import Tensor
from .arguments import (
    computed,
    device_of,
    dtype_of,
    require_one_dtype,
    require_torch,
)
from .linear import take_start
from .module import Module

__all__ = ["Conv1d", "Conv2d"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Module):
    """What convolutions of all dimensions share."""

    bias: Any  # a Parameter, or None
    in_channels: int
    out_channels: int
    groups: int
    dimensions: int
    transposed = False

    def _settle(self, padding_mode: str, **sizes: Any) -> None:
        """Sizes as tuples, one for each dimension, as PyTorch's layers have them."""
        name, count = self._get_name(), self.dimensions
        self.padding_mode = padding_mode
        self.output_padding = (0,) * count
        for key, value in sizes.items():
            if isinstance(value, str):
                if value not in ("same", "valid"):
                    raise ValueError(
                        f"[{name}] got padding {value!r}; need numbers, 'same' or "
                        "'valid'."
                    )
                setattr(self, key, value)
            else:
                setattr(self, key, several(value, count, key, name))
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError(
                f"[{name}] got padding 'same' and stride {self.stride}; need stride 1."
            )

    def reset_parameters(self) -> None:
        """Draws weight and bias anew, uniform in ±1/sqrt(fan_in)."""
        made: Any = getattr(nn, self._get_name())
        fresh = made(
            self.in_channels,
            self.out_channels,
            self.kernel_size,
            groups=self.groups,
            bias=self.bias is not None,
        )
        take_start(self, fresh)

    def extra_repr(self) -> str:
        """Channels and sizes; options that are not the usual ones."""
        many = (0,) * self.dimensions, (1,) * self.dimensions
        parts = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        parts += [f"padding={self.padding}"] * (self.padding != many[0])
        parts += [f"dilation={self.dilation}"] * (self.dilation != many[1])
        extra = self.output_padding
        parts += [f"output_padding={extra}"] * (extra != many[0])
        parts += [f"groups={self.groups}"] * (self.groups != 1)
        parts += ["bias=False"] * (self.bias is None)
        mode = self.padding_mode
        parts += [f"padding_mode={mode}"] * (mode != "zeros")
        return ", ".join(parts)

    kernel_size: Any
    stride: Any
    padding: Any
    dilation: Any


class Conv1d(_Conv, nn.Conv1d):
    """functional.conv1d with a weight and a bias of its own.

    Args:
        in_channels: Of the input (n, in_channels, length).
        out_channels: Of the output (n, out_channels, places).
        kernel_size: Taps of a window.
        stride: Cells between neighbouring windows.
        padding: Cells at both ends, "same" or "valid".
        dilation: Cells between neighbouring taps.
        groups: Parts of the channels that do not see each other.
        bias: With a bias; without, `bias` is None.
        padding_mode: "zeros", "reflect", "replicate" or "circular".

    Raises:
        ValueError: Groups do not divide the channels, or another padding_mode.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.Conv1d(3, 6, 5)
        >>> layer(torch.rand(1, 3, 8)).shape
        torch.Size([1, 6, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = kernel_size, stride, padding, dilation
        made: Any = nn.Conv1d.__init__
        made(
            self, in_channels, out_channels, *sizes, groups, bool(bias),
            dtype=dtype_of(dtype), device=device_of(device), **mode_of(padding_mode),
        )  # fmt: skip
        self._settle(padding_mode, stride=stride, padding=padding, dilation=dilation)

    def forward(self, input: Any) -> Tensor:
        """Applies the layer."""
        require_torch("Conv1d", input)
        require_one_dtype("Conv1d", input, self.weight)
        return cast(Tensor, computed(nn.Conv1d.forward, self, input))


class Conv2d(_Conv, nn.Conv2d):
    """functional.conv2d with a weight and a bias of its own; arguments as for Conv1d.

    Example:
        >>> import minitorch
        >>> Conv2d(1, 6, 5)
        Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = kernel_size, stride, padding, dilation
        made: Any = nn.Conv2d.__init__
        made(
            self, in_channels, out_channels, *sizes, groups, bool(bias),
            dtype=dtype_of(dtype), device=device_of(device), **mode_of(padding_mode),
        )  # fmt: skip
        self._settle(padding_mode, stride=stride, padding=padding, dilation=dilation)

    def forward(self, input: Any) -> Tensor:
        """Applies the layer."""
        require_torch("Conv2d", input)
        require_one_dtype("Conv2d", input, self.weight)
        return cast(Tensor, computed(nn.Conv2d.forward, self, input))


def mode_of(padding_mode: str) -> dict[str, str]:
    """The option of a neutral layer; none for the usual mode."""
    if padding_mode not in _PADDING_MODES:
        raise ValueError(
            f"[Conv] got padding_mode {padding_mode!r}; need one of "
            f"{', '.join(_PADDING_MODES)}."
        )
    return {} if padding_mode == "zeros" else {"padding_mode": padding_mode}
