"""Parse signatures: the types of a kernel's arguments.

`'void(float64[:], int32)'`, `void(float64[:], int32)`, `(float64[:], int32)`.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from ..language.types import (
    ArrayType,
    FunctionType,
    KernelType,
    TupleType,
    Type,
    scalar_named,
)

_NOTHING = ("void", "none")


def signature_from(value: Any) -> FunctionType:
    """Parse one signature.

    Args:
        value: `void(float64[:])`, a tuple of types, or text such as
            `'void(float64[:], int32)'` or `'float64[:], int32'`. Types may be Numba's.

    Returns:
        Its result (None where it names none, or void) and arguments.

    Raises:
        TypeError: Something else.
        ValueError: Text that is no signature.

    Example:
        >>> print(signature_from("void(float64[:, ::1], int32)"))
        void(array(float64, 2d, C), int32)
        >>> print(signature_from((Type.FLOAT32[:], Type.INT64)))
        void(array(float32, 1d, A), int64)
    """
    if isinstance(value, FunctionType):
        return value
    if isinstance(value, str):
        return _Text(value).signature()
    if isinstance(value, tuple):
        return FunctionType(None, tuple(map(type_from, value)))
    if hasattr(value, "args") and hasattr(value, "return_type"):  # Numba's
        result = str(value.return_type)
        arguments = tuple(map(type_from, value.args))
        kind = None if result in _NOTHING else type_from(result)
        return FunctionType(kind if isinstance(kind, Type) else None, arguments)
    raise TypeError(
        f"[signature] cannot read {value!r} as a signature; need a string such as "
        "'void(float32[:], int32)', or void(float32[:], int32) with types of "
        "minitorch.cuda."
    )


def is_signature(value: object) -> bool:
    """Return whether `jit`'s first argument is a signature or a list of them."""
    numbas = hasattr(value, "args") and hasattr(value, "return_type")
    return numbas or isinstance(value, (str, tuple, list, FunctionType))


def signatures_from(value: Any) -> list[FunctionType]:
    """Parse the argument of `jit`: one signature, or a list or tuple of several.

    Example:
        >>> len(signatures_from(["void(float32[:])", "void(float64[:])"]))
        2
    """
    several = isinstance(value, list) or (
        isinstance(value, tuple)
        and any(isinstance(part, (str, FunctionType)) for part in value)
        and not any(isinstance(part, (Type, ArrayType, TupleType)) for part in value)
    )
    return list(map(signature_from, value)) if several else [signature_from(value)]


def type_from(value: Any) -> KernelType:
    """Parse one type: of this package, a string, a NumPy dtype, or Numba's.

    Raises:
        TypeError: Something else.
        ValueError: Text that is no type.

    Example:
        >>> print(type_from("float32[:, :]"), type_from(np.int32))
        array(float32, 2d, A) int32
    """
    if isinstance(value, (Type, ArrayType, TupleType)):
        return value
    if isinstance(value, str):
        return _Text(value).only_type()
    if type(value).__module__.split(".")[0] in ("numba", "numba_cuda"):
        return _Text(str(value)).only_type()
    if isinstance(value, tuple):
        return TupleType(tuple(map(type_from, value)))
    if isinstance(value, (np.dtype, type)):
        try:
            return Type(np.dtype(value).name)
        except (TypeError, ValueError):
            pass
    raise TypeError(
        f"[signature] cannot read {value!r} as a type; need a type of minitorch.cuda, "
        "such as float32, float32[:] or int64."
    )


