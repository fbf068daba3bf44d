"""Owns `torch.special`: names of functions that the package has under others, too."""

from __future__ import annotations

import math

from .._core import Tensor as Base
from .arguments import numpys_names, require_torch
from .arithmetic import xlogy
from .pointwise import (
    digamma,
    erf,
    erfc,
    erfinv,
    exp2,
    expm1,
    lgamma,
    log1p,
    log_softmax,
    logit,
    round,
    sigmoid,
    sinc,
    softmax,
)
from .tensor import Tensor

expit, gammaln, psi = sigmoid, lgamma, digamma


@numpys_names
def ndtr(input: Tensor) -> Tensor:
    """The part of the normal distribution below x.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.special.ndtr(torch.tensor([0.0]))
        tensor([0.5000])
    """
    require_torch("special.ndtr", input)
    return Base.erfc(input * -math.sqrt(0.5)) * 0.5  # type: ignore


@numpys_names
def entr(input: Tensor) -> Tensor:
    """-x log x: 0 at 0, -inf below.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.special.entr(torch.tensor([0.0, 1.0, -1.0])).tolist()
        [-0.0, -0.0, -inf]
    """
    require_torch("special.entr", input)
    made = -xlogy(input, input)
    return Base._where(Base.lt(input, 0), -math.inf, made)  # type: ignore


__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "log1p",
    "log_softmax",
    "logit",
    "ndtr",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlogy",
]
