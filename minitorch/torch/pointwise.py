"""Owns the functions of one tensor's elements, with PyTorch's names and meaning.

Must not know how any of them is computed: the core does that, and integers become the
default dtype where real numbers are needed.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from .. import _core, functional
from .._core import Tensor as Base
from ..gradients.function import Function
from .arguments import as_dim, numpys_names, require_torch
from .dtypes import as_dtype
from .tensor import Tensor

# Of truth values these mean nothing.
_OF_NUMBERS = frozenset(["abs", "ceil", "floor", "neg", "relu", "round", "trunc"])


def of_elements(name: str, what: str, x: float, y: float) -> Callable[..., Tensor]:
    """The face's function for a method of the core that takes nothing else."""
    compute = getattr(Base, name)
    of_numbers = name in _OF_NUMBERS

    def function(input: Tensor) -> Tensor:
        require_torch(name, input)
        if of_numbers and input.dtype == _core.bool_:
            raise NotImplementedError(
                f"[{name}] got truth values; need numbers. Try .int()."
            )
        made: Tensor = compute(input)
        return made

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{what[0].upper()}{what[1:]}, element by element.

    Args:
        input: Any shape; `out=` takes the result.

    Returns:
        A tensor of the shape and device of `input`, and of its dtype; where the result
        is no whole number, that of integers is the default dtype.

    Raises:
        TypeError: `input` is no tensor of PyTorch's dialect.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.tensor([{x}])).item()
        {y}
    """
    return numpys_names(function)


abs = of_elements("abs", "|x|; its gradient is 0 at 0", -2.0, 2.0)
acos = of_elements("acos", "the angle of a cosine", 1.0, 0.0)
acosh = of_elements("acosh", "the inverse of cosh", 1.0, 0.0)
asin = of_elements("asin", "the angle of a sine", 0.0, 0.0)
asinh = of_elements("asinh", "the inverse of sinh", 0.0, 0.0)
atan = of_elements("atan", "the angle of a tangent", 0.0, 0.0)
atanh = of_elements("atanh", "the inverse of tanh", 0.0, 0.0)
ceil = of_elements("ceil", "the least whole number that is not below x", 1.2, 2.0)
cos = of_elements("cos", "the cosine of x radians", 0.0, 1.0)
cosh = of_elements("cosh", "the hyperbolic cosine", 0.0, 1.0)
digamma = of_elements("digamma", "Γ'(x) / Γ(x)", 0.0, -math.inf)
erf = of_elements("erf", "the error function", 0.0, 0.0)
erfc = of_elements("erfc", "1 - erf(x)", 0.0, 1.0)
exp = of_elements("exp", "e to the power of x", 0.0, 1.0)
exp2 = of_elements("exp2", "2 to the power of x", 3.0, 8.0)
expm1 = of_elements("expm1", "exp(x) - 1", 0.0, 0.0)
floor = of_elements("floor", "the greatest whole number not above x", -1.2, -2.0)
lgamma = of_elements("lgamma", "log |Γ(x)|", 1.0, 0.0)
log = of_elements("log", "the natural logarithm", 1.0, 0.0)
log10 = of_elements("log10", "the logarithm to the base 10", 100.0, 2.0)
log1p = of_elements("log1p", "log(1 + x)", 0.0, 0.0)
log2 = of_elements("log2", "the logarithm to the base 2", 8.0, 3.0)
neg = of_elements("neg", "-x", 1.0, -1.0)
reciprocal = of_elements("reciprocal", "1 / x", 4.0, 0.25)
relu = of_elements("relu", "max(x, 0)", -1.0, 0.0)
rsqrt = of_elements("rsqrt", "1 / sqrt(x)", 4.0, 0.5)
sigmoid = of_elements("sigmoid", "1 / (1 + exp(-x))", 0.0, 0.5)
sin = of_elements("sin", "the sine of x radians", 0.0, 0.0)
sinh = of_elements("sinh", "the hyperbolic sine", 0.0, 0.0)
sqrt = of_elements("sqrt", "the square root", 9.0, 3.0)
tan = of_elements("tan", "the tangent of x radians", 0.0, 0.0)
tanh = of_elements("tanh", "the hyperbolic tangent", 0.0, 0.0)
trunc = of_elements("trunc", "towards 0 to a whole number", -1.8, -1.0)


@numpys_names
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; 0 of NaN, truth values as they are.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sign(torch.tensor([-3.0, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """
    require_torch("sign", input)
    if input.dtype == _core.bool_:
        return Base.clone(input)  # type: ignore[return-value]
    made: Any = Base.sign(input)
    if input.dtype.is_floating_point:
        made = Base._where(Base.ne(input, input), 0.0, made)
    return made  # type: ignore[no-any-return]


absolute, negative, fix, sgn = abs, neg, trunc, sign
arccos, arccosh, arcsin, arcsinh = acos, acosh, asin, asinh
arctan, arctanh = atan, atanh


