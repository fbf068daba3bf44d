"""Owns the list of optimizers, of limits on gradients and of schedules."""

from __future__ import annotations

from . import lr_scheduler
from .adam import Adam, AdamW
from .adam_kin import Adamax, NAdam, RAdam
from .averaged import ASGD, Rprop
from .clipping import clip_grad_norm_, clip_grad_value_
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .rms import Adadelta, Adagrad, RMSprop
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
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "CosineAnnealingLR",
    "LambdaLR",
    "LinearLR",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "Schedule",
    "StepLR",
    "WarmupCosineLR",
    "clip_grad_norm_",
    "clip_grad_value_",
    "lr_scheduler",
]


def __dir__() -> list[str]:
    return sorted(__all__)
