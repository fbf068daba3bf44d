"""How parameters move down the slope. Must not know what they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .module import Parameter
from .scalar import Scalar


class Optimizer:
    """Keeps the parameters that it is to move."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self.parameters = parameters


class SGD(Optimizer):
    """Moves every parameter by -lr times its derivative.

    Example:
        >>> weight = Parameter(Scalar(3.0))
        >>> optim = SGD([weight], lr=0.5)
        >>> optim.zero_grad()
        >>> (weight.value * weight.value).backward()
        >>> optim.step()
        >>> weight
        Scalar(0.0)
    """

    def __init__(self, parameters: Sequence[Parameter], lr: float = 1.0) -> None:
        super().__init__(parameters)
        self.lr = lr

    def zero_grad(self) -> None:
        """Forgets all derivatives, which would otherwise be added to."""
        for parameter in self.parameters:
            for name in ("derivative", "grad"):
                if getattr(parameter.value, name, None) is not None:
                    setattr(parameter.value, name, None)

    def step(self) -> None:
        """Moves each parameter that has a derivative; its new value is a leaf."""
        for parameter in self.parameters:
            value: Any = parameter.value
            if getattr(value, "derivative", None) is not None:
                parameter.update(Scalar(value.data - self.lr * value.derivative))
            elif getattr(value, "grad", None) is not None:
                moved = value.detach() - self.lr * value.grad.detach()
                parameter.update(moved)
