"""Parse an untrusted kernel form field by field, with size limits."""

from __future__ import annotations

import ast
import itertools
import math
from functools import cached_property
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from minitorch_cuda.cuda.compiling.signatures import type_from
from minitorch_cuda.cuda.language.typed import Access
from minitorch_cuda.cuda.language.types import ArrayType, KernelType, TupleType

SCHEMA: Literal["minitorch/kernel/1"] = "minitorch/kernel/1"

#: Most characters of a PTX, of a source file, and of all source files together.
PTX_CHARACTERS, SOURCE_CHARACTERS, ALL_SOURCES = 4 << 20, 1 << 20, 2 << 20
_ROWS, _DIMENSIONS = 20_000, 8
_INTEGER = 2**31 - 1

# Without the control characters and halves of characters that nobody can print.
_PRINTED = r"^[^\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff]*\Z"
_WHOLE = r"^[^\x00\ud800-\udfff]*\Z"
_Name = Annotated[str, Meta(max_length=1000, pattern=_PRINTED)]
_Ptx = Annotated[str, Meta(max_length=PTX_CHARACTERS, pattern=_WHOLE)]
_Source = Annotated[str, Meta(max_length=SOURCE_CHARACTERS, pattern=_WHOLE)]
# No word such as UniTuple, of which a few characters make a type of any size.
_Type = Annotated[str, Meta(pattern=r"^[a-z0-9 ,()\[\]:ACF]{1,300}\Z")]
_Size = Annotated[int, Meta(ge=0, le=_INTEGER)]
_Accesses = Annotated[tuple[Access, ...], Meta(max_length=_ROWS)]


class FormError(ValueError):
    """A kernel's form that differs from the output of `kernel_form.of`."""


class Form(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True, kw_only=True
):
    """A kernel's form, read.

    Attributes:
        name: The kernel's name for people.
        entry: What finds it in the PTX.
        ptx, checked: The build that is counted, and the one that checks indices; the
            latter is "" where there is none.
        cooperative: Do its blocks wait for each other?
        debug: Are its builds for debuggers?
        type_names: Of the arguments; None where the arguments of a launch tell them.
        file: The pseudo name of its source, or the file of CUDA C++.
        sources: Text by file, for quoting and pictures.
        code: CUDA C++, "" for Python.
        lowered: Names in the PTX by name expression, of CUDA C++.
        names: Of the parameters; of Python.
        places: Python file and first line by pseudo file; so are the tables below.
        accesses, checks, shared, dynamic, compared, variables: As in `KernelSource`.
    """

    schema: Literal["minitorch/kernel/1"]
    language: Literal["python", "cuda"]
    name: _Name
    entry: _Name
    ptx: _Ptx
    checked: _Ptx = ""
    cooperative: bool
    debug: bool
    type_names: tuple[_Type, ...] | None = msgspec.field(name="types")
    file: _Name
    sources: dict[_Name, _Source]
    code: _Source = ""
    lowered: dict[_Name, _Name] = {}
    names: tuple[_Name, ...] = msgspec.field(name="parameters", default=())
    places: dict[_Name, tuple[_Name, _Size]] = {}
    accesses: dict[_Name, _Accesses] = {}
    checks: _Accesses = ()
    shared: dict[_Name, Annotated[tuple[_Size, ...], Meta(max_length=16)]] = {}
    dynamic: frozenset[_Name] = frozenset()
    compared: frozenset[_Name] = frozenset()
    variables: dict[_Name, dict[_Name, _Name]] = {}

    def __post_init__(self) -> None:
        if self.language == "python" and len(self.types or ()) != len(self.names):
            raise ValueError("other numbers of types and of parameters")
        if sum(map(len, self.sources.values())) > ALL_SOURCES:
            raise ValueError(f"more than {ALL_SOURCES} characters of sources")
        if any(math.prod(sizes) > _INTEGER for sizes in self.shared.values()):
            raise ValueError(f"a shared array of more than {_INTEGER} elements")
        for access in itertools.chain(self.checks, *self.accesses.values()):
            if not 0 <= access.line <= _INTEGER:
                raise ValueError(f"an access in line {access.line}")
        for access in self.checks:
            try:
                ast.parse(access.text, mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raise ValueError(f"the subscript {access.text[:60]!a}") from None

    @cached_property
    def types(self) -> tuple[KernelType, ...] | None:
        """Types of the arguments, as far as the form has them."""
        return (
            None
            if self.type_names is None
            else tuple(map(_kernel_type, self.type_names))
        )

    @property
    def parameters(self) -> tuple[tuple[str, KernelType], ...]:
        """Names and types; of Python."""
        return tuple(zip(self.names, self.types or (), strict=False))


def read_form(data: object) -> Form:
    """Read a form.

    Args:
        data: What `json.loads` gave.

    Raises:
        FormError: A field is missing, unknown, of another type, or too large.
    """
    try:
        return msgspec.convert(data, Form)
    except (msgspec.ValidationError, RecursionError) as error:
        raise FormError(
            f"[kernel] got a form that is none: {error}; need one of kernel_form."
        ) from None


def _kernel_type(text: str) -> KernelType:
    try:
        kernel_type = type_from(text)
    except (TypeError, RecursionError):
        raise ValueError(f"{text[:80]!a}, no type of kernels") from None
    _check_size(kernel_type)
    return kernel_type


def _check_size(kind: KernelType) -> None:
    if isinstance(kind, TupleType):
        for item in kind.items:
            _check_size(item)
    elif isinstance(kind, ArrayType) and not 1 <= kind.ndim <= _DIMENSIONS:
        raise ValueError(f"need arrays of 1 to {_DIMENSIONS} dimensions")
