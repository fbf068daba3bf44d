"""Owns the check that tensors are tensors. Must not know shapes."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor


def require_tensors(where: str, *needed: Any, optional: tuple[Any, ...] = ()) -> None:
    """TypeError unless all are tensors; the optional ones may be None."""
    for value in (*needed, *(v for v in optional if v is not None)):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"[{where}] got {type(value).__name__}; need a Tensor. Try "
                "minitorch.tensor(...), or .value of a Parameter."
            )
