"""Types and errors of `numba` by name."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import cuda
from ..cuda.language.types import ArrayType, TupleType, Type, void

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


#: `numba.types.*`, which is also `numba.*`.
TYPES: dict[str, Any] = {
    **{name: type_ for type_, names in _ALIASES.items() for name in names.split()},
    "void": void,
    "none": None,
    "Array": ArrayType,
    "Tuple": lambda items: TupleType(tuple(items)),
    "UniTuple": lambda item, count: TupleType((item,) * count),
    "NamedTuple": lambda items, cls: TupleType(tuple(items), tuple(cls._fields)),
    "from_dtype": lambda dtype: Type(np.dtype(dtype).name),
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
