"""Owns dropout: leaving out cells by chance while training."""

from __future__ import annotations

import math

from .. import _core
from .._core import Tensor
from .arguments import require_probability, require_tensors


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Each cell 0 with probability `p`, and x / (1 - p) otherwise.

    Which cells, follows from `manual_seed` and the numbers drawn since, alike on every
    device. Srivastava et al., "Dropout" (2014).

    Args:
        input: Any shape, of a floating dtype.
        p: Probability of leaving out a cell, 0 to 1.
        training: If false, the input comes back as it is.

    Raises:
        ValueError: `p` lies outside 0 to 1.

    Kernel:
        cpp/kernels/dropout_mask.cu, one thread for two cells.

    Example:
        >>> import minitorch
        >>> minitorch.manual_seed(0)
        >>> x = dropout(minitorch.ones(1000), 0.25)
        >>> sorted(set(x.numpy().round(4).tolist()))
        [0.0, 1.3333]
        >>> bool(dropout(x, training=False) is x)
        True
    """
    require_tensors("dropout", input)
    require_probability("dropout", p)
    if not training or p == 0:
        return input
    return input * _core.dropout_mask(input.shape, p, input.dtype, input.device)


def _of_channels(input: Tensor, p: float, training: bool, sizes: int) -> Tensor:
    """Whole channels 0 with probability `p`; `sizes` dimensions are a channel's."""
    where = f"dropout{sizes}d"
    require_tensors(where, input)
    require_probability(where, p)
    shape = tuple(input.shape)
    if len(shape) not in (sizes + 1, sizes + 2):
        raise ValueError(
            f"[{where}] got {shape}; need {sizes + 2} dimensions or {sizes + 1}."
        )
    if not training or p == 0:
        return input
    masked = (*shape[:-sizes], *[1] * sizes)
    return input * _core.dropout_mask(masked, p, input.dtype, input.device)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of (n, channels, length) 0 with probability `p`; as dropout.

    Kernel:
        cpp/kernels/dropout_mask.cu and `zip.cu`.

    Example:
        >>> import minitorch
        >>> dropout1d(minitorch.ones(1, 2, 3), training=False).shape
        (1, 2, 3)
    """
    return _of_channels(input, p, training, 1)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of (n, channels, height, width) 0 with probability `p`.

    Tompson et al., "Efficient object localization using convolutional networks" (2015).

    Args:
        input: (n, channels, height, width), or (channels, height, width).
        p: Probability of leaving out a channel, 0 to 1.
        training: If false, the input comes back as it is.

    Raises:
        ValueError: `p` lies outside 0 to 1, or the input is no image.

    Kernel:
        cpp/kernels/dropout_mask.cu and `zip.cu`.

    Example:
        >>> import minitorch
        >>> x = dropout2d(minitorch.ones(1, 8, 2, 2))
        >>> sorted(set(x.numpy().reshape(8, 4).sum(1).tolist())) in ([0, 8], [0], [8])
        True
    """
    return _of_channels(input, p, training, 2)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Whole channels of (n, channels, depth, height, width) 0; as dropout2d.

    Kernel:
        cpp/kernels/dropout_mask.cu and `zip.cu`.

    Example:
        >>> import minitorch
        >>> dropout3d(minitorch.ones(1, 2, 1, 1, 1), training=False).shape
        (1, 2, 1, 1, 1)
    """
    return _of_channels(input, p, training, 3)


#: The limit of selu on the negative side: scale times alpha.
_LOW = -1.0507009873554805 * 1.6732632423543772


def _alpha(
    input: Tensor, p: float, training: bool, where: str, masked: tuple[int, ...]
) -> Tensor:
    require_probability(where, p)
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    kept = _core.dropout_mask(masked, p, input.dtype, input.device).gt(0)
    scale = 1 / math.sqrt((1 - p) * (1 + p * _LOW * _LOW))
    return kept._where(input, _LOW) * scale - scale * p * _LOW


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """Cells at the lower limit of selu by chance; mean and variance stay.

    Klambauer et al., "Self-normalizing neural networks" (2017).

    Args:
        input: Any shape, of a floating dtype.
        p: Probability of leaving out a cell, 0 to 1.
        training: If false, the input comes back as it is.

    Raises:
        ValueError: `p` lies outside 0 to 1.

    Kernel:
        cpp/kernels/dropout_mask.cu, `where_number.cu` and `zip_number.cu`.

    Example:
        >>> import minitorch
        >>> alpha_dropout(minitorch.ones(3)).numpy()
        array([1., 1., 1.])
    """
    require_tensors("alpha_dropout", input)
    return _alpha(input, p, training, "alpha_dropout", tuple(input.shape))


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False
) -> Tensor:
    """alpha_dropout of whole channels of (n, channels, …).

    Raises:
        ValueError: `p` lies outside 0 to 1, or there are fewer than two dimensions.

    Kernel:
        cpp/kernels/dropout_mask.cu, `where_number.cu` and `zip_number.cu`.

    Example:
        >>> import minitorch
        >>> feature_alpha_dropout(minitorch.ones(1, 2, 3)).shape
        (1, 2, 3)
    """
    where = "feature_alpha_dropout"
    require_tensors(where, input)
    shape = tuple(input.shape)
    if len(shape) < 2:
        raise ValueError(f"[{where}] got {shape}; need (n, channels, …).")
    return _alpha(input, p, training, where, (*shape[:2], *[1] * (len(shape) - 2)))
