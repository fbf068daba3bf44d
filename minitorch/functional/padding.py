"""Padding with a constant: views joined with `cat`, whose gradient is views again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import FitError, Tensor
from .arguments import require_tensors, several

__all__ = ["pad"]


def pad(
    input: Tensor,
    pad: Sequence[int],
    mode: str = "constant",
    value: float | None = None,
) -> Tensor:
    """Pad the last dimensions on both sides.

    Args:
        input: Any shape.
        pad: (before, after) of the last dimension, then of the one before it, and so
            on. Negative numbers cut cells off.
        mode: "constant", the only one.
        value: Of the constant, 0 by default.

    Returns:
        The input with before + after more cells in each of the dimensions.

    Raises:
        ValueError: There are too many numbers, an odd count of them, or another mode.
        TypeError: The numbers are not integers.

    Kernel:
        `fill.cu` and `copy.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> from minitorch.functional import pad
        >>> x = minitorch.tensor([[1.0, 2.0, 3.0]])
        >>> pad(x, (1, 1)).numpy()
        array([[0., 1., 2., 3., 0.]])
    """
    require_tensors("pad", input)
    count = len(pad) if isinstance(pad, Sequence) else 0

    if not isinstance(pad, Sequence):
        raise TypeError(
            f"[pad] got pad {pad!r}; need a sequence, two integers per padded "
            "dimension."
        )
    ends = several(pad, count, "pad", "pad")
    dims, padded = len(input.shape), count // 2
    if count % 2 or padded > dims:
        raise FitError(
            f"[pad] got pad {tuple(ends)} for input {tuple(input.shape)}; need two "
            "integers per padded dimension, last dimension first."
        )
    if mode != "constant":
        raise FitError(
            f"[pad] got mode {mode!r}; need 'constant'. Try torch.cat of the cells."
        )
    out = input
    for i in range(padded):
        out = _constant(out, dims - 1 - i, ends[2 * i], ends[2 * i + 1], value or 0)
    return out if out is not input else input.clone()


def _constant(x: Tensor, dim: int, before: int, after: int, value: Any) -> Tensor:
    size = x.shape[dim]
    if size + before + after < 0:
        raise FitError(
            f"[pad] got pad ({before}, {after}) for a dimension of size {size}; the "
            "padded size must be at least 0."
        )
    if before < 0 or after < 0:
        first, last = max(-before, 0), size - max(-after, 0)
        x = x._slice(dim, min(first, last), last, 1)
    parts = [_filled(x, dim, before, value), x, _filled(x, dim, after, value)]
    kept = [part for part in parts if part is not None]
    return _core.cat(kept, dim) if len(kept) > 1 else x


def _filled(x: Tensor, dim: int, count: int, value: Any) -> Tensor | None:
    if count <= 0:
        return None
    shape = [count if d == dim else size for d, size in enumerate(x.shape)]
    return _core.full(shape, value, x.dtype, x.device)
