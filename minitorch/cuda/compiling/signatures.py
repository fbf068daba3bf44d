"""Parse signatures: the types of a kernel's arguments.

`'void(float64[:], int32)'`, `void(float64[:], int32)`, `(float64[:], int32)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..language.types import ArrayType, FunctionType, KernelType, TupleType, Type

# Numba's other names of scalars.
_ALIASES = {
    "b1": "bool", "boolean": "bool", "bool_": "bool",
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
    "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
    "byte": "uint8", "uchar": "uint8", "char": "int8",
    "short": "int16", "ushort": "uint16", "intc": "int32", "uintc": "uint32",
    "int_": "int64", "uint": "uint64", "long_": "int64", "ulong": "uint64",
    "longlong": "int64", "ulonglong": "uint64", "intp": "int64", "uintp": "uint64",
    "size_t": "uint64", "ssize_t": "int64", "int": "int64",
    "f2": "float16", "f4": "float32", "f8": "float64",
    "float_": "float32", "double": "float64", "float": "float64",
    "c8": "complex64", "c16": "complex128", "complex": "complex128",
}  # fmt: skip
_SCALARS = {type_.value: type_ for type_ in Type}
_SCALARS |= {alias: Type(name) for alias, name in _ALIASES.items()}
_NOTHING = ("void", "none")
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_][\w.]*)|(?P<mark>->|\S))")


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
        f"[signature] got {value!r}; need one such as 'void(float32[:], int32)', or "
        "void(float32[:], int32) with types of minitorch.cuda."
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
        f"[signature] got {value!r} for a type; need one such as float32, float32[:] "
        "or int64 of minitorch.cuda."
    )


class _Text:
    """Parser of a signature's text, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        matches: Iterator[re.Match[str]] = _TOKEN.finditer(text)
        self._tokens = [match["name"] or match["mark"] for match in matches]
        self._at = 0

    def signature(self) -> FunctionType:
        """Parse `result(arguments)`, or the arguments alone, parentheses optional."""
        if not self._tokens:
            raise self._error("a name of a type")
        if self._peek() == "(":
            arguments = self._list("(", ")")
            result = self._arrow()
        else:
            result, arguments = self._from_name()
        if self._peek() != "":
            raise self._error("the end")
        return FunctionType(result, arguments)

    def only_type(self) -> KernelType:
        """Parse one type and nothing else."""
        kind = self._type()
        if self._peek() != "":
            raise self._error("the end")
        return kind

    def _from_name(self) -> tuple[Type | None, tuple[KernelType, ...]]:
        nothing = _bare(self._peek()) in _NOTHING
        if nothing:
            self._next()
            return None, self._list("(", ")")
        kind = self._type()
        if self._peek() == "(":
            if not isinstance(kind, Type):
                raise self._error("a number as the result, or void, before '('")
            return kind, self._list("(", ")")
        kinds = [kind]
        while self._accept(","):
            if self._peek() == "":
                break
            kinds.append(self._type())
        return None, tuple(kinds)

    def _arrow(self) -> Type | None:
        """Parse Numba's `-> none` after the arguments."""
        if not self._accept("->") or _bare(self._peek()) in _NOTHING:
            self._at = len(self._tokens) if self._at else 0
            return None
        kind = self._type()
        return kind if isinstance(kind, Type) else None

    def _list(self, opening: str, closing: str) -> tuple[KernelType, ...]:
        self._expect(opening)
        kinds: list[KernelType] = []
        while not self._accept(closing):
            kinds.append(self._type())
            if not self._accept(","):
                self._expect(closing)
                break
        return tuple(kinds)

    def _type(self) -> KernelType:
        if self._peek() == "(":
            return TupleType(self._list("(", ")"))
        name = _bare(self._next())
        if name in ("Tuple", "UniTuple"):
            return self._tuple(name)
        if name in ("array", "Array"):
            return self._array()
        if name == "CPointer":  # for declare_device
            (pointed,) = self._list("(", ")") or (None,)
            if not isinstance(pointed, Type):
                raise self._error("a type such as float32 in the parentheses")
            return ArrayType(pointed, 1)
        if name not in _SCALARS:
            self._at -= 1
            raise self._error("a type such as float32 or int64")
        return self._dimensions(_SCALARS[name])

    def _tuple(self, name: str) -> TupleType:
        self._expect("(")
        if name == "Tuple":
            items = self._list("(", ")")
        else:
            kind = self._type()
            for mark in (",", "x"):  # UniTuple(int64, 3); printed: UniTuple(int64 x 3)
                self._accept(mark)
            count = self._next()
            if not count.isdigit():
                raise self._error("a number of items")
            while self._peek().isdigit():
                count += self._next()
            items = (kind,) * int(count)
        self._expect(")")
        return TupleType(items)

    def _array(self) -> ArrayType:
        """Parse an array type as it prints: `array(float32, 2d, C)`."""
        self._expect("(")
        kind = self._type()
        self._expect(",")
        ndim = self._next()
        layout = "A"
        while not self._accept(")"):
            word = self._next()
            if word == "":
                raise self._error("')'")
            layout = word if word in ("C", "F", "A") else layout
        if not isinstance(kind, Type) or not ndim.isdigit():
            raise self._error("array(float32, 2d, C)")
        return ArrayType(kind, int(ndim), layout)

    def _dimensions(self, kind: Type) -> KernelType:
        if not self._accept("["):
            return kind
        slices = []
        while True:
            self._expect(":")
            contiguous = self._accept(":")
            if contiguous:
                self._expect("1")
            slices.append(slice(None, None, 1 if contiguous else None))
            if not self._accept(","):
                break
        self._expect("]")
        return kind[tuple(slices)]

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _accept(self, token: str) -> bool:
        matches = self._peek() == token
        self._at += matches
        return matches

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise self._error(repr(token))

    def _error(self, needed: str) -> ValueError:
        got = repr(self._peek()) if self._peek() else "the end"
        return ValueError(
            f"[signature] got {self._text!r}, which has {got} where it needs {needed}. "
            "Signatures look like 'void(float32[:], int32)'."
        )


def _bare(name: str) -> str:
    """Return the name without its module: `float32` for `numba.types.float32`."""
    return name.rpartition(".")[2]
