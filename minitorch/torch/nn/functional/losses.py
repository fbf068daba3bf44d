"""The losses with PyTorch's signatures."""

from __future__ import annotations

import warnings
from typing import Any, cast

from .... import functional
from ...reduce import called
from ...tensor import Tensor
from ..arguments import computed, require_torch

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "l1_loss",
    "mse_loss",
    "nll_loss",
]


def reduction_of(where: str, size_average: Any, reduce: Any, reduction: str) -> str:
    """One word from the two switches that old programs have, or from the word."""
    if size_average is not None or reduce is not None:
        warnings.warn(
            f"[{where}] got size_average or reduce, which are old; need reduction=.",
            stacklevel=3,
        )
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(
            f"[{where}] got reduction {reduction!r}; need 'none', 'mean' or 'sum'."
        )
    return reduction


def rename_reduction(where: str, options: dict[str, Any]) -> None:
    """Replace the two old switches among `options` by the word."""
    average, reduce = options.pop("size_average", None), options.pop("reduce", None)
    if average is not None or reduce is not None:
        options["reduction"] = reduction_of(where, average, reduce, "mean")


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input)[target]: the loss on scores of any size.

    Args:
        input: Scores (n, classes, …), or (classes,) for one sample.
        target: Labels (n, …), or probabilities of the shape of `input`.
        weight: One for each class; the mean is then over the weights.
        ignore_index: A label whose samples count nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: Share (0 to 1) of the target that goes to all classes alike.

    Raises:
        ValueError: The shapes or the reduction do not fit.
        RuntimeError: `label_smoothing` lies outside 0 … 1.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 4).as_torch()
        >>> y = minitorch.tensor([2], dtype="int64").as_torch()
        >>> round(cross_entropy(x, y).item(), 4)
        1.3863
    """
    require_torch("cross_entropy", input, target, optional=(weight,))
    reduction = reduction_of("cross_entropy", size_average, reduce, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(
            f"[cross_entropy] got label_smoothing {label_smoothing}; need 0 to 1."
        )
    _require_classes("cross_entropy", input, target, weight)
    options = weight, ignore_index, reduction, label_smoothing
    return cast(Tensor, functional.cross_entropy(input, target, *options))


def _require_classes(where: str, input: Any, target: Any, weight: Any) -> None:
    """RuntimeError for labels that are no integers, or weights of other classes."""
    dim = min(1, input.dims - 1)
    chances = where == "cross_entropy" and target.dims != input.dims - 1
    if target.dtype.is_floating_point and not chances:
        raise RuntimeError(
            f"[{where}] got labels of {target.dtype}; need integers. Try target.long()."
        )
    if weight is not None and input.dims and weight.shape != (input.shape[dim],):
        raise RuntimeError(
            f"[{where}] got weight {tuple(weight.shape)} for {input.shape[dim]} "
            "classes; need one for each."
        )


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-input[target], averaged: the loss on log-probabilities; as `cross_entropy`.

    Example:
        >>> import minitorch.torch as torch
        >>> scores = torch.tensor([[-0.5, -1.0], [-2.0, -0.25]])
        >>> torch.nn.functional.nll_loss(scores, torch.tensor([0, 1]))
        tensor(0.3750)
    """
    require_torch("nll_loss", input, target, optional=(weight,))
    reduction = reduction_of("nll_loss", size_average, reduce, reduction)
    _require_classes("nll_loss", input, target, weight)
    options = weight, ignore_index, reduction
    made = functional.nll_loss(input, target, *options)
    return cast(Tensor, called(made, "NllLossBackward0"))


def beside(where: str, input: Tensor, target: Tensor) -> tuple[Any, Any]:
    """Both in one shape; a warning where they had two, which is seldom meant."""
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"[{where}] got input {tuple(input.shape)} and target {tuple(target.shape)}, "
        "which are broadcast; need one shape if that is not meant.",
        stacklevel=3,
    )
    shape = _broadcast(input, target)
    return input._expand(shape), target._expand(shape)


