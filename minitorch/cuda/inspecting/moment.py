"""Owns one moment of a traced run, as numbers. Must not know how it is rebuilt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Coordinates


@dataclass(frozen=True)
class Moment:
    """One warp and its block, as they are after a step.

    Attributes:
        step, block, warp: which step, of which warp; `block` is (x, y, z).
        line, opcode: what was executed.
        active: (32,) the lanes that executed it.
        registers: values of the warp's registers by PTX name, (32,) each, in the
            register's type.
        written: (32,) for each register: the lanes that have a value.
        shared: the block's shared memory as bytes; see `shared_as`.
        writer_step: for each byte of it the step that wrote it last, -1 for none.
        writer_thread: for each byte the thread of the block that did, -1 for none.
    """

    step: int
    block: Coordinates
    warp: int
    line: int
    opcode: str
    active: NDArray[np.bool_]
    registers: dict[str, NDArray[Any]]
    written: dict[str, NDArray[np.bool_]]
    shared: NDArray[np.uint8]
    writer_step: NDArray[np.int64]
    writer_thread: NDArray[np.int32]

    def shared_as(self, dtype: Any, offset: int = 0) -> NDArray[Any]:
        """Shared memory from `offset` on as an array of `dtype`."""
        rest = self.shared[offset:]
        size = np.dtype(dtype).itemsize
        return rest[: rest.size // size * size].view(dtype)
