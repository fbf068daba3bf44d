"""Owns the normal and the uniform distribution."""

from __future__ import annotations

import math
from typing import Any

from ... import _core
from ..create import rand, randn
from .distribution import Distribution, as_tensors


class Normal(Distribution):
    """The normal distribution.

    Args:
        loc: The mean.
        scale: The standard deviation.

    Raises:
        ValueError: `scale` is not above 0.

    Example:
        >>> import minitorch.torch as torch
        >>> normal = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
        >>> normal.sample((3,)).shape, round(normal.log_prob(1.0)[0].item(), 4)
        (torch.Size([3, 2]), -1.4189)
    """

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        self.loc, self.scale = as_tensors(loc, scale)
        if not bool((self.scale > 0).all()):
            raise ValueError("[Normal] got a scale that is not above 0; need above 0.")
        self.batch_shape = self.loc.shape

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale * self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """loc + scale z with z of the standard normal distribution."""
        z = randn(
            self._shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device
        )
        return self.loc + self.scale * z

    def log_prob(self, value: Any) -> Any:
        """-(value - loc)² / 2 scale² - log(scale sqrt(2 π))"""
        away = (value - self.loc) / self.scale
        base = _core.Tensor.log(self.scale) + math.log(math.sqrt(2 * math.pi))
        return -(away * away) / 2 - base

    def entropy(self) -> Any:
        """log(scale sqrt(2 π e))"""
        return _core.Tensor.log(self.scale) + (0.5 + 0.5 * math.log(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        """(1 + erf((value - loc) / scale sqrt(2))) / 2"""
        away = (value - self.loc) / (self.scale * math.sqrt(2))
        return (1 + _core.Tensor.erf(away)) / 2

    def kl_to(self, other: Any) -> Any:
        """The divergence of two normal distributions."""
        ratio = self.scale / other.scale
        ratio = ratio * ratio
        away = (self.loc - other.loc) / other.scale
        return (ratio + away * away - 1 - _core.Tensor.log(ratio)) / 2


class Uniform(Distribution):
    """Each number from `low` to `high` alike.

    Raises:
        ValueError: `low` is not below `high`.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.distributions.Uniform(0.0, 2.0).mean.item()
        1.0
    """

    def __init__(self, low: Any, high: Any, validate_args: Any = None) -> None:
        self.low, self.high = as_tensors(low, high)
        if not bool((self.low < self.high).all()):
            raise ValueError("[Uniform] got low that is not below high; need below.")
        self.batch_shape = self.low.shape

    mean = property(lambda self: (self.low + self.high) / 2)
    variance = property(lambda self: (self.high - self.low) ** 2 / 12)
    stddev = property(lambda self: (self.high - self.low) / math.sqrt(12))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """low + (high - low) u with u from 0 to 1."""
        shape = self._shape(sample_shape)
        u = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + (self.high - self.low) * u

    def log_prob(self, value: Any) -> Any:
        """-log(high - low) inside, -inf outside."""
        inside = (value >= self.low) & (value < self.high)
        return _core.Tensor.log(inside.to(self.low.dtype)) - self.entropy()

    def entropy(self) -> Any:
        """log(high - low)"""
        return _core.Tensor.log(self.high - self.low)

    def cdf(self, value: Any) -> Any:
        """The share of the way from low to high."""
        share = (value - self.low) / (self.high - self.low)
        return share.clamp(0, 1)


class Exponential(Distribution):
    """Waiting times of what happens `rate` times in a unit of time.

    Raises:
        ValueError: `rate` is not above 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.distributions.Exponential(2.0).mean.item()
        0.5
    """

    def __init__(self, rate: Any, validate_args: Any = None) -> None:
        (self.rate,) = as_tensors(rate)
        if not bool((self.rate > 0).all()):
            raise ValueError(
                "[Exponential] got a rate that is not above 0; need above 0."
            )
        self.batch_shape = self.rate.shape

    mean = property(lambda self: 1 / self.rate)
    stddev = property(lambda self: 1 / self.rate)
    variance = property(lambda self: 1 / (self.rate * self.rate))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """-log(1 - u) / rate with u from 0 to 1."""
        shape = self._shape(sample_shape)
        u = rand(shape, dtype=self.rate.dtype, device=self.rate.device)
        return -_core.Tensor.log(1 - u) / self.rate

    def log_prob(self, value: Any) -> Any:
        """log(rate) - rate value"""
        return _core.Tensor.log(self.rate) - self.rate * value

    def entropy(self) -> Any:
        """1 - log(rate)"""
        return 1 - _core.Tensor.log(self.rate)

    def cdf(self, value: Any) -> Any:
        """1 - exp(-rate value)"""
        return 1 - _core.Tensor.exp(-self.rate * value)
