"""Owns `torch.distributions`: those that teaching code draws from."""

from __future__ import annotations

from .continuous import Exponential, Normal, Uniform
from .discrete import Bernoulli, Categorical
from .distribution import Distribution, kl_divergence

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Normal",
    "Uniform",
    "kl_divergence",
]


def __dir__() -> list[str]:
    return sorted(__all__)
