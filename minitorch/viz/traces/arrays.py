"""The arrays of a launch as views look for them in memory: by name, or found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cuda import Launch, Trace
from ...cuda.inspecting.accesses import READ, Accesses, Ints
from ...cuda.launching.arguments import Argument
from .launches import cell_words

_GAP = 256  # bytes between two arrays, at least, where nobody names them
_MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Array:
    """An array of the launch, as the view looks for it in memory.

    Attributes:
        name: As people call it.
        shape: Its sizes.
        address: Of each cell, flat, in C order.
        size: Bytes of a cell.
        values: Its content now, or None.
        before: Its content before the launch, flat, or None.
        dtype: Of a cell, where it is known.
        shared: Whether it is in shared memory.
    """

    name: str
    shape: tuple[int, ...]
    address: Ints
    size: int
    values: NDArray[Any] | None
    before: NDArray[Any] | None = None
    dtype: np.dtype[Any] | None = None
    shared: bool = False

    @property
    def count(self) -> int:
        """How many cells it has."""
        return len(self.address)

    def spelled(self, cell: int) -> str:
        """A cell as people index it.

        Example:
            >>> Array("a", (4, 8), np.arange(32), 1, None).spelled(11)
            'a[1, 3]'
        """
        return cell_words(self.name, self.shape, cell)

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        """Cells in order of their addresses, and these."""
        order = np.argsort(self.address, kind="stable")
        return order, self.address[order]

    def cells_at(self, address: Ints) -> Ints:
        """Flat numbers of the cells that hold addresses; -1 where none does."""
        order, starts = self._sorted
        at = np.searchsorted(starts, address, side="right") - 1
        inside = (at >= 0) & (address < starts[at] + self.size)
        return np.where(inside, order[at], -1)


def named_arrays(arrays: Any) -> list[Array]:
    """Arrays that the user names, with the values that they have now.

    Raises:
        TypeError: No dict, or something in it that is no device array.
        ValueError: An array without cells, or with too many.
    """
    if not isinstance(arrays, Mapping):
        raise TypeError(
            f"[viz.grid] got {type(arrays).__name__} for arrays; need a dict of names "
            "and device arrays, such as {'a': a, 'b': b}."
        )
    return [_array(str(name), value) for name, value in arrays.items()]


def _array(name: str, value: Any) -> Array:
    try:
        pointer, shape = int(value.pointer), tuple(value.shape)
        strides, dtype = tuple(value.strides), np.dtype(value.dtype)
    except (AttributeError, TypeError):
        raise TypeError(
            f"[viz.grid] got {type(value).__name__} for {name!r}; need a device array. "
            "Try cuda.to_device(array)."
        ) from None
    count = int(np.prod(shape, dtype=np.int64))
    if not 0 < count <= _MOST_CELLS:
        raise ValueError(
            f"[viz.grid] {name!r} has {count} elements; need 1 to {_MOST_CELLS:,}."
        )
    host = np.asarray(value.copy_to_host()).reshape(shape or (1,))
    address = _addresses(pointer, shape, strides)
    return Array(name, shape or (1,), address, dtype.itemsize, host)


def _addresses(pointer: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Ints:
    """Of each cell, in C order."""
    steps = np.indices(shape or (1,)).reshape(max(len(shape), 1), -1)
    return pointer + np.array(strides or (0,), np.int64) @ steps


def arrays_of(launch: Launch, every: Accesses) -> list[Array]:
    """The launch's own arrays that it touches, as it left them; then other memory."""
    arrays: list[Array] = []
    unknown = np.ones(len(every), bool)
    for name, argument in _different(launch.arguments).items():
        assert argument.dtype is not None
        address = _addresses(argument.pointer, argument.shape, argument.strides)
        size = argument.dtype.itemsize
        array = Array(name, argument.shape or (1,), address, size, None)
        inside = array.cells_at(every.address) >= 0
        if inside.any():
            unknown &= ~inside
            values = _left(argument, array, every.where(inside))
            old = argument.before
            before = None if old is None else np.array(old).reshape(-1)
            arrays.append(dataclasses.replace(array, values=values, before=before))
    names = {each.value: each.name for each in launch.arguments if not each.is_array}
    return arrays + _found(launch.trace, every.where(unknown), names)


def _different(arguments: Sequence[Argument]) -> dict[str, Argument]:
    """Arrays by name; one that was given for two parameters has both names."""
    names: dict[Any, str] = {}
    arrays: dict[Any, Argument] = {}
    for number, each in enumerate(arguments, start=1):
        if not each.is_array or not 0 < math.prod(each.shape) <= _MOST_CELLS:
            continue
        place = each.pointer, each.shape, each.strides, each.dtype
        name = each.name or f"argument {number}"
        names[place] = f"{names[place]} = {name}" if place in names else name
        arrays[place] = each
    return {name: arrays[place] for place, name in names.items()}


def _left(argument: Argument, array: Array, every: Accesses) -> NDArray[Any] | None:
    """What the array held when the launch was done: before, and what it wrote."""
    if argument.before is None:
        return None
    values = np.array(argument.before, order="C").reshape(array.shape)
    raw = values.view(np.uint8).reshape(-1, array.size)
    writes = every.where(every.kind != READ)
    cell = array.cells_at(writes.address)
    first = writes.address - array.address[cell]
    for byte in range(int(writes.size.max(initial=0))):
        inside = (byte < writes.size) & (first + byte < array.size)
        bits = writes.value[inside] >> np.uint64(8 * byte)
        raw[cell[inside], first[inside] + byte] = bits.astype(np.uint8)
    return values


def _pointers(trace: Trace) -> Ints:
    """What the kernel's parameters hold that may be the start of an array."""
    columns = trace.columns
    steps = columns["result_step"].astype(np.int64)
    loads = np.char.startswith(trace.opcode[steps], "ld.param")
    return np.unique(columns["result_value"][loads].astype(np.int64))


def _found(trace: Trace, every: Accesses, names: Mapping[Any, str]) -> list[Array]:
    """Arrays of which only an address was given: stretches of memory without a gap.

    Each begins where a parameter of the kernel points, and has its name, else at its
    first access. Those without a name are numbered as the launch first touches them:
    addresses differ from run to run.

    Args:
        trace: of the launch.
        every: accesses to them.
        names: parameters by their values.
    """
    if not len(every):
        return []
    order = np.argsort(every.address, kind="stable")
    address, size = every.address[order], every.size[order]
    pointers = _pointers(trace)
    own = np.searchsorted(pointers, address, side="right")
    apart = np.diff(address, prepend=address[0] - _GAP) >= _GAP
    starts = np.nonzero(apart | (np.diff(own, prepend=-1) != 0))[0]
    stretches = list(zip(starts, [*starts, len(address)][1:], strict=True))
    arrays: list[Array] = []
    for start, end in sorted(stretches, key=lambda each: order[slice(*each)].min()):
        step = int(size[start:end].min())
        first, last = int(address[start]), int((address + size)[start:end].max())
        near = pointers[own[start] - 1] if own[start] else 0
        if 0 <= first - near < _GAP and (first - near) % step == 0:
            first = int(near)
        count = min((last - first) // step, _MOST_CELLS)
        cells = first + step * np.arange(count)
        name = names.get(first) or f"array {len(arrays) + 1}"
        arrays.append(Array(name, (count,), cells, step, None))
    return arrays
