"""Owns the parameters of kernels made of expressions: `"raw T x, float32 y"`.

Must not know arrays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

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
        """Is its type told by the arguments?"""
        return len(self.type) == 1


def c_type(dtype: Dtype) -> str:
    """What a NumPy dtype is called in the generated code.

    Example:
        >>> c_type(np.dtype("uint8"))
        'unsigned char'
    """
    return _C_TYPES[dtype.name]


def as_kernel_dtype(value: Any, where: str) -> Dtype:
    """A dtype that expressions can compute with.

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
    """The dtype if it has a C type; a dtype's name takes NumPy a microsecond or two."""
    dtype: Dtype = np.dtype(value)
    return dtype if dtype.name in _C_TYPES else None


def _unknown(value: object, where: str) -> TypeError:
    return TypeError(
        f"[{where}] got type {value!r}; need a NumPy name ({', '.join(_C_TYPES)}) or a "
        "placeholder of one letter such as T."
    )


def parse_params(text: str, out: bool, where: str) -> tuple[Param, ...]:
    """Read a list of parameters.

    Args:
        text: such as "raw T x, float32 y"; "" for none.
        out: are they written?
        where: who asks, for messages.

    Raises:
        TypeError: no text, or an unknown type.
        ValueError: a parameter that is not "type name" or "raw type name"; a name that
            is reserved (`i`, `n`, and those with `_` in front).

    Example:
        >>> [param.name for param in parse_params("raw T x, float32 y", False, "f")]
        ['x', 'y']
    """
    if not isinstance(text, str):
        raise TypeError(f"[{where}] got parameters {text!r}; need a text like 'T x'.")
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
            f"[{where}] got a parameter called {name!r}; need another name: i is the "
            "index of the element, n the number of elements."
        )
    if len(type_) > 1:
        type_ = as_kernel_dtype(type_, where).name
    elif not type_.isalpha():
        raise _unknown(type_, where)
    return Param(name, type_, raw, out)


def check_names(params: Sequence[Param], where: str) -> None:
    """Refuse two parameters of one name.

    Raises:
        ValueError: a name comes twice, or is that of a placeholder.
    """
    seen: set[str] = {param.type for param in params if param.placeholder}
    for param in params:
        if param.name in seen:
            raise ValueError(
                f"[{where}] got {param.name!r} twice among parameters and types; need "
                "a name for each."
            )
        seen.add(param.name)


def resolve_types(
    params: Sequence[Param],
    arrays: Sequence[Dtype | None],
    scalars: Sequence[Dtype | None],
    where: str,
) -> tuple[dict[str, Dtype], tuple[Dtype, ...]]:
    """Find what the placeholders stand for, and the dtype of each parameter.

    Args:
        params: all, inputs first.
        arrays: dtype of each argument that is an array; None for the others.
        scalars: dtype of each argument that is a number; they tell a placeholder only
            where no array does.
        where: who asks, for messages.

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
            told = " as of another argument" if param.placeholder else ""
            raise TypeError(
                f"[{where}] got {dtype} for '{param.type} {param.name}'; need "
                f"{need}{told}. Convert it first: array.astype('{need}')."
            )
    for param, number in zip(params, scalars, strict=True):
        if param.placeholder and number is not None and param.type not in known:
            known[param.type] = np.result_type(
                *(
                    other
                    for each, other in zip(params, scalars, strict=True)
                    if each.type == param.type and other is not None
                )
            )
    for param in params:
        if param.placeholder and param.type not in known:
            raise TypeError(
                f"[{where}] got no argument that tells type {param.type} of "
                f"'{param.name}'; need an input of that type, or the output as an "
                "argument."
            )
    dtypes = tuple(known[p.type] if p.placeholder else np.dtype(p.type) for p in params)
    for dtype in dtypes:
        as_kernel_dtype(dtype, where)
    return known, dtypes
