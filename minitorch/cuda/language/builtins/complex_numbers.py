"""Typing of complex numbers: `complex`, `cmath`, conjugates."""

from __future__ import annotations

import builtins
import cmath

from ..typed import Expression, Intrinsic, TupleValue, as_float, convert
from ..types import Type
from .calls import CallSite, device_method, python_function
from .numbers import numbers, real_numbers

_MATH = ("complex_math.cuh",)


def _complex_number(site: CallSite) -> Expression:
    """Bind the argument; a float32 becomes complex64, other reals complex128."""
    (value,) = numbers(site, "z")
    return _as_complex(value)


def _as_complex(value: Expression) -> Expression:
    if value.type.is_complex:
        return value
    narrow = value.type.computed is Type.FLOAT32
    return convert(value, Type.COMPLEX64 if narrow else Type.COMPLEX128)


@python_function(cmath.exp, cmath.sqrt)
def _function(site: CallSite) -> Expression:
    value = _complex_number(site)
    return Intrinsic(value.type, f"py::{site.name}", (value,), _MATH)


@python_function(cmath.phase)
def _phase(site: CallSite) -> Expression:
    value = _complex_number(site)
    return Intrinsic(value.type.part, "py::phase", (value,), _MATH)


@python_function(cmath.polar)
def _polar(site: CallSite) -> Expression:
    value = site.scope.hold(site.node, _complex_number(site))
    parts = (
        Intrinsic(value.type.part, f"py::{name}", (value,), _MATH)
        for name in ("abs", "phase")
    )
    return TupleValue.of(tuple(parts))


@python_function(cmath.rect)
def _rect(site: CallSite) -> Expression:
    radius, angle = (as_float(value) for value in numbers(site, "r", "phi"))
    small = radius.type is angle.type is Type.FLOAT32
    result = Type.COMPLEX64 if small else Type.COMPLEX128
    arguments = convert(radius, result.part), convert(angle, result.part)
    return Intrinsic(result, "py::rect", arguments, _MATH)


@python_function(builtins.complex)
def _complex(site: CallSite) -> Expression:
    if len(site.arguments) + len(site.keywords) < 2:
        (value,) = numbers(site, "real")
        return _as_complex(value)
    parts = real_numbers(site, "real", "imag")
    small = all(_as_complex(part).type is Type.COMPLEX64 for part in parts)
    result = Type.COMPLEX64 if small else Type.COMPLEX128
    parts = [convert(part, result.part) for part in parts]
    return Intrinsic(result, result.cuda, tuple(parts), ("complex.cuh",))


@device_method("conjugate")
def _conjugate(site: CallSite) -> Expression:
    (value,) = numbers(site, "z")
    if not value.type.is_complex:
        return value
    return Intrinsic(value.type, "py::conjugate", (value,), ("complex.cuh",))
