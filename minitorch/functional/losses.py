"""Losses and softmax, with PyTorch's semantics."""

from __future__ import annotations

import warnings

from .._core import FitError, Tensor
from .arguments import require_tensors
from .math import where

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "l1_loss",
    "log_softmax",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "softmax",
]


def softmax(input: Tensor, dim: int | None = -1) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow.

    With `dim=None` the dim is 0 or 1, as PyTorch's old programs mean it, and a warning
    says which.

    Kernel:
        cpp/kernels/softmax.cu, a block each line along `dim`; back by
        `softmax_grad.cu`.

    Example:
        >>> import minitorch
        >>> softmax(minitorch.tensor([0.0, 0.0])).numpy()
        array([0.5, 0.5])
    """
    require_tensors("softmax", input)
    return input._softmax(implied_dim("softmax", input, dim))


def log_softmax(input: Tensor, dim: int | None = -1) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow.

    Kernel:
        cpp/kernels/softmax.cu, a block each line along `dim`; back by
        `softmax_grad.cu`.

    Example:
        >>> import minitorch
        >>> log_softmax(minitorch.tensor([1000.0, 0.0])).numpy()
        array([    0., -1000.])
    """
    require_tensors("log_softmax", input)
    return input.log_softmax(implied_dim("log_softmax", input, dim))


def implied_dim(where: str, input: Tensor, dim: int | None) -> int:
    """Return `dim`, or for None PyTorch's implicit choice, with a warning."""
    if dim is not None:
        return dim
    implied = 0 if input.dims in (0, 1, 3) else 1
    warnings.warn(
        f"[{where}] dim was not given; using dim={implied}. Pass dim=, the dimension "
        "along which the result sums to 1.",
        stacklevel=3,
    )
    return implied


def _reduced(loss: Tensor, reduction: str, where: str) -> Tensor:
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum(None, False)
    if reduction == "mean":
        return loss.mean(None, False)
    raise FitError(f"[{where}] got {reduction!r}; need 'none', 'mean' or 'sum'.")


def _same_shape(input: Tensor, target: Tensor, where: str) -> None:
    require_tensors(where, input, target)
    if input.shape == target.shape:
        return
    hint = "Try .reshape(...)."
    sizes = [[size for size in t.shape if size != 1] for t in (input, target)]
    if sizes[0] == sizes[1] and input._dialect != "torch":
        hint += " sum(dim) and mean(dim) keep a dim of size 1; keepdim=False drops it."
    raise FitError(
        f"[{where}] shapes {tuple(input.shape)} and {tuple(target.shape)} differ; they "
        f"must be the same. {hint}"
    )


def _distance(name: str, input: Tensor, target: Tensor) -> Tensor:
    """Return input - target; raise unless they have the same shape."""
    _same_shape(input, target, name)
    return input - target


def _require_broadcasts(pos_weight: Tensor, input: Tensor, where: str) -> None:
    try:
        pos_weight.detach()._expand(input.shape)
    except ValueError:
        raise FitError(
            f"[{where}] pos_weight of shape {tuple(pos_weight.shape)} cannot be "
            f"broadcast to the scores of shape {tuple(input.shape)}."
        ) from None


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """-input[i, target[i]], averaged: the loss on log-probabilities.

    Args:
        input: Log-probabilities (n, classes, …), or (classes,) for one sample.
        target: Labels (n, …), integers 0 to classes - 1.
        weight: One for each class; the mean is then over the weights.
        ignore_index: A label whose samples count nothing.
        reduction: "mean", "sum" or "none".

    Returns:
        Shape (), or that of `target` with "none".

    Raises:
        ValueError: The shapes or the reduction do not fit.
        IndexError: A label lies outside the classes; on `cuda` at the next
            synchronisation, because no loss waits for the device.
        TypeError: The labels are not integers.

    Kernel:
        `check_index.cu` and `gather.cu`, a thread per sample; back by `scatter.cu`.

    Example:
        >>> import minitorch
        >>> scores = minitorch.tensor([[-1.0, -2.0]])
        >>> nll_loss(scores, minitorch.tensor([1], dtype="int64")).item()
        2.0
    """
    require_tensors("nll_loss", input, target, optional=(weight,))
    return _nll(input, target, weight, ignore_index, reduction, "nll_loss")


