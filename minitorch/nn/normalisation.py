"""Normalisation layers and dropout, which differ between training and evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from .. import _core, functional
from .._core import FitError, Tensor
from ..functional.arguments import as_shape, require_probability, require_tensors
from ..module import Module, tensor_of
from ..tensors.create import full, tensor
from .fitting import require_input
from .function_layers import FunctionLayer
from .initialise import as_sizes, constant

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "Dropout",
    "Dropout2d",
    "GroupNorm",
    "LayerNorm",
    "RMSNorm",
]


def _scale_and_shift(
    layer: Module,
    shape: tuple[int, ...],
    has_weight: bool,
    has_bias: bool,
    dtype: Any,
    device: str | None,
) -> None:
    """Register `weight`, which starts at 1, and `bias`, at 0; None without one."""
    for name, start, has in (("weight", 1, has_weight), ("bias", 0, has_bias)):
        kept = constant(shape, start, dtype, device or "cpu") if has else None
        layer.register_parameter(name, kept)


class _BatchNorm(Module):
    """Base of BatchNorm1d and BatchNorm2d: all except their input dimensions."""

    dimensions: ClassVar[dict[int, str]]  # of an input -> its sizes after the features

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
        super().__init__()
        (num_features,) = as_sizes(type(self).__name__, num_features=num_features)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        shape, kind = (num_features,), {"dtype": dtype, "device": device or "cpu"}
        _scale_and_shift(self, shape, affine, affine and bias, **kind)
        self._start_statistics(shape, **kind)

    def _start_statistics(self, shape: Any, **kind: Any) -> None:
        tracked = self.track_running_stats
        for name, start in (("running_mean", 0), ("running_var", 1)):
            self.register_buffer(name, full(shape, start, **kind) if tracked else None)
        count = tensor(0, dtype="int64", device=kind["device"]) if tracked else None
        self.register_buffer("num_batches_tracked", count)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer; in training also update the running statistics."""
        name = f"{type(self).__name__}({self.num_features})"
        require_tensors(name, input)
        fits = (
            len(input.shape) in self.dimensions and input.shape[1] == self.num_features
        )
        need = " or ".join(
            f"(n, {self.num_features}{sizes})" for sizes in self.dimensions.values()
        )
        require_input(name, input, fits, need, self.weight)
        tracked = self.track_running_stats
        if self.training and tracked:
            _core.Tensor.add_(self._buffers["num_batches_tracked"], 1)
        return functional.batch_norm(
            input,
            self.running_mean,
            self.running_var,
            tensor_of(self.weight),
            tensor_of(self.bias),
            self.training or not tracked,
            self._share_of_batch(),
            self.eps,
        )

    def _share_of_batch(self) -> float:
        """Return the weight of this batch; 1 / batches gives the mean of all."""
        if self.momentum is not None:
            return self.momentum
        if not (self.training and self.track_running_stats):
            return 0.0
        return 1 / max(1, int(self._buffers["num_batches_tracked"].item()))

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        for name, start in (
            ("running_mean", 0),
            ("running_var", 1),
            ("num_batches_tracked", 0),
        ):
            kept = self._buffers[name]
            if kept is not None:
                kept.copy_(kept * 0 + start)

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """functional.batch_norm of (n, features) or (n, features, length).

    weight starts as 1 and bias as 0; the buffers running_mean, running_var and
    num_batches_tracked as 0, 1 and 0. With `momentum=None` the running ones are the
    means over all batches.

    Example:
        >>> import minitorch
        >>> layer = BatchNorm1d(3)
        >>> layer(minitorch.rand(8, 3)).shape
        (8, 3)
        >>> layer.num_batches_tracked.item()
        1
    """

    dimensions: ClassVar = {2: "", 3: ", length"}


