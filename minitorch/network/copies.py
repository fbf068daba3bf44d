"""Copies of a call and its arguments, so that running it changes nothing else."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pickle import PickleError
from typing import Any

from ..cuda.device.sync_debug import sync_debug_mode
from ..module import Module
from ..tensors.interchange import DEVICE_OF_COPIES


@dataclass(frozen=True)
class Call:
    """A callable with its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def copied(self, device: str, where: str = "explain") -> Call:
        """Return a copy that shares no tensor, module or list.

        What a function's closure holds is not copied: only arguments are.

        Args:
            device: where its tensors are to be; "same": each where it is.
            where: for messages.

        Raises:
            TypeError: an argument cannot be copied.
        """
        memo: dict[Any, Any] = {DEVICE_OF_COPIES: device}
        # A memo also keeps what it copied alive, in a list under its own number.
        with sync_debug_mode("default"):  # who explains asked for this wait
            try:
                function, arguments = copy.deepcopy(
                    (self.function, self.arguments), memo
                )
            except (TypeError, ValueError, RuntimeError, PickleError) as error:
                raise TypeError(
                    f"[{where}] cannot copy the arguments of {self.name}: {error}. "
                    "Pass modules, tensors and plain values."
                ) from None
        return Call(function, arguments)

    @property
    def name(self) -> str:
        """Class of a module, or name of a function."""
        kind = type(self.function).__name__
        if isinstance(self.function, Module):
            return kind
        return str(getattr(self.function, "__name__", kind))

    def modules(self) -> Iterator[tuple[str, Module]]:
        """Yield the call's modules and all within them, each once, with their dotted
        names; "" is the call itself.
        """
        known: set[int] = set()
        for name, root in self._roots():
            yield from modules_within(name, root, known)

    def _roots(self) -> Iterator[tuple[str, Module]]:
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
        names = _parameter_names(function)
        for number, value in enumerate(self.arguments):
            name = names[number] if number < len(names) else f"argument{number}"
            yield from _modules_in(name, value)


def modules_within(
    name: str, module: Module | None, known: set[int]
) -> Iterator[tuple[str, Module]]:
    """Yield a module and those within it that are not known, with dotted names."""
    if module is None or id(module) in known:
        return
    known.add(id(module))
    yield name, module
    for part, inner in module._modules.items():
        yield from modules_within(f"{name}.{part}" if name else part, inner, known)


def _parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters, or [] if unknown."""
    if isinstance(function, Module):
        return []
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    return [parameter.name for parameter in parameters if parameter.kind in kinds]


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
