"""How a tensor lies in memory: one row of numbers, a shape, and strides.

Must not know operations or gradients. Module 3 translates its four functions of indices
for many threads: they use loops and integers alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .operators import prod

MAX_DIMS = 32  # room for an index where a thread must say its size in advance


class IndexingError(RuntimeError):
    """Raised when an index, a shape or strides do not fit."""


Storage: TypeAlias = npt.NDArray[np.float64]
OutIndex: TypeAlias = Any  # a list or an array of integers, written to
Index: TypeAlias = Any
Shape: TypeAlias = Any
Strides: TypeAlias = Any

UserIndex: TypeAlias = Sequence[int]
UserShape: TypeAlias = Sequence[int]
UserStrides: TypeAlias = Sequence[int]

# Task 2.1: where is a cell?


def index_to_position(index: Index, strides: Strides) -> int:
    """Where in the row the cell of an index lies.

    A step along dimension i goes strides[i] cells along the row. `index` may be longer
    than `strides`; what is beyond does not count.

    Example:
        >>> index_to_position((1, 2), (3, 1))
        5
    """
    ### BEGIN SOLUTION
    position = 0
    for i in range(len(strides)):
        position += index[i] * strides[i]
    return position
    ### END SOLUTION


def to_index(ordinal: int, shape: Shape, out_index: OutIndex) -> None:
    """Writes the index of cell number `ordinal` of a shape, counted row by row.

    Ordinals 0 to size - 1 give each index once, the last dimension running fastest.
    They count cells, not places in memory: of a permuted tensor the two differ.

    Args:
        ordinal: Which cell.
        shape: The sizes.
        out_index: Gets the index; it may be longer than the shape.

    Example:
        >>> index = [0, 0]
        >>> to_index(5, (2, 3), index)
        >>> index
        [1, 2]
    """
    ### BEGIN SOLUTION
    rest = ordinal + 0  # a thread's own copy
    for i in range(len(shape) - 1, 0, -1):
        out_index[i] = rest % shape[i]
        rest = rest // shape[i]
    if len(shape) > 0:
        out_index[0] = rest
    ### END SOLUTION


# Task 2.2: one shape within another.


def broadcast_index(
    big_index: Index, big_shape: Shape, shape: Shape, out_index: OutIndex
) -> None:
    """Writes the index into `shape` of the cell that stands at `big_index`.

    Shapes are lined up at their right ends. Dimensions that `shape` lacks are dropped,
    and one of size 1 has its only cell at 0.

    Args:
        big_index: An index into `big_shape`.
        big_shape: A shape that `shape` broadcasts to.
        shape: The smaller shape.
        out_index: Gets the index into `shape`; it may be longer than that.

    Example:
        >>> index = [0, 0]
        >>> broadcast_index((4, 1, 2), (5, 2, 3), (1, 3), index)
        >>> index
        [0, 2]
    """
    ### BEGIN SOLUTION
    added = len(big_shape) - len(shape)
    for i in range(len(shape)):
        if shape[i] > 1:
            out_index[i] = big_index[i + added]
        else:
            out_index[i] = 0
    ### END SOLUTION


def shape_broadcast(shape1: UserShape, shape2: UserShape) -> UserShape:
    """The shape that two shapes broadcast to.

    Shapes are lined up at their right ends. Two sizes fit if they are equal or one of
    them is 1, which is repeated; a missing one counts as 1.

    Returns:
        A tuple.

    Raises:
        IndexingError: Two sizes do not fit.

    Example:
        >>> shape_broadcast((5, 1), (3, 1, 4))
        (3, 5, 4)
    """
    ### BEGIN SOLUTION
    dims = max(len(shape1), len(shape2))
    first = (1,) * (dims - len(shape1)) + tuple(shape1)
    second = (1,) * (dims - len(shape2)) + tuple(shape2)
    for a, b in zip(first, second, strict=True):
        if a != b and a != 1 and b != 1:
            raise IndexingError(
                f"[broadcast] shapes {tuple(shape1)} and {tuple(shape2)} cannot be "
                f"broadcast ({a} vs {b})."
            )
    return tuple(b if a == 1 else a for a, b in zip(first, second, strict=True))
    ### END SOLUTION


def strides_from_shape(shape: UserShape) -> UserStrides:
    """The strides of a tensor whose rows follow one another.

    Example:
        >>> strides_from_shape((2, 3, 4))
        (12, 4, 1)
    """
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class TensorData:
    """A row of numbers seen as a tensor: cell `index` lies at sum(index * strides).

    Args:
        storage: A list of numbers, which becomes a row of float64, or a row, which is
            used as it is: several tensors may look at one row.
        shape: A tuple of sizes.
        strides: A tuple of steps; by default rows follow one another.

    Raises:
        IndexingError: There is not one stride for each dimension.
        AssertionError: `shape` or `strides` is no tuple, or the sizes do not fit.

    Example:
        >>> data = TensorData([1, 2, 3, 4, 5, 6], (2, 3))
        >>> float(data.get((1, 0)))
        4.0
    """

    _storage: Storage
    _strides: Strides
    _shape: Shape
    strides: UserStrides
    shape: UserShape
    dims: int
    size: int

    def __init__(
        self,
        storage: Sequence[float] | Storage,
        shape: UserShape,
        strides: UserStrides | None = None,
    ) -> None:
        if isinstance(storage, list | tuple):
            storage = np.array(storage, dtype=np.float64)
        if strides is None:
            strides = strides_from_shape(shape)
        assert isinstance(shape, tuple), f"[TensorData] got {shape!r}; need a tuple."
        assert isinstance(strides, tuple), (
            f"[TensorData] got {strides!r}; need a tuple."
        )
        if len(strides) != len(shape):
            raise IndexingError(
                f"[TensorData] got strides {strides} for shape {shape}; need one "
                "stride per dimension."
            )
        self._storage = storage
        self._shape, self._strides = np.array(shape, int), np.array(strides, int)
        self.shape, self.strides = shape, strides
        self.dims = len(shape)
        self.size = int(prod(shape))
        assert len(self._storage) == self.size, (
            f"[TensorData] got {len(self._storage)} numbers for shape {shape}; need "
            f"{self.size}."
        )

    def to_cuda_(self) -> None:
        """Moves the row to the GPU (module 3)."""
        from numba import cuda  # from module 3 on

        if not cuda.is_cuda_array(self._storage):
            self._storage = cuda.to_device(self._storage)

    def is_contiguous(self) -> bool:
        """Does no dimension have a larger stride than one outside of it?"""
        pairs = zip(self.strides, self.strides[1:], strict=False)
        return all(outer >= inner for outer, inner in pairs)

    @staticmethod
    def shape_broadcast(shape_a: UserShape, shape_b: UserShape) -> UserShape:
        """The shape that two shapes broadcast to."""
        return shape_broadcast(shape_a, shape_b)

    def index(self, index: int | UserIndex) -> int:
        """Where in the row the cell of an index lies.

        Raises:
            IndexingError: The index has another length than the shape, or leaves it.
        """
        key = (index,) if isinstance(index, int) else tuple(index)
        if self.dims == 0 and key == (0,):
            return 0  # a tensor without dimensions is read as one of one cell
        if len(key) != self.dims:
            raise IndexingError(
                f"[TensorData] got index {key} for shape {self.shape}; need "
                f"{self.dims} integers."
            )
        for at, size in zip(key, self.shape, strict=True):
            if not 0 <= at < size:
                raise IndexingError(
                    f"[TensorData] index {key} is out of range for shape {self.shape}."
                )
        return int(index_to_position(key, self.strides))

    def indices(self) -> Iterator[UserIndex]:
        """All indices, row by row."""
        index = [0] * self.dims
        for ordinal in range(self.size):
            to_index(ordinal, self.shape, index)
            yield tuple(index)

    def sample(self) -> UserIndex:
        """A random index, from Python's `random`."""
        return tuple(random.randint(0, size - 1) for size in self.shape)

    def get(self, key: UserIndex) -> float:
        """The number at an index."""
        value: float = self._storage[self.index(key)]
        return value

    def set(self, key: UserIndex, val: float) -> None:
        """Changes the number at an index."""
        self._storage[self.index(key)] = val

    def tuple(self) -> tuple[Storage, Shape, Strides]:
        """The row, the shape and the strides, as `tensor_map` takes them."""
        return self._storage, self._shape, self._strides

    def permute(self, *order: int) -> TensorData:
        """The same row with its dimensions in another order (task 2.1).

        Args:
            order: For each dimension of the result, which one it is here.

        Returns:
            A TensorData over the same row: no number moves.

        Example:
            >>> TensorData([1, 2, 3, 4, 5, 6], (2, 3)).permute(1, 0).shape
            (3, 2)
        """
        assert sorted(order) == list(range(self.dims)), (
            f"[TensorData] got order {order} for shape {self.shape}; need every "
            "dimension exactly once."
        )
        ### BEGIN SOLUTION
        return TensorData(
            self._storage,
            tuple(self.shape[dim] for dim in order),
            tuple(self.strides[dim] for dim in order),
        )
        ### END SOLUTION

    def to_string(self) -> str:
        """The numbers with two decimals, a line and brackets for each dimension."""

        def text(index: UserIndex) -> str:
            dim = len(index)
            if dim == self.dims:
                return f"{self.get(index):3.2f}"
            parts = [text((*index, i)) for i in range(self.shape[dim])]
            between = " " if dim == self.dims - 1 else ""
            return "\n" + "\t" * dim + "[" + between.join(parts) + "]"

        return text(())
