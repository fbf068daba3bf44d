"""Owns multi-head attention."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..functional.arguments import require_tensors
from ..functional.attention import allowed, causal_mask, weighted_values
from ..module import Module
from .fitting import require_same_device
from .initialise import balanced_bound, constant, require_sizes, uniform
from .linear import Linear


class MultiheadAttention(Module):
    """Attention in `num_heads` parts of the width, joined by a linear map.

    Vaswani et al., "Attention is all you need" (2017), section 3.2.2. in_proj_weight
    (3 embed_dim, embed_dim) makes queries, keys and values, and starts uniform in
    ±sqrt(6 / (4 embed_dim)); in_proj_bias and out_proj.bias start as 0.

    Args:
        embed_dim: Width of inputs and output; num_heads divides it.
        num_heads: Parts.
        dropout: Probability of leaving out a weight while training.
        bias: With biases.
        batch_first: Inputs are (n, length, width) rather than (length, n, width).

    Example:
        >>> import minitorch
        >>> layer = MultiheadAttention(8, 2, batch_first=True)
        >>> x = minitorch.rand(3, 5, 8)
        >>> out, weights = layer(x, x, x)
        >>> out.shape, weights.shape
        ((3, 5, 8), (3, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        batch_first: bool = False,
        dtype: Any = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        require_sizes("MultiheadAttention", embed_dim=embed_dim, num_heads=num_heads)
        if embed_dim % num_heads:
            raise ValueError(
                f"[MultiheadAttention] got width {embed_dim} and {num_heads} heads; "
                "need heads that divide the width."
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.batch_first, self.has_bias = batch_first, bias
        shape = (3 * embed_dim, embed_dim)
        bound = balanced_bound(embed_dim, 3 * embed_dim)
        self.in_proj_weight = uniform(shape, bound, dtype, device)
        if bias:
            self.in_proj_bias = constant((3 * embed_dim,), 0, dtype, device)
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype, device)
        if bias:
            self.out_proj.bias = constant((embed_dim,), 0, dtype, device)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output, and the weights if they are needed.

        Args:
            query: (n, targets, width), or as batch_first says.
            key: (n, sources, width).
            value: (n, sources, width).
            key_padding_mask: (n, sources), True for a source that takes no part.
            need_weights: Return the weights, too.
            attn_mask: (targets, sources) or (n heads, targets, sources): booleans, True
                where a source takes no part (other than in
                scaled_dot_product_attention), or numbers added to the scores.
            average_attn_weights: The weights' mean over the heads, rather than all.
            is_causal: Target i sees the sources 0 to i only.

        Returns:
            Like query; and (n, targets, sources) or (n, heads, targets, sources).
        """
        given = (query, key, value)
        require_tensors(repr(self), *given)
        if any(t.dims != 3 or t.shape[2] != self.embed_dim for t in given):
            axes = "n, length" if self.batch_first else "length, n"
            raise ValueError(
                f"[{self!r}] got inputs {', '.join(str(t.shape) for t in given)}; need "
                f"({axes}, {self.embed_dim}) each."
            )
        require_same_device(repr(self), self.in_proj_weight, *given)
        if not self.batch_first:
            given = tuple(t.transpose(0, 1) for t in given)  # type: ignore[assignment]
        q, k, v = (self._heads(t, i) for i, t in enumerate(given))
        mask = self._mask(q, k, key_padding_mask, attn_mask, is_causal)
        rate = self.dropout if self.training else 0.0
        # (n, heads, targets, share)
        out, weights = weighted_values(q, k, v, mask, rate, False, None)
        n, _, targets, _ = out.shape
        joined = out.transpose(1, 2).reshape(n, targets, self.embed_dim)
        result = self.out_proj(joined)
        result = result if self.batch_first else result.transpose(0, 1)
        if not need_weights:
            return result, None
        return result, weights.mean(
            1, keepdim=False
        ) if average_attn_weights else weights

    def _heads(self, x: Tensor, part: int) -> Tensor:
        """Query, key or value: (n, length, width) -> (n, heads, length, share)."""
        width = self.embed_dim
        rows = slice(part * width, (part + 1) * width)
        out = x @ self.in_proj_weight.value[rows].permute(1, 0)
        out = out + self.in_proj_bias.value[rows] if self.has_bias else out
        n, length, _ = x.shape
        share = width // self.num_heads
        heads: Tensor = out.reshape(n, length, self.num_heads, share).transpose(1, 2)
        return heads

    def _mask(
        self,
        query: Tensor,
        key: Tensor,
        padding: Tensor | None,
        mask: Tensor | None,
        is_causal: bool,
    ) -> Tensor | None:
        """What is added to the scores (n, heads, targets, sources), or None."""
        n, heads, targets, _ = query.shape
        added = causal_mask(targets, key.shape[2], query) if is_causal else None
        if mask is not None:
            if mask.dims == 3:
                mask = mask.reshape(n, heads, targets, key.shape[2])
            numbers = _blocked(mask, query)
            added = numbers if added is None else added + numbers
        if padding is not None:
            numbers = _blocked(padding, query).reshape(n, 1, 1, key.shape[2])
            added = numbers if added is None else added + numbers
        return added

    def __repr__(self) -> str:
        return f"MultiheadAttention({self.embed_dim}, {self.num_heads})"


def _blocked(mask: Tensor, like: Tensor) -> Tensor:
    """-inf where a boolean mask is True and 0 elsewhere; numbers as they are."""
    return allowed(1 - mask.to(like.dtype), like) if mask.dtype == "bool" else mask
