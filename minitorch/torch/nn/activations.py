"""The activation layers with PyTorch's signatures and names."""

from __future__ import annotations

from typing import Any, cast

from ... import nn
from ..tensor import Tensor
from . import functional as F
from .module import Module

__all__ = [
    "GELU",
    "LeakyReLU",
    "LogSoftmax",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
]


class ReLU(Module, nn.ReLU):
    """max(x, 0); `inplace` puts the result into the input's memory.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([-1.0, 2.0]).as_torch()
        >>> ReLU(inplace=True)(x) is x
        True
    """

    def __init__(self, inplace: bool = False) -> None:
        nn.ReLU.__init__(self, inplace)

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """inplace, if it is."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module, nn.LeakyReLU):
    """x where it is positive, negative_slope * x elsewhere; `inplace` as for ReLU.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.LeakyReLU()
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        nn.LeakyReLU.__init__(self, negative_slope, inplace)

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        inplace = ", inplace=True" if self.inplace else ""
        return f"negative_slope={self.negative_slope}{inplace}"


class Sigmoid(Module, nn.Sigmoid):
    """1 / (1 + exp(-x)).

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.Sigmoid()
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.sigmoid(input)


class Tanh(Module, nn.Tanh):
    """Hyperbolic tangent.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.Tanh()
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.tanh(input)


class GELU(Module, nn.GELU):
    """x Φ(x), Φ being the normal distribution's; approximate="tanh" is near it.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.GELU()
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate  # the function refuses other words

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        """How it is computed."""
        return f"approximate={self.approximate!r}"


class SiLU(Module, nn.SiLU):
    """x sigmoid(x); `inplace` as for ReLU.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.SiLU()
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(self, inplace: bool = False) -> None:
        nn.SiLU.__init__(self, inplace)

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """inplace, if it is."""
        return "inplace=True" if self.inplace else ""


class Softmax(Module, nn.Softmax):
    """exp(x) / sum(exp(x)) along `dim`, without overflow.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.Softmax(dim=1)
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(self, dim: int | None = None) -> None:
        nn.Softmax.__init__(self, cast(int, dim))

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class LogSoftmax(Module, nn.LogSoftmax):
    """x - log(sum(exp(x))) along `dim`, without overflow.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.LogSoftmax(dim=1)
        >>> layer(torch.rand(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(self, dim: int | None = None) -> None:
        nn.LogSoftmax.__init__(self, cast(int, dim))

    def forward(self, input: Any) -> Tensor:
        """Applies the function."""
        return F.log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"
