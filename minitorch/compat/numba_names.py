"""Types and errors of `numba` by name."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import cuda
from ..cuda.language.types import ArrayType, KernelType, TupleType, Type, void

__all__ = ["ERRORS", "TYPES"]

# Numba's other names of each type.
_ALIASES = {
    Type.BOOL: "boolean bool_ b1",
    Type.INT8: "int8 i1 char",
    Type.INT16: "int16 i2 short",
    Type.INT32: "int32 i4 intc",
    Type.INT64: "int64 i8 intp int_ long_ longlong ssize_t",
    Type.UINT8: "uint8 u1 byte uchar",
    Type.UINT16: "uint16 u2 ushort",
    Type.UINT32: "uint32 u4 uintc",
    Type.UINT64: "uint64 u8 uintp uint ulong ulonglong size_t",
    Type.FLOAT16: "float16 f2",
    Type.FLOAT32: "float32 f4 float_",
    Type.FLOAT64: "float64 f8 double",
    Type.COMPLEX64: "complex64 c8",
    Type.COMPLEX128: "complex128 c16",
}


def _array(dtype: Type, ndim: int, layout: str, readonly: bool = False) -> ArrayType:
    """Return the type `types.Array(float32, 2, "C")`."""
    return ArrayType(dtype, ndim, layout, readonly=readonly)


def _tuple(items: Any) -> TupleType:
    """Return the type `types.Tuple((int64, float64))`."""
    return TupleType(tuple(items))


def _uniform_tuple(item: KernelType, count: int) -> TupleType:
    """Return the type `types.UniTuple(int64, 3)`."""
    return TupleType((item,) * count)


def _named_tuple(items: Any, cls: type) -> TupleType:
    """Return the type `types.NamedTuple((int64, int64), Point)`."""
    return TupleType(tuple(items), tuple(cls._fields))  # type: ignore[attr-defined]


def _from_dtype(dtype: Any) -> Type:
    """Return the type of an array's elements: `from_dtype(np.dtype("f4"))`."""
    return Type(np.dtype(dtype).name)


#: `numba.types.*`, which is also `numba.*`.
TYPES: dict[str, Any] = {
    **{name: type_ for type_, names in _ALIASES.items() for name in names.split()},
    "void": void,
    "none": None,
    "Array": _array,
    "Tuple": _tuple,
    "UniTuple": _uniform_tuple,
    "NamedTuple": _named_tuple,
    "from_dtype": _from_dtype,
}


class NumbaError(cuda.CompileError):
    """Base class of Numba's own errors; never raised here."""


class NumbaWarning(builtins.Warning):
    """Base class of Numba's own warnings."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """For the warning filters of programs; never issued."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """For the warning filters of programs; never issued."""


#: `numba.core.errors.*`. An `except TypingError` catches our errors of the same kind.
ERRORS: dict[str, Any] = {
    "NumbaError": NumbaError,
    "TypingError": cuda.CompileError,
    "LoweringError": cuda.CompileError,
    "UnsupportedError": cuda.CompileError,
    "UnsupportedBytecodeError": cuda.CompileError,
    "ConstantInferenceError": cuda.CompileError,
    "NumbaTypeError": TypeError,
    "NumbaValueError": ValueError,
    "NumbaIndexError": IndexError,
    "NumbaNotImplementedError": NotImplementedError,
    "NumbaRuntimeError": RuntimeError,
    "CudaSupportError": cuda.CudaError,
    "NumbaWarning": NumbaWarning,
    "NumbaPerformanceWarning": cuda.NumbaPerformanceWarning,
    "NumbaDeprecationWarning": NumbaDeprecationWarning,
    "NumbaPendingDeprecationWarning": NumbaPendingDeprecationWarning,
    "NumbaExperimentalFeatureWarning": NumbaWarning,
    "NumbaInvalidConfigWarning": NumbaWarning,
}
