"""Stand-ins for tensors while a function is traced: values of elementwise ops."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from .._core import Tensor
from ..cuda.tracebacks import launch_site
from ..tensors.op_calls import open_overrides

_Function = TypeVar("_Function", bound=Callable[..., Any])

_FUNCTIONS = """abs ceil cos erf exp floor gelu log neg reciprocal relu round rsqrt
sigmoid sign silu sin sqrt tanh"""
UNARY = frozenset(_FUNCTIONS.split())
COMPARISONS: list[str] = ["lt", "le", "gt", "ge", "eq", "ne"]
_SIGNS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
}
OPS = sorted({*UNARY, *_SIGNS.values(), "clamp", "maximum", "minimum", "where"})


class Value:
    """An argument of the traced function, or the result of an elementwise op of values.

    `op` is "argument", with its position as `place`, or the name of an op, whose
    `inputs` are values and numbers; the function called it as `called`.
    """

    __array_ufunc__ = None  # NumPy's arrays and numbers leave the operator to us
    __hash__ = object.__hash__

    def __init__(
        self, op: str, inputs: tuple[Any, ...] = (), *, position: int = -1, dtype: str
    ) -> None:
        self.op, self.inputs, self.position, self.dtype = op, inputs, position, dtype
        self.called = op

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        refuse(f".{name} of a tensor")

    def __bool__(self) -> bool:
        refuse("a branch on a tensor's value (if, while, and, or)")

    def __len__(self) -> int:
        refuse("len() of a tensor")

    def __float__(self) -> float:
        refuse("float() of a tensor")

    def __getitem__(self, index: object) -> Any:
        refuse("indexing of a tensor")

    def __iter__(self) -> Any:
        refuse("a loop over a tensor")

    def __matmul__(self, other: object) -> Any:
        refuse("@ of a tensor")

    __rmatmul__ = __matmul__

    def clamp(self, min: Any = None, max: Any = None) -> Any:
        """Return the value limited to min … max, which are numbers."""
        if _holds_value((min, max)):
            refuse("clamp with a tensor as a limit")
        if min is None or max is None:
            if min is None and max is None:
                refuse("clamp without limits")
            low = max is None
            result = value(
                "clamp_min" if low else "clamp_max", self, min if low else max
            )
            result.called = "clamp"
            return result
        return value("clamp", self, min, max)


def refuse(construct: str) -> NoReturn:
    """Raise TypeError with the line of the function that is being traced."""
    raise TypeError(
        f"[fuse] cannot fuse {construct} at {launch_site()}; use only elementwise "
        f"operations: {', '.join(OPS)}, and comparisons."
    )


def value(op: str, *inputs: Any) -> Any:
    """Return the value of an op; numbers take the dtype of the values."""
    dtype = next(operand.dtype for operand in inputs if isinstance(operand, Value))
    return Value(
        op, tuple(_checked(op, operand, dtype) for operand in inputs), dtype=dtype
    )


def _checked(op: str, operand: Any, dtype: str) -> Value | float:
    operand = getattr(operand, "__minitorch_value__", operand)
    if isinstance(operand, Value):
        return operand
    if isinstance(operand, int | float | np.number | np.bool_):
        return float(np.dtype(dtype).type(operand))
    if isinstance(operand, Tensor):
        raise TypeError(
            f"[fuse] cannot fuse {op} of a tensor that is not an argument at "
            f"{launch_site()}; pass all tensors as arguments of the function."
        )
    refuse(f"{op} with an operand of type {type(operand).__name__}")


def power(a: Any, b: Any) -> Any:
    """Return a ** b; a square is a product, as for Tensor."""
    if isinstance(a, Value) and isinstance(b, int) and b == 2:
        square = value("mul", a, a)
        square.called = "pow"
        return square
    return value("pow", a, b)


def _both(op: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    make = power if op == "pow" else lambda a, b: value(op, a, b)
    return (lambda self, other: make(self, other)), (
        lambda self, other: make(other, self)
    )


def _in_place(sign: str) -> Callable[..., Any]:
    def change(self: Value, other: object) -> Any:
        refuse(f"{sign}, which changes a tensor in place,")

    return change


def _method(op: str) -> Callable[..., Any]:
    if op == "pow":
        return power
    return lambda self, *others: value(op, self, *others)


for _name in UNARY:
    setattr(Value, _name, _method(_name))
for _name in ("maximum", "minimum", *_SIGNS.values()):
    setattr(Value, _name, _method(_name))
for _stem, _op in _SIGNS.items():
    _left, _right = _both(_op)
    setattr(Value, f"__{_stem}__", _left)
    setattr(Value, f"__r{_stem}__", _right)
    setattr(Value, f"__i{_stem}__", _in_place(f"{_op} in place"))
for _name in COMPARISONS:
    setattr(Value, f"__{_name}__", _method(_name))
setattr(Value, "__neg__", _method("neg"))  # noqa: B010
setattr(Value, "__abs__", _method("abs"))  # noqa: B010


class Reading:
    """An override of all ops on a thread: an op of stand-ins returns a value."""

    def stands_for(self, name: str) -> bool:
        """Return True: all ops are overridden."""
        return True

    def run(self, name: str, original: Callable[..., Any], args: Any) -> Any:
        """Return the op's value; if all arguments are tensors, its result."""
        if not any(_holds_value(argument) for argument in args):
            return original(*args)
        if name == "clamp":
            return args[0].clamp(*args[1:])
        if name == "gelu" and args[1:] not in ((), ("none",)):
            refuse("gelu with approximate other than 'none'")
        if name not in OPS:
            refuse(name)
        return value(name, *(args[:1] if name in UNARY else args))


def read_call(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Return the value of an elementwise function called with values.

    Raises:
        TypeError: another function, or an option that changes what it computes.
    """
    name = function.__name__
    signature = inspect.signature(function)
    given = signature.bind(*args, **options)
    if name in ("clamp", "where"):
        given.apply_defaults()
        inputs = list(given.arguments.values())
        return inputs[0].clamp(*inputs[1:]) if name == "clamp" else value(name, *inputs)
    inputs = []
    for parameter, argument in given.arguments.items():
        default = signature.parameters[parameter].default
        if default is inspect.Parameter.empty:
            inputs.append(argument)
        elif _holds_value(argument) or argument != default:
            refuse(f"{name} with {parameter}={argument!r}")
    if name not in OPS and name not in COMPARISONS:
        refuse(name)
    return power(*inputs) if name == "pow" else value(name, *inputs)


def is_given_values(args: Any, options: Any) -> bool:
    """Return whether a function is traced and an argument here is a value."""
    return bool(open_overrides) and any(
        isinstance(argument, Value) for argument in (*args, *options.values())
    )


def reads_values(function: _Function) -> _Function:
    """Decorate a function so that calls with values return values."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if is_given_values(args, options):
            return read_call(function, args, options)
        return function(*args, **options)

    return call  # type: ignore[return-value]


def _holds_value(operand: Any) -> bool:
    if isinstance(operand, tuple | list):
        return any(map(_holds_value, operand))
    return isinstance(operand, Value)
