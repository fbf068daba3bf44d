"""Launch a compiled Python kernel: choose the build, notify inspections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ... import _core
from ..arrays.layout import span
from ..errors import CudaError
from ..launching import launch_notes
from ..launching.launch_shape import Configuration

if TYPE_CHECKING:
    from .argument_layout import ArgumentLayout
    from .specialization import Specialization


def launch(
    configuration: Configuration, chosen: Specialization, values: Sequence[Any]
) -> None:
    """Launch with arguments of its types, and notify the open inspections.

    Args:
        configuration: How; its stream is the current one.
        chosen: The kernel.
        values: Numbers and arrays on the device.
    """
    packed = chosen.layout.pack(values)
    if not launch_notes.OPEN:
        chosen.kernel.launch(configuration.core, packed)
        return
    watched = launch_notes.is_watched()
    for_debuggers = launch_notes.wants_debug() and not chosen.options.for_debuggers
    index_only = for_debuggers or not chosen.source.keeps_arrays
    wrong = (
        watched
        and chosen.checks
        and finds_mistake(
            configuration, chosen.kernel, chosen.layout, packed, index_only
        )
    )
    if for_debuggers and not wrong:
        launch(configuration, chosen.for_debuggers, values)
        return
    # Counters and traces are those of the plain build, but where something is wrong:
    # the build with checks finds more.
    kernel = chosen.plain if watched and not wrong else chosen.kernel
    launch_notes.note(
        chosen.launched(configuration, values, wrong),
        partial(kernel.launch, configuration.core, packed),
    )


def finds_mistake(
    configuration: Configuration,
    kernel: _core.PackedKernel,
    layout: ArgumentLayout,
    packed: bytes,
    index_only: bool = False,
) -> bool:
    """Try a launch, restore its arrays, and return whether a check failed.

    Counters and traces are those of the plain build, which has no checks of indices and
    no reads of uninitialized values: the compiler removes them. So the build that has
    both runs first, on the same memory.

    Args:
        configuration: How; its stream is the current one.
        kernel: The build that checks indices.
        layout: Where its arguments lie.
        packed: The arguments.
        index_only: Must it be a check of indices?

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
        return kernel.finds_mistake(configuration.core, packed, index_only)
    finally:
        for (begin, end), copy in zip(spans, copies, strict=True):
            _core.copy_on_device(begin, copy.pointer, end - begin)


def _spans(packed: bytes, layout: ArgumentLayout) -> Iterator[tuple[int, int]]:
    """Yield the address range of each array of the launch."""
    nameless = [""] * len(layout.types)
    for _, kind, pointer, sizes, strides in layout.unpacked(nameless, packed):
        if pointer == 0 or 0 in sizes:
            continue
        low, high = span(sizes, strides, 1)
        yield pointer + low * kind.dtype.size, pointer + high * kind.dtype.size


def _merged(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Merge overlapping address ranges; arrays may share memory."""
    begin = end = 0
    for first, last in spans:
        if first > end:
            if end > begin:
                yield begin, end
            begin = first
        end = max(end, last)
    if end > begin:
        yield begin, end
