"""Layout of a kernel's arguments in bytes.

The other side of `language/headers`: scalars as they are, an array as `{pointer, sizes,
strides in elements}`, a tuple as a C struct.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..language.types import ArrayType, KernelType, TupleType, Type

_CODES = {
    Type.BOOL: "?", Type.INT8: "b", Type.INT16: "h", Type.INT32: "i", Type.INT64: "q",
    Type.UINT8: "B", Type.UINT16: "H", Type.UINT32: "I", Type.UINT64: "Q",
    Type.FLOAT16: "e", Type.FLOAT32: "f", Type.FLOAT64: "d",
}  # fmt: skip

Row = tuple[str, int, int, list[int]]
#: Name, type and place of an array in the buffer; its address comes first.
Placed = tuple[str, ArrayType, int]


class PackedArray(NamedTuple):
    """Array as packed in a launch's arguments; strides in elements."""

    name: str
    kind: ArrayType
    pointer: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


def size_and_alignment(kind: KernelType) -> tuple[int, int]:
    """Return the size and alignment in bytes of a kernel parameter.

    Example:
        >>> size_and_alignment(TupleType((Type.INT8, Type.FLOAT64)))
        (16, 8)
    """
    if isinstance(kind, ArrayType):
        return 8 + 16 * kind.ndim, 8
    if isinstance(kind, Type):
        return kind.size, kind.size // 2 if kind.is_complex else kind.size
    if not kind.items:
        return 1, 1
    _, end = _offsets(kind.items)
    alignment = max(size_and_alignment(field)[1] for field in kind.items)
    return _aligned(end, alignment), alignment


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _offsets(kinds: Sequence[KernelType]) -> tuple[list[int], int]:
    """Return the offsets of consecutive values, and the end of the last."""
    offsets, end = [], 0
    for kind in kinds:
        size, alignment = size_and_alignment(kind)
        end = _aligned(end, alignment)
        offsets.append(end)
        end += size
    return offsets, end


def _arrays(name: str, kind: KernelType, start: int) -> list[Placed]:
    """Return the arrays in a value at `start`; `p[1]` names an item of a tuple."""
    if isinstance(kind, ArrayType):
        return [(name, kind, start)]
    if isinstance(kind, Type):
        return []
    offsets, _ = _offsets(kind.items)
    return [
        array
        for number, (item, offset) in enumerate(zip(kind.items, offsets, strict=True))
        for array in _arrays(f"{name}[{number}]", item, start + offset)
    ]


def _format(kind: KernelType) -> str:
    if isinstance(kind, Type) and kind in _CODES:
        return _CODES[kind]
    return f"{size_and_alignment(kind)[0]}s"


Packer = Callable[[Any], Any]


def _packer(kind: KernelType) -> Packer | None:
    """Return the conversion of a value for `struct`; None if it needs none."""
    if isinstance(kind, ArrayType):
        return _array_bytes
    if isinstance(kind, TupleType):
        inner = ArgumentLayout(kind.items)
        size, _ = size_and_alignment(kind)
        return lambda value: inner.pack(value).ljust(size, b"\0")
    if kind.is_complex:
        return lambda value: kind.dtype.type(value).tobytes()
    if kind is Type.BFLOAT16:
        return _bfloat16_bytes
    return None


def _array_bytes(value: Any) -> bytes:
    data: bytes = value.kernel_bytes
    return data


def _bfloat16_bytes(value: Any) -> bytes:
    """Round to nearest even and keep the upper half of the float32."""
    bits = int(np.float32(value).view(np.uint32))
    if np.isnan(np.float32(value)):
        return struct.pack("<H", (bits >> 16) | 0x40)
    return struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


class ArgumentLayout:
    """Layout of a buffer that holds values of these types, one after the other.

    Attributes:
        types: Of the arguments.
        offsets: Where each begins.
        pack_plain: Packs values that are numbers and the `kernel_bytes` of arrays.

    Example:
        >>> layout = ArgumentLayout((Type.INT32, Type.FLOAT64))
        >>> layout.offsets, layout.pack((7, 0.0)).hex()
        ([0, 8], '07000000000000000000000000000000')
    """

    def __init__(self, types: Sequence[KernelType]) -> None:
        self.types = tuple(types)
        self.offsets, _ = _offsets(self.types)
        pieces, end = ["<"], 0
        for kind, offset in zip(self.types, self.offsets, strict=True):
            pieces.append(f"{offset - end}x{_format(kind)}")
            end = offset + size_and_alignment(kind)[0]
        self.pack_plain = struct.Struct("".join(pieces)).pack
        self._packers = [_packer(kind) for kind in self.types]
        self.is_plain = all(
            packer is None or packer is _array_bytes for packer in self._packers
        )

    def pack(self, values: Sequence[Any]) -> bytes:
        """Return the packed bytes of values that fit the types."""
        return self.pack_plain(
            *(
                value if packer is None else packer(value)
                for packer, value in zip(self._packers, values, strict=True)
            )
        )

    def arrays(self, names: Sequence[str]) -> list[Placed]:
        """Return the arrays among the arguments; those in tuples are named `p[1]`."""
        return [
            array
            for name, kind, offset in zip(names, self.types, self.offsets, strict=True)
            for array in _arrays(name, kind, offset)
        ]

    def unpacked(self, names: Sequence[str], packed: bytes) -> Iterator[PackedArray]:
        """Yield the arrays that `pack` wrote, but those beyond the end."""
        for name, kind, offset in self.arrays(names):
            form = struct.Struct(f"<Q{2 * kind.ndim}q")
            if offset + form.size <= len(packed):
                pointer, *numbers = form.unpack_from(packed, offset)
                sizes, strides = numbers[: kind.ndim], numbers[kind.ndim :]
                yield PackedArray(name, kind, pointer, tuple(sizes), tuple(strides))

    def rows(self, names: Sequence[str]) -> list[Row]:
        """Return the rows for the core: name, offset, size, offsets of pointers."""
        return [
            (
                name,
                offset,
                size_and_alignment(kind)[0],
                [position for _, _, position in _arrays(name, kind, offset)],
            )
            for name, kind, offset in zip(names, self.types, self.offsets, strict=True)
        ]
