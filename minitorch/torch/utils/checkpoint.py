"""Owns `torch.utils.checkpoint`: calls that PyTorch makes again to save memory.

Here they are made once: results and gradients are the same, memory is not saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["checkpoint", "checkpoint_sequential"]

_OPTIONS = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check")


def __dir__() -> list[str]:
    return sorted(__all__)


def checkpoint(function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """What the function gives; `use_reentrant=` and the like change nothing.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> torch.utils.checkpoint.checkpoint(lambda t: t * 2, x).tolist()
        [2.0, 2.0]
    """
    own = {name: value for name, value in options.items() if name not in _OPTIONS}
    own.pop("debug", None)
    return function(*values, **own)


def checkpoint_sequential(
    functions: Iterable[Callable[[Any], Any]],
    segments: int,
    input: Any,
    **options: Any,
) -> Any:
    """The functions one after another; `segments=` changes nothing."""
    for function in functions:
        input = function(input)
    return input
