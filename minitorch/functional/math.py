"""Elementwise functions: `gelu`, `clamp`, `where`, `maximum`, `isnan`, logical
functions.

Every function takes tensors of any dtype on either device; integers become float64
where real numbers are needed, 16-bit floats are computed in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import FitError, Tensor
from .arguments import require_tensors

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "digamma",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fmod",
    "gelu",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "neg",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
    "where",
]


def _unary(name: str, summary: str, x: float, y: float) -> Callable[[Tensor], Tensor]:
    def function(input: Tensor) -> Tensor:
        require_tensors(name, input)
        out: Tensor = getattr(input, name)()
        return out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary[0].upper()}{summary[1:]}, element by element.

    Returns:
        A tensor of the shape, dtype and device of `input`.

    Kernel:
        `map.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> {name}(minitorch.tensor([{x}])).item()
        {y}
    """
    return function


abs = _unary("abs", "|x|; its gradient is 0 at 0", -2.0, 2.0)
ceil = _unary("ceil", "the least whole number that is not below x", 1.2, 2.0)
cos = _unary("cos", "the cosine of x radians", 0.0, 1.0)
erf = _unary("erf", "the error function", 0.0, 0.0)
exp = _unary("exp", "e to the power of x", 0.0, 1.0)
floor = _unary("floor", "the greatest whole number that is not above x", -1.2, -2.0)
log1p = _unary("log1p", "log(1 + x), exact for small x", 0.0, 0.0)
log = _unary("log", "the natural logarithm: -inf at 0, NaN below", 1.0, 0.0)
neg = _unary("neg", "-x", 1.0, -1.0)
reciprocal = _unary("reciprocal", "1 / x", 4.0, 0.25)
round = _unary("round", "the nearest whole number, halves to even", 2.5, 2.0)
rsqrt = _unary("rsqrt", "1 / sqrt(x)", 4.0, 0.5)
sigmoid = _unary("sigmoid", "1 / (1 + exp(-x)) without overflow", 0.0, 0.5)
sign = _unary("sign", "-1, 0 or 1; NaN stays", -3.0, -1.0)
sin = _unary("sin", "the sine of x radians", 0.0, 0.0)
sqrt = _unary("sqrt", "the square root: NaN below 0", 9.0, 3.0)
tanh = _unary("tanh", "the hyperbolic tangent", 0.0, 0.0)

