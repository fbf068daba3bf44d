"""The losses as layers: the functions of `functional`, with their options kept."""

from __future__ import annotations

from typing import Any

from ... import nn
from ..tensor import Tensor
from . import functional as F
from .functional.losses import reduction_of
from .module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
]


class _Loss(Module):
    """What losses share: their options are no part of their repr."""

    reduction: str

    def extra_repr(self) -> str:
        """Nothing, as PyTorch tells of losses."""
        return ""

    def _reduction(self, size_average: Any, reduce: Any, reduction: str) -> str:
        return reduction_of(self._get_name(), size_average, reduce, reduction)


class CrossEntropyLoss(_Loss, nn.CrossEntropyLoss):
    """functional.cross_entropy: the loss on scores (n, classes, …) and labels (n, …).

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 4).as_torch()
        >>> y = minitorch.tensor([2], dtype="int64").as_torch()
        >>> round(CrossEntropyLoss()(x, y).item(), 4)
        1.3863
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        word = self._reduction(size_average, reduce, reduction)
        options = weight, ignore_index, word, label_smoothing
        nn.CrossEntropyLoss.__init__(self, *options)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(_Loss, nn.NLLLoss):
    """functional.nll_loss: -log_probabilities of the labels.

    Example:
        >>> import minitorch.torch as torch
        >>> loss = torch.nn.NLLLoss()
        >>> loss(torch.zeros(2, 3), torch.tensor([0, 2])).shape
        torch.Size([])
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        word = self._reduction(size_average, reduce, reduction)
        nn.NLLLoss.__init__(self, weight, ignore_index, word)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss."""
        at, word = self.ignore_index, self.reduction
        return F.nll_loss(input, target, self.weight, ignore_index=at, reduction=word)


class MSELoss(_Loss, nn.MSELoss):
    """functional.mse_loss: (input - target)².

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([1.0, 3.0]).as_torch()
        >>> MSELoss()(x, x * 0).item()
        5.0
    """

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        nn.MSELoss.__init__(self, self._reduction(size_average, reduce, reduction))

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss."""
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss, nn.L1Loss):
    """functional.l1_loss: |input - target|.

    Example:
        >>> import minitorch.torch as torch
        >>> loss = torch.nn.L1Loss()
        >>> loss(torch.rand(4), torch.ones(4)).shape
        torch.Size([])
    """

    def __init__(
        self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
    ) -> None:
        nn.L1Loss.__init__(self, self._reduction(size_average, reduce, reduction))

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss."""
        return F.l1_loss(input, target, reduction=self.reduction)


class BCELoss(_Loss, nn.BCELoss):
    """functional.binary_cross_entropy of probabilities.

    Example:
        >>> import minitorch.torch as torch
        >>> loss = torch.nn.BCELoss()
        >>> loss(torch.rand(4), torch.ones(4)).shape
        torch.Size([])
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        word = self._reduction(size_average, reduce, reduction)
        nn.BCELoss.__init__(self, weight, word)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss."""
        options = {"reduction": self.reduction}
        return F.binary_cross_entropy(input, target, self.weight, **options)


class BCEWithLogitsLoss(_Loss, nn.BCEWithLogitsLoss):
    """functional.binary_cross_entropy_with_logits: of sigmoid(input), no overflow.

    Example:
        >>> import minitorch.torch as torch
        >>> loss = torch.nn.BCEWithLogitsLoss()
        >>> loss(torch.rand(4), torch.ones(4)).shape
        torch.Size([])
    """

    pos_weight: Any

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        word = self._reduction(size_average, reduce, reduction)
        nn.BCEWithLogitsLoss.__init__(self, weight, word)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy_with_logits(
            input,
            target,
            self.weight,
            reduction=self.reduction,
            pos_weight=self.pos_weight,
        )
