"""Map device addresses back to array elements."""

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
        """Create from a record of the work log; an array of unknown dtype is treated
        as bytes (uint8).
        """
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
        """Bytes from the first to the last element, including gaps."""
        reach = sum(
            (n - 1) * step for n, step in zip(self.shape, self.strides, strict=True)
        )
        return (reach + 1) * self.item if 0 not in self.shape else 0

    def element(self, address: int) -> tuple[int, ...] | None:
        """Return the index of the element at an address, or None if there is none."""
        if not self.address <= address < self.address + self.bytes:
            return None
        left, rest = divmod(address - self.address, self.item)
        index = [0] * len(self.shape)
        for dim, step, last in self._steps:
            index[dim] = min(left // step, last)
            left -= index[dim] * step
        return None if left or rest else tuple(index)

    @cached_property
    def _steps(self) -> list[tuple[int, int, int]]:
        """Dimension, stride and last index of each dimension, largest stride first."""
        steps = [
            (dim, step, extent - 1)
            for dim, (step, extent) in enumerate(
                zip(self.strides, self.shape, strict=True)
            )
            if step > 0 and extent > 1
        ]
        return sorted(steps, key=lambda entry: -entry[1])

    def address_of(self, index: tuple[int, ...]) -> int:
        """Return the address of an element."""
        steps = zip(index, self.strides, strict=True)
        return self.address + self.item * sum(i * step for i, step in steps)

    def use(self) -> ArrayUse:
        """Return the array in the form of an explanation."""
        return ArrayUse(
            parameter=self.parameter,
            shape=self.shape,
            dtype=self.dtype,
            address=self.address,
            bytes=self.bytes,
            strides=self.strides,
        )


def array_at(arrays: Iterable[PlacedArray], address: int) -> PlacedArray | None:
    """Return the smallest array that has an element at an address, or None."""
    matches = [array for array in arrays if array.element(address) is not None]
    return min(matches, key=lambda array: array.bytes, default=None)
