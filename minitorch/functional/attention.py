"""Scaled dot-product attention."""

from __future__ import annotations

import math

from .. import _core
from .._core import FitError, Tensor
from .arguments import require_tensors
from .losses import softmax
from .math import where
from .normalisation import dropout

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value.

    Vaswani et al., "Attention is all you need" (2017), section 3.2.1.

    Args:
        query: (…, targets, width).
        key: (…, sources, width).
        value: (…, sources, width of the output).
        attn_mask: Broadcast to (…, targets, sources). Booleans: True where a source
            takes part; numbers: added to the scores. A target without any source has
            NaN for its result.
        dropout_p: Probability of leaving out a weight.
        is_causal: Target i sees the sources 0 to i only.
        scale: 1 / sqrt(width) by default.

    Returns:
        (…, targets, width of the output).

    Raises:
        ValueError: The shapes do not fit, or there is a mask and is_causal.

    Example:
        >>> import minitorch
        >>> q = minitorch.zeros(1, 2, 4)
        >>> v = minitorch.tensor([[[1.0], [3.0]]])
        >>> scaled_dot_product_attention(q, q, v, is_causal=True).numpy()
        array([[[1.],
                [2.]]])
    """
    out, _ = weighted_values(query, key, value, attn_mask, dropout_p, is_causal, scale)
    return out


def weighted_values(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
) -> tuple[Tensor, Tensor]:
    """Return scaled_dot_product_attention, and its weights (…, targets, sources)."""
    require_tensors("attention", query, key, value, optional=(mask,))
    _require_fit(query, key, value)
    if is_causal and mask is not None:
        raise FitError("[attention] mask and is_causal cannot be combined.")
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    # (…, targets, width) @ (…, width, sources) -> (…, targets, sources)
    scores = (query * factor) @ key.transpose(-2, -1)
    if mask is not None and mask.dtype == "bool":
        scores = where(mask, scores, -math.inf)
    elif mask is not None:
        scores = scores + mask
    weights = scores._causal_softmax() if is_causal else softmax(scores, -1)
    # (…, targets, sources) @ (…, sources, width) -> (…, targets, width)
    return dropout(weights, dropout_p) @ value, weights


def allowed(mask: Tensor, like: Tensor) -> Tensor:
    """Return 0 where the mask is True, -inf elsewhere: a tensor to add to scores."""
    return mask.to(like.dtype).log()


def causal_mask(targets: int, sources: int, like: Tensor) -> Tensor:
    """Return 0 on and below the diagonal, -inf above."""
    down = _core.arange(0, 1, targets, _core.int64, like.device).unsqueeze(1)
    across = _core.arange(0, 1, sources, _core.int64, like.device)
    return allowed(across.le(down), like)


def _require_fit(query: Tensor, key: Tensor, value: Tensor) -> None:
    shapes = [tuple(t.shape) for t in (query, key, value)]
    if (
        min(len(shape) for shape in shapes) < 2
        or query.shape[-1] != key.shape[-1]
        or key.shape[-2] != value.shape[-2]
        or query.shape[-1] == 0
    ):
        raise FitError(
            f"[attention] got query {shapes[0]}, key {shapes[1]}, value {shapes[2]}; "
            "need (…, targets, width), (…, sources, width) and (…, sources, any width)."
        )
