"""Forward hooks of a module, and their handles."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_numbers = itertools.count()


class _Rows(dict[int, Any]):
    """Hooks by number, in call order."""

    __slots__ = ("__weakref__",)


class RemovableHandle:
    """Handle of a hook; `remove()`, or the end of a `with` block, removes it."""

    def __init__(self, kept: _Rows, hook: Any, prepend: bool = False) -> None:
        self.id = next(_numbers)
        self._kept = weakref.ref(kept)
        kept[self.id] = hook
        if prepend:
            for key in [key for key in kept if key != self.id]:
                kept[key] = kept.pop(key)

    def remove(self) -> None:
        """Remove the hook."""
        kept = self._kept()
        if kept is not None:
            kept.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


@dataclass(frozen=True)
class _Registered:
    """Hook and its call options."""

    hook: Callable[..., Any]
    with_kwargs: bool
    always_call: bool = False

    def __call__(self, module: Any, args: Any, options: Any, *result: Any) -> Any:
        given = (module, args, options) if self.with_kwargs else (module, args)
        return self.hook(*given, *result)


@dataclass
class Hooks:
    """Forward hooks of one module."""

    before: _Rows = field(default_factory=_Rows)
    after: _Rows = field(default_factory=_Rows)


def add(
    rows: _Rows, where: str, hook: Any, prepend: bool, *options: bool
) -> RemovableHandle:
    """Register a hook; TypeError unless it is callable."""
    if not callable(hook):
        raise TypeError(f"[{where}] got {type(hook).__name__}; need a function.")
    return RemovableHandle(rows, _Registered(hook, *options), prepend)


def call_with_hooks(
    module: Any, hooks: Hooks, args: tuple[Any, ...], options: Any
) -> Any:
    """Call `module.forward(*args, **options)` between its hooks."""
    after = list(hooks.after.values())
    finished: list[Any] = []
    try:
        args, options = _before(module, hooks, args, options)
        result = module.forward(*args, **options)
        for hook in after:
            finished.append(hook)
            new = hook(module, args, options, result)
            result = result if new is None else new
        return result
    except BaseException:
        for hook in after:
            if hook.always_call and not any(hook is done for done in finished):
                hook(module, args, options, None)
        raise


def _before(
    module: Any, hooks: Hooks, args: tuple[Any, ...], options: Any
) -> tuple[tuple[Any, ...], Any]:
    """Run the forward pre-hooks; return the arguments they leave."""
    for hook in list(hooks.before.values()):
        new = hook(module, args, options)
        if new is None:
            continue
        if not hook.with_kwargs:
            args = new if isinstance(new, tuple) else (new,)
            continue
        if not isinstance(new, tuple) or len(new) != 2:
            raise RuntimeError(
                "[register_forward_pre_hook] a hook with_kwargs returned "
                f"{type(new).__name__}; it must return None or (args, kwargs)."
            )
        args, options = new
    return args, options
