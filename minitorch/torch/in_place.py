"""Owns the functions that change a tensor: those of its elements, and filling it.

Must not know how a change is recorded; the core's `copy_` does that. Each is its
function without the underscore, whose result takes the memory of the tensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor as Base
from . import (
    arithmetic,
    comparison,
    layout,
    parts,
    pointwise,
    products,
    scans,
    series,
)
from .arguments import numpys_names, place_of, require_torch
from .arithmetic import Operand, require_operand
from .random import drawing_from
from .tensor import Tensor


def _kept(input: Any) -> Any:
    """What a function gets to see: a copy where the graph may need the old elements."""
    recorded = input.requires_grad and _core.grad_enabled()
    return Base.clone(input) if recorded else input


def change(name: str, input: Any, made: Any) -> Any:
    """`input`, whose memory has the elements of `made`.

    Raises:
        RuntimeError: The shapes differ, the dtype cannot hold the result, or `input` is
            a leaf that collects a gradient.
    """
    if tuple(made.shape) != tuple(input.shape):
        raise RuntimeError(
            f"[{name}] got a result of shape {tuple(made.shape)} for a tensor of "
            f"{tuple(input.shape)}; need the same. Try it without the underscore."
        )
    if _kind(made) > _kind(input):
        raise RuntimeError(
            f"[{name}] got a result of {made.dtype} for a tensor of {input.dtype}; "
            "need a dtype that holds it. Try it without the underscore."
        )
    return Base.copy_(input, made)


def _kind(input: Any) -> int:
    """bool, integer, float."""
    return 2 if input.dtype.is_floating_point else int(input.dtype != _core.bool_)


def _changing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of which the result takes the memory of its first argument."""
    name = function.__name__ + "_"

    def changing(input: Tensor, *args: Any, **options: Any) -> Tensor:
        require_torch(name, input)
        made = function(_kept(input), *args, **options)
        return change(name, input, made)  # type: ignore[no-any-return]

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"""`{function.__name__}` in place; the tensor itself.

    Raises:
        RuntimeError: The result does not fit into the tensor, or the tensor is a leaf
            that collects a gradient.
    """
    return changing


_POINTWISE = """
abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan
atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac lgamma
log log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu round rsqrt
sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc
"""
_ARITHMETIC = """
addcdiv addcmul arctan2 atan2 clamp clamp_max clamp_min clip copysign float_power
floor_divide fmod gcd heaviside hypot lcm ldexp lerp nextafter remainder xlogy
"""
_COMPARISON = """
bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor eq
ge greater greater_equal gt le less less_equal logical_and logical_not logical_or
logical_xor lt ne not_equal
"""

#: Those that PyTorch has as functions, too: of one tensor's elements.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{name}_": _changing(getattr(pointwise, name)) for name in _POINTWISE.split()
}
FUNCTIONS |= {
    f"{name}_": _changing(getattr(arithmetic, name))
    for name in (
        "clamp",
        "clamp_max",
        "clamp_min",
        "clip",
        "gcd",
        "lcm",
        "ldexp",
        "xlogy",
    )
}
FUNCTIONS["threshold_"] = _changing(pointwise.threshold)
FUNCTIONS["addmv_"] = _changing(products.addmv)


