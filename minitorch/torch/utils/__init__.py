"""Owns the name `torch.utils`: data, and what else PyTorch keeps there."""

from __future__ import annotations

from . import checkpoint, data

__all__ = ["checkpoint", "data"]


def __dir__() -> list[str]:
    return sorted(__all__)
