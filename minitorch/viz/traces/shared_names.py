"""Which arrays of shared memory a kernel's text declares, and where each lies.

It reads text: what it cannot be sure of, it leaves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cuda import Launch, Trace
from ...cuda.inspecting.accesses import SHARED, Accesses, Ints
from .arrays import Array

_C_TYPES = {
    "float": "f4", "double": "f8", "__half": "f2", "half": "f2", "bool": "?",
    "int": "i4", "unsigned": "u4", "unsigned int": "u4", "char": "i1",
    "unsigned char": "u1", "short": "i2", "unsigned short": "u2", "long long": "i8",
    "unsigned long long": "u8", "size_t": "u8", "int32_t": "i4", "uint32_t": "u4",
    "int64_t": "i8", "uint64_t": "u8",
}  # fmt: skip
_C_LINE = re.compile(
    r"__shared__\s+(?:volatile\s+)?"
    r"(?P<type>[a-z_]\w*(?:\s+(?:int|long|char|short))*)\s+"
    r"(?P<names>\w+\s*(?:[,\[][^;]*)?);"
)
_C_NAME = re.compile(r"(?P<name>\w+)\s*(?P<sizes>(?:\[[^\]]*\])*)")
_PYTHON_ARRAY = re.compile(
    r"(?P<name>\w+)\s*=\s*(?:\w+\.)*shared\.array\(\s*(?:shape\s*=\s*)?"
    r"(?P<sizes>\([^()]*\)|[^,()]+),\s*(?:dtype\s*=\s*)?(?P<type>[\w.\"']+)"
)
_CONSTANT = re.compile(
    r"(?:#define\s+(\w+)\s+|(?:const|constexpr)\s+\w+\s+(\w+)\s*=\s*|^(\w+)\s*=\s*)"
    r"(\d+)\s*;?\s*(?://.*|#.*)?$",
    re.MULTILINE,
)
_FLOATS, _UNSIGNED = ("f16", "f32", "f64"), ("u8", "u16", "u32", "u64")
_WIDTHS = {1: "1", 2: "2", 4: "4", 8: "8"}
_MOST = 5


@dataclass(frozen=True)
class SharedArray:
    """An array of shared memory: its name, sizes, first byte and type."""

    name: str
    shape: tuple[int, ...]
    offset: int
    dtype: np.dtype[Any]

    @property
    def end(self) -> int:
        """The byte behind its last."""
        return self.offset + int(np.prod(self.shape)) * self.dtype.itemsize


def _value(node: ast.expr, constants: Mapping[str, int]) -> int | None:
    """The value of whole numbers and known names, added or multiplied."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.BinOp):
        left, right = (_value(each, constants) for each in (node.left, node.right))
        if left is not None and right is not None:
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Mult):
                return left * right
    return None


def _size(words: str, constants: Mapping[str, int]) -> int | None:
    try:
        value = _value(ast.parse(words.strip(), mode="eval").body, constants)
    except (SyntaxError, ValueError):
        return None
    return value if value and 0 < value < 1 << 20 else None


_Declared = tuple[str, tuple[int, ...], "np.dtype[Any]"]


def _dtype(spelled: str | None) -> np.dtype[Any] | None:
    try:
        return np.dtype(spelled) if spelled else None
    except TypeError:
        return None


def _written(text: str) -> list[tuple[str, list[str], str | None]]:
    """Arrays with sizes and type as the text has them, in its order."""
    found = []
    for line in _C_LINE.finditer(text):
        spelled = _C_TYPES.get(" ".join(line["type"].split()))
        for array in _C_NAME.finditer(line["names"]):
            sizes = re.findall(r"\[([^\]]*)\]", array["sizes"])
            found.append((array["name"], sizes, spelled))
    for array in _PYTHON_ARRAY.finditer(text):
        sizes = [at for at in array["sizes"].strip("()").split(",") if at.strip()]
        kind = array["type"].strip("\"'").rpartition(".")[2]
        found.append((array["name"], sizes, kind))
    return found