class BatchNorm2d(_BatchNorm):
    """functional.batch_norm of (n, features, height, width); as BatchNorm1d.

    Example:
        >>> import minitorch
        >>> BatchNorm2d(3)(minitorch.rand(8, 3, 2, 2)).shape
        (8, 3, 2, 2)
    """

    dimensions: ClassVar = {4: ", height, width"}


class LayerNorm(Module):
    """functional.layer_norm over the last dimensions, which are `normalized_shape`.

    weight starts as 1 and bias as 0.

    Example:
        >>> import minitorch
        >>> LayerNorm(6)(minitorch.rand(2, 5, 6)).shape
        (2, 5, 6)
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = as_shape(normalized_shape, "normalized_shape", "LayerNorm")
        self.normalized_shape, self.eps = shape, eps
        self.elementwise_affine = elementwise_affine
        affine, kind = elementwise_affine, {"dtype": dtype, "device": device}
        _scale_and_shift(self, shape, affine, affine and bias, **kind)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        sizes = ", ".join(map(str, self.normalized_shape))
        name = f"LayerNorm({sizes})"
        require_tensors(name, input)
        fits = input.shape[-len(self.normalized_shape) :] == self.normalized_shape
        require_input(name, input, fits, f"(..., {sizes})", self.weight)
        weight, bias = tensor_of(self.weight), tensor_of(self.bias)
        return functional.layer_norm(
            input, self.normalized_shape, weight, bias, self.eps
        )

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class Dropout(FunctionLayer):
    """functional.dropout while training; nothing in evaluation.

    Example:
        >>> import minitorch
        >>> layer = Dropout(0.5).eval()
        >>> layer(minitorch.ones(3)).numpy()
        array([1., 1., 1.])
    """

    function = "dropout"

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        require_probability(type(self).__name__, p)
        super().__init__(p, inplace)

    def extra_repr(self) -> str:
        """Return the options."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout2d(Dropout):
    """Zero whole channels of images during training."""

    function = "dropout2d"


class GroupNorm(Module):
    """functional.group_norm: each group of channels has its own mean and variance.

    weight (num_channels,) starts as 1 and bias as 0.

    Raises:
        ValueError: The groups do not divide the channels; of a call, the shape.

    Example:
        >>> import minitorch
        >>> GroupNorm(2, 4)(minitorch.rand(3, 4, 5)).shape
        (3, 4, 5)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        num_groups, num_channels = as_sizes(
            "GroupNorm", num_groups=num_groups, num_channels=num_channels
        )
        if num_channels % num_groups:
            raise FitError(
                f"[GroupNorm] got num_channels {num_channels} and num_groups "
                f"{num_groups}; num_channels must be a multiple of num_groups."
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        kind = {"dtype": dtype, "device": device}
        _scale_and_shift(self, (num_channels,), affine, affine, **kind)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        name = f"GroupNorm({self.num_groups}, {self.num_channels})"
        require_tensors(name, input)
        fits = len(input.shape) > 1 and input.shape[1] == self.num_channels
        need = f"(n, {self.num_channels}, …)"
        require_input(name, input, fits, need, self.weight)
        weight = tensor_of(self.weight)
        bias = tensor_of(self.bias)
        return functional.group_norm(input, self.num_groups, weight, bias, self.eps)

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, "
            f"affine={self.affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """functional.rms_norm over the last dimensions; weight starts as 1.

    Example:
        >>> import minitorch
        >>> RMSNorm(6)(minitorch.rand(2, 5, 6)).shape
        (2, 5, 6)
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = as_shape(normalized_shape, "normalized_shape", "RMSNorm")
        self.normalized_shape, self.eps = shape, eps
        self.elementwise_affine = elementwise_affine
        target_device, affine = device or "cpu", elementwise_affine
        self.register_parameter(
            "weight", constant(shape, 1, dtype, target_device) if affine else None
        )

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer."""
        weight = tensor_of(self.weight)
        return functional.rms_norm(input, self.normalized_shape, weight, self.eps)

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        affine = f"elementwise_affine={self.elementwise_affine}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"
