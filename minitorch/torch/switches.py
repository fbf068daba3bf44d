"""Owns what programs ask and set of the library as a whole: version, threads, order."""

from __future__ import annotations

import os
import warnings
from typing import Any

#: The release of PyTorch whose names and meaning these are.
__version__ = "2.15.0+minitorch"

_asked: dict[str, Any] = {"deterministic": True, "precision": "highest"}


def get_num_threads() -> int:
    """How many threads a large op is shared by: OMP_NUM_THREADS, or all there are.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.get_num_threads() >= 1
        True
    """
    said = os.environ.get("OMP_NUM_THREADS", "")
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    return int(_asked.get("threads", 0)) or int(said or 0) or there or 1


def set_num_threads(int: int) -> None:
    """For programs of PyTorch: noted, but the library decides.

    The environment variable OMP_NUM_THREADS, set before the start, decides for it.

    Raises:
        RuntimeError: Not above 0.
    """
    if int <= 0:
        raise RuntimeError(f"[set_num_threads] got {int}; need an integer above 0.")
    _asked["threads"] = int


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """For programs of PyTorch: noted; sums here have one order anyway."""
    _asked["deterministic"] = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """What was asked for last."""
    return bool(_asked["deterministic"])


def set_float32_matmul_precision(precision: str) -> None:
    """For programs of PyTorch: noted; products are of full precision.

    Raises:
        RuntimeError: None of "highest", "high", "medium".
    """
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(
            f"[set_float32_matmul_precision] got {precision!r}; need 'highest', 'high' "
            "or 'medium'."
        )
    _asked["precision"] = precision


def get_float32_matmul_precision() -> str:
    """What was asked for last."""
    return str(_asked["precision"])


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: Any = None,
    disable: bool = False,
    **more: Any,
) -> Any:
    """For programs of PyTorch: the function or module itself; a warning says so.

    `@torch.compile` and `@torch.compile(mode=...)` work, too.

    Raises:
        NotImplementedError: `backend` is a function, which may change what is computed.

    Example:
        >>> import minitorch.torch as torch
        >>> double = torch.compile(lambda t: t * 2, disable=True)
        >>> double(torch.ones(2))
        tensor([2., 2.])
    """
    if callable(backend):
        raise NotImplementedError(
            f"[compile] got the backend {backend!r}; need a name: a function would "
            "change the program, and nothing calls it here."
        )
    if model is None:
        return lambda function: compile(function, backend=backend, disable=disable)
    if not disable:
        warnings.warn(
            "[compile] nothing is compiled here: the program runs as it is. "
            "minitorch.fuse makes one kernel of a function of elements.",
            stacklevel=2,
        )
    return model
