"""The switches of history: blocks and decorators, as PyTorch names them.

The switch itself is the core's, one for each thread.
"""

from __future__ import annotations

import threading
from typing import Any

from ..autograd.function import Recording, is_grad_enabled, set_grad_enabled

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


def __dir__() -> list[str]:
    return sorted(__all__)


class _Mode(Recording):
    """A block or decorator with one meaning; `@name` works as `@name()` does."""

    records = False

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Any = None) -> None:
        super().__init__(self.records)

    def _again(self) -> Recording:
        return type(self)()


class no_grad(_Mode):
    """A `with` block of this thread, or a decorator, where no history is recorded.

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
    """A `with` block of this thread, or a decorator, where history is recorded again.

    Example:
        >>> import minitorch.torch as torch
        >>> with torch.no_grad(), torch.enable_grad():
        ...     torch.is_grad_enabled()
        True
    """

    records = True


class _Inference(threading.local):
    on = False


_inference = _Inference()


class inference_mode(Recording):
    """`no_grad` under the name that PyTorch recommends for evaluation.

    In PyTorch what was made in the block may not take part in a graph later; here it
    may, as a constant.

    Args:
        mode: False leaves the block with history, as `enable_grad`.

    Example:
        >>> import minitorch.torch as torch
        >>> with torch.inference_mode():
        ...     torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        (False, True)
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode is not False
        super().__init__(not self.mode)
        self._were: list[bool] = []

    def _again(self) -> Recording:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        super().__enter__()
        self._were.append(_inference.on)
        _inference.on = self.mode

    def __exit__(self, *error: object) -> None:
        _inference.on = self._were.pop()
        super().__exit__(*error)


def is_inference_mode_enabled() -> bool:
    """Is this thread inside a block of `inference_mode`?"""
    return _inference.on