def _nll(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    reduction: str,
    name: str,
) -> Tensor:
    dim = 1 if len(input.shape) > 1 else 0
    _require_labels(input, target, weight, dim, name)
    classes = input.shape[dim]
    ignored = target.eq(ignore_index)
    labels = target._checked_labels(classes, name, ignore_index)
    loss = -input._pick(dim, labels.unsqueeze(dim)).squeeze(dim)
    if weight is not None:
        share = weight.index_select(0, labels._reshape((-1,)))._reshape(labels.shape)
        loss = loss * share
    loss = where(ignored, 0.0, loss)
    if reduction != "mean":
        return _reduced(loss, reduction, name)
    if weight is None:
        share = target.ne(ignore_index)._cast(loss.dtype)
    else:
        share = where(ignored, 0.0, share)
    mean: Tensor = loss.sum(None, False) / share.sum(None, False)
    return mean


def _require_class_weights(
    name: str, input: Tensor, weight: Tensor | None, dim: int
) -> None:
    """Raise unless there is one weight for each class."""
    if weight is not None and weight.shape != (input.shape[dim],):
        raise FitError(
            f"[{name}] got weight of shape {tuple(weight.shape)} for "
            f"{input.shape[dim]} classes; need ({input.shape[dim]},), one weight per "
            "class."
        )


