"""The activation functions as modules."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..functional.math import where
from ..module import Module
from .fitting import naming

__all__ = [
    "GELU",
    "Identity",
    "LeakyReLU",
    "LogSoftmax",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
]


def _switch(layer: str, inplace: Any) -> bool:
    if not isinstance(inplace, bool):
        raise TypeError(f"[{layer}] got inplace {inplace!r}; need True or False.")
    return inplace


class ReLU(Module):
    """max(x, 0).

    `inplace` is taken so that programs for PyTorch run; the result has memory of its
    own all the same, and the numbers are those of PyTorch.

    Example:
        >>> import minitorch
        >>> ReLU(inplace=True)(minitorch.tensor([-1.0, 2.0])).numpy()
        array([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = _switch("ReLU", inplace)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return x.relu()


class LeakyReLU(Module):
    """x where it is positive, negative_slope * x elsewhere; `inplace` as for ReLU.

    The gradient at 0 is negative_slope.

    Example:
        >>> import minitorch
        >>> LeakyReLU(0.5)(minitorch.tensor([-2.0, 3.0])).numpy()
        array([-1.,  3.])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = _switch("LeakyReLU", inplace)

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function."""
        return where(x.gt(0), x, x * self.negative_slope)


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
    """x sigmoid(x); `inplace` as for ReLU."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = _switch("SiLU", inplace)

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
    """x, as it is; takes the arguments of any layer, whose place it keeps.

    Example:
        >>> import minitorch
        >>> Identity(54, bias=False)(minitorch.ones(2)).numpy()
        array([1., 1.])
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        """Gives back its argument."""
        return x