acos = _unary("acos", "the angle of a cosine: NaN outside -1 … 1", 1.0, 0.0)
acosh = _unary("acosh", "inverse of cosh: NaN below 1", 1.0, 0.0)
asin = _unary("asin", "the angle of a sine: NaN outside -1 … 1", 0.0, 0.0)
asinh = _unary("asinh", "inverse of sinh", 0.0, 0.0)
atan = _unary("atan", "the angle of a tangent", 0.0, 0.0)
atanh = _unary("atanh", "inverse of tanh: NaN outside -1 … 1", 0.0, 0.0)
cosh = _unary("cosh", "the hyperbolic cosine", 0.0, 1.0)
digamma = _unary("digamma", "Γ'(x) / Γ(x), the gradient of lgamma", 0.0, -math.inf)
erfc = _unary("erfc", "1 - erf(x), exact for large x as well", 0.0, 1.0)
exp2 = _unary("exp2", "2 to the power of x", 3.0, 8.0)
expm1 = _unary("expm1", "exp(x) - 1, exact near 0 as well", 0.0, 0.0)
lgamma = _unary("lgamma", "log |Γ(x)|: inf at 0, -1, -2, …", 1.0, 0.0)
log10 = _unary("log10", "the logarithm to the base 10", 100.0, 2.0)
log2 = _unary("log2", "the logarithm to the base 2", 8.0, 3.0)
sinh = _unary("sinh", "the hyperbolic sine", 0.0, 0.0)
tan = _unary("tan", "the tangent of x radians", 0.0, 0.0)
trunc = _unary("trunc", "towards 0 to a whole number", -1.8, -1.0)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x), Φ being the normal distribution's: exact, or approximated by tanh.

    Args:
        input: Any shape.
        approximate: "none" or "tanh" (Hendrycks and Gimpel, 2016).

    Raises:
        ValueError: `approximate` is another word.

    Kernel:
        `map.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> gelu(minitorch.tensor([1.0]))
        tensor([0.8413])
    """
    require_tensors("gelu", input)
    if approximate not in ("none", "tanh"):
        raise FitError(f"[gelu] got {approximate!r}; need 'none' or 'tanh'.")
    return input._gelu_tanh() if approximate == "tanh" else input._gelu()


def clamp(input: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """Limit the elements to min … max; NaN stays.

    The gradient is 1 between the limits, 0 on them and outside.

    Raises:
        ValueError: Both limits are missing.

    Kernel:
        `clamp.cu`, or `zip_number.cu` with one limit; a thread per element.

    Example:
        >>> import minitorch
        >>> clamp(minitorch.tensor([-1.0, 0.5, 2.0]), 0, 1).numpy()
        array([0. , 0.5, 1. ])
    """
    require_tensors("clamp", input)
    return input.clamp(min, max)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """`input` where the condition is not 0, else `other`; all three broadcast.

    Args:
        condition: Truth values, or numbers that are 0 for false.
        input, other: Tensors, or numbers, which take the dtype of the other side.

    Raises:
        ValueError: Shapes do not broadcast, or devices differ.

    Kernel:
        `where.cu`, or `where_number.cu` with a number; a thread per element.

    Example:
        >>> import minitorch
        >>> x = minitorch.tensor([-1.0, 2.0])
        >>> where(x.gt(0), x, 0).numpy()
        array([0., 2.])
    """
    require_tensors("where", condition)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = condition._cast(_core.float64)._beside(input)
    return condition._where(input, other)


def _binary(
    name: str, summary: str, result: float
) -> Callable[[Tensor, Tensor | float], Tensor]:
    def function(input: Tensor, other: Tensor | float) -> Tensor:
        require_tensors(name, input)
        out: Tensor = getattr(Tensor, name)(input, other)
        return out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary[0].upper()}{summary[1:]}, element by element.

    Args:
        input: Any shape.
        other: A tensor that broadcasts with it, or a number.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> {name}(minitorch.tensor([-3.0]), 4.0).item()
        {result}
    """
    return function


atan2 = _binary(
    "atan2", "the angle of the point (other, input), from -π to π", -0.6435011087932844
)
copysign = _binary("copysign", "|input| with the sign of other", 3.0)
fmod = _binary("fmod", "what is left of input / other, with the sign of input", -3.0)
hypot = _binary("hypot", "sqrt(input**2 + other**2) without overflow", 5.0)
maximum = _binary(
    "maximum", "the larger of two; NaN wins, and equal ones share the gradient", 4.0
)
minimum = _binary(
    "minimum", "the smaller of two; NaN wins, and equal ones share the gradient", -3.0
)


def isnan(input: Tensor) -> Tensor:
    """Return whether each element is NaN, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> isnan(minitorch.tensor([float("nan"), 1.0])).numpy()
        array([ True, False])
    """
    require_tensors("isnan", input)
    return input.ne(input)


def isinf(input: Tensor) -> Tensor:
    """Return whether each element is infinite, of either sign, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> isinf(minitorch.tensor([float("inf"), 1.0])).numpy()
        array([ True, False])
    """
    require_tensors("isinf", input)
    return input.detach().abs().eq(math.inf)


def isfinite(input: Tensor) -> Tensor:
    """Return whether each element is neither infinite nor NaN, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> isfinite(minitorch.tensor([float("inf"), 1.0])).numpy()
        array([False,  True])
    """
    require_tensors("isfinite", input)
    return input.detach().abs().lt(math.inf)


def logical_not(input: Tensor) -> Tensor:
    """Return whether each element is 0, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_not(minitorch.tensor([0.0, 2.0])).numpy()
        array([ True, False])
    """
    require_tensors("logical_not", input)
    return input.eq(0)


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Return whether both elements are nonzero, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_and(minitorch.tensor([0, 2]), minitorch.tensor([1, 1])).numpy()
        array([False,  True])
    """
    require_tensors("logical_and", input, other)
    return input._cast(_core.bool_) & other._cast(_core.bool_)


def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Return whether one of the elements is nonzero, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_or(minitorch.tensor([0, 2]), minitorch.tensor([0, 1])).numpy()
        array([False,  True])
    """
    require_tensors("logical_or", input, other)
    return input._cast(_core.bool_) | other._cast(_core.bool_)


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Return whether exactly one of the elements is nonzero, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_xor(minitorch.tensor([0, 2]), minitorch.tensor([1, 1])).numpy()
        array([ True, False])
    """
    require_tensors("logical_xor", input, other)
    return input._cast(_core.bool_) ^ other._cast(_core.bool_)
