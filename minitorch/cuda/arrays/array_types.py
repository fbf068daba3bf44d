"""Types of device arrays in the kernel language.

A structured dtype whose fields are all of one scalar type, without gaps, appears as one
more dimension: states of random generators, `[("s0", "u8"), ("s1", "u8")]`, are an
array of uint64 with shape (n, 2).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from ..language.advice import refused_dtype
from ..language.types import ArrayType, Type
from .layout import Sizes, layout_letter


@lru_cache(maxsize=256)
def array_type(shape: Sizes, strides: Sizes, dtype: np.dtype[Any]) -> ArrayType:
    """Return the type of an array argument.

    Args:
        shape: Its sizes.
        strides: Its byte strides.
        dtype: Its dtype.

    Raises:
        TypeError: Kernels know no such numbers.

    Example:
        >>> print(array_type((3, 4), (4, 12), np.dtype("float32")))
        array(float32, 2d, F)
    """
    sizes, steps = parameter_layout(shape, strides, dtype)
    return interned(element(dtype)[0], len(sizes), layout_letter(sizes, steps, 1))


@cache
def interned(scalar: Type, ndim: int, layout: str) -> ArrayType:
    """Return the one object of an array type: launches compare types by identity."""
    return ArrayType(scalar, ndim, layout)


@lru_cache(maxsize=256)
def parameter_form(
    shape: Sizes, strides: Sizes, dtype: np.dtype[Any]
) -> tuple[Callable[..., bytes], Sizes]:
    """Return the packer of a parameter, and the values that follow the address.

    Example:
        >>> pack, numbers = parameter_form((3, 4), (16, 4), np.dtype("float32"))
        >>> numbers, len(pack(0, *numbers))
        ((3, 4, 4, 1), 40)
    """
    sizes, steps = parameter_layout(shape, strides, dtype)
    return packer(len(sizes)), (*sizes, *steps)


@cache
def packer(ndim: int) -> Callable[..., bytes]:
    """Return a function that packs an array's address, sizes and strides."""
    return struct.Struct(f"<Q{2 * ndim}q").pack


def parameter_layout(
    shape: Sizes, strides: Sizes, dtype: np.dtype[Any]
) -> tuple[Sizes, Sizes]:
    """Return sizes, and strides in elements, as a kernel parameter stores them."""
    _, count = element(dtype)
    if count is None:
        size = dtype.itemsize
        return shape, tuple(step // size for step in strides)
    size = dtype.itemsize // count
    return (*shape, count), (*(step // size for step in strides), 1)


@lru_cache(maxsize=64)
def element(dtype: np.dtype[Any]) -> tuple[Type, int | None]:
    """Return the scalar type, and the field count of a structured dtype or None."""
    try:
        if dtype.names is None:
            return Type(dtype.name), None
        fields = {dtype[name] for name in dtype.names}
        if len(fields) == 1:
            (field,) = fields
            count = len(dtype.names)
            if field.itemsize * count == dtype.itemsize:
                return Type(field.name), count
    except ValueError:
        pass
    hint = refused_dtype(dtype)
    raise TypeError(
        f"[cuda] kernels do not support arrays of {dtype}; need bool, int8 to int64, "
        f"uint8 to uint64, float16, float32, float64, complex64 or complex128. {hint}"
    )
