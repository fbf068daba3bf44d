"""Owns the losses on numbers, margins and angles as modules, and two distances."""

from __future__ import annotations

from typing import ClassVar

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
