"""Owns the layers and losses of networks, built from tensors alone."""

from __future__ import annotations

import math
from typing import Any

from .create import rand
from .module import Module, Parameter
from .tensor import Tensor


class Linear(Module):
    """x @ weight.T + bias: (n, in_features) -> (n, out_features).

    Both start uniform in ±1/sqrt(in_features), as PyTorch's do.

    Example:
        >>> import minitorch
        >>> Linear(3, 2)(minitorch.zeros(4, 3)).shape
        (4, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        dtype: Any = None,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        if in_features < 1 or out_features < 1:
            raise ValueError(
                f"[Linear] got {in_features} and {out_features} features; need 1 or "
                "more each."
            )
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(in_features)

        def start(*shape: int) -> Parameter:
            unit = rand(*shape, dtype=dtype, device=device)
            return Parameter((unit * (2 * bound) - bound).detach())

        self.weight = start(out_features, in_features)
        self.has_bias = bias
        if bias:
            self.bias = start(out_features)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the layer."""
        # (n, in) @ (in, out) -> (n, out)
        out: Tensor = x @ self.weight.value.permute(1, 0)
        return out + self.bias.value if self.has_bias else out

    def __repr__(self) -> str:
        return f"Linear({self.in_features}, {self.out_features}, bias={self.has_bias})"


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.relu()


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.sigmoid()


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.tanh()


class Sequential(Module):
    """Modules one after another, named 0, 1, ….

    Example:
        >>> import minitorch
        >>> net = Sequential(Linear(2, 3), ReLU(), Linear(3, 1))
        >>> [name for name, _ in net.named_parameters()]
        ['0.weight', '0.bias', '2.weight', '2.bias']
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


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow.

    Example:
        >>> import minitorch
        >>> softmax(minitorch.tensor([[0.0, 0.0]]), 1).numpy()
        array([[0.5, 0.5]])
    """
    return input.log_softmax(dim).exp()


def logsoftmax(input: Tensor, dim: int) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow.

    Example:
        >>> import minitorch
        >>> logsoftmax(minitorch.tensor([[1000.0, 0.0]]), 1).numpy()
        array([[    0., -1000.]])
    """
    return input.log_softmax(dim)


def nll_loss(log_probabilities: Tensor, labels: Tensor) -> Tensor:
    """Mean of -log_probabilities[i, labels[i]].

    Args:
        log_probabilities: (n, classes).
        labels: (n,), integers 0 to classes - 1 of any dtype.

    Returns:
        Shape (1,).

    Raises:
        ValueError: The shapes do not fit.
        IndexError: A label lies outside the classes.

    Example:
        >>> import minitorch
        >>> nll_loss(minitorch.tensor([[-1.0, -2.0]]), minitorch.tensor([1])).item()
        2.0
    """
    return log_probabilities._nll_loss(labels)


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """nll_loss(log_softmax(logits), labels), as one function.

    Example:
        >>> import minitorch
        >>> x = minitorch.zeros(1, 4)
        >>> round(cross_entropy(x, minitorch.tensor([2])).item(), 4)
        1.3863
    """
    return logits._cross_entropy(labels)
