"""Owns dropout: leaving out cells by chance while training."""

from __future__ import annotations

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
    require_tensors("dropout2d", input)
    require_probability("dropout2d", p)
    shape = tuple(input.shape)
    if len(shape) not in (3, 4):
        raise ValueError(f"[dropout2d] got {shape}; need 4 dimensions or 3.")
    if not training or p == 0:
        return input
    mask = _core.dropout_mask((*shape[:-2], 1, 1), p, input.dtype, input.device)
    return input * mask
