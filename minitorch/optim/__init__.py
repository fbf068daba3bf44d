"""Optimizers, limits on gradients and schedules of the learning rate."""

from __future__ import annotations

from . import lr_scheduler, optimizers
from .clipping import clip_grad_norm_, clip_grad_value_
from .lr_scheduler import *
from .optimizer import Optimizer
from .optimizers import *

__all__ = [
    *lr_scheduler.__all__,
    *optimizers.__all__,
    "Optimizer",
    "clip_grad_norm_",
    "clip_grad_value_",
    "lr_scheduler",
]


def __dir__() -> list[str]:
    return sorted(__all__)
