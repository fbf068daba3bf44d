"""Modes of a program: no_grad, inference_mode, `compile`, version, constants.

The switch of history is the core's, one for each thread.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..autograd.function import (
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "compile",
    "e",
    "enable_grad",
    "inf",
    "inference_mode",
    "is_grad_enabled",
    "nan",
    "no_grad",
    "pi",
    "set_grad_enabled",
]


def __dir__() -> list[str]:
    return sorted(__all__)


#: The release of PyTorch whose names and meaning these are.
__version__ = "2.15.0+minitorch"

pi, e, inf, nan = math.pi, math.e, math.inf, math.nan


def inference_mode(mode: Any = True) -> Any:
    """Context manager and decorator as `no_grad`, recommended for evaluation.

    In PyTorch what was made in the block may not take part in a graph later; here it
    may, as a constant.

    Args:
        mode: False leaves the block with history, as `enable_grad`.

    Example:
        >>> import minitorch.torch as torch
        >>> with torch.inference_mode():
        ...     torch.is_grad_enabled()
        False
    """
    if not isinstance(mode, bool):
        return no_grad(mode)
    return no_grad() if mode else enable_grad()


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
    """Return the function or module unchanged, with a warning.

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
            f"[compile] got the backend {backend!r}; need a name. minitorch does not "
            "compile the program, so it would never call a function."
        )
    if model is None:
        return lambda function: compile(function, backend=backend, disable=disable)
    if not disable:
        warnings.warn(
            "[compile] does nothing in minitorch: the program runs uncompiled. "
            "minitorch.fuse compiles an elementwise function into one kernel.",
            stacklevel=2,
        )
    return model