def _operator(name: str, symbol: str, compute: Callable[..., Any]) -> Any:
    """`add_` and the like: the core's, which change the memory in one step."""

    def changing(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
        require_torch(name, input)
        require_operand(name, other)
        return compute(input, other if alpha == 1 else other * alpha)  # type: ignore

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"""input {symbol}= alpha * other, in place; the tensor itself.

    Raises:
        RuntimeError: The tensor is a leaf that collects a gradient.
        TypeError: `other` is neither a tensor nor a number, or its kind is higher.
        ValueError: The shape of `other` does not fit.

    Example:
        >>> import minitorch.torch as torch
        >>> x = torch.tensor([8.0])
        >>> x.{name}(2).item()
        {eval(f"8.0 {symbol} 2")}
    """
    return changing


add_ = _operator("add_", "+", Base.add_)
sub_ = _operator("sub_", "-", Base.sub_)


def _without_alpha(name: str, symbol: str, compute: Callable[..., Any]) -> Any:
    changing = _operator(name, symbol, compute)

    def without(input: Tensor, other: Operand) -> Tensor:
        return changing(input, other)  # type: ignore[no-any-return]

    without.__name__ = without.__qualname__ = name
    without.__doc__ = changing.__doc__.replace("alpha * ", "")
    return numpys_names(without)


mul_ = _without_alpha("mul_", "*", Base.mul_)
pow_ = _without_alpha("pow_", "**", Base.pow_)


def div_(input: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """input /= other, in place; the tensor itself. See `div`.

    Raises:
        RuntimeError: The tensor holds integers, or is a leaf that collects a gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([7.0]).div_(2, rounding_mode="floor").item()
        3.0
    """
    require_torch("div_", input)
    made = arithmetic.div(_kept(input), other, rounding_mode=rounding_mode)
    return change("div_", input, made)  # type: ignore[no-any-return]


def zero_(input: Tensor) -> Tensor:
    """Every element 0, in place; the tensor itself.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0]).zero_().item()
        0.0
    """
    require_torch("zero_", input)
    return Base.zero_(input)  # type: ignore[return-value]


def fill_(input: Tensor, value: Operand) -> Tensor:
    """Every element `value`, in place; the tensor itself.

    Args:
        input: Any shape.
        value: A number, or a tensor without dimensions.

    Raises:
        RuntimeError: `value` has dimensions, or the tensor is a leaf that collects a
            gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.tensor([3.0]).fill_(7).item()
        7.0
    """
    require_torch("fill_", input)
    require_operand("fill_", value)
    if isinstance(value, Base):
        if value.shape:
            raise RuntimeError(
                f"[fill_] got a value of shape {tuple(value.shape)}; need none."
            )
        spread = Base._expand(value, tuple(input.shape))
        return Base.copy_(input, spread)  # type: ignore[return-value]
    if not input.dtype.is_floating_point:
        value = bool(value) if input.dtype == _core.bool_ else int(value)
    return Base.fill_(input, value)  # type: ignore[return-value]


FUNCTIONS |= {"zero_": zero_, "fill_": fill_}


def fill_diagonal_(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """The main diagonal of a matrix `fill_value`, in place; the tensor itself.

    Args:
        input: A matrix, or a cube of equal sizes.
        fill_value: A number.
        wrap: Begin again below a tall matrix's end, with a row between.

    Raises:
        RuntimeError: There are fewer than two dimensions, or sizes of a cube differ.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2, 2).fill_diagonal_(1)
        tensor([[1., 0.],
                [0., 1.]])
    """
    require_torch("fill_diagonal_", input)
    shape = tuple(input.shape)
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise RuntimeError(
            f"[fill_diagonal_] got shape {shape}; need a matrix, or equal sizes."
        )
    step = sum(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    count = math.prod(shape)
    end = count if wrap or len(shape) > 2 else min(count, shape[1] * shape[1])
    flat = Base.clone(Base._reshape(Base.detach(input), (count,)))
    Base.fill_(Base._slice(flat, 0, 0, end, step), fill_value)
    on = Base.clone(flat)
    Base.zero_(on)
    Base.fill_(Base._slice(on, 0, 0, end, step), 1)
    there = Base.ne(Base._reshape(on, shape), 0)
    made = Base._where(there, fill_value, _kept(input))
    return Base.copy_(input, made)  # type: ignore[return-value]


def _drawn(name: str, what: str, draw: Callable[..., Any], call: str) -> Any:
    def changing(
        input: Tensor, *args: Any, generator: Any = None, **options: Any
    ) -> Tensor:
        require_torch(name, input)
        with drawing_from(name, generator):
            made = draw(input, *args, **options)
        return Base.copy_(input, Base._cast(made, input.dtype))  # type: ignore

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"""{what}, in place; the tensor itself.

    Raises:
        RuntimeError: The parameters are none of the distribution, or the tensor is a
            leaf that collects a gradient.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.zeros(2, 3).{call}.shape
        torch.Size([2, 3])
    """
    return changing


def _require(name: str, is_good: bool, got: str, need: str) -> None:
    if not is_good:
        raise RuntimeError(f"[{name}] got {got}; need {need}.")


def _require_floats(name: str, input: Any) -> None:
    _require(name, input.dtype.is_floating_point, str(input.dtype), "a floating dtype")


def _shares(input: Any) -> Any:
    """Numbers from 0 up to 1, of the tensor's shape, in float32 or wider."""
    wide = _core.float64 if input.dtype == _core.float64 else _core.float32
    return _core.rand(tuple(input.shape), wide, place_of(input)).as_torch()


def _uniform(input: Any, from_: float = 0.0, to: float = 1.0, **named: Any) -> Any:
    low = named.pop("from", from_)
    _require_floats("uniform_", input)
    _require("uniform_", low <= to and not named, f"from {low} to {to}", "from <= to")
    return _shares(input) * (to - low) + low


def _normal(input: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    _require_floats("normal_", input)
    _require("normal_", std >= 0, f"std {std}", "0 or more")
    wide = _core.float64 if input.dtype == _core.float64 else _core.float32
    drawn = _core.randn(tuple(input.shape), wide, place_of(input)).as_torch()
    return drawn * std + mean


def _log_normal(input: Any, mean: float = 1.0, std: float = 2.0) -> Any:
    _require_floats("log_normal_", input)
    return Base.exp(_normal(input, mean, std))


def _exponential(input: Any, lambd: float = 1.0) -> Any:
    _require_floats("exponential_", input)
    _require("exponential_", lambd > 0, f"lambd {lambd}", "more than 0")
    return Base.log1p(-_shares(input)) / -lambd


def _cauchy(input: Any, median: float = 0.0, sigma: float = 1.0) -> Any:
    _require_floats("cauchy_", input)
    _require("cauchy_", sigma > 0, f"sigma {sigma}", "more than 0")
    return Base.tan((_shares(input) - 0.5) * math.pi) * sigma + median


def _geometric(input: Any, p: float) -> Any:
    _require("geometric_", 0 < p < 1, f"p {p}", "a number between 0 and 1")
    tries = Base.ceil(Base.log1p(-_shares(input)) / math.log1p(-p))
    return Base.clamp(tries, 1, None)


def _bernoulli(input: Any, p: Any = 0.5) -> Any:
    if not isinstance(p, Base):
        _require("bernoulli_", 0 <= p <= 1, f"p {p}", "a number from 0 to 1")
    return Base.lt(_shares(input), p)


_LARGEST = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}
_LARGEST |= {"bool": 2, "uint8": 2**8, "int32": 2**31, "int64": 2**62}


def _random(input: Any, *limits: int, **named: Any) -> Any:
    """random_(), random_(to) or random_(from, to)."""
    listed = list(limits)
    if "from" in named:
        listed.insert(0, named["from"])
    if "to" in named:
        listed.append(named["to"])
    low = listed[0] if len(listed) == 2 else 0
    high = listed[-1] if listed else _LARGEST[input.dtype.name]
    if high is None:
        high = _LARGEST[input.dtype.name]
    _require("random_", low < high, f"from {low} to {high}", "from < to")
    wide = _core.rand(tuple(input.shape), _core.float64, place_of(input))
    whole = Base._cast(Base.floor(wide.as_torch() * (high - low)), _core.int64)
    return whole + low


uniform_ = _drawn(
    "uniform_", "Numbers spread evenly from `from` to `to`", _uniform, "uniform_(-1, 1)"
)
normal_ = _drawn(
    "normal_", "Numbers of a normal distribution", _normal, "normal_(0, 2)"
)
log_normal_ = _drawn(
    "log_normal_", "exp of normal numbers", _log_normal, "log_normal_()"
)
exponential_ = _drawn(
    "exponential_", "Times until an event", _exponential, "exponential_(2.0)"
)
cauchy_ = _drawn("cauchy_", "Numbers of a Cauchy distribution", _cauchy, "cauchy_()")
geometric_ = _drawn(
    "geometric_", "Tries until the first success", _geometric, "geometric_(0.5)"
)
bernoulli_ = _drawn(
    "bernoulli_", "1 with probability p, else 0", _bernoulli, "bernoulli_(0.3)"
)
random_ = _drawn("random_", "Whole numbers below a limit", _random, "random_(10)")


def _reshaping(function: Callable[..., Any]) -> Callable[..., Any]:
    """`t_` and the like: the same tensor object gets another shape."""
    name = function.__name__ + "_"

    def changing(input: Tensor, *args: Any, **options: Any) -> Tensor:
        require_torch(name, input)
        if input.requires_grad and _core.grad_enabled():
            raise RuntimeError(
                f"[{name}] got a tensor that requires a gradient; need one without. "
                f"Try {function.__name__} without the underscore."
            )
        view = function(input, *args, **options)
        return Base._look_as(input, view)  # type: ignore[return-value]

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = f"`{function.__name__}` in place: the tensor with another shape."
    return changing


def _replacing(name: str, operation: Callable[[Any, Any], Any]) -> Any:
    """`x //= y`, which Python would otherwise make a new tensor of."""

    def changing(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor | int | float):
            return NotImplemented
        return change(name, self, operation(_kept(self), other))

    return changing


#: All of them are methods of tensors.
METHODS: dict[str, Any] = {
    name: changing for name, changing in FUNCTIONS.items() if name != "threshold_"
}
METHODS |= {
    f"{name}_": _changing(getattr(arithmetic, name)) for name in _ARITHMETIC.split()
}
METHODS |= {
    f"{name}_": _changing(getattr(comparison, name)) for name in _COMPARISON.split()
}
METHODS |= {
    f"{name}_": _changing(getattr(family, name))
    for family, names in (
        (parts, "tril triu"),
        (products, "addbmm addmm addr baddbmm"),
        (scans, "cumprod cumsum"),
        (series, "renorm"),
    )
    for name in names.split()
}
METHODS |= {
    f"{name}_": _reshaping(getattr(layout, name))
    for name in ("t", "squeeze", "unsqueeze", "transpose", "swapaxes", "swapdims")
}
METHODS |= {
    "add_": add_,
    "sub_": sub_,
    "subtract_": sub_,
    "mul_": mul_,
    "multiply_": mul_,
    "pow_": pow_,
    "div_": div_,
    "divide_": div_,
    "true_divide_": div_,
    "fill_diagonal_": fill_diagonal_,
    "uniform_": uniform_,
    "normal_": normal_,
    "log_normal_": log_normal_,
    "exponential_": exponential_,
    "cauchy_": cauchy_,
    "geometric_": geometric_,
    "bernoulli_": bernoulli_,
    "random_": random_,
    "__ifloordiv__": _replacing("//=", arithmetic.floor_divide),
    "__imod__": _replacing("%=", arithmetic.remainder),
    "__iand__": _replacing("&=", comparison.bitwise_and),
    "__ior__": _replacing("|=", comparison.bitwise_or),
    "__ixor__": _replacing("^=", comparison.bitwise_xor),
    "__ilshift__": _replacing("<<=", comparison.bitwise_left_shift),
    "__irshift__": _replacing(">>=", comparison.bitwise_right_shift),
}
