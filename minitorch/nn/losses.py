"""The losses as modules: minitorch.functional's, with their options kept."""

from __future__ import annotations

from typing import ClassVar

from .. import functional
from .._core import Tensor
from ..module import Module
from .function_layers import FunctionLayer

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]


class _Loss(Module):
    """Options that losses share: `weight`, a buffer, and `reduction`."""

    def __init__(self, weight: Tensor | None, reduction: str) -> None:
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(
                f"[{type(self).__name__}] got {reduction!r}; need 'none', 'mean' or "
                "'sum'."
            )
        self.register_buffer("weight", weight)
        self.reduction = reduction

    def __repr__(self) -> str:
        return f"{type(self).__name__}(reduction={self.reduction!r})"


class _ClassLoss(_Loss):
    """A loss on scores (n, classes, …) and labels (n, …)."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index


class CrossEntropyLoss(_ClassLoss):
    """functional.cross_entropy: nll_loss of log_softmax.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(1, 4), minitorch.tensor([2], dtype="int64")
        >>> round(CrossEntropyLoss()(x, y).item(), 4)
        1.3863
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, ignore_index, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        options = self.weight, self.ignore_index, self.reduction, self.label_smoothing
        return functional.cross_entropy(input, target, *options)


class NLLLoss(_ClassLoss):
    """functional.nll_loss: -log_probabilities of the labels."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        options = self.weight, self.ignore_index, self.reduction
        return functional.nll_loss(input, target, *options)


class MSELoss(_Loss):
    """functional.mse_loss: (input - target)².

    Example:
        >>> import minitorch
        >>> MSELoss()(minitorch.tensor([1.0, 3.0]), minitorch.zeros(2)).item()
        5.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(None, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return functional.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """functional.l1_loss: |input - target|."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(None, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return functional.l1_loss(input, target, self.reduction)


class BCELoss(_Loss):
    """functional.binary_cross_entropy of probabilities."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        options = self.weight, self.reduction
        return functional.binary_cross_entropy(input, target, *options)


class BCEWithLogitsLoss(_Loss):
    """functional.binary_cross_entropy_with_logits: of sigmoid(input), no overflow.

    `weight` and `pos_weight`, which weighs the targets that are yes, are buffers.

    Example:
        >>> import minitorch
        >>> x, y = minitorch.zeros(2), minitorch.tensor([0.0, 1.0])
        >>> round(BCEWithLogitsLoss()(x, y).item(), 4)
        0.6931
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        options = self.weight, self.reduction, self.pos_weight
        return functional.binary_cross_entropy_with_logits(input, target, *options)


class _Pair(FunctionLayer):
    """A function of an input and a target."""

    inputs: ClassVar[int] = 2


class SmoothL1Loss(_Pair):
    """Squared distance near 0, plain distance further away.

    Example:
        >>> import minitorch
        >>> SmoothL1Loss()(minitorch.ones(2) * 2, minitorch.zeros(2)).item()
        1.5
    """

    function = "smooth_l1_loss"


class HuberLoss(_Pair):
    """Half the squared distance up to delta, then a line."""

    function = "huber_loss"


class KLDivLoss(_Pair):
    """target (log(target) - input), of log-probabilities."""

    function = "kl_div"
