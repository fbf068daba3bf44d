"""Types of the language, and promotion of scalars.

The rules are Numba's for CUDA: integers compute in 64 bits, float32 stays float32 only
among float32, and two types that meet become the type that holds both.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


class Type(enum.Enum):
    """Scalar type; the value is its NumPy name.

    The members are what `minitorch.cuda.float32` and the like are: `float32[:, ::1]` is
    an array type, `void(float32[:])` a signature, `float32(x)` in a kernel a cast.

    Example:
        >>> Type("float32").cuda
        'float'
        >>> print(Type.FLOAT32[:, ::1])
        array(float32, 2d, C)
    """

    BOOL = "bool"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    COMPLEX64 = "complex64"
    COMPLEX128 = "complex128"

    @property
    def cuda(self) -> str:
        """Name of the type in CUDA C++."""
        return _CUDA_NAMES[self]

    @property
    def is_float(self) -> bool:
        """Whether this is a real floating-point type."""
        return self in _FLOATS

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type (bool is neither integer nor float)."""
        return self in _SIGNED or self in _UNSIGNED

    @property
    def is_signed(self) -> bool:
        """Whether this is a signed integer type."""
        return self in _SIGNED

    @property
    def is_complex(self) -> bool:
        """Whether this is complex64 or complex128."""
        return self in (Type.COMPLEX64, Type.COMPLEX128)

    @property
    def is_half(self) -> bool:
        """Whether this is float16 or bfloat16."""
        return self in (Type.FLOAT16, Type.BFLOAT16)

    @property
    def rank(self) -> int:
        """Rank in promotion: 0 bool, 1 integers, 2 floats, 3 complex numbers.

        Numbers convert by themselves to types of the same rank and of higher ones.
        """
        return 3 if self.is_complex else 2 if self.is_float else int(self.is_integer)

    @property
    def size(self) -> int:
        """Bytes of a value in memory."""
        return 2 if self is Type.BFLOAT16 else self.dtype.itemsize

    @property
    def computed(self) -> Type:
        """Type in which functions of such numbers are computed."""
        return Type.FLOAT32 if self.is_half else self

    @property
    def part(self) -> Type:
        """Type of the real and imaginary parts of a complex type."""
        return Type.FLOAT32 if self is Type.COMPLEX64 else Type.FLOAT64

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the same values; bfloat16 has none."""
        return np.dtype(self.value)

    def __getitem__(self, dimensions: slice | tuple[slice, ...]) -> ArrayType:
        """Return an array type: `float32[:, ::1]`; `::1` is the contiguous axis."""
        slices = dimensions if isinstance(dimensions, tuple) else (dimensions,)
        steps = [dimension.step for dimension in slices]
        layout = "C" if steps[-1] == 1 else "F" if steps[0] == 1 else "A"
        return ArrayType(self, len(slices), layout)

    def __call__(self, *arguments: Any) -> Any:
        """Return a signature for types, `float32(int32)`; cast a number."""
        if arguments and all(
            isinstance(argument, KernelType) for argument in arguments
        ):
            return FunctionType(self, arguments)
        return self.dtype.type(*arguments)

    def __str__(self) -> str:
        return self.value


_SIGNED = (Type.INT8, Type.INT16, Type.INT32, Type.INT64)
_UNSIGNED = (Type.UINT8, Type.UINT16, Type.UINT32, Type.UINT64)
_FLOATS = (Type.FLOAT16, Type.BFLOAT16, Type.FLOAT32, Type.FLOAT64)

_CUDA_NAMES = {
    Type.BOOL: "bool",
    Type.INT8: "signed char",
    Type.INT16: "short",
    Type.INT32: "int",
    Type.INT64: "long long",
    Type.UINT8: "unsigned char",
    Type.UINT16: "unsigned short",
    Type.UINT32: "unsigned",
    Type.UINT64: "unsigned long long",
    Type.FLOAT16: "__half",
    Type.BFLOAT16: "__nv_bfloat16",
    Type.FLOAT32: "float",
    Type.FLOAT64: "double",
    Type.COMPLEX64: "Complex<float>",
    Type.COMPLEX128: "Complex<double>",
}


@dataclass(frozen=True)
class ArrayType:
    """Type of an array of scalars with `ndim` dimensions.

    In a kernel's parameters it is `struct {T* data; int64 shape[ndim], strides[ndim]}`,
    strides counted in elements.

    Attributes:
        layout: "C" or "F" when contiguous in that order, else "A".
        shape: Sizes that are constants, as shared and local arrays have; else None.
        readonly: Kernels cannot write it.
    """

    dtype: Type
    ndim: int
    layout: str = "A"
    shape: tuple[int, ...] | None = None
    readonly: bool = False

    @property
    def cuda(self) -> str:
        """Name of the type in CUDA C++."""
        const = "const " if self.readonly else ""
        return f"Array<{const}{self.dtype.cuda}, {self.ndim}>"

    @property
    def plain(self) -> ArrayType:
        """The same type without fixed sizes."""
        if self.shape is None:
            return self
        return replace(self, shape=None)

    def __str__(self) -> str:
        return f"array({self.dtype}, {self.ndim}d, {self.layout})"


@dataclass(frozen=True)
class TupleType:
    """Type of a tuple of values of any types; `names` makes it a named tuple."""

    items: tuple[KernelType, ...]
    names: tuple[str, ...] = ()

    @property
    def uniform(self) -> KernelType | None:
        """Common type of all items, or None if they differ or there are none."""
        return self.items[0] if len(set(self.items)) == 1 else None

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))}{',' * (len(self.items) == 1)})"


@dataclass(frozen=True)
class FunctionType:
    """Signature: result type (None: void) and argument types."""

    result: Type | None
    arguments: tuple[KernelType, ...]

    def __str__(self) -> str:
        result = self.result or "void"
        return f"{result}({', '.join(map(str, self.arguments))})"


def void(*arguments: KernelType) -> FunctionType:
    """Return the signature of a kernel, as Numba's `void(float64[:])`.

    Example:
        >>> print(void(Type.FLOAT64[:], Type.INT32))
        void(array(float64, 1d, A), int32)
    """
    return FunctionType(None, arguments)


#: What a value in a kernel can be.
KernelType = Type | ArrayType | TupleType


def unify(a: Type, b: Type) -> Type:
    """Return the common type of an `a` and a `b`.

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
    if {a, b} == {Type.FLOAT16, Type.BFLOAT16}:
        return Type.FLOAT32
    if Type.BFLOAT16 in (a, b):
        other = b if a is Type.BFLOAT16 else a
        small = other in (Type.INT8, Type.UINT8)
        if small:
            return Type.BFLOAT16
        return unify(Type.FLOAT32, other)
    return Type(np.promote_types(a.dtype, b.dtype).name)


