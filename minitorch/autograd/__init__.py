"""Gradients on request, and functions with a gradient of their own."""

from __future__ import annotations

from .engine import backward, detect_anomaly, grad
from .function import Function

__all__ = ["Function", "backward", "detect_anomaly", "grad"]


def __dir__() -> list[str]:
    return sorted(__all__)
