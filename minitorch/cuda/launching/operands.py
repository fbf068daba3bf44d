"""Parameters of expression kernels (`"raw T x, float32 y"`), and their arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays.array_creation import device_array

# NumPy's names and what they are in CUDA C++.
_C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "__half",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}
_RESERVED = {"n", "i"}
_NAME = re.compile(r"[A-Za-z]\w*")

Dtype = np.dtype[Any]


@dataclass(frozen=True)
class Param:
    """One parameter: `type` is a NumPy name, or a placeholder of one letter."""

    name: str
    type: str
    raw: bool
    out: bool

    @property
    def placeholder(self) -> bool:
        """Whether the type follows from the arguments."""
        return len(self.type) == 1


def c_type(dtype: Dtype) -> str:
    """Return the C++ type of a NumPy dtype in generated code.

    Example:
        >>> c_type(np.dtype("uint8"))
        'unsigned char'
    """
    return _C_TYPES[dtype.name]


def as_kernel_dtype(value: Any, where: str) -> Dtype:
    """Return a dtype that expressions can compute with.

    Raises:
        TypeError: any other.
    """
    try:
        dtype = _known(value)
    except TypeError:
        dtype = None
    if dtype is None:
        raise _unknown(value, where)
    return dtype


@lru_cache(maxsize=64)
def _known(value: Any) -> Dtype | None:
    """Return the dtype if it has a C type, else None (cached: NumPy is slow)."""
    dtype: Dtype = np.dtype(value)
    return dtype if dtype.name in _C_TYPES else None


def _unknown(value: object, where: str) -> TypeError:
    return TypeError(
        f"[{where}] got type {value!r}; need a NumPy dtype ({', '.join(_C_TYPES)}) or "
        "a one-letter placeholder such as T."
    )


def parse_params(text: str, out: bool, where: str) -> tuple[Param, ...]:
    """Parse a list of parameters.

    Args:
        text: such as "raw T x, float32 y"; "" for none.
        out: are they written?
        where: name of the calling function, for messages.

    Raises:
        TypeError: no text, or an unknown type.
        ValueError: a parameter that is not "type name" or "raw type name"; a name that
            is reserved (`i`, `n`, and those with `_` in front).

    Example:
        >>> [param.name for param in parse_params("raw T x, float32 y", False, "f")]
        ['x', 'y']
    """
    if not isinstance(text, str):
        raise TypeError(
            f"[{where}] got parameters {text!r}; need a string such as 'T x, T y'."
        )
    parts = text.split(",") if text.strip() else []
    return tuple(_parse_one(part, out, where) for part in parts)


def _parse_one(part: str, out: bool, where: str) -> Param:
    words = part.split()
    raw = words[:1] == ["raw"]
    words = words[1:] if raw else words
    if len(words) != 2 or not _NAME.fullmatch(words[1]):
        raise ValueError(
            f"[{where}] got parameter {part.strip()!r}; need a type and a name, such "
            "as 'float32 x', 'T x' or 'raw T x'."
        )
    type_, name = words
    if name in _RESERVED:
        raise ValueError(
            f"[{where}] the name {name!r} is reserved: i is the index of the element, "
            "n the number of elements. Rename the parameter."
        )
    if len(type_) > 1:
        type_ = as_kernel_dtype(type_, where).name
    elif not type_.isalpha():
        raise _unknown(type_, where)
    return Param(name, type_, raw, out)


def check_names(params: Sequence[Param], where: str) -> None:
    """Raise ValueError for two parameters of the same name.

    Raises:
        ValueError: a name comes twice, or is that of a placeholder.
    """
    seen: set[str] = {param.type for param in params if param.placeholder}
    for param in params:
        if param.name in seen:
            raise ValueError(
                f"[{where}] {param.name!r} names two parameters, or a parameter and a "
                "type; names must be different."
            )
        seen.add(param.name)


def resolve_types(
    params: Sequence[Param],
    arrays: Sequence[Dtype | None],
    scalars: Sequence[Dtype | None],
    where: str,
) -> tuple[dict[str, Dtype], tuple[Dtype, ...]]:
    """Return the dtypes of placeholders, and of each parameter.

    Args:
        params: all, inputs first.
        arrays: dtype of each argument that is an array; None for the others.
        scalars: dtype of each argument that is a number; they determine a placeholder
            only if no array does.
        where: name of the calling function, for messages.

    Returns:
        dtypes by placeholder; dtype of each parameter.

    Raises:
        TypeError: an array of another dtype; a placeholder that no argument tells.
    """
    known: dict[str, Dtype] = {}
    for param, dtype in zip(params, arrays, strict=True):
        if dtype is None:
            continue
        need = known.setdefault(param.type, dtype) if param.placeholder else param.type
        if dtype != need:
            origin = (
                f" like another argument of type {param.type}"
                if param.placeholder
                else ""
            )
            raise TypeError(
                f"[{where}] got {dtype} for '{param.type} {param.name}'; need "
                f"{need}{origin}. Try array.astype('{need}')."
            )
    for param, number in zip(params, scalars, strict=True):
        if param.placeholder and number is not None and param.type not in known:
            known[param.type] = np.result_type(
                *(
                    other
                    for candidate, other in zip(params, scalars, strict=True)
                    if candidate.type == param.type and other is not None
                )
            )
    for param in params:
        if param.placeholder and param.type not in known:
            raise TypeError(
                f"[{where}] cannot infer type {param.type} of '{param.name}': no "
                "argument has it. Pass the output as an argument, or use a dtype."
            )
    dtypes = tuple(known[p.type] if p.placeholder else np.dtype(p.type) for p in params)
    for dtype in dtypes:
        as_kernel_dtype(dtype, where)
    return known, dtypes


Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Operand:
    """Array as kernels see it; its steps count elements."""

    source: Any
    pointer: int
    dtype: Dtype
    device: int
    shape: Sizes
    steps: Sizes

    @property
    def __minitorch_device_array__(self) -> tuple[int, str, int]:
        return self.pointer, self.dtype.str, self.device

    def at(self, shape: Sizes) -> Sizes:
        """Return the steps along the dimensions after broadcasting to `shape`."""
        added = len(shape) - len(self.shape)
        pairs = zip(self.shape, self.steps, strict=True)
        return (0,) * added + tuple(0 if size == 1 else step for size, step in pairs)


def operand_of(value: Any, param: Param, where: str) -> Operand | None:
    """Return an array argument as an operand; None for a number.

    Raises:
        TypeError: neither an array in device memory nor a number.
    """
    if isinstance(value, np.generic | int | float | complex):
        if not param.out and not param.raw:
            return None
        role = "an output" if param.out else "raw"
        raise TypeError(
            f"[{where}] {param.name!r} is {role}, so it cannot be the number "
            f"{value!r}; need an array in device memory."
        )
    view = getattr(value, "__minitorch_device_view__", None)
    if view is not None:
        pointer, name, device, shape, strides = view
        dtype = as_kernel_dtype(name, where)
        steps = tuple(stride // dtype.itemsize for stride in strides)
        return Operand(value, pointer, dtype, device, tuple(shape), steps)
    hint = ""
    if isinstance(value, np.ndarray):
        hint = " Try cuda.to_device(array)."
    elif hasattr(value, "device"):
        hint = ' Try x.to("cuda").'
    raise TypeError(
        f"[{where}] got {type(value).__name__} for '{param.name}'; need an array in "
        f"device memory{'' if param.out else ' or a number'}.{hint}"
    )


def number_dtype(value: Any) -> Dtype | None:
    """Return the default dtype of a number; None for an array."""
    if isinstance(value, np.generic):
        return value.dtype
    for kind, name in ((bool, "?"), (int, "i8"), (float, "f8"), (complex, "c16")):
        if isinstance(value, kind):
            return np.dtype(name)
    return None


def number_as(value: Any, dtype: Dtype, param: Param, where: str) -> Any:
    """Return a number converted to the parameter's dtype.

    Raises:
        TypeError: of another kind: a float for an int, a complex number for a float.
        OverflowError: an int beyond the dtype.
    """
    given = number_dtype(value)
    assert given is not None
    if not np.can_cast(given, dtype, "same_kind") and dtype.kind != "u":
        raise TypeError(
            f"[{where}] {value!r} cannot be converted to {dtype} for '{dtype} "
            f"{param.name}'."
        )
    if dtype.kind in "iu" and isinstance(value, int):
        bounds = np.iinfo(dtype)
        if not bounds.min <= value <= bounds.max:
            raise OverflowError(
                f"[{where}] got {value} for '{dtype} {param.name}'; {dtype} holds "
                f"{bounds.min} to {bounds.max}."
            )
    if dtype.kind == "u" and given.kind not in "biu":
        raise TypeError(
            f"[{where}] got {value!r} for '{dtype} {param.name}'; need an integer."
        )
    return dtype.type(value)


def common_shape(
    params: Sequence[Param], operands: Sequence[Operand | None], where: str
) -> Sizes | None:
    """Return the broadcast shape of all arrays that are not raw; None without any.

    Raises:
        ValueError: the shapes do not go together, or an output is smaller.
    """
    looped = [
        (param, operand)
        for param, operand in zip(params, operands, strict=True)
        if operand is not None and not param.raw
    ]
    if not looped:
        return None
    try:
        shape = np.broadcast_shapes(*(operand.shape for _, operand in looped))
    except ValueError:
        shapes = ", ".join(f"{param.name} {operand.shape}" for param, operand in looped)
        raise ValueError(f"[{where}] shapes {shapes} cannot be broadcast.") from None
    for param, operand in looped:
        if param.out and operand.shape != shape:
            raise ValueError(
                f"[{where}] output {param.name} has shape {operand.shape}; the "
                f"arguments broadcast to {shape}."
            )
    return shape


def new_array(operands: Sequence[Operand | None], shape: Sizes, dtype: Dtype) -> Any:
    """Allocate a result with the first argument's allocator, else as a device array."""
    for operand in operands:
        make = getattr(
            operand and operand.source, "__minitorch_new_device_array__", None
        )
        if make is not None:
            return make(shape, dtype.name)
    return device_array(shape, dtype)


