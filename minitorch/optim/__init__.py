"""Owns the list of optimizers, of limits on gradients and of schedules."""

from __future__ import annotations

from .adam import Adam, AdamW
from .clipping import clip_grad_norm_, clip_grad_value_
from .optimizer import Optimizer
from .schedules import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    Schedule,
    StepLR,
    WarmupCosineLR,
)
from .sgd import SGD

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "CosineAnnealingLR",
    "LambdaLR",
    "LinearLR",
    "Optimizer",
    "Schedule",
    "StepLR",
    "WarmupCosineLR",
    "clip_grad_norm_",
    "clip_grad_value_",
]


def __dir__() -> list[str]:
    return sorted(__all__)
