"""Parse an untrusted kernel form field by field, with size limits."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from minitorch_cuda.cuda.compiling.signatures import type_from
from minitorch_cuda.cuda.language.typed import Access
from minitorch_cuda.cuda.language.types import ArrayType, KernelType, TupleType

SCHEMA = "minitorch/kernel/1"

#: Most characters of a PTX, of a source file, and of all source files together.
PTX_CHARACTERS, SOURCE_CHARACTERS, ALL_SOURCES = 4 << 20, 1 << 20, 2 << 20
_NAME, _SUBSCRIPT = 1000, 2000
_ROWS, _FILES, _PARAMETERS, _DIMENSIONS = 20_000, 200, 64, 8
_INTEGER = 2**31 - 1
_TYPE = re.compile(r"[a-z0-9 ,()\[\]:ACF]{1,300}")

T = TypeVar("T")


class FormError(ValueError):
    """A kernel's form that differs from the output of `kernel_form.of`."""


@dataclass(frozen=True)
class Form:
    """A kernel's form, read.

    Attributes:
        language: "python" or "cuda".
        name: The kernel's name for people.
        entry: What finds it in the PTX.
        ptx, checked: The build that is counted, and the one that checks indices; the
            latter is "" where there is none.
        cooperative: Do its blocks wait for each other?
        debug: Are its builds for debuggers?
        types: Of the arguments; None where the arguments of a launch tell them.
        file: The pseudo name of its source, or the file of CUDA C++.
        sources: Text by file, for quoting and pictures.
        code: CUDA C++, "" for Python.
        lowered: Names in the PTX by name expression, of CUDA C++.
        parameters: Names and types; of Python.
        places: Python file and first line by pseudo file; so are the tables below.
        accesses, checks, shared, dynamic, compared, variables: As in `KernelSource`.
    """

    language: str
    name: str
    entry: str
    ptx: str
    checked: str
    cooperative: bool
    debug: bool
    types: tuple[KernelType, ...] | None
    file: str
    sources: dict[str, str]
    code: str
    lowered: dict[str, str]
    parameters: tuple[tuple[str, KernelType], ...]
    places: dict[str, tuple[str, int]]
    accesses: dict[str, tuple[Access, ...]]
    checks: tuple[Access, ...]
    shared: dict[str, tuple[int, ...]]
    dynamic: frozenset[str]
    compared: frozenset[str]
    variables: dict[str, dict[str, str]]

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return [name for name, _ in self.parameters]


