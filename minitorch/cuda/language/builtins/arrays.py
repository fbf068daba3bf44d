"""Typing of arrays that a kernel declares: shared, local, constant."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ..advice import describe, refused_dtype
from ..array_views import known_index
from ..scope import Scope
from ..typed import Expression, Intrinsic, Static, TupleValue, is_host_array
from ..types import ArrayType, Type, dtype_of
from .calls import CallSite, device_function

_FLOAT32 = Static.of(Type.FLOAT32)
_MOST_CONSTANT_BYTES = 48 * 1024


@device_function("shared.array", "local.array")
def _array(site: CallSite) -> Expression:
    shape, dtype = site.bind("shape", dtype=_FLOAT32)
    space = site.name.partition(".")[0]
    element = _dtype(site, dtype)
    sizes = _sizes(site, shape)
    if space == "shared" and sizes == (0,):
        type_ = ArrayType(element, 1, "C")
        return Intrinsic(type_, f"dynamic_array<{element.cuda}>", (), ("array.cuh",))
    for size in sizes:
        if size < 1:
            raise site.error(
                f"got shape {sizes}; every size must be at least 1"
                + (", or 0 for dynamic shared memory." if space == "shared" else "."),
                0,
            )
    type_ = ArrayType(element, len(sizes), "C", sizes)
    return site.scope.declared_array(site.node, space, type_)


def _dtype(site: CallSite, value: Expression) -> Type:
    token = value.value if isinstance(value, Static) else None
    dtype = dtype_of(token)
    if dtype is None:
        got = describe(token) if isinstance(value, Static) else str(value.type)
        raise site.error(
            f"got {got} as the dtype; need a dtype such as cuda.float32, np.float32 or "
            "'float32'."
            + (
                " Kernels do not support fields: declare one array for each."
                if getattr(token, "names", None)
                else ""
            )
        )
    return dtype


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
                f"the shape of {site.name} must be constant, got {kind}. Use a number, "
                "or a variable outside the kernel (TPB = 16)."
                + (
                    " For a size chosen at the launch use dynamic shared memory: "
                    "shape 0, and kernel[grid, block, stream, bytes]."
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
            "const.array_like needs a NumPy array from outside the kernel, got a "
            "value computed in the kernel.",
            0,
        )
    return constant_array(site.scope, site.node, array.value)


def host_array(scope: Scope, node: ast.AST, value: Expression) -> Expression:
    """Declare a host NumPy array as a constant array; return other values unchanged."""
    if is_host_array(value):
        return constant_array(scope, node, value.value)
    return value


def constant_array(scope: Scope, node: ast.AST, value: Any) -> Expression:
    """Declare a host array as a constant array of the kernel.

    Args:
        scope: Where it is read.
        node: Where, for errors.
        value: A NumPy array of numbers.

    Returns:
        The array, read-only.
    """
    array = np.asarray(value)
    dtype = dtype_of(array.dtype)
    if dtype is None or array.ndim == 0 or array.size == 0:
        raise scope.error(
            node,
            f"got an array of {array.dtype} with shape {array.shape} as a constant; "
            "need a numeric array with at least 1 dimension and 1 element."
            + (f" {refused_dtype(array.dtype)}" if dtype is None else ""),
        )
    type_ = ArrayType(dtype, array.ndim, "C", array.shape, readonly=True)
    space = "const" if array.nbytes <= _MOST_CONSTANT_BYTES else "device"
    return scope.declared_array(node, space, type_, array)