@numpys_names
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest number of so many decimals, halves to even.

    Args:
        input: Any shape.
        decimals: Below 0: tens, hundreds, and so on.

    Raises:
        RuntimeError: Decimals of integers are asked for.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.round(torch.tensor([0.125, 2.567], dtype=torch.float64), decimals=2)
        tensor([0.1200, 2.5700], dtype=torch.float64)
    """
    require_torch("round", input)
    if decimals == 0:
        return Base.round(input)  # type: ignore[return-value]
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"[round] got decimals={decimals} for {input.dtype}; need a floating dtype."
        )
    scale = 10.0 ** builtins.abs(decimals)
    made: Any
    if decimals > 0:
        made = Base.round(input * scale) / scale
    else:
        made = Base.round(input / scale) * scale
    return made  # type: ignore[no-any-return]


@numpys_names
def square(input: Tensor) -> Tensor:
    """x * x, element by element.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.square(torch.tensor([-3.0])).item()
        9.0
    """
    require_torch("square", input)
    is_truth = input.dtype == _core.bool_
    x: Any = Base._cast(input, _core.int64) if is_truth else input
    return x * x  # type: ignore[no-any-return]


@numpys_names
def frac(input: Tensor) -> Tensor:
    """What is behind the point: x - trunc(x), with the sign of x.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.frac(torch.tensor([-2.5])).item()
        -0.5
    """
    require_torch("frac", input)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"[frac] got {input.dtype}; need a floating dtype.")
    return input - Base.trunc(input)  # type: ignore[return-value]


@numpys_names
def positive(input: Tensor) -> Tensor:
    """The tensor itself, as `+input`.

    Raises:
        NotImplementedError: It holds truth values.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.positive(torch.tensor([-1.0])).item()
        -1.0
    """
    require_torch("positive", input)
    if input.dtype == _core.bool_:
        raise NotImplementedError("[positive] got truth values; need numbers.")
    return input


def _scaled(name: str, what: str, factor: float, x: float) -> Callable[..., Tensor]:
    def function(input: Tensor) -> Tensor:
        require_torch(name, input)
        return input * factor  # type: ignore[return-value]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{what}

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.tensor([0.0])).item()
        {x}
    """
    return numpys_names(function)


deg2rad = _scaled("deg2rad", "Radians of degrees.", math.pi / 180, 0.0)
rad2deg = _scaled("rad2deg", "Degrees of radians.", 180 / math.pi, 0.0)


def _real(input: Tensor) -> Tensor:
    """Integers in the default dtype, other tensors as they are."""
    if input.dtype.is_floating_point:
        return input
    return Base._cast(input, _core.torch_default_dtype())  # type: ignore[return-value]


