"""Initialize parameters in place, with PyTorch's names and formulas.

Every function takes a tensor or a Parameter, gives it new numbers where it lies, and
returns it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import FitError, Tensor
from ..autograd.function import no_grad
from ..module import Parameter
from ..tensors.create import rand, randn

__all__ = [
    "calculate_gain",
    "constant_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def __dir__() -> list[str]:
    return list(__all__)


_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv_transpose2d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
}


def _initializer(fill: Callable[..., None]) -> Callable[..., Any]:
    """Decorate fill(tensor, …) to take a tensor or a Parameter, and to return it."""
    where = fill.__name__

    @functools.wraps(fill)
    def initialize(tensor: Any, *args: Any, **options: Any) -> Any:
        value = tensor.value if isinstance(tensor, Parameter) else tensor
        if not isinstance(value, Tensor):
            raise TypeError(
                f"[{where}] got {type(value).__name__}; need a tensor or a Parameter."
            )
        if where not in _OF_ANY_DTYPE and not value.dtype.is_floating_point:
            raise TypeError(
                f"[{where}] got {value.dtype.name}; need a floating-point dtype."
            )
        with no_grad():
            fill(value, *args, **options)
        return tensor

    return initialize


_OF_ANY_DTYPE = ("constant_", "ones_", "zeros_")


def _number(where: str, name: str, value: Any, least: float = -math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"[{where}] got {name} {value!r}; need a number.")
    if not math.isfinite(value) or value < least:
        need = "a finite number" if least < 0 else f"{least:g} or more"
        raise FitError(f"[{where}] got {name} {value!r}; need {need}.")
    return float(value)


def _uniform(target: Tensor, low: float, high: float) -> None:
    unit = rand(*target.shape, dtype=target.dtype, device=target.device)
    _core.Tensor.copy_(target, unit * (high - low) + low)


def _normal(target: Tensor, mean: float, std: float) -> None:
    unit = randn(*target.shape, dtype=target.dtype, device=target.device)
    _core.Tensor.copy_(target, unit * std + mean)


@_initializer
def constant_(tensor: Tensor, val: float) -> None:
    """Fill with one number.

    Example:
        >>> import minitorch
        >>> constant_(minitorch.zeros(2), 0.5)
        tensor([0.5, 0.5])
    """
    _core.Tensor.fill_(tensor, _number("constant_", "val", val))


@_initializer
def zeros_(tensor: Tensor) -> None:
    """Fill with 0.

    Example:
        >>> import minitorch
        >>> zeros_(minitorch.ones(2))
        tensor([0., 0.])
    """
    _core.Tensor.fill_(tensor, 0)


@_initializer
def ones_(tensor: Tensor) -> None:
    """Fill with 1.

    Example:
        >>> import minitorch
        >>> ones_(minitorch.zeros(2))
        tensor([1., 1.])
    """
    _core.Tensor.fill_(tensor, 1)


@_initializer
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> None:
    """Fill with numbers drawn uniformly from a up to b.

    Raises:
        ValueError: `a` is above `b`.

    Example:
        >>> import minitorch
        >>> x = uniform_(minitorch.zeros(100), 2, 3)
        >>> 2 <= x.min().item() <= x.max().item() <= 3
        True
    """
    low, high = _number("uniform_", "a", a), _number("uniform_", "b", b)
    if low > high:
        raise FitError(f"[uniform_] got a {a} and b {b}; need a <= b.")
    _uniform(tensor, low, high)


@_initializer
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> None:
    """Fill with numbers drawn from a normal distribution.

    Example:
        >>> import minitorch
        >>> normal_(minitorch.zeros(3), mean=5, std=0).numpy()
        array([5., 5., 5.])
    """
    _normal(tensor, _number("normal_", "mean", mean), _number("normal_", "std", std, 0))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor for weights that preserves the variance through a nonlinearity.

    Args:
        nonlinearity: "linear", "sigmoid", "tanh", "relu", "leaky_relu", or a
            convolution: "conv1d", "conv2d", "conv_transpose2d".
        param: The slope of "leaky_relu", by default 0.01.

    Raises:
        ValueError: Another name.

    Example:
        >>> calculate_gain("relu")
        1.4142135623730951
    """
    if isinstance(nonlinearity, str) and nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else _number("calculate_gain", "param", param)
        return math.sqrt(2 / (1 + slope**2))
    if not isinstance(nonlinearity, str) or nonlinearity not in _GAINS:
        raise FitError(
            f"[calculate_gain] got {nonlinearity!r}; need one of {', '.join(_GAINS)}, "
            "leaky_relu."
        )
    return _GAINS[nonlinearity]


