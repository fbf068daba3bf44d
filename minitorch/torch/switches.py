"""`__version__`, the constants, and `compile`."""

from __future__ import annotations

import math
import warnings
from typing import Any

__all__ = ["compile", "e", "inf", "nan", "pi"]

#: The release of PyTorch whose names and meaning these are.
__version__ = "2.15.0+minitorch"

pi, e, inf, nan = math.pi, math.e, math.inf, math.nan


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
