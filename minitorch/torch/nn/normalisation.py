"""The normalisation layers and dropout with PyTorch's signatures and reprs."""

from __future__ import annotations

from typing import Any, cast

from ... import nn
from ...autograd.function import no_grad
from ..tensor import Tensor
from . import functional as F
from .arguments import computed, device_of, dtype_of, require_torch
from .module import Module

__all__ = ["BatchNorm1d", "BatchNorm2d", "Dropout", "LayerNorm"]


def start_at(layer: Any) -> None:
    """Weights of 1 and biases of 0, where the layer has them."""
    with no_grad():
        for name, number in (("weight", 1.0), ("bias", 0.0)):
            kept = getattr(layer, name)
            if kept is not None:
                kept.fill_(number)


class _BatchNorm(Module):
    """What batch normalisations of all dimensions share."""

    weight: Any
    bias: Any
    num_features: int
    eps: float
    momentum: Any
    affine: bool
    track_running_stats: bool

    def _settle(self, bias: bool, device: Any) -> None:
        if self.affine and not bias:
            self.bias = None
        if not self.track_running_stats:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        elif device is not None:
            count = self._buffers["num_batches_tracked"]
            self._buffers["num_batches_tracked"] = count.to(device_of(device))

    def _applied(self, neutral: Any, input: Any) -> Tensor:
        if input.dims in neutral.dimensions and input.shape[1] != self.num_features:
            return cast(Tensor, computed(neutral.forward, self, input))
        return cast(Tensor, neutral.forward(self, input))

    def reset_running_stats(self) -> None:
        """Running means of 0 and variances of 1, of no batch."""
        if self.track_running_stats:
            with no_grad():
                self._buffers["running_mean"].fill_(0.0)
                self._buffers["running_var"].fill_(1.0)
                self._buffers["num_batches_tracked"].fill_(0)

    def reset_parameters(self) -> None:
        """Weights of 1, biases of 0, and statistics of no batch."""
        self.reset_running_stats()
        start_at(self)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm, nn.BatchNorm1d):
    """functional.batch_norm of (n, features) or (n, features, length).

    Args:
        num_features: Features, or channels.
        eps: Added to the variance.
        momentum: Weight of a new batch in the running statistics; None for the plain
            mean of all batches.
        affine: With weight and bias.
        track_running_stats: With running statistics, which evaluation uses.
        bias: With a bias, where `affine`.

    Example:
        >>> import minitorch.torch as torch
        >>> layer = torch.nn.BatchNorm1d(3)
        >>> layer(torch.rand(4, 3)).shape
        torch.Size([4, 3])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        options = num_features, eps, cast(float, momentum), affine, track_running_stats
        nn.BatchNorm1d.__init__(self, *options, dtype_of(dtype), device_of(device))
        self._settle(bias, device)

    def forward(self, input: Any) -> Tensor:
        """Applies the layer; in training it also moves the running statistics."""
        require_torch("BatchNorm1d", input)
        return self._applied(nn.BatchNorm1d, input)


class BatchNorm2d(_BatchNorm, nn.BatchNorm2d):
    """functional.batch_norm of (n, channels, height, width); as BatchNorm1d.

    Example:
        >>> BatchNorm2d(3)
        BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, \
track_running_stats=True)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        options = num_features, eps, cast(float, momentum), affine, track_running_stats
        nn.BatchNorm2d.__init__(self, *options, dtype_of(dtype), device_of(device))
        self._settle(bias, device)

    def forward(self, input: Any) -> Tensor:
        """Applies the layer; in training it also moves the running statistics."""
        require_torch("BatchNorm2d", input)
        return self._applied(nn.BatchNorm2d, input)


class LayerNorm(Module, nn.LayerNorm):
    """functional.layer_norm over the last dimensions, which are `normalized_shape`.

    Example:
        >>> LayerNorm(6)
        LayerNorm((6,), eps=1e-05, elementwise_affine=True, bias=True)
    """

    weight: Any
    bias: Any

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        options = normalized_shape, eps, elementwise_affine, bias
        nn.LayerNorm.__init__(self, *options, dtype_of(dtype), device_of(device))

    def reset_parameters(self) -> None:
        """Weights of 1 and biases of 0."""
        start_at(self)

    def forward(self, input: Any) -> Tensor:
        """Applies the layer."""
        require_torch("LayerNorm", input)
        return cast(Tensor, computed(nn.LayerNorm.forward, self, input))

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class Dropout(Module, nn.Dropout):
    """functional.dropout while training; nothing in evaluation.

    Example:
        >>> import minitorch
        >>> x = minitorch.ones(3).as_torch()
        >>> Dropout(0.5).eval()(x).numpy()
        array([1., 1., 1.])
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        nn.Dropout.__init__(self, p)
        self.inplace = inplace

    def forward(self, input: Any) -> Tensor:
        """Leaves out cells while training."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"
