"""Owns the losses on scores that should differ by a margin: ranking and hinges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from .activations import logsigmoid
from .arguments import require_tensors
from .distances import pairwise_distance
from .regression_losses import reduced, require_like


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), target being 1 or -1.

    Args:
        input1, input2: Scores of the same shape; the first should be larger for 1.
        target: 1 or -1, broadcast with them.
        margin: By how much.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes do not fit, or the reduction is unknown.

    Kernel:
        `zip.cu`, `clamp.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.tensor([1.0, 3.0]), minitorch.tensor([2.0, 2.0])
        >>> margin_ranking_loss(x, y, minitorch.ones(2), reduction="none").numpy()
        array([1., 0.])
    """
    name = "margin_ranking_loss"
    require_tensors(name, input1, input2, target)
    shapes = [tuple(t.shape) for t in (input1, input2, target)]
    if len({len(shape) for shape in shapes}) > 1:
        raise ValueError(
            f"[{name}] got {', '.join(map(str, shapes))}; need as many dimensions each."
        )
    loss = (margin - target * (input1 - input2)).clamp(0.0)
    return reduced(loss, reduction, name)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """The distance where the target is 1, max(0, margin - distance) where it is -1.

    Args:
        input: Distances, any shape.
        target: 1 or -1, broadcast with the input.
        margin: From which distance on unlike ones cost nothing.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.

    Kernel:
        `where.cu`, `clamp.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.tensor([0.25, 0.25]), minitorch.tensor([1.0, -1.0])
        >>> hinge_embedding_loss(x, y, reduction="none").numpy()
        array([0.25, 0.75])
    """
    name = "hinge_embedding_loss"
    require_tensors(name, input, target)
    # A target of neither sign has both terms.
    unlike = target.eq(1)._where(0.0, (margin - input).clamp(0.0))
    alike = target.eq(-1)._where(0.0, input)
    return reduced(unlike + alike, reduction, name)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target input)), target being 1 or -1.

    Raises:
        ValueError: The shapes differ, or the reduction is unknown.

    Kernel:
        `zip.cu`, `map.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(2)
        >>> round(soft_margin_loss(x, minitorch.ones(2)).item(), 4)
        0.6931
    """
    require_like(input, target, "soft_margin_loss")
    return reduced(-logsigmoid(target * input), reduction, "soft_margin_loss")


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1.

    Args:
        input1, input2: (n, width), or (width,) with a target ().
        target: (n,), 1 or -1.
        margin: From which cosine on unlike ones cost something.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes do not fit, or the reduction is unknown.

    Kernel:
        `zip.cu`, `reduce.cu` and `where.cu`.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.tensor([[1.0, 0.0]]), minitorch.tensor([[0.0, 1.0]])
        >>> round(cosine_embedding_loss(x, y, minitorch.ones(1)).item(), 4)
        1.0
    """
    name = "cosine_embedding_loss"
    require_like(input1, input2, name)
    require_tensors(name, target)
    shape = tuple(input1.shape)
    if len(shape) not in (1, 2) or tuple(target.shape) != shape[:-1]:
        raise ValueError(
            f"[{name}] got {shape} and target {tuple(target.shape)}; need (n, width) "
            "and (n,), or (width,) and ()."
        )
    last, eps = len(shape) - 1, 1e-12  # PyTorch adds it to both squares

    def square(a: Tensor, b: Tensor) -> Tensor:
        return _core.Tensor.sum(a * b, last, False)

    sizes = (square(input1, input1) + eps) * (square(input2, input2) + eps)
    cosine = square(input1, input2) / sizes.sqrt()
    alike = target.eq(1)._where(1 - cosine, 0.0)
    unlike = target.eq(-1)._where((cosine - margin).clamp(0.0), 0.0)
    return reduced(alike + unlike, reduction, name)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin).

    Balntas et al., "Learning local feature descriptors with triplets" (2016).

    Args:
        anchor, positive, negative: (n, width), or (width,).
        margin: By how much the negative should be further away.
        p, eps: As of pairwise_distance.
        swap: Take the nearer of anchor and positive as the negative's distance.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes do not fit, the margin is not above 0, or the
            reduction is unknown.

    Kernel:
        `zip.cu`, `reduce.cu` and `clamp.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 2)
        >>> round(triplet_margin_loss(x, x, x + 3).item(), 4)
        0.0
    """

    def distance(a: Tensor, b: Tensor) -> Tensor:
        return pairwise_distance(a, b, p, eps)

    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=distance,
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """triplet_margin_loss with another distance, by default pairwise_distance.

    Args:
        distance_function: Two batches -> (n,).

    Kernel:
        Those of the distance, `zip.cu` and `clamp.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 2)
        >>> triplet_margin_with_distance_loss(
        ...     x, x, x, distance_function=lambda a, b: (a - b).abs().sum(1)
        ... ).item()
        1.0
    """
    name = "triplet_margin_loss"
    require_tensors(name, anchor, positive, negative)
    dims = [len(t.shape) for t in (anchor, positive, negative)]
    if len(set(dims)) > 1 or margin <= 0:
        raise ValueError(
            f"[{name}] got {dims} dimensions and margin {margin}; need as many each, "
            "and a margin above 0."
        )
    distance: Any = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced((near - far + margin).clamp(0.0), reduction, name)


def _rows(
    input: Tensor, target: Tensor, where: str, labels: bool
) -> tuple[Tensor, Tensor]:
    """(n, classes), and labels (n,) or targets (n, classes)."""
    require_tensors(where, input, target)
    shape, given = tuple(input.shape), tuple(target.shape)
    wanted = shape[:-1] if labels else shape
    if len(shape) not in (1, 2) or given not in (wanted, (1,) * (labels > len(given))):
        raise ValueError(
            f"[{where}] got {shape} and targets {given}; need (n, classes) and "
            f"{'(n,)' if labels else 'the same'}."
        )
    if len(shape) == 1:
        return input.unsqueeze(0), target._reshape([1] if labels else [1, -1])
    return input, target


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Sum over the other classes of max(0, margin - score of the label + theirs)^p.

    Divided by the number of classes. Crammer and Singer (2001).

    Args:
        input: Scores (n, classes), or (classes,).
        target: Labels (n,), or ().
        p: 1 or 2.
        margin: By how much.
        weight: (classes,), a factor for each label.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: Shapes, p or the reduction do not fit.
        IndexError: A label lies outside the classes.
        TypeError: The labels are not integers.

    Kernel:
        `gather.cu`, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[0.0, 0.5]])
        >>> multi_margin_loss(x, minitorch.tensor([0], dtype="int64")).item()
        0.75
    """
    name = "multi_margin_loss"
    if p not in (1, 2):
        raise ValueError(f"[{name}] got p {p}; need 1 or 2.")
    rows, labels = _rows(input, target, name, True)
    alone = len(input.shape) == 1
    classes = rows.shape[1]
    at = labels.unsqueeze(1)  # (n, 1)
    gap = (margin - rows.gather(1, at) + rows).clamp(0.0)
    loss = gap * gap if p == 2 else gap
    if weight is not None:
        loss = loss * weight.index_select(0, labels).unsqueeze(1)
    across = _core.arange(0, 1, classes, _core.int64, rows.device)
    others = at.eq(across)._where(0.0, loss)
    each = _core.Tensor.sum(others, 1, False) / classes
    return reduced(each.squeeze(0) if alone else each, reduction, name)


def multilabel_margin_loss(
    input: Tensor, target: Tensor, reduction: str = "mean"
) -> Tensor:
    """Sum over labels and other classes of max(0, 1 - label's score + theirs).

    Divided by the number of classes.

    Args:
        input: Scores (n, classes), or (classes,).
        target: Labels of the same shape, int64; those from the first -1 on count
            nothing.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes differ, or the reduction is unknown.

    Kernel:
        `gather.cu`, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.0, 0.5])
        >>> multilabel_margin_loss(x, minitorch.tensor([0, -1], dtype="int64")).item()
        0.75
    """
    name = "multilabel_margin_loss"
    rows, labels = _rows(input, target, name, False)
    alone = len(input.shape) == 1
    classes = rows.shape[1]
    kept = labels.ge(0)._cast(rows.dtype)
    ended = _core.Tensor.cumsum(1 - kept, 1)
    kept = ended.eq(0)._cast(rows.dtype)  # before the first -1
    at = labels.clamp(0)
    across = _core.arange(0, 1, classes, _core.int64, rows.device)
    # (n, labels, 1) and (classes,) -> (n, labels, classes)
    named = at.unsqueeze(2).eq(across)._cast(rows.dtype) * kept.unsqueeze(2)
    is_label = _core.Tensor.sum(named, 1, True).gt(0)
    gap = (1 - rows.gather(1, at).unsqueeze(2) + rows.unsqueeze(1)).clamp(0.0)
    counted = is_label._where(0.0, gap * kept.unsqueeze(2))
    each = _core.Tensor.sum(counted, (1, 2), False) / classes
    return reduced(each.squeeze(0) if alone else each, reduction, name)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """binary_cross_entropy_with_logits, averaged over the classes of each sample.

    Args:
        input: Scores (…, classes).
        target: 0 or 1, of the same shape.
        weight: Broadcast to the loss of each class.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: The shapes differ, or the reduction is unknown.

    Kernel:
        `map.cu`, `zip.cu` and `reduce.cu`.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 2)
        >>> round(multilabel_soft_margin_loss(x, minitorch.ones(1, 2)).item(), 4)
        0.6931
    """
    name = "multilabel_soft_margin_loss"
    require_like(input, target, name)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    classes = len(loss.shape) - 1
    return reduced(_core.Tensor.mean(loss, classes, False), reduction, name)
