"""Losses as modules: functions of minitorch.functional with stored options."""

from __future__ import annotations

from typing import ClassVar

from .function_layers import FunctionLayer

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]


class _Loss(FunctionLayer):
    """A function of an input and a target; its weights are buffers."""

    inputs: ClassVar[int] = 2
    printed: ClassVar[tuple[str, ...]] = ()


class CrossEntropyLoss(_Loss):
    """functional.cross_entropy: nll_loss of log_softmax.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(1, 4), minitorch.tensor([2], dtype="int64")
        >>> round(CrossEntropyLoss()(x, y).item(), 4)
        1.3863
    """

    function = "cross_entropy"


class NLLLoss(_Loss):
    """functional.nll_loss: -log_probabilities of the labels."""

    function = "nll_loss"


class MSELoss(_Loss):
    """functional.mse_loss: (input - target)².

    Example:
        >>> import minitorch
        >>> MSELoss()(minitorch.tensor([1.0, 3.0]), minitorch.zeros(2)).item()
        5.0
    """

    function = "mse_loss"


class L1Loss(_Loss):
    """functional.l1_loss: |input - target|."""

    function = "l1_loss"


class BCELoss(_Loss):
    """functional.binary_cross_entropy of probabilities."""

    function = "binary_cross_entropy"


class BCEWithLogitsLoss(_Loss):
    """functional.binary_cross_entropy_with_logits: of sigmoid(input), no overflow.

    `weight` and `pos_weight`, which weighs the targets that are yes, are buffers.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(2), minitorch.tensor([0.0, 1.0])
        >>> round(BCEWithLogitsLoss()(x, y).item(), 4)
        0.6931
    """

    function = "binary_cross_entropy_with_logits"


class SmoothL1Loss(_Loss):
    """functional.smooth_l1_loss: squared near 0, plain distance further away.

    Example:
        >>> import minitorch
        >>> SmoothL1Loss()(minitorch.ones(2) * 2, minitorch.zeros(2)).item()
        1.5
    """

    function = "smooth_l1_loss"