def _broadcast(a: Tensor, b: Tensor) -> tuple[int, ...]:
    """The shape in which both fit; RuntimeError if there is none."""
    dims = max(a.dims, b.dims)
    left = (1,) * (dims - a.dims) + tuple(a.shape)
    right = (1,) * (dims - b.dims) + tuple(b.shape)
    if any(m != n and 1 not in (m, n) for m, n in zip(left, right, strict=True)):
        raise RuntimeError(
            f"[loss] got input {tuple(a.shape)} and target {tuple(b.shape)}; need "
            "sizes that are equal or 1."
        )
    return tuple(n if m == 1 else m for m, n in zip(left, right, strict=True))


def _weighted(loss: Any, weight: Any, reduction: str) -> Tensor:
    """The mean of weighted distances is over the weights."""
    loss = loss * weight
    if reduction == "mean":
        whole = weight._expand(loss.shape)
        return cast(Tensor, loss.sum(None, False) / whole.sum(None, False))
    return cast(Tensor, loss if reduction == "none" else loss.sum(None, False))


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)², averaged.

    Args:
        input: Any shape.
        target: Of the same shape; others are broadcast, with a warning.
        reduction: "mean", "sum" or "none".
        weight: Of each element; the mean is then over the weights.

    Example:
        >>> import minitorch
        >>> x, y = (minitorch.tensor([1.0, k]).as_torch() for k in (2, 4))
        >>> mse_loss(x, y).item()
        2.0
    """
    require_torch("mse_loss", input, target, optional=(weight,))
    reduction = reduction_of("mse_loss", size_average, reduce, reduction)
    x, y = beside("mse_loss", input, target)
    if weight is not None:
        return _weighted(functional.mse_loss(x, y, "none"), weight, reduction)
    made = functional.mse_loss(x, y, reduction)
    return cast(Tensor, called(made, "MseLossBackward0"))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|, averaged; arguments as for `mse_loss`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nn.functional.l1_loss(torch.tensor([1.0, 3.0]), torch.zeros(2))
        tensor(2.)
    """
    require_torch("l1_loss", input, target, optional=(weight,))
    reduction = reduction_of("l1_loss", size_average, reduce, reduction)
    x, y = beside("l1_loss", input, target)
    if weight is not None:
        return _weighted(functional.l1_loss(x, y, "none"), weight, reduction)
    return cast(Tensor, functional.l1_loss(x, y, reduction))


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target log(input) + (1 - target) log(1 - input)), averaged.

    Raises:
        ValueError: The shapes differ, or the reduction is unknown.
        RuntimeError: A probability lies outside 0 … 1.

    Example:
        >>> import minitorch.torch as torch
        >>> p = torch.tensor([0.5, 0.5])
        >>> torch.nn.functional.binary_cross_entropy(p, torch.tensor([0.0, 1.0]))
        tensor(0.6931)
    """
    where = "binary_cross_entropy"
    require_torch(where, input, target, optional=(weight,))
    reduction = reduction_of(where, size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"[{where}] got shapes {tuple(input.shape)} and {tuple(target.shape)}; "
            "need the same. Try .reshape(...)."
        )
    options = weight, reduction
    function = functional.binary_cross_entropy
    made = computed(function, input, target, *options)
    return cast(Tensor, called(made, "BinaryCrossEntropyBackward0"))


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), without overflow.

    Args:
        pos_weight: Of the positive targets, broadcast to them.

    Example:
        >>> import minitorch.torch as torch
        >>> x, y = torch.zeros(2), torch.tensor([0.0, 1.0])
        >>> torch.nn.functional.binary_cross_entropy_with_logits(x, y)
        tensor(0.6931)
    """
    where = "binary_cross_entropy_with_logits"
    require_torch(where, input, target, optional=(weight, pos_weight))
    reduction = reduction_of(where, size_average, reduce, reduction)
    loss: Any = functional.binary_cross_entropy_with_logits
    more = {} if pos_weight is None else {"pos_weight": pos_weight}
    made = loss(input, target, weight, reduction, **more)
    return cast(Tensor, called(made, "BinaryCrossEntropyWithLogitsBackward0"))