def read_form(data: object) -> Form:
    """Read a form.

    Args:
        data: What `json.loads` gave.

    Raises:
        FormError: A field is missing, unknown, of another type, or too large.
    """
    fields = _mapping(data, "form", "field", 40)
    if fields.get("schema") != SCHEMA:
        raise _wrong("schema", fields.get("schema"), repr(SCHEMA))
    if set(fields) != {"schema", *_READERS}:
        odd = sorted(set(fields) ^ {"schema", *_READERS})
        raise _wrong("fields", ", ".join(map(str, odd[:5])), "exactly those of a form")
    read = {name: reader(fields[name], name) for name, reader in _READERS.items()}
    names, types = read["parameters"], read["types"]
    python = read["language"] == "python"
    if python and (types is None or len(types) != len(names)):
        raise _wrong("parameters", len(names), "a name for each of the types")
    read["parameters"] = tuple(zip(names, types, strict=True)) if python else ()
    form = Form(**read)
    if form.language not in ("python", "cuda"):
        raise _wrong("language", form.language, "'python' or 'cuda'")
    if sum(map(len, form.sources.values())) > ALL_SOURCES:
        raise _wrong("sources", "too much text", f"at most {ALL_SOURCES} characters")
    for access in form.checks:
        try:
            ast.parse(access.text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _wrong("checks", access.text[:60], "subscripts of Python") from None
    return form


def _wrong(field: str, got: object, need: str) -> FormError:
    text = got if isinstance(got, str) and got.isprintable() else repr(got)
    text = text if len(text) <= 80 else f"{text[:80]}…"
    return FormError(f"[kernel] got {text} in a kernel's {field}; need {need}.")


def _text(most: int) -> Callable[[object, str], str]:
    def read(value: object, field: str) -> str:
        if not isinstance(value, str) or len(value) > most:
            kind = type(value).__name__
            description = f"{len(value)} characters" if isinstance(value, str) else kind
            raise _wrong(field, description, f"text of at most {most} characters")
        if "\0" in value or (most == _NAME and not value.isprintable()):
            raise _wrong(field, value, "text that can be printed")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _wrong(field, "half a character", "whole characters") from None
        return value

    return read


_name = _text(_NAME)


def _truth(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(field, value, "true or false")
    return value


def _integer(value: object, field: str, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= _INTEGER:
        raise _wrong(field, value, f"an integer from {least} to {_INTEGER}")
    return value


def _items(value: object, field: str, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise _wrong(field, type(value).__name__, f"a list of at most {most}")
    return value


def _mapping(value: object, field: str, of: str, most: int) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > most:
        raise _wrong(field, type(value).__name__, f"at most {most} by {of}")
    for key in value:
        _name(key, field)
    return value


def _by_name(
    read: Callable[[object, str], T], most: int = _FILES
) -> Callable[[object, str], dict[str, T]]:
    def read_all(value: object, field: str) -> dict[str, T]:
        entries = _mapping(value, field, "name", most)
        return {name: read(entry, field) for name, entry in entries.items()}

    return read_all


def _list(
    read: Callable[[object, str], T], most: int = _ROWS
) -> Callable[[object, str], tuple[T, ...]]:
    def read_all(value: object, field: str) -> tuple[T, ...]:
        return tuple(read(item, field) for item in _items(value, field, most))

    return read_all


def _position(value: object, field: str) -> tuple[str, int]:
    pair = _items(value, field, 2)
    if len(pair) != 2:
        raise _wrong(field, pair, "a file and a line")
    return _name(pair[0], field), _integer(pair[1], field)


def _access(value: object, field: str) -> Access:
    row = _items(value, field, 6)
    if len(row) != 6:
        raise _wrong(field, row, "rows of six")
    subscript = _text(_SUBSCRIPT)
    return Access(
        _integer(row[0], field),
        _name(row[1], field),
        subscript(row[2], field),
        _truth(row[3], field),
        _truth(row[4], field),
        _list(subscript, 16)(row[5], field),
    )


def _sizes(value: object, field: str) -> tuple[int, ...]:
    sizes = _list(_integer, 16)(value, field)
    if math.prod(sizes) > _INTEGER:
        raise _wrong(field, sizes, f"at most {_INTEGER} elements")
    return sizes


def _types(value: object, field: str) -> tuple[KernelType, ...] | None:
    return None if value is None else _list(_type, _PARAMETERS)(value, field)


def _type(value: object, field: str) -> KernelType:
    text = _text(_NAME)(value, field)
    if not _TYPE.fullmatch(text):
        raise _wrong(field, text, "types such as 'array(float32, 1d, C)' or 'int64'")
    try:
        kernel_type = type_from(text)
    except (TypeError, ValueError, RecursionError):
        raise _wrong(field, text, "types of kernels") from None
    _check_size(kernel_type, field)
    return kernel_type


def _check_size(kind: KernelType, field: str) -> None:
    if isinstance(kind, TupleType):
        for item in kind.items:
            _check_size(item, field)
    elif isinstance(kind, ArrayType) and not 1 <= kind.ndim <= _DIMENSIONS:
        raise _wrong(field, kind.ndim, f"arrays of 1 to {_DIMENSIONS} dimensions")


def _set(value: object, field: str) -> frozenset[str]:
    return frozenset(_list(_name)(value, field))


_READERS: Mapping[str, Callable[[object, str], Any]] = {
    "language": _name,
    "name": _name,
    "entry": _name,
    "ptx": _text(PTX_CHARACTERS),
    "checked": _text(PTX_CHARACTERS),
    "cooperative": _truth,
    "debug": _truth,
    "types": _types,
    "file": _name,
    "sources": _by_name(_text(SOURCE_CHARACTERS), _FILES),
    "code": _text(SOURCE_CHARACTERS),
    "lowered": _by_name(_name),
    "parameters": _list(_name, _PARAMETERS),
    "places": _by_name(_position),
    "accesses": _by_name(_list(_access)),
    "checks": _list(_access),
    "shared": _by_name(_sizes, _ROWS),
    "dynamic": _set,
    "compared": _set,
    "variables": _by_name(_by_name(_name, _ROWS)),
}
