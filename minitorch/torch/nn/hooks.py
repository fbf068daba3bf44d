"""Hooks around the call of a module, and their handles."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ... import _core
from ...autograd.function import Function
from ...functional.indexing import cat, split
from ..tensor import Tensor

Hook = Callable[..., Any]

_numbers = itertools.count()


class RemovableHandle:
    """Handle of a hook; `remove()`, or the end of a `with` block, removes it."""

    def __init__(self, kept: dict[int, Any], hook: Any, prepend: bool = False) -> None:
        self.id = next(_numbers)
        self._kept = weakref.ref(kept) if isinstance(kept, _Rows) else lambda: kept
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


class _Rows(dict[int, Any]):
    """Hooks by number, in call order."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True)
class _Registered:
    """Hook and its call options."""

    hook: Hook
    with_kwargs: bool = False
    always_call: bool = False


@dataclass
class Hooks:
    """Hooks of one module."""

    before: _Rows = field(default_factory=_Rows)
    after: _Rows = field(default_factory=_Rows)
    back_before: _Rows = field(default_factory=_Rows)
    back: _Rows = field(default_factory=_Rows)

    def __bool__(self) -> bool:
        return bool(self.before or self.after or self.back_before or self.back)


def add(
    rows: _Rows,
    where: str,
    hook: Any,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Register a hook; TypeError unless it is callable."""
    if not callable(hook):
        raise TypeError(f"[{where}] got {type(hook).__name__}; need a function.")
    return RemovableHandle(
        rows, _Registered(hook, bool(with_kwargs), bool(always_call)), bool(prepend)
    )


def call_with_hooks(
    module: Any, hooks: Hooks, args: tuple[Any, ...], options: Any
) -> Any:
    """Call `module.forward(*args, **options)` between its hooks."""
    after = list(hooks.after.values())
    finished: list[Any] = []
    try:
        args, options = _before(module, hooks, args, options)
        trip = _BackwardHooks(module, hooks)
        result = module.forward(*trip.observe_inputs(args), **options)
        for entry in after:
            finished.append(entry)
            given = (module, args, options) if entry.with_kwargs else (module, args)
            new = entry.hook(*given, result)
            result = result if new is None else new
        return trip.observe_outputs(result)
    except BaseException:
        for entry in after:
            if entry.always_call and not any(entry is done for done in finished):
                given = (module, args, options) if entry.with_kwargs else (module, args)
                entry.hook(*given, None)
        raise


def _before(
    module: Any, hooks: Hooks, args: tuple[Any, ...], options: Any
) -> tuple[tuple[Any, ...], Any]:
    """Run the forward pre-hooks; return the arguments they leave."""
    for entry in list(hooks.before.values()):
        if not entry.with_kwargs:
            new = entry.hook(module, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
            continue
        new = entry.hook(module, args, options)
        if new is None:
            continue
        if not isinstance(new, tuple) or len(new) != 2:
            raise RuntimeError(
                f"[register_forward_pre_hook] got {type(new).__name__} from a hook "
                "with_kwargs; need None or (args, kwargs)."
            )
        args, options = new
    return args, options


class _GradientHook(Function):
    """Identity whose gradient passes through a function."""

    @staticmethod
    def forward(ctx: Any, x: Any, adjust: Callable[[Any], Any]) -> Any:
        ctx.adjust = adjust
        return x.detach()

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return ctx.adjust(gradient), None


def _through(tensors: list[Any], adjust: Callable[[Any], Any]) -> list[Any]:
    """Return the tensors; their gradients go through `adjust` together, once."""
    if len(tensors) == 1:
        (x,) = tensors
        return [_GradientHook.apply(x, lambda g: adjust((g,))[0])]
    shapes = [x.shape for x in tensors]
    sizes = [x.numel() for x in tensors]

    def adjust_row(row: Any) -> Any:
        parts = zip(split(row, sizes), shapes, strict=True)
        gradients = adjust(tuple(part._reshape(shape) for part, shape in parts))
        return cat([part._reshape((-1,)) for part in gradients])

    row = _GradientHook.apply(cat([x._reshape((-1,)) for x in tensors]), adjust_row)
    parts = zip(split(row, sizes), tensors, strict=True)
    return [part._reshape(x.shape)._cast(x.dtype) for part, x in parts]


class _BackwardHooks:
    """Backward hooks around one call: gradients of its results and arguments."""

    def __init__(self, module: Any, hooks: Hooks) -> None:
        self._module = module
        self._before = list(hooks.back_before.values())
        self._hooks = list(hooks.back.values())
        self._of_results: tuple[Any, ...] = ()
        self._waits = False  # for the gradients of arguments

    def observe_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments, with their gradients observed."""
        indices = _differentiable(args) if self._hooks else []
        if not indices:
            return args
        self._waits = True

        def adjust(gradients: tuple[Any, ...]) -> tuple[Any, ...]:
            aligned: list[Any] = [None] * len(args)
            for index, gradient in zip(indices, gradients, strict=True):
                aligned[index] = gradient
            answers = self._call(tuple(aligned))
            return tuple(answers[index] for index in indices)

        new = list(args)
        for index, x in zip(
            indices, _through([args[p] for p in indices], adjust), strict=True
        ):
            new[index] = x
        return tuple(new)

    def observe_outputs(self, result: Any) -> Any:
        """Return the result, with its gradient observed."""
        if not (self._hooks or self._before):
            return result
        single = not isinstance(result, tuple | list)
        parts = [result] if single else list(result)
        indices = _differentiable(tuple(parts))
        if not indices:
            return result

        def adjust(gradients: tuple[Any, ...]) -> tuple[Any, ...]:
            aligned: list[Any] = [None] * len(parts)
            for index, gradient in zip(indices, gradients, strict=True):
                aligned[index] = gradient
            self._of_results = self._begin(tuple(aligned))
            if not self._waits:
                self._call((None,))
            return tuple(self._of_results[index] for index in indices)

        new = _through([parts[p] for p in indices], adjust)
        for index, x in zip(indices, new, strict=True):
            parts[index] = x
        return parts[0] if single else type(result)(parts)

    def _begin(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        for entry in self._before:
            gradients = _replaced(entry.hook(self._module, gradients), gradients)
        return gradients

    def _call(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        for entry in self._hooks:
            new = entry.hook(self._module, gradients, self._of_results)
            gradients = _replaced(new, gradients)
        return gradients


def _differentiable(values: tuple[Any, ...]) -> list[int]:
    """Return the indices of tensors that will get a gradient."""
    if not _core.grad_enabled():
        return []
    return [
        index
        for index, value in enumerate(values)
        if isinstance(value, Tensor) and value.requires_grad
    ]


def _replaced(new: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the gradients that a hook returned; `old` if it returned None."""
    if new is None:
        return old
    replacement = new if isinstance(new, tuple) else (new,)
    if len(replacement) != len(old):
        raise RuntimeError(
            f"[register_full_backward_hook] got {len(replacement)} gradients from a "
            f"hook; need {len(old)}, or None to leave them."
        )
    return replacement
