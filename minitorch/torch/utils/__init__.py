"""`torch.utils`: data."""

from __future__ import annotations

from . import data

__all__ = ["data"]


def __dir__() -> list[str]:
    return sorted(__all__)
