"""Copy elements between host and device memory, and within device memory.

Arrays are represented by pointer, shape and byte strides.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from .layout import Sizes, contiguous_strides, is_contiguous, span

Array = npt.NDArray[Any]

# More than this much foreign memory between the elements is not worth copying along.
_MOST_GAPS = 4
_SMALL = 64 << 10

# Types by which uninterpreted elements are moved, by size in bytes.
_WORDS = {1: "uint8", 4: "int32", 8: "int64"}


class StridedMemory(NamedTuple):
    """Strided device memory: address of the first element, shape, byte strides."""

    pointer: int
    shape: Sizes
    strides: Sizes
    itemsize: int

    @property
    def nbytes(self) -> int:
        """Number of bytes of the elements, gaps not counted."""
        return math.prod(self.shape) * self.itemsize

    @property
    def order(self) -> str | None:
        """ "C" or "F", in which order the elements have no gaps; None for neither."""
        for order in ("C", "F"):
            if is_contiguous(self.shape, self.strides, self.itemsize, order):
                return order
        return None

    @property
    def span(self) -> tuple[int, int]:
        """Addresses of the first byte and of the byte after the last."""
        low, high = span(self.shape, self.strides, self.itemsize)
        return self.pointer + low, self.pointer + high

    def packed(self, pointer: int) -> StridedMemory:
        """Return a region of the same shape at `pointer`, C-contiguous."""
        strides = contiguous_strides(self.shape, self.itemsize)
        return StridedMemory(pointer, self.shape, strides, self.itemsize)


def bytes_of(array: Array) -> memoryview:
    """Return the memory of a gapless array as bytes, in memory order."""
    return array.ravel(order="K").view(np.uint8).data


def download(
    region: StridedMemory, dtype: np.dtype[Any], into: Array | None = None
) -> Array:
    """Wait for the work queued so far, then copy the elements to the host.

    Args:
        region: Where they lie.
        dtype: Their dtype.
        into: Array of as many elements of it, to write; None for a new one.
    """
    order = region.order
    if into is not None:
        if order is not None and is_in_order(into, order):
            _core.copy_to_host(bytes_of(into), region.pointer)
        else:
            into[...] = download(region, dtype).reshape(into.shape)
        return into
    if order is not None:
        result: Array = np.empty(region.shape, dtype, "C" if order == "C" else "F")
        _core.copy_to_host(bytes_of(result), region.pointer)
        return result
    low, high = region.span
    if high - low > max(_SMALL, _MOST_GAPS * region.nbytes):
        buffer = _core.DeviceBuffer(region.nbytes)
        packed = region.packed(buffer.pointer)
        move(packed, region)
        return download(packed, dtype)
    window = np.empty(high - low, np.uint8)
    _core.copy_to_host(window.data, low)
    strided: Array = np.ndarray(
        region.shape, dtype, window.data, region.pointer - low, region.strides
    )
    return strided.copy()


def is_in_order(array: Array, order: str) -> bool:
    """Return whether the array is contiguous in `order`."""
    return array.flags.c_contiguous if order == "C" else array.flags.f_contiguous


def is_page_locked(array: Array) -> bool:
    """Return whether this library page-locked the memory of the array."""
    base: Any = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return isinstance(base, _core.HostMemory)


def upload(region: StridedMemory, source: Array) -> None:
    """Queue a copy of a host array of the same shape and dtype.

    The source may be changed after the return.
    """
    order = region.order
    if order is not None:
        gapless = np.asarray(source, order="C" if order == "C" else "F")
        _core.copy_to_device(region.pointer, bytes_of(gapless))
        return
    buffer = _core.DeviceBuffer(region.nbytes)
    packed = region.packed(buffer.pointer)
    upload(packed, source)
    move(region, packed)


def move(destination: StridedMemory, source: StridedMemory) -> None:
    """Queue a device copy between two regions of the same shape and item size.

    The two may overlap: what is read is what was there before.
    """
    if destination.nbytes == 0:
        return
    if destination.order is not None and destination.order == source.order:
        size = destination.nbytes
        if abs(destination.pointer - source.pointer) >= size:
            _core.copy_on_device(destination.pointer, source.pointer, size)
            return
    if _overlap(destination, source):
        if destination == source:
            return
        buffer = _core.DeviceBuffer(source.nbytes)
        packed = source.packed(buffer.pointer)
        move(packed, source)
        source = packed
    _move_words(destination, source)


def _overlap(a: StridedMemory, b: StridedMemory) -> bool:
    (a_low, a_high), (b_low, b_high) = a.span, b.span
    return a_low < b_high and b_low < a_high


def _move_words(destination: StridedMemory, source: StridedMemory) -> None:
    regions = (destination, source)
    numbers = [n for region in regions for n in (region.pointer, *region.strides)]
    unit = math.gcd(source.itemsize, *numbers)
    size = next(size for size in (8, 4, 1) if unit % size == 0)
    count = source.itemsize // size
    more, step = ((count,), (1,)) if count > 1 else ((), ())
    to, of = (
        (region.pointer, [*(stride // size for stride in region.strides), *step])
        for region in regions
    )
    dtype = _core.as_dtype(_WORDS[size])
    _core.copy_strided(to, of, [*source.shape, *more], dtype)