def _require_labels(
    input: Tensor, target: Tensor, weight: Tensor | None, dim: int, name: str
) -> None:
    """Raise unless the targets are a class index for each sample."""
    if (
        len(input.shape) == 0
        or target.shape != input.shape[:dim] + input.shape[dim + 1 :]
    ):
        raise FitError(
            f"[{name}] got scores of shape {tuple(input.shape)} and labels of shape "
            f"{tuple(target.shape)}; need (n, classes, ...) and (n, ...)."
        )
    _require_class_weights(name, input, weight, dim)
    if target.dtype.is_floating_point:
        raise TypeError(
            f"[{name}] got labels of {target.dtype.name}; need integers, the class "
            "indices. Try target.long()."
        )


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss` of `log_softmax`: the loss on scores of any size.

    Args:
        input: Scores (n, classes, …), or (classes,) for one sample.
        target: Labels as for `nll_loss`, or probabilities of the shape of `input`.
        weight: One for each class.
        ignore_index: A label whose samples count nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: Share (0 to 1) of the target that goes to all classes alike.

    Raises:
        ValueError: The shapes, the reduction or the smoothing do not fit.
        IndexError: A label lies outside the classes; on `cuda` at the next
            synchronisation.
        TypeError: Class numbers that are not integers.

    Kernel:
        cpp/kernels/cross_entropy.cu, a block a sample, and `cross_entropy_total.cu`;
        back by `cross_entropy_grad.cu`. Probabilities take `softmax.cu` and operators.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 4)
        >>> round(cross_entropy(x, minitorch.tensor([2], dtype="int64")).item(), 4)
        1.3863
    """
    require_tensors("cross_entropy", input, target, optional=(weight,))
    if not 0 <= label_smoothing <= 1:
        raise FitError(
            f"[cross_entropy] got label_smoothing {label_smoothing}; need a number "
            "from 0 to 1."
        )
    if len(input.shape) == 0:
        raise FitError("[cross_entropy] got scores of shape (); need (n, classes).")
    dim = 1 if len(input.shape) > 1 else 0
    if target.dtype.is_floating_point:
        _require_probabilities(input, target, dim)
        _require_class_weights("cross_entropy", input, weight, dim)
        if label_smoothing:
            smooth = label_smoothing / input.shape[dim]
            target = target * (1 - label_smoothing) + smooth
        return _spread(input.log_softmax(dim), target, weight, dim, reduction)
    learns = weight is not None and weight.requires_grad
    if learns and label_smoothing:
        raise FitError(
            "[cross_entropy] label_smoothing cannot be combined with a weight that "
            "requires a gradient. Try weight.detach()."
        )
    if learns or 0 in input.shape or not input.dtype.is_floating_point:
        scores = input.log_softmax(dim)
        return _nll(scores, target, weight, ignore_index, reduction, "cross_entropy")
    _require_labels(input, target, weight, dim, "cross_entropy")
    if weight is not None:
        weight = weight._cast(input.dtype)
    return input._cross_entropy_of_labels(
        target, weight, ignore_index, label_smoothing, reduction
    )


def _require_probabilities(input: Tensor, target: Tensor, dim: int) -> None:
    """Raise unless floating-point targets are a probability for each class."""
    if input.shape == target.shape:
        return
    labels = input.shape[:dim] + input.shape[dim + 1 :]
    message = (
        f"[cross_entropy] got scores of shape {tuple(input.shape)} and targets of "
        f"shape {tuple(target.shape)} and dtype {target.dtype.name}; need class "
        f"indices (integers) of shape {labels}, or probabilities of shape "
        f"{tuple(input.shape)}."
    )
    if target.shape == labels:
        raise TypeError(f"{message} Try target.long().")
    raise FitError(message)


def _per_class(weight: Tensor, dims: int, dim: int) -> Tensor:
    return weight._reshape([-1 if d == dim else 1 for d in range(dims)])


def _spread(
    scores: Tensor, target: Tensor, weight: Tensor | None, dim: int, reduction: str
) -> Tensor:
    """Return the loss for targets that are probabilities of classes."""
    if weight is not None:
        target = target * _per_class(weight, scores.dims, dim)
    loss = -(scores * target).sum(dim, False)
    if reduction == "mean":
        mean: Tensor = loss.sum(None, False) / max(loss.numel(), 1)
        return mean
    return _reduced(loss, reduction, "cross_entropy")


def mse_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
) -> Tensor:
    """Squared distance, averaged.

    Args:
        input: Any shape.
        target: Of the same shape.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes differ, or the reduction is unknown.

    Kernel:
        `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> mse_loss(minitorch.tensor([1.0, 2.0]), minitorch.tensor([1.0, 4.0])).item()
        2.0
    """
    gap = _distance("mse_loss", input, target)
    return _reduced(gap * gap, reduction, "mse_loss")


def l1_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
) -> Tensor:
    """Distance, averaged; arguments as for `mse_loss`.

    Raises:
        ValueError: The shapes differ, or the reduction is unknown.

    Kernel:
        `zip.cu`, `map.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> l1_loss(minitorch.tensor([1.0, 2.0]), minitorch.tensor([1.0, 4.0])).item()
        1.0
    """
    gap = _distance("l1_loss", input, target)
    return _reduced(gap.abs(), reduction, "l1_loss")


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target log(input) + (1 - target) log(1 - input)), averaged.

    The logarithms are held above -100, and p (1 - p), by which the gradient divides,
    above 1e-12: at 0 and 1 both are finite.

    Args:
        input: Probabilities.
        target: Of the same shape, 0 to 1.
        weight: Broadcast to the loss.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes differ, a probability lies outside 0 … 1 (on `cuda` said
            at the next synchronisation), or the reduction is unknown.

    Kernel:
        `map.cu`, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> p = minitorch.tensor([0.5])
        >>> round(binary_cross_entropy(p, minitorch.tensor([1.0])).item(), 4)
        0.6931
    """
    require_tensors("binary_cross_entropy", input, target, optional=(weight,))
    _same_shape(input, target, "binary_cross_entropy")
    input._require_probabilities("binary_cross_entropy")
    loss = input._binary_cross_entropy(target)
    return _reduced(
        loss if weight is None else loss * weight, reduction, "binary_cross_entropy"
    )


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), without overflow, exact at both ends.

    (1 - target) x + (1 + (pos_weight - 1) target) log(1 + exp(-x))

    Args:
        input: Scores x of any shape; their sigmoids are the probabilities.
        target: Of the same shape, 0 to 1.
        weight: Broadcast to the loss.
        reduction: "mean", "sum" or "none".
        pos_weight: Weighs the targets that are yes; broadcast to the scores, e.g. of
            shape (classes,) for scores (n, classes).

    Raises:
        ValueError: The shapes do not fit, or the reduction is unknown.

    Kernel:
        `map.cu`, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.0])
        >>> round(binary_cross_entropy_with_logits(x, minitorch.ones(1)).item(), 4)
        0.6931
    """
    require_tensors(
        "binary_cross_entropy_with_logits",
        input,
        target,
        optional=(weight, pos_weight),
    )
    name = "binary_cross_entropy_with_logits"
    _same_shape(input, target, name)
    if pos_weight is not None:
        _require_broadcasts(pos_weight, input, name)
    loss = input._binary_cross_entropy_with_logits(target, pos_weight)
    return _reduced(loss if weight is None else loss * weight, reduction, name)


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
    if beta < 0:
        raise FitError(f"[{name}] got beta {beta}; need at least 0.")
    gap = _distance(name, input, target).abs()
    if beta:
        gap = where(gap.lt(beta), gap * gap * (0.5 / beta), gap - 0.5 * beta)
    return _reduced(gap, reduction, name)
