"""Owns the activation functions as modules."""

from __future__ import annotations

from ..module import Module
from ..tensor import Tensor
from .fitting import naming


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.relu()


class LeakyReLU(Module):
    """x where it is positive, negative_slope * x elsewhere.

    Example:
        >>> import minitorch
        >>> LeakyReLU(0.5)(minitorch.tensor([-2.0, 3.0])).numpy()
        array([-1.,  3.])
    """

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.relu() - (-x).relu() * self.negative_slope


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


class GELU(Module):
    """x Φ(x), Φ being the normal distribution's: Hendrycks and Gimpel (2016).

    approximate="tanh": x/2 (1 + tanh(sqrt(2/π) (x + 0.044715 x³))).

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.0, 1.0])
        >>> GELU()(x).numpy().round(4), GELU("tanh")(x).numpy().round(4)
        (array([0.    , 0.8413]), array([0.    , 0.8412]))
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        if approximate not in ("none", "tanh"):
            raise ValueError(
                f"[GELU] got approximate {approximate!r}; need 'none' or 'tanh'."
            )
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x._gelu() if self.approximate == "none" else x._gelu_tanh()


class SiLU(Module):
    """x sigmoid(x)."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.silu()


class Softmax(Module):
    """exp(x) / sum(exp(x)) along `dim`, without overflow."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        with naming(f"Softmax({self.dim})", x):
            return x.softmax(self.dim)


class LogSoftmax(Softmax):
    """x - log(sum(exp(x))) along `dim`, without overflow."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        with naming(f"LogSoftmax({self.dim})", x):
            return x.log_softmax(self.dim)


class Identity(Module):
    """x, as it is."""

    def forward(self, x: Tensor) -> Tensor:
        """Gives back its argument."""
        return x
