"""Owns whether a value fits a type that a signature declares. Must not know kernels."""

from __future__ import annotations

from typing import Any

from .argument_types import type_of
from .language.types import ArrayType, KernelType, TupleType, Type
from .parameters import Item


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


def _rank(kind: Type) -> int:
    """0 bool, 1 integer, 2 float, 3 complex."""
    return 3 if kind.is_complex else 2 if kind.is_float else 1 if kind.is_integer else 0


def _check_number(value: Any, given: Type, kind: Type, where: object) -> None:
    if _rank(given) > _rank(kind):
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
