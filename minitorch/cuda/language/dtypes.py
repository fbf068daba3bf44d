"""Owns the recognition of dtype tokens: ours, NumPy's, Numba's; knows no syntax."""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import Type

__all__ = ["dtype_of"]

_PYTHON = {
    bool: Type.BOOL,
    int: Type.INT64,
    float: Type.FLOAT64,
    complex: Type.COMPLEX128,
}
_OTHER_NAMES = {
    "bool_": Type.BOOL,
    "boolean": Type.BOOL,
    "intp": Type.INT64,
    "uintp": Type.UINT64,
    "f4": Type.FLOAT32,
    "f8": Type.FLOAT64,
    "i4": Type.INT32,
    "i8": Type.INT64,
}


def dtype_of(token: Any) -> Type | None:
    """Give the scalar type that a dtype token names, or None.

    Args:
        token: `cuda.float32`, `np.float32`, `np.dtype("float32")`, `"float32"`,
            `float`, `minitorch.float32`, `numba.float32`.

    Returns:
        The type; None for anything else.

    Example:
        >>> print(dtype_of(np.float32), dtype_of("int64"), dtype_of(float))
        float32 int64 float64
        >>> dtype_of("text") is None
        True
    """
    if isinstance(token, Type):
        return token
    if isinstance(token, type):
        if token in _PYTHON:
            return _PYTHON[token]
        if not issubclass(token, np.generic):
            return None
        return _by_name(np.dtype(token).name)
    if isinstance(token, np.dtype):
        return _by_name(token.name)
    if isinstance(token, str):
        return _by_name(token)
    name = getattr(token, "name", None)
    is_token = not callable(token) or hasattr(token, "bitwidth")  # Numba's are called
    return _by_name(name) if isinstance(name, str) and is_token else None


def _by_name(name: str) -> Type | None:
    try:
        return Type(name)
    except ValueError:
        return _OTHER_NAMES.get(name)
