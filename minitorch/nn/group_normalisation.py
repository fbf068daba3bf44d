"""Owns normalisation over groups, instances and by the mean square as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..functional.sliding import several
from ..module import Module, tensor_of
from .fitting import require_input
from .initialise import as_sizes, constant
from .normalisation import _BatchNorm


class GroupNorm(Module):
    """functional.group_norm: groups of channels have a mean and a variance each.

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
            raise ValueError(
                f"[GroupNorm] got {num_channels} channels and {num_groups} groups; "
                "need groups that divide the channels."
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        shape, place = (num_channels,), device or "cpu"
        self.register_parameter(
            "weight", constant(shape, 1, dtype, place) if affine else None
        )
        self.register_parameter(
            "bias", constant(shape, 0, dtype, place) if affine else None
        )

    def forward(self, input: Tensor) -> Tensor:
        """Applies the layer."""
        name = f"GroupNorm({self.num_groups}, {self.num_channels})"
        require_tensors(name, input)
        fits = len(input.shape) > 1 and input.shape[1] == self.num_channels
        need = f"(n, {self.num_channels}, …)"
        require_input(name, input, fits, need, self.weight)
        weight = tensor_of(self.weight)
        bias = tensor_of(self.bias)
        return functional.group_norm(input, self.num_groups, weight, bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        sizes = f"{self.num_groups}, {self.num_channels}"
        return f"{sizes}, eps={self.eps}, affine={self.affine}"


class InstanceNorm2d(_BatchNorm):
    """functional.instance_norm of (n, features, height, width)."""

    dimensions = {4: ", height, width"}  # noqa: RUF012

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        place = device or "cpu"
        options = (affine, track_running_stats, dtype, place)
        super().__init__(num_features, eps, momentum, *options)

    def forward(self, input: Tensor) -> Tensor:
        """Applies the layer; an input without n is one sample."""
        name = f"{type(self).__name__}({self.num_features})"
        require_tensors(name, input)
        shape = tuple(input.shape)
        batched = len(shape) == 4
        fits = len(shape) in (3, 4) and shape[-3] == self.num_features
        need = f"(n, {self.num_features}{self.dimensions[4]}), or without n"
        require_input(name, input, fits, need, self.weight)
        tracked = self.track_running_stats
        out = functional.instance_norm(
            input if batched else input.unsqueeze(0),
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            tensor_of(self.weight),
            tensor_of(self.bias),
            self.training or not tracked,
            self.momentum or 0.0,
            self.eps,
        )
        return out if batched else out.squeeze(0)


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
        many = isinstance(normalized_shape, Sequence)
        count = len(normalized_shape) if many else 1  # type: ignore[arg-type]
        shape = several(normalized_shape, count, "normalized_shape", "RMSNorm")
        self.normalized_shape, self.eps = shape, eps
        self.elementwise_affine = elementwise_affine
        place, affine = device or "cpu", elementwise_affine
        self.register_parameter(
            "weight", constant(shape, 1, dtype, place) if affine else None
        )

    def forward(self, input: Tensor) -> Tensor:
        """Applies the layer."""
        weight = tensor_of(self.weight)
        return functional.rms_norm(input, self.normalized_shape, weight, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        affine = f"elementwise_affine={self.elementwise_affine}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"
