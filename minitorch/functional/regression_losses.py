"""Owns the losses on numbers and on distributions beyond squared and plain distance."""

from __future__ import annotations

from .. import _core
from .._core import Tensor
from .arguments import require_tensors
from .math import where as choose


def reduced(loss: Tensor, reduction: str, where: str) -> Tensor:
    """The loss, its sum or its mean."""
    if reduction == "none":
        return loss
    if reduction == "sum":
        return _core.Tensor.sum(loss, None, False)
    if reduction == "mean":
        return _core.Tensor.mean(loss, None, False)
    raise ValueError(f"[{where}] got {reduction!r}; need 'none', 'mean' or 'sum'.")


def require_like(input: Tensor, target: Tensor, where: str) -> None:
    """ValueError unless the shapes are the same: no loss broadcasts in silence."""
    require_tensors(where, input, target)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(
            f"[{where}] got shapes {tuple(input.shape)} and {tuple(target.shape)}; "
            "need the same. Try .reshape(...)."
        )


def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """d² / (2 beta) where the distance d is below beta, d - beta / 2 elsewhere.

    Girshick, "Fast R-CNN" (2015).

    Args:
        input: Any shape.
        target: Of the same shape.
        reduction: "mean", "sum" or "none".
        beta: 0 or more; 0 gives l1_loss.

    Raises:
        ValueError: The shapes differ, the reduction is unknown, or beta is negative.

    Kernel:
        `zip.cu`, `where.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.5, 3.0])
        >>> smooth_l1_loss(x, minitorch.zeros(2), "none").numpy()
        array([0.125, 2.5  ])
    """
    name = "smooth_l1_loss"
    require_like(input, target, name)
    if beta < 0:
        raise ValueError(f"[{name}] got beta {beta}; need 0 or more.")
    gap = (input - target).abs()
    if beta:
        gap = choose(gap.lt(beta), gap * gap * (0.5 / beta), gap - 0.5 * beta)
    return reduced(gap, reduction, name)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """d² / 2 where the distance d is up to delta, delta (d - delta / 2) elsewhere.

    Huber, "Robust estimation of a location parameter" (1964).

    Args:
        input: Any shape.
        target: Of the same shape.
        reduction: "mean" (over the weights, if given), "sum" or "none".
        delta: Above 0.
        weight: Of the same shape.

    Raises:
        ValueError: The shapes differ, the reduction is unknown, or delta is 0 or less.

    Kernel:
        `zip.cu`, `where.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.5, 3.0])
        >>> huber_loss(x, minitorch.zeros(2), "none", 2.0).numpy()
        array([0.125, 4.   ])
    """
    name = "huber_loss"
    require_like(input, target, name)
    if delta <= 0:
        raise ValueError(f"[{name}] got delta {delta}; need a number above 0.")
    gap = (input - target).abs()
    loss = choose(gap.le(delta), gap * gap * 0.5, (gap - 0.5 * delta) * delta)
    if weight is None:
        return reduced(loss, reduction, name)
    require_like(input, weight, name)
    if reduction == "mean":
        total = _core.Tensor.sum(loss * weight, None, False)
        return total / _core.Tensor.sum(weight, None, False)
    return reduced(loss * weight, reduction, name)


def kl_div(
    input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """target (log(target) - input): how far a distribution is from the target's.

    Kullback and Leibler (1951).

    Args:
        input: Log-probabilities.
        target: Probabilities, or their logarithms with log_target; broadcast with the
            input. A probability of 0 counts nothing.
        reduction: "batchmean" (the sum over the first size), "mean", "sum" or "none".
        log_target: Are the targets logarithms?

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.

    Kernel:
        `map.cu`, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> p = minitorch.tensor([[0.5, 0.5]])
        >>> kl_div(p.log(), p, reduction="batchmean").item()
        0.0
    """
    name = "kl_div"
    require_tensors(name, input, target)
    if log_target:
        loss = target.exp() * (target - input)
    else:
        some = target.gt(0)
        # x log x is 0 at 0, where its gradient is left out.
        entropy = some._where(target * some._where(target, 1.0).log(), 0.0)
        loss = entropy - target * input
    if reduction == "batchmean":
        total = _core.Tensor.sum(loss, None, False)
        return total / loss.shape[0] if loss.shape else total
    return reduced(loss, reduction, name)
