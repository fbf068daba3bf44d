"""Spelling of names, numbers and functions in CUDA C++."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import numpy as np

from ..intrinsics import ARITY, PREDICATES
from ..types import Type

_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class
    compl const constexpr const_cast continue decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq Fn Scalar Source Index NDIM TILE GROUP ALONG_ROWS MAX_DIMS SLOTS MEMBER_STEP
    threadIdx blockIdx blockDim gridDim warpSize printf assert fma fmin fmax min max
    rsqrt py dynamic_shared Shape Strides floor_divide floor_modulo power rint abs llabs
    tgamma nan nanf
"""
_RESERVED = {*_WORDS.split(), *ARITY, *(f"{name}f" for name in ARITY)}
_SUFFIXES = {Type.INT64: "LL", Type.UINT32: "u", Type.UINT64: "ULL"}
_INFINITY = {
    Type.FLOAT32: "__int_as_float(0x7f800000)",
    Type.FLOAT64: "__longlong_as_double(0x7ff0000000000000LL)",
}


@functools.lru_cache(maxsize=1)
def _reserved_by_headers() -> frozenset[str]:
    """Return the functions, types and macros of the language's headers."""
    folder = Path(__file__).parents[1] / "headers"
    texts = "".join(path.read_text() for path in folder.glob("*.cuh"))
    pairs = re.findall(r"(\w+)\(|(?:struct|#define) (\w+)", texts)
    return frozenset(word for pair in pairs for word in pair if word)


# Behind a name that C++ has for itself; the core leaves it out (cpp/ptx/demangle.cpp).
_SUFFIX = "_py_"


def identifier(name: str) -> str:
    """Return a Python name as a C++ identifier.

    Example:
        >>> identifier("x"), identifier("double"), identifier("α")
        ('x', 'double_py_', '_u03b1')
    """
    plain = name.encode("ascii", "backslashreplace").decode().replace("\\", "_")
    taken = plain in _RESERVED or plain.startswith("__") or plain.endswith(_SUFFIX)
    return plain + _SUFFIX if taken or name in _reserved_by_headers() else plain


def demangled(identifier: str) -> str:
    """Return the original of a C++ name, as messages show it.

    Example:
        >>> demangled("double_py_"), demangled("x")
        ('double', 'x')
    """
    return identifier.removesuffix(_SUFFIX)


def literal(type_: Type, number: bool | int | float) -> str:
    """Return an exact C++ literal; a negative one begins with `-`.

    Example:
        >>> literal(Type.FLOAT32, 0.5), literal(Type.INT64, -3)
        ('0.5f', '-3LL')
    """
    if type_ is Type.BOOL:
        return "true" if number else "false"
    if type_.is_complex:
        complex_value = complex(number)
        pair = complex_value.real, complex_value.imag
        parts = (literal(type_.part, value) for value in pair)
        return f"{type_.cuda}({', '.join(parts)})"
    if type_.is_half:
        return f"{type_.cuda}({literal(type_.computed, number)})"
    if not type_.is_float:
        if number == -(2**63):
            return "(-9223372036854775807LL - 1)"
        return f"{int(number)}{_SUFFIXES.get(type_, '')}"
    value = float(number)
    suffix = "f" if type_ is Type.FLOAT32 else ""
    if value != value:
        return f'nan{suffix}("")'
    if value in (float("inf"), float("-inf")):
        return _INFINITY[type_] if value > 0 else f"-{_INFINITY[type_]}"
    return f"{value!r}{suffix}"


def constant_literal(type_: Type, number: bool | int | float) -> str:
    """Return the literal of a constant array's element, known at compile time.

    Example:
        >>> constant_literal(Type.FLOAT16, 0.5)
        '__half(__half_raw{0x3800})'
    """
    if type_ is not Type.FLOAT16:
        return literal(type_, number)
    return f"__half(__half_raw{{{int(np.float16(number).view(np.uint16)):#06x}}})"


def function_name(name: str, type_: Type) -> str:
    """Return the C++ name of a math function for one argument type.

    Example:
        >>> function_name("exp", Type.FLOAT32), function_name("gamma", Type.FLOAT64)
        ('expf', 'tgamma')
    """
    if name == "fabs" and type_.is_integer:
        return "abs" if type_ is Type.INT32 else "llabs"
    if name in PREDICATES:
        return name
    if name in ("min", "max"):
        return f"python_{name}"
    stem = "tgamma" if name == "gamma" else name
    return f"{stem}f" if type_ is Type.FLOAT32 else stem
