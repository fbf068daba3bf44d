"""Owns where arrays of a launch lie, and which element an address is.

Must not know launches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .records import ArrayUse


@dataclass(frozen=True)
class PlacedArray:
    """An array as a kernel got it.

    Attributes:
        parameter: the kernel's name of it; dtype: such as "float32".
        address: of the first element; shape; strides: in elements.
        item: bytes of an element.
    """

    parameter: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    item: int

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> PlacedArray:
        """From a row of a record of work; of bytes where nobody knows more."""
        if row["shape"] is None:
            row = {**row, "shape": (row["bytes"],), "strides": (1,), "dtype": "uint8"}
        shape = tuple(row["shape"])
        cells = 1
        for extent in shape:
            cells *= extent
        return cls(
            parameter=row["parameter"],
            address=row["address"],
            shape=shape,
            strides=tuple(row["strides"]),
            dtype=row["dtype"],
            item=row["bytes"] // cells if cells else 1,
        )

    @property
    def bytes(self) -> int:
        """From the first to the last element, with what lies between."""
        reach = sum(
            (n - 1) * step for n, step in zip(self.shape, self.strides, strict=True)
        )
        return (reach + 1) * self.item if 0 not in self.shape else 0

    def element(self, address: int) -> tuple[int, ...] | None:
        """The index of what lies at an address; None where none of it does."""
        if not self.address <= address < self.address + self.bytes:
            return None
        left, rest = divmod(address - self.address, self.item)
        order = sorted(range(len(self.shape)), key=lambda at: -self.strides[at])
        index = [0] * len(self.shape)
        for at in order:
            if self.strides[at] > 0 and self.shape[at] > 1:
                index[at] = min(left // self.strides[at], self.shape[at] - 1)
                left -= index[at] * self.strides[at]
        return None if left or rest else tuple(index)

    def use(self) -> ArrayUse:
        """As an explanation shows it."""
        return ArrayUse(
            parameter=self.parameter,
            shape=self.shape,
            dtype=self.dtype,
            address=self.address,
            bytes=self.bytes,
            strides=self.strides,
        )


def array_at(arrays: Iterable[PlacedArray], address: int) -> PlacedArray | None:
    """The array that has an element at an address; of several the smallest."""
    found = [each for each in arrays if each.element(address) is not None]
    return min(found, key=lambda each: each.bytes, default=None)
