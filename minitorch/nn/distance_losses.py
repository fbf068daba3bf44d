"""Owns the losses on numbers, margins and angles as modules, and two distances."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional
from ..functional.arguments import require_tensors
from .function_layers import FunctionLayer


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


class PoissonNLLLoss(_Pair):
    """exp(input) - target input."""

    function = "poisson_nll_loss"


class GaussianNLLLoss(_Pair):
    """½ (log(var) + (input - target)² / var)."""

    function = "gaussian_nll_loss"
    inputs = 3


class HingeEmbeddingLoss(_Pair):
    """The distance, or max(0, margin - distance) for -1."""

    function = "hinge_embedding_loss"


class MarginRankingLoss(_Pair):
    """max(0, -target (input1 - input2) + margin)."""

    function = "margin_ranking_loss"
    inputs = 3


class SoftMarginLoss(_Pair):
    """log(1 + exp(-target input))."""

    function = "soft_margin_loss"


class CosineEmbeddingLoss(_Pair):
    """1 - cosine, or max(0, cosine - margin) for -1."""

    function = "cosine_embedding_loss"
    inputs = 3


class TripletMarginLoss(_Pair):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin)."""

    function = "triplet_margin_loss"
    inputs = 3


class TripletMarginWithDistanceLoss(_Pair):
    """The same with another distance, `distance_function`."""

    function = "triplet_margin_with_distance_loss"
    inputs = 3


class MultiMarginLoss(_Pair):
    """max(0, margin - the label's score + another's), summed."""

    function = "multi_margin_loss"


class MultiLabelMarginLoss(_Pair):
    """The same with several labels."""

    function = "multilabel_margin_loss"


class MultiLabelSoftMarginLoss(_Pair):
    """Cross-entropy of each class with logits, averaged."""

    function = "multilabel_soft_margin_loss"


class CosineSimilarity(_Pair):
    """The cosine of the angle of two vectors."""

    function = "cosine_similarity"


class PairwiseDistance(_Pair):
    """The p-norm of x1 - x2 + eps."""

    function = "pairwise_distance"


class CTCLoss(FunctionLayer):
    """functional.ctc_loss: the loss over all alignments of outputs and labels.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log()
        >>> y = minitorch.tensor([[1]], dtype="int64")
        >>> round(CTCLoss(reduction="sum")(x, y, [2], [1]).item(), 4)
        0.2877
    """

    function = "ctc_loss"
    inputs = 4

    def forward(
        self,
        log_probs: Any,
        targets: Any,
        input_lengths: Any,
        target_lengths: Any,
    ) -> Any:
        """Of log-probabilities, targets and the lengths of both."""
        require_tensors("CTCLoss", log_probs, targets)
        lengths = input_lengths, target_lengths
        kept = self.blank, self.reduction, self.zero_infinity
        return functional.ctc_loss(log_probs, targets, *lengths, *kept)
