"""Modules that contain others: Sequential and ModuleList."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from .._core import FitError
from ..module import Module

__all__ = ["ModuleList", "Sequential"]


def _position(where: str, index: Any, count: int) -> int:
    """Return a non-negative position. Raises IndexError if it is out of range."""
    try:
        position = operator.index(index)
    except TypeError:
        raise TypeError(
            f"[{where}] got index {index!r}; need an integer or a slice."
        ) from None
    if not -count <= position < count:
        raise IndexError(
            f"[{where}] got index {position}; need {-count} to {count - 1}."
        )
    return position % count


def _refill(module: Any, kept: Iterable[Any]) -> None:
    """Rename modules by their positions."""
    module._modules = {str(index): module_ for index, module_ in enumerate(kept)}


class _Row(Module):
    """Modules in a row, named by position: base of ModuleList and Sequential."""

    def _named_at(self, index: Any) -> str:
        return list(self._modules)[_position(self._get_name(), index, len(self))]

    def _add(self, name: str, module: Any) -> None:
        if not isinstance(module, Module | None):
            raise TypeError(
                f"[{self._get_name()}] got {type(module).__name__}; need an nn.Module."
            )
        self.add_module(name, module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: Any, module: Any) -> None:
        self._add(self._named_at(index), module)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Any) -> Any:
        """Append a module; return self."""
        self._add(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Self:
        """Append modules; return self."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"[{self._get_name()}] got {type(modules).__name__}; need a list of "
                "modules."
            )
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Any) -> Self:
        """Insert a module before a position; return self."""
        count = len(self)
        position = (
            count if index == count else _position(self._get_name(), index, count)
        )
        self.append(module)
        kept = list(self._modules.values())
        _refill(self, [*kept[:position], kept[-1], *kept[position:-1]])
        return self

    def pop(self, index: Any) -> Any:
        """Remove and return a module; those after it move down."""
        module = self._modules[self._named_at(index)]
        del self[index]
        return module

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        gone = names[index] if isinstance(index, slice) else [self._named_at(index)]
        kept = [module for name, module in self._modules.items() if name not in gone]
        _refill(self, kept)


class Sequential(_Row):
    """Modules one after another, named 0, 1, …, or as a mapping names them.

    Example:
        >>> from minitorch import nn
        >>> net = Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> net
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
        >>> net[:1]  # the same modules, not copies
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named: Mapping[str, Any] = {str(i): module for i, module in enumerate(args)}
        if len(args) == 1 and isinstance(args[0], Mapping):
            named = args[0]
        for name, module in named.items():
            self._add(name, module)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return self._modules[self._named_at(index)]

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        gone = names[index] if isinstance(index, slice) else [self._named_at(index)]
        for name in gone:
            delattr(self, name)
        _refill(self, self._modules.values())

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise FitError(
                f"[Sequential] cannot add {type(other).__name__}; need another "
                "Sequential."
            )
        return type(self)(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        if not isinstance(other, Sequential):
            raise FitError(
                f"[Sequential] cannot add {type(other).__name__}; need another "
                "Sequential."
            )
        return self.extend(other)

    def forward(self, input: Any) -> Any:
        """Apply the modules in order."""
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Row):
    """A list of modules, named 0, 1, …, whose parameters are found. It has no forward.

    Example:
        >>> from minitorch import nn
        >>> layers = ModuleList([nn.Linear(2, 2) for _ in range(2)])
        >>> layers.append(nn.ReLU())
        ModuleList(
          (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)
          (2): ReLU()
        )
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._named_at(index)]

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return type(self)([*self, *other])

    def __repr__(self) -> str:
        """Return the modules as text, with equal neighbours on one line."""
        groups: list[tuple[int, int, str]] = []
        for index, module in enumerate(self):
            text = repr(module)
            if groups and groups[-1][2] == text:
                groups[-1] = (groups[-1][0], index, text)
            else:
                groups.append((index, index, text))
        if not groups:
            return f"{self._get_name()}()"
        lines = [
            f"({first}): {text}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in groups
        ]
        inside = "\n".join(lines).replace("\n", "\n  ")
        return f"{self._get_name()}(\n  {inside}\n)"
