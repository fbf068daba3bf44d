"""Typing of NumPy's scalar functions that `math` does not have.

The type is NumPy's, but that an integer beside a float32 stays in float32, as in Numba.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

import numpy as np

from ..operators import binary, compare
from ..typed import (
    Binary,
    Constant,
    Expression,
    Intrinsic,
    Select,
    Unary,
    as_bool,
    as_float,
    convert,
)
from ..types import Type, unify
from .calls import CallSite, python_function
from .mathematics import math_call, wide_call
from .numbers import numbers, real_numbers

Binder = Callable[..., list[Expression]]
_NUMBERS = ("numbers.cuh",)
_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(),
    "subtract": ast.Sub(),
    "multiply": ast.Mult(),
    "floor_divide": ast.FloorDiv(),
    "remainder": ast.Mod(),
    "power": ast.Pow(),
}
_COMPARISONS = {
    "greater": ">",
    "greater_equal": ">=",
    "less": "<",
    "less_equal": "<=",
    "equal": "==",
    "not_equal": "!=",
}
_BITWISE: dict[str, ast.operator] = {
    "bitwise_and": ast.BitAnd(),
    "bitwise_or": ast.BitOr(),
    "bitwise_xor": ast.BitXor(),
}


def _functions(*names: str) -> tuple[object, ...]:
    return tuple(getattr(np, name) for name in names)


def _common(a: Type, b: Type) -> Type:
    """Return the type in which NumPy computes with two types."""
    for one, other in ((a, b), (b, a)):
        if one.is_float and not other.is_float and not other.is_complex:
            return one
    return unify(a, b)


def _pair(
    site: CallSite, floats: bool = False, bind: Binder = numbers
) -> tuple[Type, list[Expression]]:
    values = bind(site, "x1", "x2")
    common = _common(values[0].type, values[1].type)
    if floats and not (common.is_float or common.is_complex):
        common = Type.FLOAT64
    return common, [convert(value, common) for value in values]


@python_function(*_functions(*_OPERATORS))
def _arithmetic(site: CallSite) -> Expression:
    common, (a, b) = _pair(site)
    value = binary(site.scope, site.node, _OPERATORS[site.name], a, b)
    return convert(value, common)


@python_function(np.true_divide)
def _divide(site: CallSite) -> Expression:
    _, (a, b) = _pair(site, floats=True)
    return binary(site.scope, site.node, ast.Div(), a, b)


@python_function(*_functions("arctan2", "hypot", "fmod", "copysign"))
def _float_binary(site: CallSite) -> Expression:
    _, (a, b) = _pair(site, True, real_numbers)
    name = "atan2" if site.name == "arctan2" else site.name
    return math_call(site.scope, site.node, name, [a, b])


@python_function(*_functions("maximum", "minimum", "fmax", "fmin"))
def _extreme(site: CallSite) -> Expression:
    common, pair = _pair(site, bind=real_numbers)
    wide = common.computed
    pair = [convert(value, wide) for value in pair]
    if wide.is_float and site.name in ("fmax", "fmin"):  # a NaN is no value to them
        return convert(Intrinsic(wide, site.name, tuple(pair)), common)
    name = {"fmax": "maximum", "fmin": "minimum"}.get(site.name, site.name)
    function = f"py::{name}<{wide.cuda}>"
    return convert(Intrinsic(wide, function, tuple(pair), _NUMBERS), common)


@python_function(*_functions(*_COMPARISONS))
def _comparison(site: CallSite) -> Expression:
    a, b = numbers(site, "x1", "x2")
    if (a.type.is_complex or b.type.is_complex) and "equal" not in site.name:
        raise site.error(f"{site.name} needs real numbers, got {a.type} and {b.type}.")
    return compare(_COMPARISONS[site.name], a, b)


@python_function(*_functions("logical_and", "logical_or", "logical_xor"))
def _logical(site: CallSite) -> Expression:
    a, b = (as_bool(value) for value in numbers(site, "x1", "x2"))
    sign = {"logical_and": "&", "logical_or": "|", "logical_xor": "^"}[site.name]
    return Binary(Type.BOOL, sign, a, b)


@python_function(np.logical_not)
def _logical_not(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    return Unary(Type.BOOL, "not", as_bool(value))


def _need_integers(site: CallSite, common: Type) -> None:
    if not common.is_integer and common is not Type.BOOL:
        raise site.error(f"{site.name} needs integers, got {common}.")


@python_function(*_functions(*_BITWISE))
def _bitwise(site: CallSite) -> Expression:
    common, (a, b) = _pair(site)
    _need_integers(site, common)
    value = binary(site.scope, site.node, _BITWISE[site.name], a, b)
    return convert(value, common)


@python_function(np.invert)
def _invert(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    _need_integers(site, value.type)
    if value.type is Type.BOOL:
        return Unary(Type.BOOL, "not", value)
    return convert(Unary(Type.INT64, "~", convert(value, Type.INT64)), value.type)


@python_function(*_functions("left_shift", "right_shift"))
def _shift(site: CallSite) -> Expression:
    common, (a, b) = _pair(site)
    _need_integers(site, common)
    function = f"py::{site.name}<{common.cuda}>"
    return Intrinsic(common, function, (a, convert(b, Type.INT64)), _NUMBERS)


@python_function(*_functions("square", "reciprocal", "negative", "positive", "sign"))
def _unary(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    match site.name:
        case "square":
            held = site.scope.hold(site.node, value)
            product = binary(site.scope, site.node, ast.Mult(), held, held)
            return convert(product, value.type)
        case "reciprocal":
            one = convert(Constant(Type.INT64, 1), as_float(value).type)
            return Binary(one.type, "/", one, as_float(value))
        case "sign":
            if value.type.is_complex:
                raise site.error(f"sign needs a real number, got {value.type}.")
            wide = value.type.computed
            function = f"py::sign<{wide.cuda}>"
            sign = Intrinsic(wide, function, (convert(value, wide),), _NUMBERS)
            return convert(sign, value.type)
        case "negative":
            return Unary(value.type, "-", value)
    return value


@python_function(np.rint)
def _rint(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    return wide_call("rint", as_float(value))


@python_function(np.deg2rad, np.radians, np.rad2deg, np.degrees)
def _angle(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    value = as_float(value)
    to_radians = site.name in ("deg2rad", "radians")
    factor = math.pi / 180 if to_radians else 180 / math.pi
    scale = convert(Constant(Type.FLOAT64, factor), value.type)
    return binary(site.scope, site.node, ast.Mult(), value, scale)


@python_function(np.where)
def _where(site: CallSite) -> Expression:
    test, then, otherwise = numbers(site, "condition", "x", "y")
    common = unify(then.type, otherwise.type)
    values = convert(then, common), convert(otherwise, common)
    return Select(common, as_bool(test), *values)
