"""Owns the losses as modules; each gives the mean over the batch, of shape (1,)."""

from __future__ import annotations

from ..module import Module
from ..tensor import Tensor
from .functions import cross_entropy, nll_loss


class CrossEntropyLoss(Module):
    """nll_loss of log_softmax: scores (n, classes) and labels (n,) -> (1,).

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(1, 4), minitorch.tensor([2])
        >>> round(CrossEntropyLoss()(x, y).item(), 4)
        1.3863
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return cross_entropy(input, target)


class NLLLoss(Module):
    """Mean of -log_probabilities[i, labels[i]]."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return nll_loss(input, target)


class MSELoss(Module):
    """Mean of (input - target)².

    Example:
        >>> import minitorch
        >>> MSELoss()(minitorch.tensor([1.0, 3.0]), minitorch.zeros(2)).item()
        5.0
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        _require_same(input, target, "MSELoss")
        off = input - target
        return (off * off).mean()


class L1Loss(Module):
    """Mean of |input - target|."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        _require_same(input, target, "L1Loss")
        return (input - target).abs().mean()


class BCEWithLogitsLoss(Module):
    """Mean of -target log(p) - (1 - target) log(1 - p) with p = sigmoid(input).

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(2), minitorch.tensor([0.0, 1.0])
        >>> round(BCEWithLogitsLoss()(x, y).item(), 4)
        0.6931
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss, by max(x, 0) - x target + log(1 + exp(-|x|)), without overflow."""
        _require_same(input, target, "BCEWithLogitsLoss")
        rest = ((-input.abs()).exp() + 1).log()
        return (input.relu() - input * target + rest).mean()


def _require_same(input: Tensor, target: Tensor, where: str) -> None:
    if input.shape != target.shape:
        raise ValueError(
            f"[{where}] got input {input.shape} and target {target.shape}; need one "
            "shape."
        )