@numpys_names
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`.

    Args:
        input: Numbers from 0 to 1; others give NaN.
        eps: Limit them to eps … 1 - eps first.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.logit(torch.tensor([0.5])).item()
        0.0
    """
    require_torch("logit", input)
    x = _real(input)
    if eps is not None:
        x = Base.clamp(x, eps, 1 - eps)  # type: ignore[assignment]
    return Base.log(x / (1 - x))  # type: ignore[return-value]


@numpys_names
def sinc(input: Tensor) -> Tensor:
    """sin(π x) / (π x), and 1 at 0.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sinc(torch.tensor([0.0, 0.5]))
        tensor([1.0000, 0.6366])
    """
    require_torch("sinc", input)
    angle = _real(input) * math.pi
    at_zero = Base.eq(angle, 0)
    safe = Base._where(at_zero, 1.0, angle)  # 0 / 0 would have no gradient
    return Base._where(at_zero, 1.0, Base.sin(safe) / safe)  # type: ignore


@numpys_names
def nan_to_num(
    input: Tensor,
    nan: float | None = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """The elements with numbers in the place of NaN and of infinities.

    Args:
        input: Any shape.
        nan: What stands for NaN.
        posinf, neginf: What stands for the infinities; by default the largest number
            of the dtype and the smallest.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.nan_to_num(torch.tensor([float("nan"), float("inf")]), posinf=1.0)
        tensor([0., 1.])
    """
    require_torch("nan_to_num", input)
    if not input.dtype.is_floating_point:
        return Base.clone(input)  # type: ignore[return-value]
    largest = _largest(input.dtype.name)
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    out = Base._where(Base.ne(input, input), 0.0 if nan is None else nan, input)
    out = Base._where(Base.eq(out, math.inf), high, out)
    return Base._where(Base.eq(out, -math.inf), low, out)  # type: ignore[return-value]


def _largest(name: str) -> float:
    """The largest number of a floating dtype: (2 - 2^-mantissa) 2^exponent."""
    mantissa, exponent = {
        "float16": (10, 15),
        "bfloat16": (7, 127),
        "float32": (23, 127),
        "float64": (52, 1023),
    }[name]
    return math.ldexp(2 - 2.0**-mantissa, exponent)


@numpys_names
def signbit(input: Tensor) -> Tensor:
    """Is the sign minus, of -0.0 as well? As truth values.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.signbit(torch.tensor([-0.0, 1.0]))
        tensor([ True, False])
    """
    require_torch("signbit", input)
    x = Base.detach(input)
    if not x.dtype.is_floating_point:
        return Base.lt(x, 0)  # type: ignore[return-value]
    one = Base._beside(x, 1.0)
    return Base.lt(Base.copysign(one, x), 0)  # type: ignore[return-value]


def _normalised(name: str, what: str) -> Callable[..., Tensor]:
    # functional's would ask the tensor for its method, which is this one.
    compute = Base.log_softmax if name == "log_softmax" else functional.softmax
    y = {"softmax": "0.5000, 0.5000", "log_softmax": "-0.6931, -0.6931"}[name]

    def function(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
        require_torch(name, input)
        x = input if dtype is None else Base._cast(input, as_dtype(name, dtype))
        if not x.dtype.is_floating_point:
            raise NotImplementedError(
                f"[{name}] got {x.dtype}; need a floating dtype. Try "
                "dtype=torch.float32."
            )
        at = as_dim(name, dim, len(x.shape))
        if not x.shape:  # () -> (1,) -> ()
            made: Any = Base._reshape(compute(Base._reshape(x, (1,)), 0), ())
        else:
            made = compute(x, at)
        return made  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{what} along `dim`, without overflow.

    Args:
        input: Floating; any shape.
        dim: Along which the numbers belong together.
        dtype: Convert to it first.

    Raises:
        IndexError: There is no such dimension.
        NotImplementedError: The numbers are integers.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.{name}(torch.tensor([2.0, 2.0]), dim=0)
        tensor([{y}])
    """
    return numpys_names(function)


softmax = _normalised("softmax", "exp(x) / sum(exp(x))")
log_softmax = _normalised("log_softmax", "x - log(sum(exp(x)))")

# Coefficients of a start from which two steps of Newton's method give erfinv to the
# last bits: S. Winitzki, "A handy approximation for the error function and its
# inverse" (2008).
_WINITZKI = 0.147


def _inverse_of_erf(x: Any) -> Any:
    """erfinv by Newton's method, Halley's variant, in float64, without history."""
    wide = Base._cast(Base.detach(x), _core.float64)
    inner = Base.lt(Base.abs(wide), 1)
    inside = Base._where(inner, wide, 0.0)
    fold = Base.log((1 - inside) * (1 + inside))
    half = fold / 2 + 2 / (math.pi * _WINITZKI)
    start = Base.sqrt(Base.sqrt(half * half - fold / _WINITZKI) - half)
    y = Base.copysign(start, inside)
    near = Base.gt(Base.abs(inside), 0.5)
    for _ in range(3):
        # Near 1 erfc keeps the digits that erf(y) - x would lose.
        tail = (1 - Base.abs(inside)) - Base.erfc(Base.abs(y))
        off = Base._where(near, tail * Base.sign(inside), Base.erf(y) - inside)
        step = off * (math.sqrt(math.pi) / 2) * Base.exp(y * y)
        y = y - step / (1 + y * step)
    limit = Base._where(Base.eq(Base.abs(wide), 1), wide * math.inf, math.nan)
    return Base._cast(Base._where(inner, y, limit), x.dtype)


class _Erfinv(Function):
    """Its gradient is sqrt(π) / 2 exp(y²), y being the result."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        (x,) = values
        ctx.save_for_backward(x)
        return _inverse_of_erf(x)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (x,) = ctx.saved_values
        y = _Erfinv.apply(x)
        return gradient * Base.exp(y * y) * (math.sqrt(math.pi) / 2)


@numpys_names
def erfinv(input: Tensor) -> Tensor:
    """The inverse of `erf`: infinite at -1 and 1, NaN beyond.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.erfinv(torch.tensor([0.0, 1.0]))
        tensor([0., inf])
    """
    require_torch("erfinv", input)
    return _Erfinv.apply(_real(input))  # type: ignore[return-value]


@numpys_names
def threshold(
    input: Tensor, threshold: float, value: float, inplace: bool = False
) -> Tensor:
    """`value` in the place of elements that are not above the threshold.

    Args:
        input: Any shape.
        threshold, value: Numbers.
        inplace: Change `input` itself.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.threshold(torch.tensor([0.5, 2.0]), 1.0, 0.0)
        tensor([0., 2.])
    """
    require_torch("threshold", input)
    seen = Base.clone(input) if inplace and input.requires_grad else input
    made = Base._where(Base.le(seen, threshold), value, seen)
    return Base.copy_(input, made) if inplace else made  # type: ignore[return-value]


_METHODS = """
abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan
atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac
lgamma log log10 log1p log2 log_softmax logit nan_to_num neg negative positive
rad2deg reciprocal relu round rsqrt sgn sigmoid sign signbit sin sinc sinh softmax
sqrt square tan tanh trunc
"""

#: Those that are methods of tensors, too.
METHODS: dict[str, Any] = {name: globals()[name] for name in _METHODS.split()}
METHODS["__abs__"] = lambda self: abs(self)
METHODS["__pos__"] = positive