def arithmetic_type(operator: str, a: Type, b: Type) -> Type:
    """Return the type in which `a operator b` is computed, for `+ - * / // %`.

    Args:
        operator: The Python spelling.
        a: Type of the left operand.
        b: Type of the right operand.

    Returns:
        int64 among integers and bools (uint64 where both are unsigned), but float64
        for `/`; else the unified type.

    Example:
        >>> print(arithmetic_type("+", Type.INT32, Type.INT32))
        int64
        >>> print(arithmetic_type("*", Type.FLOAT32, Type.INT64))
        float64
    """
    if any(operand.is_float or operand.is_complex for operand in (a, b)):
        return unify(a, b)
    if operator == "/":
        return Type.FLOAT64
    return Type.UINT64 if a in _UNSIGNED and b in _UNSIGNED else Type.INT64


def power_type(base: Type, exponent: Type) -> Type:
    """Return the type of `base ** exponent` and of `pow`.

    Args:
        base: Type of the base.
        exponent: Type of the exponent; an integer one does not widen a float base.

    Returns:
        The result's type.

    Example:
        >>> print(power_type(Type.FLOAT32, Type.INT64))
        float32
    """
    if base.is_float and (exponent.is_integer or exponent is Type.BOOL):
        return base
    return arithmetic_type("**", base, exponent)


_PYTHON = {
    bool: Type.BOOL,
    int: Type.INT64,
    float: Type.FLOAT64,
    complex: Type.COMPLEX128,
}
# Numba's and Python's other names of scalars.
_OTHER_NAMES = {
    Type.BOOL: "boolean bool_ b1",
    Type.INT8: "i1 char",
    Type.INT16: "i2 short",
    Type.INT32: "i4 intc",
    Type.INT64: "i8 intp int_ long_ longlong ssize_t int",
    Type.UINT8: "u1 byte uchar",
    Type.UINT16: "u2 ushort",
    Type.UINT32: "u4 uintc",
    Type.UINT64: "u8 uintp uint ulong ulonglong size_t",
    Type.FLOAT16: "f2",
    Type.FLOAT32: "f4 float_",
    Type.FLOAT64: "f8 double float",
    Type.COMPLEX64: "c8",
    Type.COMPLEX128: "c16 complex",
}
#: Scalar types by all their names.
SCALARS = {type_.value: type_ for type_ in Type} | {
    name: type_ for type_, names in _OTHER_NAMES.items() for name in names.split()
}


def dtype_of(token: Any) -> Type | None:
    """Return the scalar type that a dtype token names, or None.

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
        return scalar_named(np.dtype(token).name)
    if isinstance(token, np.dtype):
        return scalar_named(token.name)
    if isinstance(token, str):
        return scalar_named(token)
    name = getattr(token, "name", None)
    is_token = not callable(token) or hasattr(token, "bitwidth")  # Numba's are called
    return scalar_named(name) if isinstance(name, str) and is_token else None


def scalar_named(name: str) -> Type | None:
    """Return the scalar type with this name, NumPy's or another of Numba's, or None."""
    return SCALARS.get(name)
