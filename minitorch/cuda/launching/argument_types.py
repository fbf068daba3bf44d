"""Owns which type an argument of a kernel has, and whether it fits a declared one.

The rules are Numba's. Packs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.device_array import DeviceArray
from ..language.advice import refused_dtype
from ..language.types import ArrayType, KernelType, TupleType, Type
from .parameters import Item

_PYTHON = {bool: Type.BOOL, float: Type.FLOAT64, complex: Type.COMPLEX128}
_NUMPY_KINDS = "biufc"


def type_of(value: Any, where: object = "argument") -> KernelType:
    """Give the type of a value that a kernel gets.

    A Python int is int64 (uint64 above), a float float64, a complex complex128; NumPy's
    scalars keep their type; tuples are tuples of these.

    Args:
        value: Anything; of an array, one with `kernel_type`.
        where: What it is, for messages: "argument 2 'n'".

    Raises:
        TypeError: A kernel cannot take it.
        ValueError: An integer beyond 64 bits.

    Example:
        >>> print(type_of((1, 2.5, np.float32(3))))
        (int64, float64, float32)
    """
    kind = getattr(value, "kernel_type", None)
    if isinstance(kind, ArrayType):
        return kind
    if isinstance(value, np.generic):
        return _numpy_scalar(value, where)
    if isinstance(value, bool):
        return Type.BOOL
    if isinstance(value, int):
        return _integer(value, where)
    for python, found in _PYTHON.items():
        if isinstance(value, python):
            return found
    if isinstance(value, tuple):
        items = tuple(type_of(each, Item(where, i)) for i, each in enumerate(value))
        return TupleType(items, getattr(value, "_fields", ()))
    raise TypeError(
        f"[launch] got {_described(value)} for {where}; need a device or NumPy array, "
        f"a tensor on cuda, a number or a tuple of them.{_hint(value)}"
    )


def key_of(value: Any) -> Any:
    """Give what is equal for values of equal types: cheaper than the type.

    For an array that is the id of its type, which has to be kept, and below 0 where
    the array is large.
    """
    kind = value.__class__
    if kind is int:
        return kind if -(2**63) <= value < 2**63 else Type.UINT64
    if isinstance(value, tuple):
        return (kind, *[key_of(each) for each in value])
    found = getattr(value, "kernel_key", None)
    return kind if found is None else found


def has_large(key: Any) -> bool:
    """Is there a large array among the arguments of these keys?"""
    if isinstance(key, tuple):
        return any(map(has_large, key))
    return isinstance(key, int) and key < 0


def is_plain(value: Any) -> bool:
    """Is it a device array itself, or a number whose class says its type?"""
    kind = value.__class__
    return kind is DeviceArray or kind in _PYTHON or kind is int or _is_scalar(value)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, np.generic)


def _integer(value: int, where: object) -> Type:
    if -(2**63) <= value < 2**63:
        return Type.INT64
    if 0 <= value < 2**64:
        return Type.UINT64
    raise ValueError(
        f"[launch] got {value} for {where}; need an integer of 64 bits at most."
    )


def _numpy_scalar(value: np.generic, where: object) -> Type:
    if value.dtype.kind in _NUMPY_KINDS and value.dtype.name in _NAMES:
        return Type(value.dtype.name)
    raise TypeError(
        f"[launch] got a NumPy scalar of {value.dtype} for {where}; need one of "
        f"{', '.join(sorted(_NAMES))}. {refused_dtype(value.dtype)}"
    )


_NAMES = {each.value for each in Type if each is not Type.BFLOAT16}


def _described(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the string {value!r}"
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _hint(value: object) -> str:
    if value is None:
        return (
            " Pass an array, or leave the parameter out; a function that returns "
            "nothing gives None."
        )
    if isinstance(value, list):
        return " Make it an array first: np.array(list)."
    if isinstance(value, str):
        return " Kernels know no strings; pass a number that stands for it."
    if isinstance(value, (set, dict)):
        return " Pass its numbers as arrays, e.g. np.array(sorted(values))."
    if isinstance(value, range):
        return " Make it an array: np.arange(...), or pass its bounds."
    if callable(value):
        return (
            " A kernel calls functions that it closes over: make the kernel inside a "
            "function that has this one as its parameter."
        )
    return " Pass its numbers one by one, or as an array."


def check_fits(value: Any, kind: KernelType, where: object) -> None:
    """Check that a value can be passed as the declared type.

    An int fits every integer type that holds it and every float, a float every float
    (rounded), a bool and a real number every wider kind. Arrays need the same dtype and
    dimensions, and the layout where it is C or F.

    Args:
        value: An argument; arrays have `kernel_type`.
        kind: The declared type.
        where: What it is, for messages.

    Raises:
        TypeError: It does not fit.
        ValueError: An integer that the type cannot hold.

    Example:
        >>> check_fits(3, Type.FLOAT32, "argument 1")
        >>> check_fits(2.5, Type.INT32, "argument 1")
        Traceback (most recent call last):
            ...
        TypeError: [launch] got float64 for argument 1; need int32, as the signature \
says. Convert it: int(value).
    """
    given = type_of(value, where)
    if given == kind:
        return
    if isinstance(kind, Type) and isinstance(given, Type):
        _check_number(value, given, kind, where)
    elif isinstance(kind, ArrayType) and isinstance(given, ArrayType):
        _check_array(given, kind, where)
    elif isinstance(kind, TupleType) and isinstance(given, TupleType):
        _check_tuple(value, kind, where)
    else:
        raise _wrong(given, kind, where)


def _wrong(
    given: KernelType, kind: KernelType, where: object, hint: str = ""
) -> TypeError:
    return TypeError(
        f"[launch] got {given} for {where}; need {kind}, as the signature says.{hint}"
    )


def _check_number(value: Any, given: Type, kind: Type, where: object) -> None:
    if given.rank > kind.rank:
        hint = " Convert it: int(value)." if kind.is_integer else ""
        raise _wrong(given, kind, where, hint)
    if not kind.is_integer:
        return
    low = -(2 ** (8 * kind.size - 1)) if kind.is_signed else 0
    high = 2 ** (8 * kind.size - kind.is_signed)
    if not low <= int(value) < high:
        raise ValueError(
            f"[launch] got {int(value)} for {where}; need a value of {kind}, "
            f"{low} to {high - 1}."
        )


def _check_array(given: ArrayType, kind: ArrayType, where: object) -> None:
    if (given.dtype, given.ndim) != (kind.dtype, kind.ndim):
        hint = ""
        if given.ndim == kind.ndim:
            hint = f" Try array.astype('{kind.dtype}')."
        raise _wrong(given, kind, where, hint)
    if kind.layout != "A" and given.layout != kind.layout:
        row = "np.ascontiguousarray" if kind.layout == "C" else "np.asfortranarray"
        raise _wrong(given, kind, where, f" Try {row}(array) before the copy to it.")


def _check_tuple(value: tuple[Any, ...], kind: TupleType, where: object) -> None:
    if len(value) != len(kind.items):
        raise _wrong(type_of(value, where), kind, where)
    for place, (item, inner) in enumerate(zip(value, kind.items, strict=True)):
        check_fits(item, inner, Item(where, place))
