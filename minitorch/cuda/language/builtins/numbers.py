"""Typing of functions of numbers: bits, fma, round to digits, NumPy's maximum."""

from __future__ import annotations

import builtins
import functools

import numpy as np

from ..typed import Call, Expression, Intrinsic, Select, as_bool, as_float, convert
from ..types import Type, unify
from .calls import CallSite, device_function, python_function
from .threads import integer

_BITS = ("bits.cuh",)
_NUMBERS = ("numbers.cuh",)


def numbers(site: CallSite, *names: str) -> list[Expression]:
    """Bind the arguments, all of which must be numbers."""
    return [
        site.scope.scalar(site.place(index), value)
        for index, value in enumerate(site.bind(*names))
    ]


def real_numbers(site: CallSite, *names: str) -> list[Expression]:
    """Bind the arguments, all of which must be real numbers."""
    values = numbers(site, *names)
    for index, value in enumerate(values):
        if value.type.is_complex:
            raise site.error(
                f"{site.name} needs real numbers, got {value.type}.", index
            )
    return values


def floats(site: CallSite, *names: str) -> list[Expression]:
    """Bind the arguments as float32 or float64, in which functions are computed."""
    values = map(as_float, real_numbers(site, *names))
    return [convert(value, value.type.computed) for value in values]


def _integer(site: CallSite, value: Expression, index: int) -> Expression:
    to = Type.INT64 if value.type is Type.BOOL else value.type
    return integer(site, value, index, to)


@device_function("popc", "clz", "ffs")
def _bits(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    value = _integer(site, value, 0)
    result = Type.UINT32 if site.name == "ffs" else value.type
    function = f"py::{site.name}<{value.type.cuda}>"
    return Intrinsic(result, function, (value,), _BITS, nonnegative=True)


@device_function("brev")
def _reversed_bits(site: CallSite) -> Expression:
    (value,) = numbers(site, "x")
    # As in Numba, which has it for uint32 and uint64 and takes the former otherwise.
    wide = _integer(site, value, 0).type is Type.UINT64
    result = Type.UINT64 if wide else Type.UINT32
    return Intrinsic(result, "py::brev", (convert(value, result),), _BITS)


@device_function("fma")
def _fma(site: CallSite) -> Expression:
    values = floats(site, "a", "b", "c")
    common = functools.reduce(unify, (value.type for value in values))
    return Intrinsic(common, "fma", tuple(convert(x, common) for x in values))


@device_function("cbrt")
def _cbrt(site: CallSite) -> Expression:
    (value,) = floats(site, "x")
    return Call(value.type, "cbrt", (value,))


@device_function("selp")
def _selp(site: CallSite) -> Expression:
    test, then, otherwise = numbers(site, "test", "a", "b")
    if then.type is not otherwise.type:
        raise site.error(
            f"selp needs two values of the same type, got {then.type} and "
            f"{otherwise.type}. Convert one of them, or write `a if test else b`."
        )
    return Select(then.type, as_bool(test), then, otherwise)


@python_function(builtins.round)
def _round(site: CallSite) -> Expression | None:
    if len(site.arguments) + len(site.keywords) != 2:
        return None
    value, digits = numbers(site, "number", "ndigits")
    if not value.type.is_float:
        raise site.error(f"round with ndigits needs a float, got {value.type}.", 0)
    digit_count = convert(_integer(site, digits, 1), Type.INT64)
    wide = convert(value, value.type.computed)
    function = f"py::round_to<{wide.type.cuda}>"
    rounded = Intrinsic(wide.type, function, (wide, digit_count), _NUMBERS)
    return convert(rounded, value.type)


@python_function(np.maximum, np.minimum)
def _extreme(site: CallSite) -> Expression:
    values = real_numbers(site, "x1", "x2")
    common = functools.reduce(unify, (value.type for value in values))
    pair = tuple(convert(value, common.computed) for value in values)
    function = f"py::{site.name}<{common.computed.cuda}>"
    return convert(Intrinsic(common.computed, function, pair, _NUMBERS), common)