def merged(shape: Sizes, steps: Sequence[Sizes]) -> tuple[Sizes, list[Sizes]]:
    """Merge neighbouring dimensions along which every array has even steps.

    Example:
        >>> merged((2, 3, 4), [(12, 4, 1), (4, 0, 1)])
        ((2, 3, 4), [(12, 4, 1), (4, 0, 1)])
        >>> merged((2, 3, 4), [(12, 4, 1), (24, 8, 2)])
        ((24,), [(1,), (2,)])
    """
    sizes: list[int] = []
    columns: list[list[int]] = []  # of each dimension, the step of each array
    for size, *column in zip(shape, *steps, strict=True):
        if size == 1:
            continue
        if columns and all(
            outer == inner * size
            for outer, inner in zip(columns[-1], column, strict=True)
        ):
            sizes[-1] *= size
            columns[-1] = column
        else:
            sizes.append(size)
            columns.append(column)
    return tuple(sizes), [
        tuple(column[k] for column in columns) for k in range(len(steps))
    ]


def is_flat(shape: Sizes, steps: Sequence[Sizes]) -> bool:
    """Return whether all arrays are contiguous in the order of the elements."""
    return not shape or (len(shape) == 1 and all(step == (1,) for step in steps))


def element_count(shape: Sizes) -> int:
    """Return the number of elements of a shape."""
    return math.prod(shape)
