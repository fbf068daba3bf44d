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
