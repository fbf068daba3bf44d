"""Owns the scalar types of the language and how they combine; knows no syntax.

The rules are Numba's for CUDA: integers compute in 64 bits, float32 stays float32 only
among float32, and two types that meet become the type that holds both.
"""

from __future__ import annotations

import enum

__all__ = ["Type", "arithmetic_type", "power_type", "unify"]


class Type(enum.Enum):
    """A scalar type; the value is its NumPy name.

    Example:
        >>> Type("float32").cuda
        'float'
    """

    BOOL = "bool"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @property
    def cuda(self) -> str:
        """Name of the type in CUDA C++."""
        return _CUDA_NAMES[self]

    @property
    def is_float(self) -> bool:
        """Is this float32 or float64?"""
        return self in (Type.FLOAT32, Type.FLOAT64)

    @property
    def is_integer(self) -> bool:
        """Is this int32 or int64 (bool is neither integer nor float)?"""
        return self in (Type.INT32, Type.INT64)

    def __str__(self) -> str:
        return self.value


_CUDA_NAMES = {
    Type.BOOL: "bool",
    Type.INT32: "int",
    Type.INT64: "long long",
    Type.FLOAT32: "float",
    Type.FLOAT64: "double",
}


def unify(a: Type, b: Type) -> Type:
    """Give the type of a value that is sometimes an `a` and sometimes a `b`.

    Args:
        a: A type, e.g. of the one branch.
        b: A type, e.g. of the other branch.

    Returns:
        The narrowest type that holds every value of both; an integer and a float32 need
        float64.

    Example:
        >>> print(unify(Type.INT32, Type.FLOAT32))
        float64
    """
    if a is b:
        return a
    if a is Type.BOOL:
        return b
    if b is Type.BOOL:
        return a
    if a.is_integer and b.is_integer:
        return Type.INT64
    return Type.FLOAT64


def arithmetic_type(operator: str, a: Type, b: Type) -> Type:
    """Give the type in which `a operator b` is computed, for `+ - * / // %`.

    Args:
        operator: The Python spelling.
        a: Type of the left operand.
        b: Type of the right operand.

    Returns:
        int64 among integers and bools, but float64 for `/`; else the unified type.

    Example:
        >>> print(arithmetic_type("+", Type.INT32, Type.INT32))
        int64
        >>> print(arithmetic_type("*", Type.FLOAT32, Type.INT64))
        float64
    """
    if a.is_float or b.is_float:
        return unify(a, b)
    return Type.FLOAT64 if operator == "/" else Type.INT64


def power_type(base: Type, exponent: Type) -> Type:
    """Give the type of `base ** exponent` and of `pow`.

    Args:
        base: Type of the base.
        exponent: Type of the exponent; an integer one does not widen a float base.

    Returns:
        The result's type.

    Example:
        >>> print(power_type(Type.FLOAT32, Type.INT64))
        float32
    """
    if base.is_float and not exponent.is_float:
        return base
    return arithmetic_type("**", base, exponent)
