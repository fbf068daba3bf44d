"""Owns trying a launch for wrong indices before it is counted or traced.

Counters and traces are those of the plain build, which has no checks of indices. So the
build that has them runs first, on the same memory, which is put back. Must not know how
checks work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from .. import _core
from .errors import CudaError

if TYPE_CHECKING:
    from .argument_layout import ArgumentLayout


def finds_wrong_index(
    launch: Callable[[bytes], bool], packed: bytes, layout: ArgumentLayout
) -> bool:
    """Run a launch, put back what its arrays held, and say whether an index was wrong.

    Args:
        launch: Makes it, with the build that checks indices, in the current stream:
            `PackedKernel.finds_wrong_index`.
        packed: The arguments.
        layout: Where they lie.

    Returns:
        False as well where that could not be tried: some earlier work has failed, or
        the device has no room for copies.
    """
    spans = list(_merged(sorted(_spans(packed, layout))))
    try:
        copies = [_core.DeviceBuffer(end - begin) for begin, end in spans]
        for (begin, end), copy in zip(spans, copies, strict=True):
            _core.copy_on_device(copy.pointer, begin, end - begin)
    except CudaError:  # the launch itself tells more, if it is to blame
        return False
    try:
        return launch(packed)
    finally:
        for (begin, end), copy in zip(spans, copies, strict=True):
            _core.copy_on_device(begin, copy.pointer, end - begin)


def _spans(packed: bytes, layout: ArgumentLayout) -> Iterator[tuple[int, int]]:
    """First and last address of each array of the launch."""
    nameless = [""] * len(layout.types)
    for _, kind, pointer, sizes, strides in layout.unpacked(nameless, packed):
        if pointer == 0 or 0 in sizes:
            continue
        reaches = [(n - 1) * stride for n, stride in zip(sizes, strides, strict=True)]
        low = sum(each for each in reaches if each < 0)
        high = sum(each for each in reaches if each > 0)
        size = kind.dtype.size
        yield pointer + low * size, pointer + (high + 1) * size


def _merged(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same addresses, each once; arrays may share memory."""
    begin = end = 0
    for first, last in spans:
        if first > end:
            if end > begin:
                yield begin, end
            begin = first
        end = max(end, last)
    if end > begin:
        yield begin, end
