"""Normalisation, dropout, embeddings and attention with PyTorch's signatures."""

from __future__ import annotations

from typing import Any, cast

from .... import _core, functional
from ....autograd.function import no_grad
from ...tensor import Tensor
from ..arguments import computed, require_torch
from .activations import in_place

__all__ = [
    "batch_norm",
    "dropout",
    "embedding",
    "layer_norm",
    "one_hot",
    "scaled_dot_product_attention",
]


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last dimensions.

    Args:
        input: (…, *normalized_shape).
        normalized_shape: Sizes of the dimensions that have one mean together.
        weight: normalized_shape, 1 by default.
        bias: normalized_shape, 0 by default.
        eps: Added to the (biased) variance.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 3.0]]), (2,))
        tensor([[-1.0000,  1.0000]])
    """
    require_torch("layer_norm", input, optional=(weight, bias))
    options = tuple(normalized_shape), weight, bias, eps
    return cast(Tensor, computed(functional.layer_norm, input, *options))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias, for each channel.

    Args:
        input: (n, channels, …).
        running_mean: (channels,), moved towards the batch's in training.
        running_var: (channels,), likewise.
        weight: (channels,), 1 by default.
        bias: (channels,), 0 by default.
        training: Use the batch's mean and variance.
        momentum: Weight of the new batch in the running ones.
        eps: Added to the variance.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([[1.0], [3.0]])
        >>> torch.nn.functional.batch_norm(x, None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    given = running_mean, running_var, weight, bias
    require_torch("batch_norm", input, optional=given)
    if training and input.dims > 1 and input.numel() == input.shape[1]:
        raise ValueError(
            f"[batch_norm] got {tuple(input.shape)}, one value a channel; need 2 or "
            "more in training."
        )
    options = training, momentum or 0.0, eps
    return cast(Tensor, computed(functional.batch_norm, input, *given, *options))


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each cell 0 with probability `p`, and x / (1 - p) otherwise.

    Raises:
        ValueError: `p` lies outside 0 … 1.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.dropout(torch.ones(3), 0.5, training=False)
        tensor([1., 1., 1.])
    """
    require_torch("dropout", input)
    return in_place(input, lambda x: functional.dropout(x, p, training), inplace)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The row of `weight` for each number of `input`.

    Args:
        input: Integers 0 to rows - 1.
        weight: (rows, width).
        padding_idx: A row that gets no gradient.
        max_norm: Longer rows that are looked up are shortened to it, in place.
        norm_type: Of which norm.
        scale_grad_by_freq: Divide a row's gradient by how often it is looked up.
        sparse: Taken for old programs; gradients are always dense.

    Returns:
        (…, width).

    Example:
        >>> import minitorch.torch as torch
        >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.nn.functional.embedding(torch.tensor([1, 0]), table)
        tensor([[3., 4.],
                [1., 2.]])
    """
    require_torch("embedding", input, weight)
    if max_norm is not None:
        _shorten(input, weight, max_norm, norm_type)
    if input.dtype.is_floating_point or weight.dims != 2:
        raise RuntimeError(
            f"[embedding] got {input.dtype.name} and weight {tuple(weight.shape)}; "
            "need integers and (rows, width)."
        )
    found: Any = computed(functional.embedding, input, weight, padding_idx)
    if scale_grad_by_freq and found.requires_grad:
        share = _uses(input, weight).reciprocal()
        share = functional.embedding(input, share._cast(found.dtype))  # (…, 1)
        found = found.detach() + (found - found.detach()) * share
    return cast(Tensor, found)


def _uses(input: Any, weight: Any) -> Any:
    """How often each row is looked up: (rows, 1)."""
    flat = input._reshape((-1,))._cast(_core.int64)
    none = _core.full((weight.shape[0],), 0, weight.dtype, weight.device)
    one = _core.full(flat.shape, 1, weight.dtype, weight.device)
    return none.scatter_add(0, flat, one).unsqueeze(1)


def _shorten(input: Any, weight: Any, max_norm: float, norm_type: float) -> None:
    """Brings the rows that are looked up to a norm of at most `max_norm`, in place."""
    with no_grad():
        x = weight.detach()
        power = (_core.Tensor.abs(x) ** float(norm_type)).sum(1, True)  # (rows, 1)
        norm = power ** (1 / norm_type)
        long = norm.gt(max_norm).logical_and(_uses(input, weight).gt(0))
        weight.copy_(x * functional.where(long, max_norm / (norm + 1e-7), 1.0))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the place that a number names, 0 elsewhere: integers (…) -> (…, classes).

    Args:
        tensor: Integers from 0.
        num_classes: Their number; by default one more than the largest.

    Raises:
        RuntimeError: A number lies outside, or no integers.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.one_hot(torch.tensor([0, 2]), 3)
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    require_torch("one_hot", tensor)
    if tensor.dtype.name != "int64":
        raise RuntimeError(
            f"[one_hot] got {tensor.dtype.name}; need int64. Try .long()."
        )
    if num_classes == -1 and tensor.numel() == 0:
        raise RuntimeError("[one_hot] got no elements and no num_classes; need one.")
    if num_classes != -1 and num_classes < 1:
        raise RuntimeError(
            f"[one_hot] got num_classes {num_classes}; need 1 or more, or -1."
        )
    try:
        made = functional.one_hot(tensor, num_classes)
    except (IndexError, ValueError) as error:
        raise RuntimeError(str(error)) from None
    return cast(Tensor, made._cast(tensor.dtype))


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value.

    Args:
        query: (…, targets, width).
        key: (…, sources, width).
        value: (…, sources, width of the output).
        attn_mask: Booleans, True where a source takes part, or numbers that are added.
        dropout_p: Probability of leaving out a weight.
        is_causal: Target i sees the sources 0 to i only.
        scale: 1 / sqrt(width) by default.
        enable_gqa: Fewer heads of keys and values, each shared by several queries.

    Returns:
        (…, targets, width of the output).

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.rand(2, 5, 8)
        >>> torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
        torch.Size([2, 5, 8])
    """
    where = "scaled_dot_product_attention"
    require_torch(where, query, key, value, optional=(attn_mask,))
    if enable_gqa:
        key, value = (_shared(where, query, each) for each in (key, value))
    attend: Any = functional.scaled_dot_product_attention
    options = attn_mask, dropout_p, is_causal, scale
    return cast(Tensor, computed(attend, query, key, value, *options))


def _shared(where: str, query: Tensor, few: Tensor) -> Tensor:
    """The heads of keys or values, each as often as queries share it."""
    if min(query.dims, few.dims) < 3 or query.shape[-3] % few.shape[-3]:
        raise RuntimeError(
            f"[{where}] got heads of {tuple(query.shape)} and {tuple(few.shape)}; need "
            "a number of query heads that those of keys and values divide."
        )
    times = query.shape[-3] // few.shape[-3]
    *around, heads, length, width = few.shape
    # (…, heads, length, width) -> (…, heads, times, length, width)
    wide = few._reshape((*around, heads, 1, length, width))
    wide = wide._expand((*around, heads, times, length, width))
    return cast(Tensor, wide._reshape((*around, heads * times, length, width)))
