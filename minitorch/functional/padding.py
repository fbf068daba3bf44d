"""Padding with constants or with the input's own elements.

Every rule joins views with `cat`, whose gradient is made of views again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from .arguments import require_tensors, several
from .indexing import flip

__all__ = ["pad"]

MODES = ("constant", "reflect", "replicate", "circular")


def pad(
    input: Tensor,
    pad: Sequence[int],
    mode: str = "constant",
    value: float | None = None,
) -> Tensor:
    """Pad the last dimensions on both sides.

    Args:
        input: Any shape; of the modes other than "constant" with one or two dimensions
            more than are padded.
        pad: (before, after) of the last dimension, then of the one before it, and so
            on. Negative numbers, with "constant", cut cells off.
        mode: "constant"; "reflect", the cells mirrored at the last one, which is not
            repeated; "replicate", the last cell; "circular", those of the other end.
        value: Of the constant, 0 by default.

    Returns:
        The input with before + after more cells in each of the dimensions.

    Raises:
        ValueError: There are too many numbers, an odd count of them, an unknown mode,
            or more cells than the input can give.
        TypeError: The numbers are not integers.

    Kernel:
        `fill.cu` and `copy.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> from minitorch.functional import pad
        >>> x = minitorch.tensor([[1.0, 2.0, 3.0]])
        >>> pad(x, (1, 1)).numpy(), pad(x, (2, 1), "reflect").numpy()
        (array([[0., 1., 2., 3., 0.]]), array([[3., 2., 1., 2., 3., 2.]]))
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
        raise ValueError(
            f"[pad] got pad {tuple(ends)} for input {tuple(input.shape)}; need two "
            "integers per padded dimension, last dimension first."
        )
    if mode not in MODES:
        raise ValueError(f"[pad] got mode {mode!r}; need one of {MODES}.")
    if mode != "constant" and value not in (None, 0):
        raise ValueError(
            f"[pad] got mode {mode!r} and value {value}; only mode 'constant' takes a "
            "value."
        )
    if mode != "constant" and dims - padded not in (1, 2):
        raise ValueError(
            f"[pad] got pad {tuple(ends)} for input {tuple(input.shape)}; mode "
            f"{mode!r} needs padding for all dimensions but the first one or two."
        )
    out = input
    for i in range(padded):
        before, after = ends[2 * i], ends[2 * i + 1]
        dim = dims - 1 - i
        if mode == "constant":
            out = _constant(out, dim, before, after, value or 0)
        elif before or after:
            out = _of_cells(out, dim, before, after, mode)
    return out if out is not input else input.clone()


def _constant(x: Tensor, dim: int, before: int, after: int, value: Any) -> Tensor:
    size = x.shape[dim]
    if size + before + after < 0:
        raise ValueError(
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


def _of_cells(x: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """Pad with elements of the input itself."""
    size = x.shape[dim]
    most = {"reflect": size - 1, "circular": size, "replicate": before + after}[mode]
    if min(before, after) < 0 or max(before, after) > most or size == 0:
        raise ValueError(
            f"[pad] got pad ({before}, {after}) for a dimension of size {size}; mode "
            f"{mode!r} needs 0 to {max(most, 0)}."
        )
    if mode == "circular":
        left = x._slice(dim, size - before, size, 1)
        right = x._slice(dim, 0, after, 1)
    elif mode == "reflect":
        left = flip(x._slice(dim, 1, before + 1, 1), dim)
        right = flip(x._slice(dim, size - 1 - after, size - 1, 1), dim)
    else:
        left = _repeated(x._slice(dim, 0, 1, 1), dim, before)
        right = _repeated(x._slice(dim, size - 1, size, 1), dim, after)
    ends = ((left, before), (x, size), (right, after))
    return _core.cat([part for part, cells in ends if cells], dim)


def _repeated(x: Tensor, dim: int, count: int) -> Tensor:
    shape = [count if d == dim else size for d, size in enumerate(x.shape)]
    return x._expand(shape)
