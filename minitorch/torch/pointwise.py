"""Elementwise functions of one tensor."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from .. import _core, functional
from .._core import Tensor as Base
from .arguments import as_dim, tensor_function
from .dtypes import as_dtype
from .tensor import METHODS, Tensor

__all__ = [
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "exp", "expm1",
    "floor", "log", "log1p", "log2", "log10", "log_softmax", "neg",
    "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "softmax",
    "sqrt", "square", "tan", "tanh", "trunc",
]  # fmt: skip

# Of truth values these mean nothing.
_OF_NUMBERS = frozenset(["abs", "ceil", "floor", "neg", "relu", "round", "trunc"])


def _of_elements(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return an elementwise function for tensors of PyTorch's dialect, with `out=`."""
    name = function.__name__
    compute = getattr(Base, name)
    of_numbers = name in _OF_NUMBERS

    @functools.wraps(function)
    def call(input: Tensor) -> Any:
        if of_numbers and input.dtype == _core.bool_:
            raise NotImplementedError(
                f"[{name}] is not defined for torch.bool. Try .int()."
            )
        return compute(input)

    return tensor_function(call)


abs = _of_elements(functional.abs)
acos = _of_elements(functional.acos)
asin = _of_elements(functional.asin)
atan = _of_elements(functional.atan)
ceil = _of_elements(functional.ceil)
cos = _of_elements(functional.cos)
cosh = _of_elements(functional.cosh)
erf = _of_elements(functional.erf)
exp = _of_elements(functional.exp)
expm1 = _of_elements(functional.expm1)
floor = _of_elements(functional.floor)
log = _of_elements(functional.log)
log10 = _of_elements(functional.log10)
log1p = _of_elements(functional.log1p)
log2 = _of_elements(functional.log2)
neg = _of_elements(functional.neg)
reciprocal = _of_elements(functional.reciprocal)
relu = _of_elements(functional.relu)
rsqrt = _of_elements(functional.rsqrt)
sigmoid = _of_elements(functional.sigmoid)
sin = _of_elements(functional.sin)
sinh = _of_elements(functional.sinh)
sqrt = _of_elements(functional.sqrt)
tan = _of_elements(functional.tan)
tanh = _of_elements(functional.tanh)
trunc = _of_elements(functional.trunc)


@tensor_function
def sign(input: Tensor) -> Tensor:
    """Return -1, 0 or 1; 0 for NaN; bools as they are.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.sign(torch.tensor([-3.0, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """
    if input.dtype == _core.bool_:
        return Base.clone(input)  # type: ignore[return-value]
    result: Any = Base.sign(input)
    if input.dtype.is_floating_point:
        result = Base._where(Base.ne(input, input), 0.0, result)
    return result  # type: ignore[no-any-return]


@tensor_function
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to a number of decimals, halves to even.

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
    if decimals == 0:
        return Base.round(input)  # type: ignore[return-value]
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"[round] got decimals={decimals} with {input.dtype}; decimals need a "
            "floating-point dtype."
        )
    scale = 10.0 ** builtins.abs(decimals)
    result: Any
    if decimals > 0:
        result = Base.round(input * scale) / scale
    else:
        result = Base.round(input / scale) * scale
    return result  # type: ignore[no-any-return]


@tensor_function
def square(input: Tensor) -> Tensor:
    """Return x * x, elementwise.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.square(torch.tensor([-3.0])).item()
        9.0
    """
    is_truth = input.dtype == _core.bool_
    x: Any = Base._cast(input, _core.int64) if is_truth else input
    return x * x  # type: ignore[no-any-return]


def _normalised(name: str, summary: str) -> Callable[..., Tensor]:
    # functional's would ask the tensor for its method, which is this one.
    compute = Base.log_softmax if name == "log_softmax" else functional.softmax
    y = {"softmax": "0.5000, 0.5000", "log_softmax": "-0.6931, -0.6931"}[name]

    def function(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
        x = input if dtype is None else Base._cast(input, as_dtype(name, dtype))
        if not x.dtype.is_floating_point:
            raise NotImplementedError(
                f"[{name}] got {x.dtype}; need a floating-point dtype. Try "
                "dtype=torch.float32."
            )
        axis = as_dim(name, dim, len(x.shape))
        if not x.shape:  # () -> (1,) -> ()
            result: Any = Base._reshape(compute(Base._reshape(x, (1,)), 0), ())
        else:
            result = compute(x, axis)
        return result  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {summary} along `dim`, without overflow.

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
    return tensor_function(function)


softmax = _normalised("softmax", "exp(x) / sum(exp(x))")
log_softmax = _normalised("log_softmax", "x - log(sum(exp(x)))")


def _positive(self: Tensor) -> Tensor:
    if self.dtype == _core.bool_:
        raise NotImplementedError("[+] unary + is not defined for torch.bool.")
    return self


METHODS |= {"__abs__": lambda self: abs(self), "__pos__": _positive}
