"""Owns the list of PyTorch's schedules, which change each group's rate as epochs go by.

`minitorch.optim.schedules` has simpler ones, of one rate as a function of the step.
"""

from __future__ import annotations

from .combined import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from .cycles import CyclicLR, OneCycleLR
from .rates import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


def __dir__() -> list[str]:
    return sorted(__all__)
