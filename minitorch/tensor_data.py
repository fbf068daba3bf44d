"""Memory layout of a tensor: storage, shape and strides (module 2).

To be read: every index is computed in plain Python.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator, MutableSequence, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

MAX_DIMS = 32


class IndexingError(RuntimeError, IndexError):
    """Raised when an index, a shape or strides do not fit."""


Storage = NDArray[np.float64]
OutIndex = MutableSequence[int]
Index = Sequence[int]
Shape = Sequence[int]
Strides = Sequence[int]
UserIndex = Sequence[int]
UserShape = Sequence[int]
UserStrides = Sequence[int]


def index_to_position(index: Index, strides: Strides) -> int:
    """Return the storage position of an index: the sum of index * stride.

    Example:
        >>> index_to_position((1, 2), (3, 1))
        5
    """
    position = 0
    for i, stride in zip(index, strides, strict=True):
        position += i * stride
    return position


def to_index(ordinal: int, shape: Shape, out_index: OutIndex) -> None:
    """Write the index of element number `ordinal`, in row-major order.

    Example:
        >>> index = [0, 0]
        >>> to_index(5, (2, 3), index)
        >>> index
        [1, 2]
    """
    for dim in range(len(shape) - 1, -1, -1):
        out_index[dim] = ordinal % shape[dim]
        ordinal = ordinal // shape[dim]


def broadcast_index(
    big_index: Index, big_shape: Shape, shape: Shape, out_index: OutIndex
) -> None:
    """Write the index into `shape` that corresponds to one into `big_shape`.

    Leading dimensions that `shape` lacks are dropped; one of size 1 is at 0.

    Example:
        >>> index = [0, 0]
        >>> broadcast_index((4, 1, 2), (5, 2, 3), (1, 3), index)
        >>> index
        [0, 2]
    """
    added = len(big_shape) - len(shape)
    for dim in range(len(shape)):
        out_index[dim] = big_index[dim + added] if shape[dim] > 1 else 0


def shape_broadcast(shape1: UserShape, shape2: UserShape) -> tuple[int, ...]:
    """Return the shape that two shapes broadcast to.

    Raises:
        IndexingError: Two sizes differ and neither is 1.

    Example:
        >>> shape_broadcast((5, 1), (3, 1, 4))
        (3, 5, 4)
    """
    dims = max(len(shape1), len(shape2))
    first = (1,) * (dims - len(shape1)) + tuple(shape1)
    second = (1,) * (dims - len(shape2)) + tuple(shape2)
    for a, b in zip(first, second, strict=True):
        if a != b and 1 not in (a, b):
            raise IndexingError(
                f"[broadcast] shapes {tuple(shape1)} and {tuple(shape2)} cannot be "
                f"broadcast ({a} vs {b})."
            )
    return tuple(b if a == 1 else a for a, b in zip(first, second, strict=True))


def strides_from_shape(shape: UserShape) -> tuple[int, ...]:
    """Return the strides of a row-major tensor.

    Example:
        >>> strides_from_shape((2, 3, 4))
        (12, 4, 1)
    """
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@functools.lru_cache(maxsize=1024)
def _row_of(sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Return sizes as a read-only array, so that launches copy it one way only."""
    row = np.array(sizes, dtype=np.int64)
    row.flags.writeable = False
    return row


