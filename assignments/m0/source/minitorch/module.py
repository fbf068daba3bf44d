"""Module and Parameter: how the parts of a network are named and collected.

Must not know what a parameter holds, or how it learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Module:
    """A part of a network: parameters, other modules, and a `forward` method.

    Modules form a tree. Assigning a Parameter or a Module to an attribute puts it into
    one of two dictionaries, under the attribute's name:

    - `_parameters`: the parameters of this very module,
    - `_modules`: the modules directly inside it.

    `training` says whether it is being trained.

    Example:
        >>> class Scale(Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = Parameter(3.0)
        ...     def forward(self, x):
        ...         return x * self.factor.value
        >>> Scale()(2.0)
        6.0
    """

    _modules: dict[str, Module]
    _parameters: dict[str, Parameter]
    training: bool

    def __init__(self) -> None:
        self._modules = {}
        self._parameters = {}
        self.training = True

    def modules(self) -> Sequence[Module]:
        """The modules directly inside this one."""
        return list(self.__dict__["_modules"].values())

    def train(self) -> None:
        """Sets `training` of this module and of all below it."""
        ### BEGIN SOLUTION
        self.training = True
        for module in self.modules():
            module.train()
        ### END SOLUTION

    def eval(self) -> None:
        """Clears `training` of this module and of all below it."""
        ### BEGIN SOLUTION
        self.training = False
        for module in self.modules():
            module.eval()
        ### END SOLUTION

    def named_parameters(self) -> Sequence[tuple[str, Parameter]]:
        """All parameters of this module and of those below, with their names.

        A name is the road to the parameter: attribute names with dots between them.
        The module's own parameters come first, then each module's inside, in the order
        in which they were assigned.

        Returns:
            Pairs of a name, such as "body.layer1.weight", and a Parameter.
        """
        ### BEGIN SOLUTION
        found = list(self.__dict__["_parameters"].items())
        for outer, module in self.__dict__["_modules"].items():
            found += [(f"{outer}.{name}", p) for name, p in module.named_parameters()]
        return found
        ### END SOLUTION

    def parameters(self) -> Sequence[Parameter]:
        """The same parameters in the same order, without names."""
        ### BEGIN SOLUTION
        return [parameter for _, parameter in self.named_parameters()]
        ### END SOLUTION

    def add_parameter(self, k: str, v: Any) -> Parameter:
        """Makes a parameter whose name is computed, such as one of a whole row.

        Args:
            k: Its name in this module.
            v: Its value.
        """
        parameter = Parameter(v, k)
        self.__dict__["_parameters"][k] = parameter
        return parameter

    def __setattr__(self, key: str, val: Any) -> None:
        if isinstance(val, Parameter):
            self.__dict__["_parameters"][key] = val
        elif isinstance(val, Module):
            self.__dict__["_modules"][key] = val
        else:
            super().__setattr__(key, val)

    def __getattr__(self, key: str) -> Any:
        # Python asks here for what is no plain attribute; upstream gives None for
        # unknown names, and programs rely on it.
        for kind in ("_parameters", "_modules"):
            kept = self.__dict__.get(kind, {})
            if key in kept:
                return kept[key]
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def __repr__(self) -> str:
        lines = []
        for key, module in self._modules.items():
            lines += f"({key}): {module!r}".splitlines()
        inside = "".join(f"\n  {line}" for line in lines)
        return f"{type(self).__name__}({inside}{chr(10) if inside else ''})"


class Parameter:
    """A value that a module learns: later a Scalar or a tensor, here anything.

    Args:
        x: The value.
        name: What drawings call it.
    """

    def __init__(self, x: Any, name: str | None = None) -> None:
        self.name = name
        self.update(x)

    def update(self, x: Any) -> None:
        """Replaces the value, which then collects a gradient if it can."""
        self.value = x
        if hasattr(x, "requires_grad_"):
            x.requires_grad_(True)
            if self.name:
                x.name = self.name

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)
