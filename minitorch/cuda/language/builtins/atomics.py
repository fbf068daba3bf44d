"""Typing of `cuda.atomic`: element, dtype and value."""

from __future__ import annotations

import ast
from dataclasses import replace

from ..advice import describe
from ..array_views import array_shape, checked, int64, item_of
from ..typed import (
    Access,
    Address,
    Expression,
    Intrinsic,
    Item,
    Static,
    convert,
    tuple_items,
)
from ..types import ArrayType, TupleType, Type
from .calls import CallSite, device_function

_SIGNED = (Type.INT32, Type.INT64)
_UNSIGNED = (Type.UINT32, Type.UINT64)
_FLOATS = (Type.FLOAT32, Type.FLOAT64)
_EVERY = (*_SIGNED, *_UNSIGNED, *_FLOATS)
_DTYPES = (
    dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), _EVERY)
    | dict.fromkeys(("and_", "or_", "xor", "exch", "cas"), (*_SIGNED, *_UNSIGNED))
    | dict.fromkeys(("inc", "dec"), _UNSIGNED)
)


@device_function(*(f"atomic.{name}" for name in _DTYPES if name != "cas"))
def _atomic(site: CallSite) -> Expression:
    array, index, value = site.bind("array", "index", "value")
    return _call(site, array, _indices(site, array, index), (value,))


@device_function("atomic.cas")
def _cas(site: CallSite) -> Expression:
    array, index, old, value = site.bind("array", "index", "old", "value")
    return _call(site, array, _indices(site, array, index), (old, value))


@device_function("atomic.compare_and_swap")
def _compare_and_swap(site: CallSite) -> Expression:
    array, old, value = site.bind("array", "old", "value")
    _need_array(site, array)
    first = tuple(int64(0) for _ in range(array.type.ndim))
    return _call(site, array, first, (old, value), name="cas")


def _call(
    site: CallSite,
    array: Expression,
    indices: tuple[Expression, ...],
    values: tuple[Expression, ...],
    name: str = "",
) -> Expression:
    name = name or site.name.rpartition(".")[2]
    dtype = array.type.dtype
    if dtype not in _DTYPES[name]:
        needed = ", ".join(map(str, _DTYPES[name]))
        raise site.error(
            f"{site.name} does not support {array.type}; the dtype must be one of "
            f"{needed}.",
            0,
        )
    first = len(site.arguments) - len(values)
    numbers = [_value(site, value, first + i, dtype) for i, value in enumerate(values)]
    item = item_of(array, indices)
    assert isinstance(item, Item)
    function = f"py::atomic_{name.rstrip('_')}"
    arguments = (Address(None, item), *numbers)
    return Intrinsic(dtype, function, arguments, ("atomics.cuh",), effect=True)


def _value(site: CallSite, value: Expression, index: int, dtype: Type) -> Expression:
    number = site.scope.scalar(site.place(index), value)
    if number.type.is_complex:
        raise site.error(
            f"got {number.type} for an element of {dtype}; need a real number. Try its "
            ".real part.",
            index,
        )
    return convert(number, dtype)


def _need_array(site: CallSite, array: Expression) -> None:
    if isinstance(array.type, ArrayType):
        if array.type.readonly:
            raise site.error(
                f"{site.name} cannot write a constant array. Use an array parameter.",
                0,
            )
        return
    got = describe(array.value) if isinstance(array, Static) else str(array.type)
    example = f"{site.name}(array, index, value)"
    node = site.place(0)
    if isinstance(node, ast.Subscript):
        base, index = ast.unparse(node.value), ast.unparse(node.slice)
        example = f"{site.name}({base}, {index}, ...)"
    raise site.error(
        f"{site.name} needs an array and an index, got {got}. Write {example}.",
        0,
    )


def _indices(
    site: CallSite, array: Expression, index: Expression
) -> tuple[Expression, ...]:
    """Type the index argument, an integer or a tuple of them, like `array[index]`."""
    _need_array(site, array)
    given = tuple_items(index) if isinstance(index.type, TupleType) else (index,)
    shape = array_shape(array)
    if len(given) != len(shape):
        need = "an integer" if len(shape) == 1 else f"a tuple of {len(shape)} integers"
        raise site.error(
            f"got {len(given)} {'index' if len(given) == 1 else 'indices'} for "
            f"{array.type}; need {need}.",
            1,
        )
    node = site.place(1)
    for value in given:
        site.scope.need_integer(node, site.scope.scalar(node, value))
    access = _record(site, array, node, len(given))
    return tuple(checked(dict(enumerate(given)), array, access).values())


def _record(site: CallSite, array: Expression, index: ast.AST, count: int) -> Access:
    """Record the access, so that a finding can quote it."""
    source = ast.unparse(index)
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    texts = tuple(map(ast.unparse, parts))
    if len(texts) != count:
        texts = tuple(f"{source}[{number}]" for number in range(count))
    text = f"{ast.unparse(site.place(0))}[{source.strip('()')}]"
    read = site.scope.access(site.node, array, text, texts)
    access = replace(read, write=True, atomic=True)
    site.scope.accesses.append(access)
    return access
