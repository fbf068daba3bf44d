"""Owns the optimizers: how parameters follow their gradients."""

from __future__ import annotations

from collections.abc import Iterable

from .function import no_grad
from .module import Parameter
from .scalar import Scalar
from .tensor import Tensor


class Optimizer:
    """Holds the parameters that it updates: of tensors, or of Scalars."""

    def __init__(self, parameters: Iterable[Parameter | Tensor]) -> None:
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError(
                "[Optimizer] got no parameters; need at least one. Does the module "
                "register any?"
            )

    def _tensors(self) -> list[Tensor]:
        held = (p.value if isinstance(p, Parameter) else p for p in self.parameters)
        return [value for value in held if isinstance(value, Tensor)]

    def _scalars(self) -> list[Parameter]:
        return [
            p
            for p in self.parameters
            if isinstance(p, Parameter) and isinstance(p.value, Scalar)
        ]

    def zero_grad(self) -> None:
        """Forgets all gradients."""
        for tensor in self._tensors():
            tensor.grad = None
        for parameter in self._scalars():
            parameter.zero_grad()

    def step(self) -> None:
        """Changes the parameters; subclasses define how."""
        raise NotImplementedError(f"[{type(self).__name__}] need a method step.")


class SGD(Optimizer):
    """Stochastic gradient descent: p = p - lr * gradient.

    A tensor keeps its place and gets new numbers; a Parameter of a Scalar gets a new
    Scalar, which has no derivative yet.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([3.0], requires_grad=True)
        >>> (x * x).backward()
        >>> SGD([x], lr=0.5).step()
        >>> x.item()
        0.0
    """

    def __init__(
        self, parameters: Iterable[Parameter | Tensor], lr: float = 1.0
    ) -> None:
        super().__init__(parameters)
        self.lr = lr

    def step(self) -> None:
        """Moves every parameter that has a gradient against it."""
        with no_grad():
            for tensor in self._tensors():
                if tensor.grad is not None:
                    tensor._assign(tensor - self.lr * tensor.grad)
        for parameter in self._scalars():
            scalar = parameter.value
            if scalar.derivative is not None:
                parameter.update(Scalar(scalar.data - self.lr * scalar.derivative))
