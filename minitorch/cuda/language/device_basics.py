"""Owns the typing of what every kernel calls: grid, arrays, barriers, range, len."""

from __future__ import annotations

import ast
import builtins
from typing import Any

import numpy as np

from .array_views import array_shape, int64, known_index
from .device_calls import CallSite, device_function, python_function
from .dtypes import dtype_of
from .iterables import Iterable, Range, enumerated, zipped
from .outside import describe
from .typed import Constant, Expression, Static, TupleValue, convert
from .typed_kernel import Intrinsic, Special
from .types import ArrayType, TupleType, Type

__all__ = ["constant_array"]

_MOST_CONSTANT_BYTES = 48 * 1024


@device_function("grid", "gridsize")
def _grid(site: CallSite) -> Expression:
    (dimensions,) = site.bind("ndim")
    assert dimensions is not None
    count = known_index(dimensions)
    if count not in (1, 2, 3):
        raise site.error(
            f"got {site.name}({_shown(site)}); need 1, 2 or 3 as a constant.", 0
        )
    pattern = (
        "blockIdx.{0} * (long long)blockDim.{0} + threadIdx.{0}"
        if site.name == "grid"
        else "gridDim.{0} * (long long)blockDim.{0}"
    )
    axes = "xyz"[:count]
    items = tuple(Special(Type.INT64, pattern.format(axis)) for axis in axes)
    return items[0] if count == 1 else TupleValue.of(items)


def _shown(site: CallSite) -> str:
    return ", ".join(map(ast.unparse, site.node.args))


@device_function("syncthreads")
def _syncthreads(site: CallSite) -> Expression:
    site.bind()
    return Intrinsic(None, "__syncthreads", (), effect=True)


@device_function("shared.array", "local.array")
def _array(site: CallSite) -> Expression:
    shape, dtype = site.bind("shape", "dtype", optional=1)
    assert shape is not None
    space = site.name.partition(".")[0]
    element = Type.FLOAT32 if dtype is None else _dtype(site, dtype)
    sizes = _sizes(site, shape)
    if space == "shared" and sizes == (0,):
        type_ = ArrayType(element, 1, "C")
        return Intrinsic(type_, f"dynamic_array<{element.cuda}>", (), ("array.cuh",))
    for size in sizes:
        if size < 1:
            raise site.error(
                f"got the shape {sizes}; need sizes of 1 or more"
                + (", or 0 for dynamic shared memory." if space == "shared" else "."),
                0,
            )
    type_ = ArrayType(element, len(sizes), "C", sizes)
    declared: Expression = site.typing.declared_array(site.node, space, type_)
    return declared


def _dtype(site: CallSite, value: Expression) -> Type:
    token = value.value if isinstance(value, Static) else None
    found = dtype_of(token)
    if found is None:
        got = describe(token) if isinstance(value, Static) else str(value.type)
        raise site.error(
            f"got {got} as the dtype; need one such as cuda.float32, np.float32 or "
            "'float32'."
        )
    return found


def _sizes(site: CallSite, shape: Expression) -> tuple[int, ...]:
    items = shape.items if isinstance(shape, TupleValue) else (shape,)
    sizes = []
    for item in items:
        known = known_index(item)
        if known is None:
            kind = (
                "a value that is known only when the kernel runs"
                if isinstance(item.type, Type) and item.type.is_integer
                else describe(item.value)
                if isinstance(item, Static)
                else f"a {item.type}"
            )
            raise site.error(
                f"got {kind} in the shape of {site.name}; need constants: a number, or "
                "a name outside the kernel that holds one (TPB = 16)."
                + (
                    " For a size chosen at the launch use shape 0, dynamic shared "
                    "memory: kernel[grid, block, stream, bytes]."
                    if site.name == "shared.array"
                    else ""
                ),
                0,
            )
        sizes.append(known)
    return tuple(sizes)


@device_function("const.array_like")
def _array_like(site: CallSite) -> Expression:
    (array,) = site.bind("array")
    if not isinstance(array, Static):
        raise site.error(
            "got a value of the kernel for const.array_like; need a NumPy array from "
            "outside the kernel.",
            0,
        )
    return constant_array(site.typing, site.node, array.value)


