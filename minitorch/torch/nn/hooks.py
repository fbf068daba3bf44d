"""Forward hooks of a module, and their handles."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

_numbers = itertools.count()
_Hooks = dict[int, Callable[..., Any]]  # in call order


class RemovableHandle:
    """Handle of a hook; `remove()`, or the end of a `with` block, removes it."""

    def __init__(self, hooks: _Hooks, where: str, hook: Callable[..., Any]) -> None:
        if not callable(hook):
            raise TypeError(f"[{where}] got {type(hook).__name__}; need a function.")
        self.id, self._hooks = next(_numbers), hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Remove the hook."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def call_with_hooks(
    module: Any, before: _Hooks, after: _Hooks, args: tuple[Any, ...], options: Any
) -> Any:
    """Call `module.forward(*args, **options)` between its hooks."""
    for hook in list(before.values()):
        new = hook(module, args)
        if new is not None:
            args = new if isinstance(new, tuple) else (new,)
    result = module.forward(*args, **options)
    for hook in list(after.values()):
        new = hook(module, args, result)
        result = result if new is None else new
    return result
