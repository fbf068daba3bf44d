"""Owns `torch.utils.checkpoint`: calls that PyTorch makes again to save memory.

Here they are made once: results and gradients are the same, memory is not saved.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["checkpoint", "checkpoint_sequential"]

_OPTIONS = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check")


def __dir__() -> list[str]:
    return sorted(__all__)


def checkpoint(function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """Return what the function gives; a warning says that memory is not saved.

    Raises:
        NotImplementedError: `context_fn=` is given, which may change what is computed.
    """
    if options.get("context_fn") is not None:
        raise NotImplementedError(
            "[checkpoint] got context_fn=; need none: nothing is computed twice here."
        )
    warnings.warn(
        "[checkpoint] the function is called once and its values are kept: results "
        "are the same, but no memory is saved.",
        stacklevel=2,
    )
    own = {name: value for name, value in options.items() if name not in _OPTIONS}
    own.pop("debug", None)
    return function(*values, **own)


def checkpoint_sequential(
    functions: Iterable[Callable[[Any], Any]],
    segments: int,
    input: Any,
    **options: Any,
) -> Any:
    """Return what the functions give, one after another, as `checkpoint` does."""

    def all_of_them(value: Any) -> Any:
        for function in functions:
            value = function(value)
        return value

    return checkpoint(all_of_them, input, **options)
