"""The activation functions as modules."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from ..module import Module
from .fitting import naming
from .function_layers import FunctionLayer

__all__ = [
    "ELU",
    "GELU",
    "Identity",
    "LeakyReLU",
    "LogSoftmax",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
]


class ReLU(FunctionLayer):
    """max(x, 0); `inplace` puts the result into the input's memory.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([-1.0, 2.0])
        >>> ReLU(inplace=True)(x) is x
        True
    """

    function = "relu"


class LeakyReLU(FunctionLayer):
    """x where it is positive, negative_slope * x elsewhere; `inplace` as for ReLU.

    The gradient at 0 is negative_slope.

    Example:
        >>> import minitorch
        >>> LeakyReLU(0.5)(minitorch.tensor([-2.0, 3.0])).numpy()
        array([-1.,  3.])
    """

    function = "leaky_relu"


class ELU(FunctionLayer):
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Example:
        >>> import minitorch
        >>> ELU()(minitorch.zeros(2)).shape
        (2,)
    """

    function = "elu"


class Softplus(FunctionLayer):
    """log(1 + exp(beta x)) / beta."""

    function = "softplus"


class Sigmoid(FunctionLayer):
    """1 / (1 + exp(-x))."""

    function = "sigmoid"


class Tanh(FunctionLayer):
    """Hyperbolic tangent."""

    function = "tanh"


class GELU(FunctionLayer):
    """x Φ(x), Φ being the normal distribution's: Hendrycks and Gimpel (2016).

    approximate="tanh": x/2 (1 + tanh(sqrt(2/π) (x + 0.044715 x³))).

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([0.0, 1.0])
        >>> GELU()(x).numpy().round(4), GELU("tanh")(x).numpy().round(4)
        (array([0.    , 0.8413]), array([0.    , 0.8412]))
    """

    function = "gelu"


class SiLU(FunctionLayer):
    """x sigmoid(x); `inplace` as for ReLU."""

    function = "silu"


class Softmax(FunctionLayer):
    """exp(x) / sum(exp(x)) along `dim`, without overflow."""

    function = "softmax"

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim)

    def forward(self, input: Tensor) -> Any:
        """Apply the function; errors name the layer."""
        with naming(f"{type(self).__name__}({self.dim})", input):
            return super().forward(input)


class LogSoftmax(Softmax):
    """x - log(sum(exp(x))) along `dim`, without overflow."""

    function = "log_softmax"


class Identity(Module):
    """Returns its input; takes the arguments of any layer that it replaces.

    Example:
        >>> import minitorch
        >>> Identity(54, bias=False)(minitorch.ones(2)).numpy()
        array([1., 1.])
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        """Return the argument."""
        return x
