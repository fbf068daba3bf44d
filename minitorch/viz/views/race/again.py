"""A racy launch run again on the emulator, with copies of its arguments."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import _core
from ....cuda import (
    CudaError,
    Kernel,
    Launch,
    RawModule,
    inspect,
    is_emulated,
    to_device,
)
from ....cuda import synchronize as wait
from ....cuda.launching.arguments import Argument
from ....cuda.launching.launch_notes import OPEN
from ....cuda.python_kernels.argument_layout import ArgumentLayout
from ....cuda.python_kernels.kernel_registry import kernel_of
from ...traces.launches import Place

_MOST_STEPS, _MOST_BYTES = 100_000, 16 << 20
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
# What a new module would not have as the program left it, and what people would see.
_HELD = re.compile(
    r"^\s*\.(visible|extern|weak)\s+\.(global|const)\b|\bvprintf\b", re.M
)
_TID = re.compile(r"^(\s*mov\.u32\s+(%\w+),\s*%tid\.x;)", re.M)

Left = list[NDArray[Any]]


class Again:
    """A launch that can be run again.

    Args:
        launch: With a trace.

    Attributes:
        ptx: What ran; "" where it cannot run again: parts of it are not known, or it
            is large, or somebody is recording launches.
    """

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self.ptx = _ptx_of(launch)
        self.arrays = [each for each in launch.arguments if each.is_array]

    def run(self, ptx: str, trace: bool = False) -> tuple[Left, Launch] | None:
        """Run it with another PTX.

        Returns:
            What each of `arrays` held in the end, and the launch; None where it did
            not run.
        """
        known: dict[int, Any] = {}
        wait()  # a fault of an earlier launch is no fault of this one
        try:
            values = _values(self._launch, known)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with inspect(counters=False, trace=trace) as run:
                    _start(self._launch, ptx, values)
            left = [known[each.pointer].copy_to_host() for each in self.arrays]
        except (CudaError, TypeError, ValueError):
            return None
        return (left, run.launches[-1]) if run.launches else None

    def with_barrier(self, line: int, after: bool) -> str:
        """The PTX with a barrier before or after one of its lines, from 1."""
        lines = self.ptx.split("\n")
        lines.insert(line - (not after), "bar.sync 0;")
        return "\n".join(lines)

    def backwards(self) -> str:
        """The PTX with the warps of a block in the other order; "" for other blocks.

        Each thread takes the number of its lane's thread in the opposite warp.
        """
        (x, y, z), ptx = self._launch.block, self.ptx
        if y * z != 1 or x % 32 or x < 64 or "%warpid" in ptx or not _TID.search(ptx):
            return ""
        turned = (
            "{{ .reg .b32 %mt_warp; and.b32 %mt_warp, {0}, -32; "
            "shl.b32 %mt_warp, %mt_warp, 1; sub.s32 {0}, {0}, %mt_warp; "
            "add.s32 {0}, {0}, {1}; }}"
        )
        return _TID.sub(lambda at: f"{at[1]} {turned.format(at[2], x - 32)}", ptx)


def _ptx_of(launch: Launch) -> str:
    note, given = launch._note, launch.arguments
    small = len(launch.trace) <= _MOST_STEPS and not launch.trace.truncated
    if note is None or OPEN or not small or not is_emulated():
        return ""
    arrays = [each for each in given if each.is_array]
    kept = [each.before for each in arrays if each.before is not None]
    if len(kept) < len(arrays) or sum(each.nbytes for each in kept) > _MOST_BYTES:
        return ""
    ptx = note.launched.ptx()
    return "" if _HELD.search(ptx) or _overlap(arrays) else ptx


def _overlap(arrays: list[Argument]) -> bool:
    """Do arrays share memory without being one and the same?"""
    spans = sorted({(each.pointer, _bytes(each)) for each in arrays})
    return any(one[0] + one[1] > other[0] for one, other in itertools.pairwise(spans))


def _bytes(array: Argument) -> int:
    assert array.before is not None
    return array.before.nbytes


def _values(launch: Launch, known: dict[int, Any]) -> list[Any]:
    """The arguments, with copies of what the arrays held before."""
    assert launch._note is not None
    given = iter(launch.arguments)
    values = [_value(each, given, known) for each in launch._note.launched.values]
    if next(given, None) is not None:
        raise ValueError("[race] got more arguments than values")
    return values


def _value(value: Any, given: Iterator[Argument], known: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        items = [_value(each, given, known) for each in value]
        return getattr(type(value), "_make", tuple)(items)
    argument = next(given)
    if not argument.is_array:
        return argument.value
    if argument.pointer not in known:
        known[argument.pointer] = to_device(np.array(argument.before, order="K"))
    return known[argument.pointer]


def _start(launch: Launch, ptx: str, values: list[Any]) -> None:
    assert launch._note is not None
    noted, shared = launch._note.launched, launch._facts["dynamic_shared"]
    names = _ENTRY.findall(ptx)
    entry = names[0] if len(names) == 1 else str(launch.trace.function[0])
    core = RawModule(ptx=ptx).get_function(entry)._core
    shape: tuple[Place, Place] = launch.grid, launch.block
    owner = kernel_of(noted.owner) if noted.owner else None
    if owner is None:
        Kernel(core)(*shape, values, shared)
        return
    layout: ArgumentLayout = owner.layout
    packed = _core.PackedKernel(core, layout.rows(list(noted.names)), owner.number)
    packed.launch(_core.LaunchConfig(*shape, shared, None), layout.pack(values))
