"""Owns the modules that hold others: Sequential and ModuleList."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..module import Module


class Sequential(Module):
    """Modules one after another, named 0, 1, ….

    Example:
        >>> from minitorch.nn import Linear, ReLU
        >>> net = Sequential(Linear(2, 3), ReLU(), Linear(3, 1))
        >>> [name for name, _ in net.named_parameters()]
        ['0.weight', '0.bias', '2.weight', '2.bias']
        >>> len(net), net[-1]
        (3, Linear(3, 1, bias=True))
    """

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        for i, module in enumerate(modules):
            setattr(self, str(i), module)

    def forward(self, x: Any) -> Any:
        """Applies the modules in order."""
        for module in self.modules():
            x = module(x)
        return x

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules())

    def __getitem__(self, index: int) -> Module:
        return self.modules()[index]


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
        if not isinstance(module, Module):
            raise TypeError(f"[ModuleList] got {type(module).__name__}; need a Module.")
        setattr(self, str(len(self)), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules())

    def __getitem__(self, index: int) -> Module:
        return self.modules()[index]
