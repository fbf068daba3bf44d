"""Owns the layers of sizes and places: pooling, padding, images, channels."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..functional.sliding import several
from ..module import Module
from .function_layers import FunctionLayer


class MaxPool3d(FunctionLayer):
    """The largest cell of each window of a volume."""

    function = "max_pool3d"


class AvgPool3d(FunctionLayer):
    """The mean of each window of a volume."""

    function = "avg_pool3d"


class AdaptiveAvgPool1d(FunctionLayer):
    """Means of windows that share a signal out."""

    function = "adaptive_avg_pool1d"


class AdaptiveAvgPool3d(FunctionLayer):
    """Means of windows that share a volume out."""

    function = "adaptive_avg_pool3d"


class AdaptiveMaxPool1d(FunctionLayer):
    """The largest cells of such windows of a signal."""

    function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(FunctionLayer):
    """The largest cells of such windows of an image."""

    function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(FunctionLayer):
    """The largest cells of such windows of a volume."""

    function = "adaptive_max_pool3d"


class LPPool1d(FunctionLayer):
    """The p-norm of each window of a signal."""

    function = "lp_pool1d"


class LPPool2d(FunctionLayer):
    """The p-norm of each window of an image."""

    function = "lp_pool2d"


class MaxUnpool1d(FunctionLayer):
    """The way back of MaxPool1d."""

    function = "max_unpool1d"
    at_call = ("output_size",)
    inputs = 2


class MaxUnpool2d(FunctionLayer):
    """The way back of MaxPool2d."""

    function = "max_unpool2d"
    at_call = ("output_size",)
    inputs = 2


class Upsample(FunctionLayer):
    """The input at another size.

    Example:
        >>> import minitorch
        >>> Upsample(scale_factor=2)(minitorch.zeros(1, 3, 4, 4)).shape
        (1, 3, 8, 8)
    """

    function = "interpolate"


class PixelShuffle(FunctionLayer):
    """Channels laid out as pixels."""

    function = "pixel_shuffle"


class PixelUnshuffle(FunctionLayer):
    """Pixels laid away as channels."""

    function = "pixel_unshuffle"


class ChannelShuffle(FunctionLayer):
    """The channels dealt out by groups."""

    function = "channel_shuffle"


class Unfold(FunctionLayer):
    """The windows of an image as columns."""

    function = "unfold"


class Fold(FunctionLayer):
    """The sum of windows laid back into an image."""

    function = "fold"


class Dropout1d(FunctionLayer):
    """Whole channels of signals left out while training."""

    function = "dropout1d"


class Dropout2d(FunctionLayer):
    """Whole channels of images left out while training."""

    function = "dropout2d"


class Dropout3d(FunctionLayer):
    """Whole channels of volumes left out while training."""

    function = "dropout3d"


class AlphaDropout(FunctionLayer):
    """Cells at selu's lower limit while training."""

    function = "alpha_dropout"


class FeatureAlphaDropout(FunctionLayer):
    """Whole channels at selu's lower limit while training."""

    function = "feature_alpha_dropout"


class LocalResponseNorm(FunctionLayer):
    """Divided by the squares of neighbouring channels."""

    function = "local_response_norm"


class UpsamplingNearest2d(FunctionLayer):
    """interpolate with mode "nearest"."""

    function = "interpolate"


class UpsamplingBilinear2d(FunctionLayer):
    """interpolate with mode "bilinear" and aligned corners."""

    function = "interpolate"
    own: ClassVar = {"mode": "bilinear", "align_corners": True}


class Unflatten(Module):
    """One dimension as several: the way back of Flatten.

    Example:
        >>> import minitorch
        >>> Unflatten(1, (2, 3))(minitorch.zeros(5, 6)).shape
        (5, 2, 3)
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """Splits the dimension; one size may be -1."""
        require_tensors("Unflatten", input)
        shape, at = tuple(input.shape), self.dim
        if not -len(shape) <= at < len(shape):
            raise IndexError(f"[Unflatten] got dim {at} for {shape}; need one of it.")
        at %= len(shape)
        return input._reshape([*shape[:at], *self.unflattened_size, *shape[at + 1 :]])

    def extra_repr(self) -> str:
        """The dimension and its sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class _Pad(Module):
    """functional.pad of the last dimensions."""

    dimensions: ClassVar[int]
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        name, count = type(self).__name__, 2 * self.dimensions
        self.padding = several(padding, count, "padding", name)

    def forward(self, input: Tensor) -> Tensor:
        """Pads."""
        value = getattr(self, "value", None)
        return functional.pad(input, self.padding, self.mode, value)

    def extra_repr(self) -> str:
        """The cells before and after each dimension, from the last."""
        return str(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        """The cells, and the constant."""
        return f"padding={self.padding}, value={self.value}"


class ZeroPad1d(_Pad):
    """Zeros around the last dimension."""

    dimensions = 1


class ZeroPad2d(_Pad):
    """Zeros around the last two dimensions."""

    dimensions = 2


class ZeroPad3d(_Pad):
    """Zeros around the last three dimensions."""

    dimensions = 3


class ConstantPad1d(_ConstantPad):
    """One value around the last dimension."""

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """One value around the last two dimensions."""

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """One value around the last three dimensions."""

    dimensions = 3


class ReflectionPad1d(_Pad):
    """The mirrored cells around the last dimension."""

    dimensions = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """The mirrored cells around the last two dimensions."""

    dimensions = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """The mirrored cells around the last three dimensions."""

    dimensions = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """The nearest cell around the last dimension."""

    dimensions = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """The nearest cell around the last two dimensions."""

    dimensions = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """The nearest cell around the last three dimensions."""

    dimensions = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """The cells of the other end around the last dimension."""

    dimensions = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """The cells of the other end around the last two dimensions."""

    dimensions = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """The cells of the other end around the last three dimensions."""

    dimensions = 3
    mode = "circular"
