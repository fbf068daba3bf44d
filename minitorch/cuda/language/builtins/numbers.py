"""Typing of functions of numbers: bits, fma, gcd, frexp, round to digits."""

from __future__ import annotations

import builtins
import functools
import math

from ..typed import Call, Expression, Intrinsic, Select, as_bool, as_float, convert
from ..types import TupleType, Type, unify
from .calls import CallSite, device_function, device_method, python_function
from .threads import integer, named

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


@device_method("bit_count")
def _bit_count(site: CallSite) -> Expression:
    (value,) = numbers(site, "number")
    value = _integer(site, value, 0)
    function = f"py::popc<{value.type.cuda}>"
    return Intrinsic(value.type, function, (value,), _BITS, nonnegative=True)


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


@python_function(math.gcd)
def _gcd(site: CallSite) -> Expression:
    a, b = (
        _integer(site, value, index)
        for index, value in enumerate(numbers(site, "a", "b"))
    )
    common = unify(a.type, b.type)
    if not common.is_integer:
        raise site.error(
            f"gcd has no common integer type for {a.type} and {b.type}. Convert both "
            "to cuda.int64."
        )
    function = f"py::gcd<{common.cuda}>"
    return Intrinsic(
        common, function, (convert(a, common), convert(b, common)), _NUMBERS
    )


@python_function(math.frexp)
def _frexp(site: CallSite) -> Expression:
    (value,) = floats(site, "x")
    pair = TupleType((value.type, Type.INT32))
    return named(site, Intrinsic(pair, "py::frexp_pair", (value,), _NUMBERS))


@python_function(math.modf)
def _modf(site: CallSite) -> Expression:
    (value,) = floats(site, "x")
    pair = TupleType((value.type, value.type))
    return named(site, Intrinsic(pair, "py::modf_pair", (value,), _NUMBERS))


@python_function(math.ldexp)
def _ldexp(site: CallSite) -> Expression:
    value, exponent = real_numbers(site, "x", "i")
    value = as_float(value)
    value = convert(value, value.type.computed)
    power = convert(_integer(site, exponent, 1), Type.INT32)
    return Intrinsic(value.type, "ldexp", (value, power))


@python_function(math.nextafter)
def _nextafter(site: CallSite) -> Expression:
    a, b = floats(site, "x", "y")
    common = unify(a.type, b.type)
    return Intrinsic(common, "nextafter", (convert(a, common), convert(b, common)))


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