def _fans(where: str, target: Tensor) -> tuple[int, int]:
    """Return fan_in and fan_out."""
    if len(target.shape) < 2:
        raise FitError(
            f"[{where}] got shape {tuple(target.shape)}; need at least two dimensions "
            "(outputs, inputs, …). Try uniform_, normal_ or zeros_ for a bias."
        )
    taps = math.prod(target.shape[2:])
    return target.shape[1] * taps, target.shape[0] * taps


def _kaiming_std(
    where: str, target: Tensor, a: float, mode: str, nonlinearity: str
) -> float:
    """Return gain / sqrt(fan): He et al., "Delving deep into rectifiers" (2015)."""
    fans = dict(zip(("fan_in", "fan_out"), _fans(where, target), strict=True))
    if not isinstance(mode, str) or mode not in fans:
        raise FitError(f"[{where}] got mode {mode!r}; need 'fan_in' or 'fan_out'.")
    gain = calculate_gain(nonlinearity, a)
    return gain / math.sqrt(fans[mode]) if fans[mode] else 0.0


@_initializer
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
) -> None:
    """Fill uniformly from ±gain sqrt(3 / fan): He et al. (2015).

    Args:
        tensor: (outputs, inputs, *kernel): fan_in is inputs times the kernel's cells,
            fan_out outputs times these.
        a: The slope of "leaky_relu" below 0.
        mode: "fan_in" keeps the spread going forward, "fan_out" going back.
        nonlinearity: What follows the layer; as for calculate_gain.

    Raises:
        ValueError: Fewer than two dimensions, another mode or nonlinearity.

    Example:
        >>> import minitorch
        >>> x = kaiming_uniform_(minitorch.zeros(50, 6), nonlinearity="relu")
        >>> 0.9 < x.abs().max().item() <= 1
        True
    """
    where = "kaiming_uniform_"
    bound = math.sqrt(3) * _kaiming_std(where, tensor, a, mode, nonlinearity)
    _uniform(tensor, -bound, bound)


@_initializer
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
) -> None:
    """Fill from a normal distribution with deviation gain / sqrt(fan); arguments as for
    `kaiming_uniform_`.

    Example:
        >>> import minitorch
        >>> x = kaiming_normal_(minitorch.zeros(50, 200), mode="fan_out")
        >>> 0.19 < x.std().item() < 0.21
        True
    """
    where = "kaiming_normal_"
    _normal(tensor, 0, _kaiming_std(where, tensor, a, mode, nonlinearity))


@_initializer
def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> None:
    """Uniform in ±gain sqrt(6 / (fan_in + fan_out)): Glorot and Bengio (2010).

    Raises:
        ValueError: Fewer than two dimensions.

    Example:
        >>> import minitorch
        >>> x = xavier_uniform_(minitorch.zeros(30, 24))
        >>> 0.3 < x.abs().max().item() <= 1 / 3
        True
    """
    bound = math.sqrt(3) * _xavier_std("xavier_uniform_", tensor, gain)
    _uniform(tensor, -bound, bound)


@_initializer
def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> None:
    """Normal with deviation gain sqrt(2 / (fan_in + fan_out)), as `xavier_uniform_`.

    Example:
        >>> import minitorch
        >>> x = xavier_normal_(minitorch.zeros(100, 100))
        >>> 0.09 < x.std().item() < 0.11
        True
    """
    _normal(tensor, 0, _xavier_std("xavier_normal_", tensor, gain))


def _xavier_std(where: str, target: Tensor, gain: float) -> float:
    both = sum(_fans(where, target))
    factor = _number(where, "gain", gain, 0)
    return factor * math.sqrt(2 / both) if both else 0.0
