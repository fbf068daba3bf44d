"""`torch.distributions`: the categorical distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .pointwise import softmax
from .sampling import multinomial
from .tensor import Size, Tensor

__all__ = ["Categorical"]

_base: Any = _core.Tensor
_EPS = {"float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def __dir__() -> list[str]:
    return sorted(__all__)


class Categorical:
    """Categorical distribution over n classes, with gradients of `log_prob`, `entropy`.

    Args:
        probs: (…, n), 0 or more; divided by their sum.
        logits: Their logarithms, up to a constant, instead.

    Raises:
        ValueError: Both or none are given, or a probability is negative.

    Example:
        >>> import minitorch.torch as torch
        >>> from minitorch.torch.distributions import Categorical
        >>> Categorical(torch.tensor([0.25, 0.75])).log_prob(torch.tensor(1))
        tensor(-0.2877)
    """

    def __init__(self, probs: Any = None, logits: Any = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(
                f"[Categorical] got {'neither' if probs is None else 'both'} of probs "
                "and logits; need exactly one."
            )
        given = probs if logits is None else logits
        if given.ndim < 1:
            raise ValueError(
                "[Categorical] got a 0-dimensional tensor; need shape (…, n)."
            )
        self.batch_shape, self.event_shape = Size(given.shape[:-1]), Size()
        self._shown = "probs" if logits is None else "logits"
        if logits is not None:
            self.logits = logits - _base.logsumexp(logits, -1, True)
            self.probs = softmax(self.logits, -1)
            return
        holds = _base.ge(probs.detach(), 0)
        self._require("probs", probs, holds, "probabilities of 0 or more")
        self.probs = probs / _base.sum(probs, (probs.ndim - 1,), True)
        limit = _EPS.get(self.probs.dtype.name, 2.0**-23)
        self.logits = _base.log(_base.clamp(self.probs, limit, 1 - limit))

    def __repr__(self) -> str:
        given = self.probs if self._shown == "probs" else self.logits
        text = given.item() if given.numel() == 1 else given.shape
        return f"Categorical({self._shown}: {text})"

    def _require(self, name: str, value: Any, holds: Any, need: str) -> None:
        if not bool(_base._all(holds, None, False).item()):
            raise ValueError(
                f"[Categorical] {name} of shape {tuple(value.shape)} has invalid "
                f"elements; need {need}."
            )

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw classes in the shape given, without history."""
        shape = Size(sample_shape)
        rows: Any = self.probs.detach().reshape((-1, self.probs.shape[-1]))
        drawn = multinomial(rows, max(shape.numel(), 1), replacement=True)
        classes: Any = drawn.t()._slice(0, 0, shape.numel(), 1)
        return classes.reshape((*shape, *self.batch_shape))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability of classes."""
        n = self.probs.shape[-1]
        if not isinstance(value, Tensor):
            raise ValueError(
                f"[Categorical] got a value of {type(value).__name__}; need a "
                "torch.Tensor."
            )
        holds = _base.ge(value, 0) & _base.lt(value, n)
        self._require("value", value, holds, f"classes 0 to {n - 1}")
        indices: Any = value._cast(_core.int64).unsqueeze(-1)
        shape = np.broadcast_shapes(tuple(indices.shape), (*self.batch_shape, 1))
        logits = self.logits.expand((*shape[:-1], n))
        return logits.gather(-1, indices.expand(shape)).squeeze(-1)

    def entropy(self) -> Any:
        """Return -sum(p log p) over the classes."""
        return -(self.logits * self.probs).sum(-1)
