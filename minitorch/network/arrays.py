"""Where arrays of a launch lie, and which element an address is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
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
        index = [0] * len(self.shape)
        for at, step, last in self._steps:
            index[at] = min(left // step, last)
            left -= index[at] * step
        return None if left or rest else tuple(index)

    @cached_property
    def _steps(self) -> list[tuple[int, int, int]]:
        """Dimension, stride and last index, of the largest stride first."""
        found = [
            (at, step, extent - 1)
            for at, (step, extent) in enumerate(
                zip(self.strides, self.shape, strict=True)
            )
            if step > 0 and extent > 1
        ]
        return sorted(found, key=lambda each: -each[1])

    def address_of(self, index: tuple[int, ...]) -> int:
        """Where an element lies."""
        steps = zip(index, self.strides, strict=True)
        return self.address + self.item * sum(at * step for at, step in steps)

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
