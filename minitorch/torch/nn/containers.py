"""Containers of modules: Sequential, ModuleList, ModuleDict and DataParallel."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from ... import nn
from ..cuda import is_available
from ..devices import as_device
from .module import Module

__all__ = ["DataParallel", "ModuleDict", "ModuleList", "Sequential"]


def _container(holder: Any) -> Any:
    """Return a container class of this dialect, derived from `holder` and Module."""
    body = {"__module__": __name__, "__doc__": holder.__doc__.partition("Example:")[0]}
    return type(holder.__name__, (holder, Module), body)


Sequential = _container(nn.Sequential)
ModuleList = _container(nn.ModuleList)


class ModuleDict(Module):
    """Modules by name, in insertion order. It has no forward.

    Example:
        >>> from minitorch.torch import nn
        >>> choices = ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
        >>> list(choices), choices["tanh"]
        (['relu', 'tanh'], Tanh())
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the pairs (name, module)."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """Return the modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules of a mapping, or of pairs (name, module).

        Raises:
            TypeError: It is neither.
            ValueError: A pair has another length.
        """
        for name, module in dict(modules).items():
            self[name] = module


class DataParallel(Module):
    """Wrapper that calls the module as it is, with a warning: there is one device.

    As in PyTorch, its state dict has the names of the module behind `module.`.

    Raises:
        RuntimeError: `device_ids` names another device than number 0, and there is a
            GPU.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        if is_available():  # without a GPU, PyTorch asks for nothing either
            for wanted in (*(device_ids or ()), output_device):
                if wanted is not None:
                    as_device("DataParallel", wanted)
        warnings.warn(
            "[DataParallel] uses one device: batches are not split.", stacklevel=2
        )
        self.module, self.dim = module, dim
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Call the module."""
        return self.module(*inputs, **options)
