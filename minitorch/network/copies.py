"""Copies of a call and its arguments, so that running it changes nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._core import Tensor
from ..cuda.device.sync_debug import sync_debug_mode
from ..module import Module
from ..tensors.interchange import DEVICE_OF_COPIES


@dataclass(frozen=True)
class Call:
    """A callable with its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def copied(self, device: str | None = None) -> Call:
        """Return a copy that shares no tensor, module or list, on `device`.

        What a function's closure holds is not copied: only arguments are.

        Raises:
            TypeError: an argument cannot be copied.
        """
        memo: dict[Any, Any] = {DEVICE_OF_COPIES: device or "cpu"}
        # A memo also keeps what it copied alive, in a list under its own number.
        with sync_debug_mode("default"):  # who explains asked for this wait
            function = self._copy("the call", self.function, memo)
            arguments = [
                self._copy(f"argument {number}", argument, memo)
                for number, argument in enumerate(self.arguments)
            ]
        return Call(function, tuple(arguments))

    @staticmethod
    def _copy(subject: str, value: Any, memo: dict[Any, Any]) -> Any:
        try:
            return copy.deepcopy(value, memo)
        except TypeError as error:
            raise TypeError(
                f"[explain] got {subject}, {type(value).__name__}, which cannot be "
                f"copied ({error}); need modules, tensors, and plain values."
            ) from None

    def roots(self, names: Sequence[str]) -> Iterator[tuple[str, Module]]:
        """Yield the call's modules with their names; "" is the call itself."""
        function = self.function
        if isinstance(function, Module) and not has_own_call(function):
            yield "", function
        elif isinstance(function, Module):
            yield from function.named_children()
        elif isinstance(function, partial):
            yield from _modules_in("argument", [*function.args])
            yield from _modules_in("", function.keywords)
        else:  # a method has an owner, an object that can be called attributes
            yield from _modules_in("self", getattr(function, "__self__", None))
            yield from _modules_in("", getattr(function, "__dict__", {}))
        for number, value in enumerate(self.arguments):
            name = names[number] if number < len(names) else f"argument{number}"
            yield from _modules_in(name, value)


def has_own_call(function: Any) -> bool:
    """Return whether it is a module whose class has its own `__call__`."""
    call = type(function).__call__
    return isinstance(function, Module) and not getattr(call, "calls_forward", False)


def _modules_in(name: str, value: Any) -> Iterator[tuple[str, Module]]:
    if isinstance(value, Module):
        yield name, value
    elif isinstance(value, list | tuple | dict):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from _modules_in(f"{name}.{key}" if name else str(key), part)


def parameters_within(module: Module) -> list[Tensor]:
    """Return the tensors that a module learns, each once."""
    tensors: dict[int, Tensor] = {}
    for parameter in module.parameters():
        if isinstance(parameter.value, Tensor):
            tensors[id(parameter)] = parameter.value
    return list(tensors.values())
