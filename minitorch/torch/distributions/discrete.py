"""Owns the distributions of numbers that can be counted."""

from __future__ import annotations

import math
from typing import Any

from ... import _core
from ..create import rand
from ..draws import multinomial
from ..modes import no_grad
from ..size import Size
from .distribution import Distribution, as_tensors, require_one_of

_Base: Any = _core.Tensor


class Categorical(Distribution):
    """0, 1 … with a probability each.

    Args:
        probs: Probabilities along the last dim, which are divided by their sum; or
        logits: their logarithms, up to a constant.

    Raises:
        ValueError: Both or none is given, or a probability is below 0.

    Example:
        >>> import minitorch.torch as torch
        >>> coin = torch.distributions.Categorical(probs=torch.tensor([1.0, 3.0]))
        >>> coin.probs.tolist(), round(coin.entropy().item(), 4)
        ([0.25, 0.75], 0.5623)
    """

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        require_one_of("Categorical", probs=probs, logits=logits)
        if probs is not None:
            if not bool((probs >= 0).all()):
                raise ValueError("[Categorical] got probs below 0; need 0 or more.")
            self.probs = probs / _Base.sum(probs, -1, True)
            self.logits = _Base.log(_clear_of_ends(self.probs))
        else:
            self.logits = logits - _lse(logits)
            self.probs = _Base.exp(self.logits)
        self.batch_shape = Size.of(self.logits.shape[:-1])

    @property
    def mode(self) -> Any:
        """The likeliest number."""
        return _Base.argmax(self.probs, -1)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Numbers of int64."""
        with no_grad():
            shape = self._shape(sample_shape)
            rows = self.probs.reshape(-1, self.probs.shape[-1])
            count = math.prod(sample_shape)
            drawn = multinomial(rows, count, True)
            return drawn.permute(1, 0).reshape(shape)

    def log_prob(self, value: Any) -> Any:
        """The logits at the numbers."""
        shape = tuple((value + self.logits.sum(-1) * 0).shape)
        places = value.long().expand(shape).unsqueeze(-1)
        wide = self.logits.expand((*shape, self.logits.shape[-1]))
        return wide.gather(-1, places).squeeze(-1)

    def entropy(self) -> Any:
        """-Σ p log p"""
        least = -3.4e38 if self.logits.dtype.itemsize == 4 else -1e308
        return -_Base.sum(self.probs * self.logits.clamp(min=least), -1, False)

    def kl_to(self, other: Any) -> Any:
        """Σ p (log p - log q)"""
        away = self.logits - other.logits
        return _Base.sum(self.probs * away, -1, False)


def _lse(logits: Any) -> Any:
    return _Base.logsumexp(logits, -1, True)


def _clear_of_ends(probs: Any) -> Any:
    """Probabilities that have a finite logarithm."""
    eps = {2: 1e-3, 4: 2**-23, 8: 2**-52}[probs.dtype.itemsize]
    return probs.clamp(eps, 1 - eps)


class Bernoulli(Distribution):
    """1 with a probability, else 0.

    Args:
        probs: The probability of 1; or
        logits: log(p / (1 - p)).

    Example:
        >>> import minitorch.torch as torch
        >>> torch.distributions.Bernoulli(torch.tensor([0.0, 1.0])).sample().tolist()
        [0.0, 1.0]
    """

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        require_one_of("Bernoulli", probs=probs, logits=logits)
        if probs is not None:
            (self.probs,) = as_tensors(probs)
            p = _clear_of_ends(self.probs)
            self.logits = _Base.log(p) - _Base.log(1 - p)
        else:
            (self.logits,) = as_tensors(logits)
            self.probs = _Base.sigmoid(self.logits)
        self.batch_shape = self.probs.shape

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        """0 and 1, of the probabilities' dtype."""
        with no_grad():
            shape = self._shape(sample_shape)
            u = rand(shape, dtype=self.probs.dtype, device=self.probs.device)
            return (u < self.probs).to(self.probs.dtype)

    def log_prob(self, value: Any) -> Any:
        """value log p + (1 - value) log(1 - p)"""
        x = self.logits
        rest = _Base.relu(x) + _Base.log(1 + _Base.exp(-_Base.abs(x)))
        return value * x - rest

    def entropy(self) -> Any:
        """-p log p - (1 - p) log(1 - p)"""
        return -self.probs * self.log_prob(1.0) - (1 - self.probs) * self.log_prob(0.0)

    def kl_to(self, other: Any) -> Any:
        """Of both outcomes."""
        one = self.probs * (self.log_prob(1.0) - other.log_prob(1.0))
        return one + (1 - self.probs) * (self.log_prob(0.0) - other.log_prob(0.0))