class TensorData:
    """A flat storage viewed as a tensor: element `i` is at sum(i * strides).

    Args:
        storage: A list of numbers, which becomes a row of float64, or a NumPy row,
            which is used as it is.
        shape: A tuple of sizes.
        strides: A tuple of steps; by default those of a row-major tensor.

    Raises:
        IndexingError: There is not one stride for each dimension.
        AssertionError: `shape` or `strides` is no tuple, or the sizes do not fit.

    Example:
        >>> data = TensorData([1, 2, 3, 4, 5, 6], (2, 3))
        >>> data.permute(1, 0).get((2, 1))
        np.float64(6.0)
    """

    _storage: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dims: int
    size: int

    def __init__(
        self,
        storage: Sequence[float] | NDArray[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
    ) -> None:
        assert isinstance(shape, tuple), f"[TensorData] got {shape!r}; need a tuple."
        steps = strides_from_shape(shape) if strides is None else strides
        assert isinstance(steps, tuple), f"[TensorData] got {steps!r}; need a tuple."
        if len(steps) != len(shape):
            raise IndexingError(
                f"[TensorData] got strides {steps} for shape {shape}; need one stride "
                "per dimension."
            )
        row = storage
        if not isinstance(storage, np.ndarray | _core.Tensor):
            row = np.array(storage, dtype=np.float64)
        self._describe(row, shape, steps)
        assert len(row) == self.size, (
            f"[TensorData] got {len(row)} numbers for shape {shape}; need {self.size}."
        )

    def _describe(
        self, row: Any, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        self._storage = row
        self.shape, self.strides = shape, strides
        self.dims = len(shape)
        self.size = math.prod(shape)

    @property
    def _shape(self) -> NDArray[np.int64]:
        return _row_of(self.shape)

    @property
    def _strides(self) -> NDArray[np.int64]:
        return _row_of(self.strides)

    @classmethod
    def over(
        cls, row: Any, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> TensorData:
        """Return a view of storage of any length: a slice, or repeated elements."""
        view = cls.__new__(cls)
        view._describe(row, shape, strides)
        return view

    def to_cuda_(self) -> None:
        """Move the storage to device `cuda`, where elements are read one by one."""
        if isinstance(self._storage, np.ndarray):
            self._storage = _core.from_numpy(self._storage)._to_device("cuda")

    def is_contiguous(self) -> bool:
        """Return whether strides never increase from outer to inner dimensions."""
        pairs = zip(self.strides, self.strides[1:], strict=False)
        return all(outer >= inner for outer, inner in pairs)

    @staticmethod
    def shape_broadcast(shape_a: UserShape, shape_b: UserShape) -> tuple[int, ...]:
        """Return the shape that two shapes broadcast to."""
        return shape_broadcast(shape_a, shape_b)

    def index(self, index: int | UserIndex) -> int:
        """Return the storage position of an index.

        Raises:
            IndexingError: The index has another length than the shape, or leaves it.
        """
        key = (index,) if isinstance(index, int) else tuple(index)
        if self.dims == 0 and key == (0,):
            return 0  # a tensor without dimensions is read as one of one element
        if len(key) != self.dims:
            raise IndexingError(
                f"[TensorData] got index {key} for shape {self.shape}; need "
                f"{self.dims} integers."
            )
        for i, size in zip(key, self.shape, strict=True):
            if not 0 <= i < size:
                raise IndexingError(
                    f"[TensorData] index {key} is out of range for shape {self.shape}."
                )
        return int(index_to_position(key, self.strides))

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Yield all indices in row-major order."""
        index = [0] * self.dims
        for ordinal in range(self.size):
            to_index(ordinal, self.shape, index)
            yield tuple(index)

    def sample(self) -> tuple[int, ...]:
        """Return a random index, from Python's `random`."""
        return tuple(random.randint(0, size - 1) for size in self.shape)

    def get(self, key: int | UserIndex) -> float:
        """Return the element at an index."""
        value: float = self._storage[self.index(key)]
        return value

    def set(self, key: int | UserIndex, val: float) -> None:
        """Set the element at an index."""
        self._storage[self.index(key)] = val

    def tuple(self) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
        """Return storage, shape and strides, as kernels take them."""
        return self._storage, self._shape, self._strides

    def permute(self, *order: int) -> TensorData:
        """Return a view of the same storage with its dimensions in another order."""
        assert sorted(order) == list(range(self.dims)), (
            f"[TensorData] got order {order} for shape {self.shape}; need every "
            "dimension exactly once."
        )
        shape = tuple(self.shape[i] for i in order)
        return TensorData.over(
            self._storage, shape, tuple(self.strides[i] for i in order)
        )

    def to_string(self) -> str:
        """Return the elements with two decimals, in brackets per dimension."""

        def text(index: tuple[int, ...]) -> str:
            dim = len(index)
            if dim == self.dims:
                return f"{self.get(index):3.2f}"
            parts = [text((*index, i)) for i in range(self.shape[dim])]
            between = " " if dim == self.dims - 1 else ""
            return "\n" + "\t" * dim + "[" + between.join(parts) + "]"

        return text(())
