"""`array[...] = value`: what is converted, repeated, copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from .array_copies import Array, Place, download, move, upload
from .strided_array import StridedArray


def assign(view: StridedArray, value: Any) -> None:
    """Write `value`, repeated along leading and size-1 dimensions, to all of `view`.

    Args:
        view: What to write.
        value: A number, a host array or nested list, or a device array; converted to
            the dtype of `view`.

    Raises:
        ValueError: Its shape does not fit.
        TypeError: No numbers.
    """
    place = view._place("setitem")
    if not isinstance(value, StridedArray):
        source = _as_array(value, view.dtype)
        _check_fits(source.shape, view.shape)
        _from_host(place, source)
        return
    _check_fits(value.shape, view.shape)
    origin = value._place("setitem")
    if value.dtype == view.dtype:
        move(place, _repeated(origin, place.shape))
    else:
        _from_host(place, _as_array(download(origin, value.dtype), view.dtype))


def _as_array(value: Any, dtype: np.dtype[Any]) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "biufcV":
        raise TypeError(
            f"[setitem] got {array.dtype} ({type(value).__name__}); need numbers."
        )
    return array.astype(dtype, casting="unsafe", copy=False)


def _check_fits(given: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    extra = len(given) - len(wanted)
    leading, rest = given[: max(extra, 0)], given[max(extra, 0) :]
    matched = zip(rest, wanted[max(-extra, 0) :], strict=True)
    if any(size != 1 for size in leading) or any(
        size not in (1, to) for size, to in matched
    ):
        raise ValueError(f"[setitem] got shape {given}; need one that fits {wanted}.")


def _from_host(place: Place, source: Array) -> None:
    """Send each number once; repeat it on the device where that saves sending."""
    shape = place.shape
    wide = source.reshape(source.shape[max(source.ndim - len(shape), 0) :])
    small = place.nbytes <= 4096 and place.order is not None
    if small or wide.size == place.nbytes // max(place.itemsize, 1):
        upload(place, np.broadcast_to(wide, shape))
        return
    buffer = _core.DeviceBuffer(wide.nbytes)
    packed = Place(buffer.pointer, wide.shape, (), wide.itemsize).packed(buffer.pointer)
    upload(packed, wide)
    move(place, _repeated(packed, shape))


def _repeated(source: Place, shape: tuple[int, ...]) -> Place:
    """The place seen with another shape: stride 0 where it is repeated."""
    extra = max(len(source.shape) - len(shape), 0)
    sizes, steps = source.shape[extra:], source.strides[extra:]
    missing = len(shape) - len(sizes)
    strides = [0] * missing + [
        0 if size == 1 else step for size, step in zip(sizes, steps, strict=True)
    ]
    return source._replace(shape=shape, strides=tuple(strides))
