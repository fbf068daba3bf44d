"""The numbers of the tensor view: which element lies in which cell of storage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...._core import Tensor
from ....cuda import DeviceArray, as_cuda_array
from ...scene.scene import Numbers
from ...traces.launches import is_contiguous

Shape = tuple[int, ...]

NOBODY, OTHER, GAP = -1, -2, -3
_MOST_KNOWN = 1 << 20  # elements of an array whose cells are all looked up
_MOST_CELLS, _GAP = 96, 2
# Elements drawn along each dimension, by the number of dimensions; of more than four
# the last four are drawn.
_SHOWN = ((), (16,), (12, 14), (4, 6, 7), (3, 3, 4, 5))


@dataclass(frozen=True, eq=False)
class Array:
    """An array: how it counts cells of a memory as its elements.

    Elements are flat numbers, row after row.

    Attributes:
        shape: Its sizes.
        byte_strides: Bytes from one element to the next, along each dimension.
        address: Of element [0, …, 0].
        extent: First byte and end of the memory that it is a part of.
        dtype, itemsize, device: Of its elements.
        take: Returns the values of a part of it, by slices.
        name: What to call it.
        memory, begin: Number and first byte of its memory in the picture.
        window: Which elements are drawn, along each dimension.
    """

    shape: Shape
    byte_strides: Shape
    address: int
    extent: tuple[int, int]
    dtype: str
    itemsize: int
    device: str
    take: Callable[[tuple[Any, ...]], Numbers]
    name: str = ""
    memory: int = 0
    begin: int = 0
    window: tuple[range, ...] = ()

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def strides(self) -> Shape:
        """Cells from one element to the next, along each dimension."""
        return tuple(each // self.itemsize for each in self.byte_strides)

    @property
    def start(self) -> int:
        """The cell of element [0, …, 0]."""
        return (self.address - self.begin) // self.itemsize

    @cached_property
    def values(self) -> Numbers:
        """Values of the elements drawn."""
        part = [slice(each.start, each.stop) for each in self.window]
        return self.take((*part, ...)).reshape(-1)

    @cached_property
    def drawn(self) -> Numbers:
        """The elements that are drawn."""
        every = np.argwhere(np.ones([len(each) for each in self.window]))
        return self.flat(every + np.array([each.start for each in self.window], int))

    @cached_property
    def known(self) -> Numbers:
        """The elements whose cells are looked up: of a large array those drawn."""
        return np.arange(self.size) if self.size <= _MOST_KNOWN else self.drawn

    @property
    def _steps(self) -> Numbers:
        every = range(1, len(self.shape) + 1)
        return np.array([math.prod(self.shape[at:]) for at in every], int)

    def flat(self, indices: Any) -> Numbers:
        """Return elements by their indices, which stand in the last dimension."""
        return np.asarray(indices, int) @ self._steps

    def indices(self, elements: Any) -> Numbers:
        """Return the indices of elements, in a last dimension."""
        found = np.asarray(elements)[..., None] // self._steps
        return np.asarray(found % np.maximum(np.array(self.shape, int), 1))

    def cells(self, elements: Any) -> Numbers:
        """Return where elements lie: start plus index times stride, summed."""
        steps = np.array(self.strides, int)
        return np.asarray(self.start + self.indices(elements) @ steps)

    @property
    def rows(self) -> Numbers:
        """For each drawn element its index in the first dimension that moves on."""
        both = enumerate(zip(self.window, self.strides, strict=True))
        dims = [at for at, (along, stride) in both if len(along) > 1 and stride]
        return self.indices(self.drawn)[:, dims[0]] if dims else self.drawn * 0

    def counterparts(self, elements: Numbers, other: Array) -> Numbers:
        """Return which element of another array is shown beside each; -1: none."""
        if not self.size or not other.size:
            return np.full(len(elements), -1)
        if self.memory == other.memory:
            found = find(other.cells(other.known), self.cells(elements))
            return np.where(found < 0, -1, other.known[found])
        if self.size == other.size:
            return elements
        return np.full(len(elements), other.flat(_middle(other.shape)))

    @property
    def row_order(self) -> bool:
        """Do the elements follow each other row after row without gaps?"""
        return is_contiguous(self.shape, self.byte_strides, self.itemsize)

    @property
    def different(self) -> int | None:
        """How many cells it sees; None where that takes too long to count."""
        if self.row_order or self.size > _MOST_KNOWN:
            return self.size if self.row_order else None
        return len(np.unique(self.cells(self.known)))


def _extent(array: Any, address: int) -> tuple[int, int]:
    """Return the first byte of an array and the end of its last."""
    if 0 in array.shape:
        return address, address
    both = zip(array.shape, array.strides, strict=True)
    spans = [0, *((size - 1) * stride for size, stride in both)]
    low, high = (sum(f(each, 0) for each in spans) for f in (min, max))
    return address + low, address + high + int(array.itemsize)


def array_of(value: Any) -> Array:
    """Return how a tensor or an array lies in memory.

    Args:
        value: A tensor, a NumPy array, a device array, or what offers its memory by
            `__array_interface__` or `__cuda_array_interface__`.

    Raises:
        TypeError: None of these; a list has no memory of its own.

    Example:
        >>> array_of(np.zeros((2, 3), np.float32).T).strides
        (1, 3)
    """
    device, size = "cpu", 0
    if isinstance(value, Tensor):
        start, size, offset = value._storage
        itemsize, device, plain = value.dtype.itemsize, value.device, value.detach()
        strides = tuple(each * itemsize for each in value.strides)
        return Array(
            tuple(value.shape), strides, start + offset * itemsize,
            (start, start + size), value.dtype.name, itemsize, device,
            lambda part: plain.numpy()[part],
        )  # fmt: skip
    ours = isinstance(value, DeviceArray)
    if ours or hasattr(value, "__cuda_array_interface__"):
        array = value if ours else as_cuda_array(value)
        low, high = _extent(array, array.pointer)
        return Array(
            tuple(array.shape), tuple(array.strides), array.pointer,
            (min(array.pointer - array._offset, low), high), str(array.dtype),
            array.itemsize, "cuda", lambda part: array[part].copy_to_host(),
        )  # fmt: skip
    if not hasattr(value, "__array_interface__"):
        raise TypeError(
            f"[viz.tensor] got {type(value).__name__}; need a tensor, a NumPy array or "
            "a device array. For a list, try minitorch.tensor(list)."
        )
    array = owner = np.asarray(value)
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    start, first = (each.__array_interface__["data"][0] for each in (owner, array))
    return Array(
        array.shape, array.strides, first, _extent(owner, start), str(array.dtype),
        max(array.itemsize, 1), device, lambda part: np.asarray(array[part]),
    )  # fmt: skip


def find(known: Numbers, wanted: Any) -> Numbers:
    """Return where each wanted number is first among those known; -1: nowhere.

    Example:
        >>> find(np.array([5, 7, 5]), [7, 5, 6]).tolist()
        [1, 0, -1]
    """
    own, first = np.unique(known, return_index=True)
    if not len(own):
        return np.full(np.shape(wanted), -1)
    at = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
    return np.where(own[at] == wanted, first[at], -1)


@dataclass(frozen=True, eq=False)
class Memory:
    """A stretch of memory that arrays lie in.

    Attributes:
        cells, itemsize: How many cells it has, and bytes of one.
        shown: Cells that are drawn, in order; GAP stands for several that are not.
        element: Of these, the number of the first drawn element there, counted through
            all arrays; -1: none.
        owners: The row of the first array that lies there; NOBODY where no array does;
            OTHER where one may, but its element is not drawn; GAP.
    """

    cells: int
    itemsize: int
    shown: Numbers
    element: Numbers
    owners: Numbers


@dataclass(frozen=True, eq=False)
class Places:
    """What the tensor view shows: one or two arrays, and the memory they lie in.

    Attributes:
        arrays, memories: In order.
        focus: The element of the first array that the picture begins with.
    """

    arrays: tuple[Array, ...]
    memories: tuple[Memory, ...]
    focus: int

    @property
    def shared(self) -> bool:
        """Do two arrays lie in the same memory?"""
        return len(self.arrays) > len(self.memories)

    @cached_property
    def foci(self) -> Numbers:
        """For each drawn element of one array, the element of each array in focus.

        Where there is no element, one row of -1.
        """
        found = [
            [one.drawn if one is other else one.counterparts(one.drawn, other)
             for other in self.arrays]
            for one in self.arrays
        ]  # fmt: skip
        every = np.concatenate([np.stack(each, -1) for each in found])
        return every if len(every) else np.full((1, len(self.arrays)), -1)


def _middle(shape: Shape) -> Shape:
    """Return an element far from the start in each direction, yet soon found."""
    return tuple(min(2 * size // 3, 5) for size in shape)


def _windowed(array: Array, focus: Any) -> Array:
    """Return an array of which the elements around one are drawn."""
    folded = max(len(focus) - 4, 0)
    limits = (1,) * folded + _SHOWN[len(focus) - folded]
    window = []
    for size, at, most in zip(array.shape, focus, limits, strict=True):
        first = max(0, min(int(at) - most // 2, size - most))
        window.append(range(first, min(first + most, size)))
    return replace(array, window=tuple(window))


def _memory(size: int, arrays: list[Array], number: int) -> Memory:
    inside = [each for each in arrays if each.memory == number]
    itemsize = inside[0].itemsize
    cells = size // itemsize
    drawn = np.concatenate([each.cells(each.drawn) for each in inside])
    shown = list(range(min(cells, _MOST_CELLS)))
    if cells > _MOST_CELLS and len(drawn):
        shown, before = [], -1
        for cell in [*np.unique(drawn).tolist(), cells]:
            missing = range(before + 1, cell)
            shown += [*(missing if len(missing) <= _GAP else [GAP]), cell]
            before = cell
        del shown[-1]
    at = find(drawn, shown)
    known = np.concatenate([each.cells(each.known) for each in inside])
    seen = (find(known, shown) >= 0) | any(each.size > _MOST_KNOWN for each in inside)
    rows = np.append(inside[0].rows, np.full(len(drawn) + 1, OTHER))
    owners = np.where(at < 0, np.where(seen, OTHER, NOBODY), rows[at])
    owners[np.array(shown, int) == GAP] = GAP
    at[at >= 0] += sum(len(each.drawn) for each in arrays if each.memory < number)
    return Memory(cells, itemsize, np.array(shown, int), at, owners)


def _checked(index: Any, shape: Shape) -> Shape:
    """Return the index of an element, negative numbers counted from the end."""
    given = index if isinstance(index, tuple | list) else (index,)
    try:
        found = tuple(each.__index__() for each in given)
    except (AttributeError, TypeError):
        raise TypeError(
            f"[viz.tensor] got index {index!r}; need one int for each dimension."
        ) from None
    if len(found) != len(shape) or any(
        not -size <= at < size for at, size in zip(found, shape, strict=True)
    ):
        raise IndexError(
            f"[viz.tensor] index {index!r} is out of range for shape {shape}."
        )
    return tuple(at % size for at, size in zip(found, shape, strict=True))


def places_of(values: list[Any], names: tuple[str, ...], index: Any = None) -> Places:
    """Return where the elements of one or two arrays lie.

    Args:
        values: The arrays.
        names: Of each.
        index: Of the element of the first that the view begins with; None: one that is
            some way into it.

    Raises:
        TypeError: No arrays, or an index that is none.
        IndexError: No such element.
        ValueError: Elements that do not lie in whole cells.
    """
    arrays = [array_of(value) for value in values]
    shape = arrays[0].shape
    foci = [_middle(each.shape) for each in arrays]
    if index is not None:
        foci[0] = _checked(index, shape)
    begins, ends = zip(*(each.extent for each in arrays), strict=True)
    if len({each.device for each in arrays}) == 1 and max(begins) < min(ends):
        begins, ends = (min(begins),), (max(ends),)
    for at, each in enumerate(arrays):
        memory = min(at, len(begins) - 1)
        size, begin = arrays[memory].itemsize, begins[memory]
        lengths = (*each.byte_strides, each.address - begin)
        if each.itemsize != size or any(length % size for length in lengths):
            raise ValueError(
                f"[viz.tensor] the strides {each.byte_strides} of {each.itemsize}-byte "
                f"elements are not multiples of {size} bytes. Try a copy."
            )
        plain = replace(each, name=names[at], memory=memory, begin=begin)
        arrays[at] = _windowed(plain, foci[at])
    first = arrays[0].flat(foci[0])
    there = arrays[0].counterparts(np.array([first]), arrays[-1])
    if there[0] >= 0:
        arrays[-1] = _windowed(arrays[-1], arrays[-1].indices(there[0]))
    sizes = (end - begin for begin, end in zip(begins, ends, strict=True))
    memories = [_memory(size, arrays, at) for at, size in enumerate(sizes)]
    return Places(tuple(arrays), tuple(memories), int(first))
