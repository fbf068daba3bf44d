"""Modules that hold others: Sequential, ModuleList, ModuleDict and DataParallel."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from ... import nn
from ...functional.arguments import as_integer
from ..cuda import is_available
from ..devices import as_device
from .module import Module

__all__ = ["DataParallel", "ModuleDict", "ModuleList", "Sequential"]


def _place(where: str, index: Any, count: int) -> int:
    """A place counted from the front; IndexError if there is none."""
    try:
        at = operator.index(index)
    except TypeError:
        raise TypeError(
            f"[{where}] got index {index!r}; need an integer or a slice."
        ) from None
    if not -count <= at < count:
        raise IndexError(f"[{where}] got index {at}; need {-count} to {count - 1}.")
    return at % count


def _refill(module: Any, kept: Iterable[Any]) -> None:
    """Names modules anew by their places."""
    module._modules = {str(place): each for place, each in enumerate(kept)}


class _Row(Module):
    """Modules in a row, named by their places: what lists and Sequential share."""

    def _named_at(self, index: Any) -> str:
        return list(self._modules)[_place(self._get_name(), index, len(self))]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: Any, module: Any) -> None:
        setattr(self, self._named_at(index), module)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, module: Any) -> Any:
        """Adds a module at the end; itself."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Self:
        """Adds modules at the end; itself."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"[{self._get_name()}] got {type(modules).__name__}; need a list of "
                "modules."
            )
        for each in list(modules):
            self.append(each)
        return self

    def insert(self, index: int, module: Any) -> Self:
        """Puts a module before the one at a place; those after it move up; itself."""
        count = len(self)
        at = count if index == count else _place(self._get_name(), index, count)
        self.append(module)
        kept = list(self._modules.values())
        _refill(self, [*kept[:at], kept[-1], *kept[at:-1]])
        return self

    def pop(self, index: Any) -> Any:
        """Takes a module out and gives it; those after it move down."""
        found = self._modules[self._named_at(index)]
        del self[index]
        return found

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        gone = names[index] if isinstance(index, slice) else [self._named_at(index)]
        kept = [each for name, each in self._modules.items() if name not in gone]
        _refill(self, kept)


class Sequential(_Row, nn.Sequential):
    """Modules one after another, named 0, 1, …, or as an OrderedDict names them.

    Example:
        >>> from minitorch.torch import nn
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
        Module.__init__(self)
        named: Mapping[str, Any] = {str(i): each for i, each in enumerate(args)}
        if len(args) == 1 and isinstance(args[0], OrderedDict | dict):
            named = args[0]
        for name, each in named.items():
            self.add_module(name, each)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._named_at(index)]

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        gone = names[index] if isinstance(index, slice) else [self._named_at(index)]
        for name in gone:
            delattr(self, name)
        _refill(self, self._modules.values())

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"[Sequential] got {type(other).__name__} to add; need a Sequential."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"[Sequential] got {type(other).__name__} to add; need a Sequential."
            )
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*list(self) * self._times(times))

    def __imul__(self, times: int) -> Self:
        return self.extend(list(self) * (self._times(times) - 1))

    __rmul__ = __mul__

    def _times(self, times: int) -> int:
        times = as_integer("Sequential", "times", times)
        if times <= 0:
            raise ValueError(f"[Sequential] got {times} times; need 1 or more.")
        return times

    def forward(self, input: Any) -> Any:
        """Applies the modules in order."""
        for each in self._modules.values():
            input = each(input)
        return input


class ModuleList(_Row, nn.ModuleList):
    """A list of modules, named 0, 1, …, whose parameters are found. It has no forward.

    Example:
        >>> from minitorch.torch import nn
        >>> layers = ModuleList([nn.Linear(2, 2) for _ in range(2)])
        >>> layers.append(nn.ReLU())
        ModuleList(
          (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)
          (2): ReLU()
        )
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        Module.__init__(self)
        self.extend(() if modules is None else modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._named_at(index)]

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        """Equal neighbours in one line."""
        groups: list[tuple[int, int, str]] = []
        for place, each in enumerate(self):
            text = repr(each)
            if groups and groups[-1][2] == text:
                groups[-1] = (groups[-1][0], place, text)
            else:
                groups.append((place, place, text))
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


class ModuleDict(Module):
    """Modules by name, in the order in which they came. It has no forward.

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
        """Takes all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Takes a module out and gives it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names with their modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds modules of a mapping, or of pairs (name, module).

        Raises:
            TypeError: It is neither.
            ValueError: A pair has another length.
        """
        for name, each in _pairs("ModuleDict", modules):
            self[name] = each


def _pairs(where: str, given: Any) -> list[tuple[Any, Any]]:
    """Names and values of a mapping, of a ModuleDict, or of pairs."""
    if hasattr(given, "items"):
        return list(given.items())
    if not isinstance(given, Iterable):
        raise TypeError(
            f"[{where}] got {type(given).__name__}; need a mapping or pairs."
        )
    pairs = []
    for place, pair in enumerate(given):
        if not isinstance(pair, Iterable) or isinstance(pair, str):
            raise TypeError(
                f"[{where}] got {type(pair).__name__} at place {place}; need a pair."
            )
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(
                f"[{where}] got {len(pair)} values at place {place}; need a pair."
            )
        pairs.append(pair)
    return pairs


class DataParallel(Module):
    """The module, called as it is: there is one device, and a warning says so.

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
            for each in (*(device_ids or ()), output_device):
                if each is not None:
                    as_device("DataParallel", each)
        warnings.warn(
            "[DataParallel] there is one device: batches are not split.", stacklevel=2
        )
        self.module, self.dim = module, dim
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Calls the module."""
        return self.module(*inputs, **options)
