"""The modules that hold others: Sequential and ModuleList."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..module import Module

__all__ = ["ModuleList", "Sequential"]


class Sequential(Module):
    """Modules one after another, named 0, 1, …, or as an ordered dict names them.

    Example:
        >>> from minitorch.nn import Linear, ReLU
        >>> net = Sequential(Linear(2, 3), ReLU(), Linear(3, 1))
        >>> [name for name, _ in net.named_parameters()]
        ['0.weight', '0.bias', '2.weight', '2.bias']
        >>> len(net), net[-1]
        (3, Linear(3, 1, bias=True))
        >>> net[:2]  # the same modules, not copies
        Sequential(
          (0): Linear(2, 3, bias=True)
          (1): ReLU()
        )
        >>> list(Sequential({"first": Linear(2, 3)}).state_dict())
        ['first.weight', 'first.bias']
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named: Mapping[str, Any] = {str(i): each for i, each in enumerate(modules)}
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            named = modules[0]
        for name, module in named.items():
            _require_module("Sequential", module)
            self.add_module(name, module)

    def append(self, module: Module) -> Sequential:
        """Adds a module at the end; itself."""
        _require_module("Sequential", module)
        self.add_module(str(len(self)), module)
        return self

    def forward(self, x: Any) -> Any:
        """Applies the modules in order."""
        for module in self._modules.values():
            x = module(x)
        return x

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Sequential(dict(list(self.named_children())[index]))
        return self._modules[_name_at("Sequential", self, index)]

    def __setitem__(self, index: int, module: Module) -> None:
        _require_module("Sequential", module)
        self.add_module(_name_at("Sequential", self, index), module)


def _require_module(where: str, module: Any) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"[{where}] got {type(module).__name__}; need a Module.")


def _name_at(where: str, holder: Module, index: Any) -> str:
    """The name of the module at a place, counted from the end if negative."""
    names = list(holder._modules)
    try:
        return names[operator.index(index)]
    except TypeError:
        raise TypeError(
            f"[{where}] got index {index!r}; need an integer or a slice."
        ) from None
    except IndexError:
        raise IndexError(
            f"[{where}] got index {index}; need {-len(names)} to {len(names) - 1}."
        ) from None


class ModuleList(Module):
    """A list of modules, named 0, 1, …, whose parameters are found. It has no forward.

    Example:
        >>> from minitorch.nn import Linear
        >>> layers = ModuleList(Linear(2, 2) for _ in range(2))
        >>> layers.append(Linear(2, 1))
        >>> [name for name, _ in layers.named_parameters()][-1]
        '2.bias'
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> None:
        """Adds a module at the end."""
        _require_module("ModuleList", module)
        setattr(self, str(len(self)), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return ModuleList(list(self._modules.values())[index])
        return self._modules[_name_at("ModuleList", self, index)]

    def __setitem__(self, index: int, module: Module) -> None:
        _require_module("ModuleList", module)
        setattr(self, _name_at("ModuleList", self, index), module)
