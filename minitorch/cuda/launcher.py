"""Owns a kernel with its grid, block, stream and shared memory: the short way to run.

Arguments that were seen before by type go to the core in one step; all others take the
long way through their dispatcher. Must not know how kernels compile.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .argument_transfer import warn_of_performance
from .device_array import DeviceArray
from .errors import Coordinates
from .launch_notes import OPEN
from .launch_shape import configuration, extent, queue_of, shared_bytes
from .learner_frames import hide_library
from .stream import Stream
from .strided_array import LARGE

#: Fewer blocks than this leave multiprocessors of a large GPU without work.
_SMALL_GRID = 128

# By argument types (of an array its `kernel_key`): how to pack, and launch.
Known = dict[tuple[Any, ...], tuple[Callable[..., bytes], Callable[..., None]]]


class Launcher(Protocol):
    """What launches with arguments of new types: a dispatcher."""

    __name__: str
    known: Known
    known_to_small: Known  # the same without large arrays, which small grids warn of

    def launch(
        self, configured: ConfiguredKernel, args: Sequence[Any], named: dict[str, Any]
    ) -> None:
        """Launch with any arguments."""


class ConfiguredKernel:
    """What `kernel[grid, block, stream, shared_mem]` gives: call it to launch.

    Attributes:
        griddim: Blocks, (x, y, z).
        blockdim: Threads of a block, (x, y, z).
        stream: A `cuda.Stream`, or None for the current one.
        sharedmem: Bytes of dynamic shared memory of a block.
        is_small: Is the grid to be warned of where an array is large?
    """

    def __init__(
        self, dispatcher: Launcher, brackets: Any, warns: bool = False
    ) -> None:
        grid, block, stream, shared_mem = configuration(brackets)
        self.griddim: Coordinates = extent(grid, "grid")
        self.blockdim: Coordinates = extent(block, "block")
        self.sharedmem = shared_bytes(shared_mem)
        self._queue = queue_of(stream)
        self.stream: Stream | None = stream
        self._dispatcher = dispatcher
        self.is_small = warns and math.prod(self.griddim) < _SMALL_GRID
        self._known = dispatcher.known_to_small if self.is_small else dispatcher.known

    def warn_of_small_grid(self) -> None:
        """Tell once for each call site that a GPU would mostly idle."""
        blocks = math.prod(self.griddim)
        warn_of_performance(
            f"[launch] got a grid of {blocks} block{'s' * (blocks > 1)} for {LARGE:,} "
            "elements or more; a GPU has work for all its multiprocessors with "
            f"{_SMALL_GRID} blocks.",
            "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS",
        )

    def __call__(self, *args: Any, **named: Any) -> None:
        """Launch; returns before the kernel has run, unless host arrays come back."""
        try:
            if OPEN:  # the inspections want to know more than types
                self._dispatcher.launch(self, args, named)
                return
            found = self._known.get(
                tuple(
                    [
                        each.kernel_key
                        if each.__class__ is DeviceArray
                        else each.__class__
                        for each in args
                    ]
                )
            )
            if found is not None and not named:
                pack, launch = found
                try:
                    packed = pack(
                        *[
                            each.kernel_bytes if each.__class__ is DeviceArray else each
                            for each in args
                        ]
                    )
                except struct.error:  # an int that is no int64
                    packed = None
                if packed is not None:
                    launch(
                        self.griddim, self.blockdim, packed, self.sharedmem, self._queue
                    )
                    return
            self._dispatcher.launch(self, args, named)
        except Exception as error:
            hide_library(error)
            raise

    def start(self, kernel: Any, packed: bytes) -> None:
        """Hand a kernel of the core its packed arguments."""
        kernel.launch(self.griddim, self.blockdim, packed, self.sharedmem, self._queue)

    def finds_wrong_index(self, kernel: Any, packed: bytes) -> bool:
        """Try a launch for wrong indices; see `rehearsal`."""
        found: bool = kernel.finds_wrong_index(
            self.griddim, self.blockdim, packed, self.sharedmem, self._queue
        )
        return found

    def __repr__(self) -> str:
        return f"{self._dispatcher.__name__}[{self.griddim}, {self.blockdim}]"
