"""Modes of a program: no_grad, inference_mode, `compile`, version, constants.

The switch of history is the core's, one for each thread.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..autograd.function import Recording, is_grad_enabled, set_grad_enabled

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


class _Mode(Recording):
    """Context manager and decorator for one mode; `@name` works as `@name()` does."""

    records = False

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Any = None) -> None:
        super().__init__(self.records)

    def _new(self) -> Recording:
        return type(self)()


class no_grad(_Mode):
    """Context manager and decorator that disables recording of history in this thread.

    Example:
        >>> import minitorch.torch as torch
        >>> with torch.no_grad():
        ...     torch.is_grad_enabled()
        False
        >>> @torch.no_grad
        ... def inside():
        ...     return torch.is_grad_enabled()
        >>> inside(), torch.is_grad_enabled()
        (False, True)
    """


class enable_grad(_Mode):
    """Context manager and decorator that enables recording of history again.

    Example:
        >>> import minitorch.torch as torch
        >>> with torch.no_grad(), torch.enable_grad():
        ...     torch.is_grad_enabled()
        True
    """

    records = True


class inference_mode(Recording):
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

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode is not False
        super().__init__(not self.mode)

    def _new(self) -> Recording:
        return type(self)(self.mode)


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
