"""Elementwise functions: `gelu`, `clamp`, `where`, `maximum`, `isnan`, logical
functions.

Every function takes tensors of any dtype on either device; integers become float64
where real numbers are needed, 16-bit floats are computed in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable

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


def where(condition: Tensor, a: Tensor | float, b: Tensor | float) -> Tensor:
    """`a` where the condition is not 0, else `b`; all three broadcast.

    Args:
        condition: Truth values, or numbers that are 0 for false.
        a: A tensor, or a number, which takes the dtype of the other side.
        b: Likewise.

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
    if isinstance(a, Tensor):
        return condition._where(a, b)
    if isinstance(b, Tensor):
        return condition._where(a, b)
    return condition._where(condition._cast(_core.float64)._beside(a), b)


def maximum(a: Tensor, b: Tensor | float) -> Tensor:
    """Return the larger of two elements; NaN wins, and equal ones share the gradient.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> maximum(minitorch.tensor([1.0, 5.0]), 3).numpy()
        array([3., 5.])
    """
    require_tensors("maximum", a)
    return a.maximum(b)


def minimum(a: Tensor, b: Tensor | float) -> Tensor:
    """Return the smaller of two elements; NaN wins, and equal ones share the gradient.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> minimum(minitorch.tensor([1.0, 5.0]), 3).numpy()
        array([1., 3.])
    """
    require_tensors("minimum", a)
    return a.minimum(b)


def _binary(
    name: str, summary: str, result: float
) -> Callable[[Tensor, Tensor | float], Tensor]:
    def function(a: Tensor, b: Tensor | float) -> Tensor:
        require_tensors(name, a)
        out: Tensor = getattr(Tensor, name)(a, b)
        return out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary[0].upper()}{summary[1:]}, element by element.

    Args:
        a: Any shape.
        b: A tensor that broadcasts with it, or a number.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> {name}(minitorch.tensor([-3.0]), 4.0).item()
        {result}
    """
    return function


atan2 = _binary(
    "atan2", "the angle of the point (b, a), from -π to π", -0.6435011087932844
)
copysign = _binary("copysign", "|a| with the sign of b", 3.0)
fmod = _binary("fmod", "what is left of a / b, with the sign of a", -3.0)
hypot = _binary("hypot", "sqrt(a * a + b * b) without overflow", 5.0)


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


def logical_and(a: Tensor, b: Tensor) -> Tensor:
    """Return whether both elements are nonzero, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_and(minitorch.tensor([0, 2]), minitorch.tensor([1, 1])).numpy()
        array([False,  True])
    """
    require_tensors("logical_and", a, b)
    return a._cast(_core.bool_) & b._cast(_core.bool_)


def logical_or(a: Tensor, b: Tensor) -> Tensor:
    """Return whether one of the elements is nonzero, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_or(minitorch.tensor([0, 2]), minitorch.tensor([0, 1])).numpy()
        array([False,  True])
    """
    require_tensors("logical_or", a, b)
    return a._cast(_core.bool_) | b._cast(_core.bool_)


def logical_xor(a: Tensor, b: Tensor) -> Tensor:
    """Return whether exactly one of the elements is nonzero, as bool.

    Kernel:
        `zip.cu`, a thread per element.

    Example:
        >>> import minitorch
        >>> logical_xor(minitorch.tensor([0, 2]), minitorch.tensor([1, 1])).numpy()
        array([ True, False])
    """
    require_tensors("logical_xor", a, b)
    return a._cast(_core.bool_) ^ b._cast(_core.bool_)
