"""The losses as functions. Pooling, softmax and dropout are in nn_functions."""

from __future__ import annotations

from .._core import Tensor
from ..functional.arguments import require_tensors

__all__ = ["cross_entropy", "nll_loss"]


def nll_loss(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """Mean of -log_probabilities[i, labels[i]].

    Args:
        log_probabilities: (n, classes).
        labels: (n,), integers 0 to classes - 1 of any dtype.

    Returns:
        Shape (1,).

    Raises:
        ValueError: The shapes do not fit.
        IndexError: A label lies outside the classes.

    Example:
        >>> import minitorch
        >>> nll_loss(minitorch.tensor([[-1.0, -2.0]]), minitorch.tensor([1])).item()
        2.0
    """
    require_tensors("nll_loss", log_probabilities, labels)
    return log_probabilities._nll_loss(labels)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """nll_loss(log_softmax(logits), labels), as one function.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 4)
        >>> round(cross_entropy(x, minitorch.tensor([2])).item(), 4)
        1.3863
    """
    require_tensors("cross_entropy", logits, labels)
    return logits._cross_entropy(labels)
