"""Data sets, and what hands them out in batches.

MiniTorch's six sets of points are `minitorch.datasets`.
"""

from __future__ import annotations

from .digits import load_digits
from .idx import read_idx
from .loader import ArrayDataset, DataLoader, collate
from .mnist import load_mnist
from .progress import progress
from .split import Split

__all__ = [
    "ArrayDataset",
    "DataLoader",
    "Split",
    "collate",
    "load_digits",
    "load_mnist",
    "progress",
    "read_idx",
]


def __dir__() -> list[str]:
    return sorted(__all__)
