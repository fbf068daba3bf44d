"""Multi-head attention."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import FitError, Tensor
from ..functional.arguments import require_tensors
from ..functional.attention import allowed, causal_mask, weighted_values
from ..module import Module
from .fitting import require_same_device
from .initialise import as_sizes, balanced_bound, constant, uniform
from .linear import Linear

__all__ = ["MultiheadAttention"]


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

    Raises:
        ValueError: The heads do not divide the width; of a call, shapes do not fit.

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
        *,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        embed_dim, num_heads = as_sizes(
            "MultiheadAttention", embed_dim=embed_dim, num_heads=num_heads
        )
        if embed_dim % num_heads:
            raise FitError(
                f"[MultiheadAttention] got embed_dim {embed_dim} and num_heads "
                f"{num_heads}; embed_dim must be a multiple of num_heads."
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.batch_first, self.has_bias = batch_first, bias
        self._make_parameters(bias, dtype, device or "cpu")

    def _make_parameters(self, bias: bool, dtype: Any, device: str) -> None:
        width = self.embed_dim
        bound = balanced_bound(width, 3 * width)
        self.in_proj_weight = uniform((3 * width, width), bound, dtype, device)
        if bias:
            self.in_proj_bias = constant((3 * width,), 0, dtype, device)
        self.out_proj = Linear(width, width, bias, dtype=dtype, device=device)
        if bias:
            self.out_proj.bias = constant((width,), 0, dtype, device)

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
        """Return the output, and the weights if they are needed.

        Args:
            query: (n, targets, width), or as batch_first says; (targets, width) of one
                sequence, and then without n below.
            key: (n, sources, width).
            value: (n, sources, width).
            key_padding_mask: (n, sources): booleans, True for a source that takes no
                part, or numbers added to the scores.
            need_weights: Return the weights, too.
            attn_mask: (targets, sources) or (n heads, targets, sources): booleans, True
                where a source takes no part (other than in
                scaled_dot_product_attention), or numbers added to the scores.
            average_attn_weights: The weights' mean over the heads, rather than all.
            is_causal: Target i sees the sources 0 to i only.

        Returns:
            Like query; and (n, targets, sources) or (n, heads, targets, sources).
        """
        given = self._require(query, key, value)
        batched = len(query.shape) == 3
        if not batched:
            given = [t.unsqueeze(0) for t in given]
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            given = [t._permute([1, 0, 2]) for t in given]
        mask = self._mask(given[0], given[1], key_padding_mask, attn_mask, is_causal)
        q, k, v = (self._heads(self._projected(t, i)) for i, t in enumerate(given))
        rate = self.dropout if self.training else 0.0
        # (n, heads, targets, share)
        causal = is_causal and mask is None
        out, weights = weighted_values(q, k, v, mask, rate, causal, None)
        n, _, targets, _ = out.shape
        joined = out._permute([0, 2, 1, 3])._reshape([n, targets, self.embed_dim])
        result: Tensor = self.out_proj(joined)
        if not batched:
            result, weights = result.squeeze(0), weights.squeeze(0)
        elif not self.batch_first:
            result = result._permute([1, 0, 2])
        if not need_weights:
            return result, None
        if average_attn_weights:
            weights = _core.Tensor.mean(weights, 1 if batched else 0, False)
        return result, weights

    def _require(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        given = [query, key, value]
        require_tensors(repr(self), *given)
        shapes = [tuple(t.shape) for t in given]
        if any(shape[-1:] != (self.embed_dim,) for shape in shapes) or {
            len(shape) for shape in shapes
        } not in ({2}, {3}):
            axes = "n, length" if self.batch_first else "length, n"
            raise FitError(
                f"[{self!r}] got inputs {', '.join(map(str, shapes))}; all need shape "
                f"({axes}, {self.embed_dim}), or (length, {self.embed_dim})."
            )
        require_same_device(repr(self), self.in_proj_weight, *given)
        return given

    def _projected(self, x: Tensor, part: int) -> Tensor:
        """Return query, key or value: (n, length, width) -> (n, length, embed_dim)."""
        width = self.embed_dim
        rows = (part * width, (part + 1) * width, 1)
        weight = self.in_proj_weight.value._slice(0, *rows)
        out: Tensor = x @ weight._permute([1, 0])
        return out + self.in_proj_bias.value._slice(0, *rows) if self.has_bias else out

    def _heads(self, x: Tensor) -> Tensor:
        """Split heads: (n, length, width) -> (n, heads, length, head_dim)."""
        n, length, _ = x.shape
        split = x._reshape([n, length, self.num_heads, self.head_dim])
        return split._permute([0, 2, 1, 3])

    def _mask(
        self,
        query: Tensor,
        key: Tensor,
        padding: Tensor | None,
        mask: Tensor | None,
        is_causal: bool,
    ) -> Tensor | None:
        """What is added to the scores (n, heads, targets, sources), or None.

        What is causal and nothing else needs no mask.
        """
        (n, targets, _), sources = query.shape, key.shape[1]
        added: list[Tensor] = []
        if is_causal and mask is None and padding is not None:
            added.append(causal_mask(targets, sources, query))
        if mask is not None:
            shape = tuple(mask.shape)
            wide = (n * self.num_heads, targets, sources)
            if shape not in (wide, wide[1:]):
                raise FitError(
                    f"[{self!r}] got attn_mask {shape}; need {wide[1:]} or {wide}."
                )
            if len(shape) == 3:
                mask = mask._reshape([n, self.num_heads, targets, sources])
            added.append(_blocked(mask, query))
        if padding is not None:
            if tuple(padding.shape) != (n, sources):
                raise FitError(
                    f"[{self!r}] got key_padding_mask {tuple(padding.shape)}; need "
                    f"{(n, sources)}."
                )
            added.append(_blocked(padding, query)._reshape([n, 1, 1, sources]))
        if not added:
            return None
        return added[0] if len(added) == 1 else added[0] + added[1]

    def __repr__(self) -> str:
        return f"MultiheadAttention({self.embed_dim}, {self.num_heads})"


def _blocked(mask: Tensor, like: Tensor) -> Tensor:
    """Return -inf where a bool mask is True, else 0; a float mask is unchanged."""
    return allowed(1 - mask.to(like.dtype), like) if mask.dtype == "bool" else mask