def _declared(text: str, own: str, size: int) -> list[_Declared] | None:
    """Arrays in the order of the text; None where one of them is not understood."""
    constants = {
        found[1] or found[2] or found[3]: int(found[4])
        for found in _CONSTANT.finditer(text)
    }
    arrays = []
    for name, parts, spelled in _written(own):
        dtype = _dtype(spelled)
        if parts == [""] and dtype is not None:  # as large as the launch says
            parts = [str(size // dtype.itemsize)]
        sizes = [_size(part, constants) for part in parts]
        if dtype is None or None in sizes:
            return None
        arrays.append((name, tuple(at for at in sizes if at), dtype))
    return arrays


def _laid_out(
    arrays: tuple[_Declared, ...],
) -> tuple[SharedArray, ...]:
    """One after the other, each on a multiple of its type's size."""
    end, placed = 0, []
    for name, shape, dtype in arrays:
        offset = -(-end // dtype.itemsize) * dtype.itemsize
        placed.append(SharedArray(name, shape, offset, dtype))
        end = placed[-1].end
    return tuple(placed)


def _agrees(placed: tuple[SharedArray, ...], lines: list[str],
            used: Mapping[int, set[int]]) -> bool:  # fmt: skip
    """Does each line only touch arrays that it names, where it names any?"""
    for line, offsets in used.items():
        words = set(re.findall(r"\w+", lines[line - 1])) if line <= len(lines) else ()
        named = [each for each in placed if each.name in words]
        for offset in offsets if named else ():
            if not any(array.offset <= offset < array.end for array in named):
                return False
    return True


def shared_arrays(
    lines: list[str],
    size: int,
    used: Mapping[int, set[int]],
    span: tuple[int, int] = (1, 1 << 30),
) -> tuple[SharedArray, ...]:
    """Find the arrays of shared memory in a kernel's text.

    The compiler chooses their order; the one is taken in which each line touches only
    arrays that it names.

    Args:
        lines: Of the text; empty where nobody has it.
        size: Bytes of shared memory that a block has.
        used: For each line the offsets that its accesses touch.
        span: First and last line of the kernel: only arrays of these are its own.

    Returns:
        The arrays; none where the text does not tell.

    Example:
        >>> found = shared_arrays(["__shared__ float s[8][4];"], 128, {})
        >>> [(each.name, each.shape, each.offset) for each in found]
        [('s', (8, 4), 0)]
    """
    declared = _declared(
        "\n".join(lines), "\n".join(lines[span[0] - 1 : span[1]]), size
    )
    if not declared or len(declared) > _MOST:
        return ()
    for order in permutations(declared):
        placed = _laid_out(order)
        if placed[-1].end == size and _agrees(placed, lines, used):
            return tuple(sorted(placed, key=lambda each: each.offset))
    return ()


def dtype_of(opcodes: Sequence[str], size: int) -> np.dtype[Any]:
    """The type that most instructions name; signed where they name bits."""
    parts = [part for opcode in opcodes for part in opcode.split(".")]
    known = [part for part in parts if part in (*_FLOATS, *_UNSIGNED)]
    kind = max(known, key=known.count)[0] if known else "i"
    return np.dtype(f"<{kind}{_WIDTHS.get(size, '4')}")


def value_dtype(array: Array, trace: Trace, steps: NDArray[Any]) -> np.dtype[Any]:
    """Return the type of an array's values, else that of the steps that touch it."""
    if array.values is not None and array.values.dtype.kind in "biuf":
        return array.values.dtype
    return dtype_of(trace.opcode[np.unique(steps)].tolist(), array.size)


def located(
    every: Accesses, arrays: Sequence[Array], trace: Trace, words: Any
) -> tuple[Ints, Ints, Ints, NDArray[np.float64]]:
    """Return what accesses touch: an array and a cell, and their values.

    Args:
        every: Of the trace.
        arrays: Where cells lie; of several that hold one address the first counts.
        trace: Of the launch.
        words: Gets the values.

    Returns:
        For each access the number of its array, -1 for none, of its cell, and of the
        words for its value; and the value, NaN for what is no number.
    """
    array, (cell, value) = np.full(len(every), -1), np.zeros((2, len(every)), np.int64)
    numbers = np.full(len(every), np.nan)
    for at, each in enumerate(arrays):
        found = each.cells_at(every.address)
        mine = ((every.space == SHARED) == each.shared) & (found >= 0) & (array < 0)
        array[mine], cell[mine] = at, found[mine]
        dtype = each.dtype or value_dtype(each, trace, every.step[mine])
        values = as_type(every.value[mine], dtype)
        value[mine] = words.values(values)
        numbers[mine] = values if dtype.kind in "biuf" else np.nan
    return array, cell, value, numbers


def as_type(bits: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return values of a type from the lowest bits of words."""
    raw = np.ascontiguousarray(bits.astype("<u8")).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(raw[:, : dtype.itemsize]).view(dtype).reshape(-1)


def _span(trace: Trace) -> tuple[int, int]:
    """First and last line that ran."""
    known = trace.line[trace.line > 0]
    return (int(known.min()), int(known.max())) if len(known) else (1, 1 << 30)


def shared_arrays_of(
    launch: Launch, trace: Trace, every: Accesses, lines: list[str]
) -> list[Array]:
    """The arrays that the text declares, else all shared memory as one."""
    own = every.where(every.space == SHARED)
    if not launch.shared_bytes:
        return []
    used: dict[int, set[int]] = {}
    line = trace.line[own.step].astype(np.int64)
    for pair in np.unique(line << 32 | own.address).tolist():
        used.setdefault(pair >> 32, set()).add(pair & 0xFFFFFFFF)
    declared = shared_arrays(lines, launch.shared_bytes, used, _span(trace))
    if not declared and len(own):
        size = int(own.size.min())
        shape = (max(launch.shared_bytes // size, 1),)
        dtype = dtype_of(trace.opcode[np.unique(own.step)].tolist(), size)
        declared = (SharedArray("shared", shape, 0, dtype),)
    return [
        Array(array.name, array.shape, np.arange(array.offset, array.end, size), size,
              None, dtype=array.dtype, shared=True)
        for array in declared for size in [array.dtype.itemsize]
    ]  # fmt: skip
