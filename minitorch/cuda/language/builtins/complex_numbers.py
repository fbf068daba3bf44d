"""Typing of complex numbers: `complex`, `cmath`, conjugates, NumPy's names."""

from __future__ import annotations

import builtins
import cmath

import numpy as np

from ..typed import Binary, Expression, Intrinsic, TupleValue, as_float, convert
from ..types import Type, unify
from .calls import CallSite, device_method, python_function
from .numbers import numbers

_HEADERS = {
    **dict.fromkeys(("abs", "conjugate"), "complex.cuh"),
    **dict.fromkeys(("exp", "log", "log10", "sqrt", "phase"), "complex_math.cuh"),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), "complex_math.cuh"),
    **dict.fromkeys(
        ("sin", "cos", "tan", "sinh", "cosh", "tanh"), "complex_circle.cuh"
    ),
    **dict.fromkeys(("asin", "acos", "atan", "asinh", "acosh", "atanh", "pow"), ""),
}
_FUNCTIONS = [
    name for name in _HEADERS if name not in ("abs", "conjugate", "pow", "phase")
]
_NUMPY = {
    f"arc{name[1:]}" if name.startswith("a") else name: name for name in _FUNCTIONS
}
_BY_NUMPY = {name: ours for name, ours in _NUMPY.items() if hasattr(np, name)}


def complex_call(name: str, *values: Expression) -> Intrinsic:
    """Call the header function for complex values of one type."""
    type_: Type = values[0].type
    result = type_
    if name in ("abs", "phase"):
        result = type_.part
    elif name.startswith("is"):
        name, result = f"{name}_complex", Type.BOOL
    stem = name.removesuffix("_complex")
    header = _HEADERS[stem] or "complex_inverse.cuh"
    return Intrinsic(result, f"py::{name}", tuple(values), (header,))


def as_complex(value: Expression) -> Expression:
    """Convert a number to complex: float32 to complex64, others to complex128."""
    if value.type.is_complex:
        return value
    narrow = value.type.computed is Type.FLOAT32
    return convert(value, Type.COMPLEX64 if narrow else Type.COMPLEX128)


@python_function(*(getattr(cmath, name) for name in _FUNCTIONS if name != "log"))
def _cmath(site: CallSite) -> Expression:
    (value,) = numbers(site, "z")
    return complex_call(site.name, as_complex(value))


@python_function(cmath.log)
def _log(site: CallSite) -> Expression:
    names = ("z", "base")[: max(len(site.arguments), 1)]
    logs = [complex_call("log", as_complex(number)) for number in numbers(site, *names)]
    if len(logs) == 1:
        return logs[0]
    common = unify(logs[0].type, logs[1].type)
    value, base = (convert(number, common) for number in logs)
    return Binary(common, "/", value, base)


@python_function(*(getattr(np, name) for name in _BY_NUMPY))
def _numpy(site: CallSite) -> Expression | None:
    if len(site.arguments) != 1 or site.keywords:
        return None
    value = site.arguments[0]
    if isinstance(value.type, Type) and value.type.is_complex:
        return complex_call(_BY_NUMPY[site.name], value)
    return None  # of real numbers as in math


@python_function(builtins.abs, np.absolute)
def _abs(site: CallSite) -> Expression | None:
    value = site.arguments[0] if len(site.arguments) == 1 else None
    if value is not None and isinstance(value.type, Type) and value.type.is_complex:
        return complex_call("abs", value)
    return None


@python_function(cmath.phase, np.angle)
def _phase(site: CallSite) -> Expression:
    (value,) = numbers(site, "z")
    return complex_call("phase", as_complex(value))


@python_function(cmath.polar)
def _polar(site: CallSite) -> Expression:
    (value,) = numbers(site, "z")
    held = site.scope.hold(site.node, as_complex(value))
    parts = complex_call("abs", held), complex_call("phase", held)
    return TupleValue.of(parts)


@python_function(cmath.rect)
def _rect(site: CallSite) -> Expression:
    radius, angle = (as_float(value) for value in numbers(site, "r", "phi"))
    small = radius.type is angle.type is Type.FLOAT32
    result = Type.COMPLEX64 if small else Type.COMPLEX128
    arguments = convert(radius, result.part), convert(angle, result.part)
    return Intrinsic(result, "py::rect", arguments, ("complex_math.cuh",))


@python_function(builtins.complex)
def _complex(site: CallSite) -> Expression:
    if len(site.arguments) + len(site.keywords) < 2:
        (value,) = numbers(site, "real")
        return as_complex(value)
    real, imag = numbers(site, "real", "imag")
    for index, part in enumerate((real, imag)):
        if part.type.is_complex:
            raise site.error(f"complex() needs real numbers, got {part.type}.", index)
    small = as_complex(real).type is as_complex(imag).type is Type.COMPLEX64
    result = Type.COMPLEX64 if small else Type.COMPLEX128
    parts = tuple(convert(part, result.part) for part in (real, imag))
    return Intrinsic(result, result.cuda, parts, ("complex.cuh",))


@python_function(np.conjugate)
@device_method("conjugate", "conj")
def _conjugate(site: CallSite) -> Expression:
    (value,) = numbers(site, "z")
    return complex_call("conjugate", value) if value.type.is_complex else value
