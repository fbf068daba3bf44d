"""What `minitorch.datasets` offers."""

from __future__ import annotations

from .points import Graph, circle, datasets, diag, make_pts, simple, spiral, split, xor

__all__ = [
    "Graph",
    "circle",
    "datasets",
    "diag",
    "make_pts",
    "simple",
    "spiral",
    "split",
    "xor",
]


def __dir__() -> list[str]:
    return sorted(__all__)