class _Text:
    """Signature or type in Python's syntax, or as Numba prints it."""

    def __init__(self, text: str) -> None:
        self._text = text
        head, _, tail = text.partition("->")
        self._result = tail.strip()
        # Numba prints array(float32, 2d, C) and UniTuple(int64 x 3).
        head = re.sub(r"\b(\d+)d\b", r"\1", re.sub(r" x (\d+)", r", \1", head))
        if not head.strip():
            raise self._error("the end", "the name of a type")
        try:
            self._tree = ast.parse(head.strip(), mode="eval").body
        except SyntaxError as error:
            raise ValueError(
                f"[signature] cannot read {text!r}: {error.msg}. {_FORM}"
            ) from None

    def signature(self) -> FunctionType:
        """Return `result(arguments)`, or the arguments alone, parentheses optional."""
        node = self._tree
        if isinstance(node, ast.Call) and _bare(node.func) not in _MAKERS:
            nothing = _bare(node.func) in _NOTHING
            result = None if nothing else self._type(node.func)
            if not isinstance(result, Type | None):
                needed = "a number as the result, or void, before '('"
                raise self._error(ast.unparse(node.func), needed)
            return FunctionType(result, tuple(map(self._type, node.args)))
        arguments = node.elts if isinstance(node, ast.Tuple) else [node]
        result = None
        if self._result.rpartition(".")[2] not in ("", *_NOTHING):
            kind = _Text(self._result).only_type()
            result = kind if isinstance(kind, Type) else None
        return FunctionType(result, tuple(map(self._type, arguments)))

    def only_type(self) -> KernelType:
        """Return one type."""
        return self._type(self._tree)

    def _type(self, node: ast.expr) -> KernelType:
        match node:
            case ast.Tuple(elts=items):
                return TupleType(tuple(map(self._type, items)))
            case ast.Call(func=func, args=args):
                return self._made(node, _bare(func), args)
            case ast.Subscript(value=value, slice=dimensions):
                kind = self._type(value)
                parts = [dimensions]
                if isinstance(dimensions, ast.Tuple):
                    parts = dimensions.elts
                steps = list(map(ast.unparse, parts))
                if isinstance(kind, Type) and {*steps} <= {":", "::1"}:
                    return kind[
                        tuple(slice(None, None, 1 if "1" in s else None) for s in steps)
                    ]
                raise self._error(ast.unparse(node), "dimensions such as [:, ::1]")
        scalar = scalar_named(_bare(node))
        if scalar is None:
            raise self._error(ast.unparse(node), "a type such as float32 or int64")
        return scalar

    def _made(self, node: ast.expr, name: str, args: list[ast.expr]) -> KernelType:
        """Return the type that a call makes."""
        match name, args:
            case "Tuple", [ast.Tuple(elts=items)] | items:
                return TupleType(tuple(map(self._type, items)))
            case "UniTuple", [kind, ast.Constant(value=int(count))]:
                return TupleType((self._type(kind),) * count)
            case "array" | "Array", [kind, ast.Constant(value=int(ndim)), *others]:
                letters = [word for word in map(_bare, others) if word in ("C", "F")]
                dtype, layout = self._type(kind), letters[-1] if letters else "A"
                if isinstance(dtype, Type):
                    return ArrayType(dtype, ndim, layout)
            case "CPointer", [kind]:  # for declare_device
                pointed = self._type(kind)
                if isinstance(pointed, Type):
                    return ArrayType(pointed, 1)
        needed = _MAKERS.get(name, "a type such as float32 or int64")
        raise self._error(ast.unparse(node), needed)

    def _error(self, got: str, needed: str) -> ValueError:
        got = got if got == "the end" else repr(got)
        return ValueError(
            f"[signature] cannot read {self._text!r}: expected {needed}, found {got}. "
            f"{_FORM}"
        )


_FORM = "Signatures look like 'void(float32[:], int32)'."
# What makes other types, and what it needs.
_MAKERS = {
    "Tuple": "item types, as in Tuple(int32, float32)",
    "UniTuple": "a type and a count, as in UniTuple(int64, 3)",
    "array": "array(float32, 2d, C)",
    "Array": "array(float32, 2d, C)",
    "CPointer": "a type such as float32 in the parentheses",
}


def _bare(node: ast.expr) -> str:
    """Return a name without its module: `float32` for `numba.types.float32`."""
    return ast.unparse(node).rpartition(".")[2]