def constant_array(typing: Any, node: Any, value: Any) -> Expression:
    """Declare a host array as an array that the kernel reads.

    Args:
        typing: The function that is typed.
        node: Where, for errors.
        value: A NumPy array of numbers.

    Returns:
        The array, read-only.
    """
    array = np.asarray(value)
    dtype = dtype_of(array.dtype)
    if dtype is None or array.ndim == 0 or array.size == 0:
        raise typing.error(
            node,
            f"got an array of {array.dtype} with shape {array.shape} as a constant; "
            "need numbers, and one element or more.",
        )
    type_ = ArrayType(dtype, array.ndim, "C", array.shape, readonly=True)
    space = "const" if array.nbytes <= _MOST_CONSTANT_BYTES else "device"
    declared: Expression = typing.declared_array(node, space, type_, array)
    return declared


@python_function(builtins.len)
def _len(site: CallSite) -> Expression:
    (value,) = site.bind("value")
    assert value is not None
    if isinstance(value.type, TupleType):
        return int64(len(value.type.items))
    if isinstance(value.type, ArrayType) and value.type.ndim:
        return array_shape(value)[0]
    got = describe(value.value) if isinstance(value, Static) else str(value.type)
    raise site.error(f"got len() of {got}; need an array or a tuple.", 0)


@python_function(builtins.range)
def _range(site: CallSite) -> Expression:
    count = len(site.arguments)
    if not 1 <= count <= 3 or site.keywords:
        raise site.error(f"got range of {count} values; need 1 to 3.")
    numbers = [
        site.typing.scalar(site.place(index), each)
        for index, each in enumerate(site.arguments)
    ]
    for index, each in enumerate(numbers):
        if not each.type.is_integer:
            raise site.error(
                f"got {each.type} in range; need integers. Use // instead of /, or "
                "int(...).",
                index,
            )
    small = all(each.type in _SMALL for each in numbers)
    unsigned = all(
        not each.type.is_signed or (isinstance(each, Constant) and each.value >= 0)
        for each in numbers
    ) and any(not each.type.is_signed for each in numbers)
    type_ = Type.UINT64 if unsigned else Type.INT32 if small else Type.INT64
    numbers = [convert(each, type_) for each in numbers]
    zero, one = Constant(type_, 0), Constant(type_, 1)
    match numbers:
        case [stop]:
            return Iterable.counting(Range(zero, stop, one))
        case [start, stop]:
            return Iterable.counting(Range(start, stop, one))
    start, stop, step = numbers
    if isinstance(step, Constant) and step.value == 0:
        raise site.error("got range with a step of 0; need another.", 2)
    return Iterable.counting(Range(start, stop, step))


_SMALL = (Type.INT8, Type.INT16, Type.INT32)


@python_function(builtins.enumerate)
def _enumerate(site: CallSite) -> Expression:
    items, start = site.bind("iterable", "start", optional=1)
    assert items is not None
    first = int64(0) if start is None else site.number(start, 1, Type.INT64)
    over = site.typing.iterable_of(site.place(0), items)
    return enumerated(over, site.typing.hold(site.node, first))


@python_function(builtins.zip)
def _zip(site: CallSite) -> Expression:
    if not site.arguments or site.keywords:
        raise site.error("got zip without values; need at least one.")
    parts = [
        site.typing.iterable_of(site.place(index), each)
        for index, each in enumerate(site.arguments)
    ]
    return zipped(parts)


@python_function(builtins.tuple)
def _tuple(site: CallSite) -> Expression:
    (value,) = site.bind("value")
    assert value is not None
    if not isinstance(value.type, TupleType):
        raise site.error(f"got tuple() of {value.type}; need a tuple.", 0)
    return TupleValue.of(site.typing.tuple_items(value))


@python_function(builtins.divmod)
def _divmod(site: CallSite) -> Expression:
    left, right = site.bind("a", "b")
    assert left is not None
    assert right is not None
    typing = site.typing
    a, b = (typing.hold(site.node, typing.scalar(site.node, x)) for x in (left, right))
    return TupleValue.of(
        tuple(typing.binary(site.node, op, a, b) for op in (ast.FloorDiv(), ast.Mod()))
    )
