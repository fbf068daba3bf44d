"""Owns the name `torch.utils`: data, and what else PyTorch keeps there."""

from __future__ import annotations

from . import data

__all__ = ["data"]


def __dir__() -> list[str]:
    return sorted(__all__)
