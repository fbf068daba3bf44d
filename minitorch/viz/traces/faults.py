"""What went wrong in a kernel: thread, line and cell, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...cuda import Finding, KernelError, Launch
from ...cuda.errors import KINDS
from ...cuda.inspecting.trace import LANES
from ...cuda.launching.arguments import Argument
from ..scene.drawing import number, shortened
from .launches import (
    cell_words,
    is_contiguous,
    number_at,
    number_of,
    thread_words,
)

_VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}
_NAMELESS = {
    "shared": "shared memory",
    "local": "a local array",
    "const": "a constant array",
}


@dataclass(frozen=True)
class Fault:
    """What went wrong in a kernel.

    Attributes:
        finding: That it is.
        block, thread: Their numbers.
        line: Of the source; 0 where it is not known.
        words: What the thread does, after its name: "fails as it writes y[40]: …".
        name: The thread's name.
        ended: Did it end the kernel?
        array: Name of the array that it missed, or "".
        cell: Which cell of it that would be, flat; of several dimensions the index that
            is outside; 0 where there is none.
        count: Cells of the array, or along that dimension.
        fixed: Of several dimensions the indices as they are written, with {} for the
            one that is outside; "" for a flat array.
    """

    finding: Finding | None
    block: int
    thread: int
    line: int
    words: str
    name: str
    ended: bool = True
    array: str = ""
    cell: int = 0
    count: int = 0
    fixed: str = ""

    @property
    def warp(self) -> int:
        """The thread's warp, counted within its block."""
        return self.thread // LANES

    @property
    def sentence(self) -> str:
        """Who, what and where, for pictures of something else."""
        where = f" (line {self.line})" if self.line else ""
        return f"{self.name} {self.words}{where}."


def fault_of(launch: Launch) -> Fault | None:
    """What went wrong: what ended the kernel, else what made a number wrong.

    None for a launch without either; a race is no fault of one thread.
    """
    found = [
        each
        for each in launch.findings
        if KINDS[each.kind].picture
        and each.severity == "error"
        and each.block is not None
        and each.thread is not None
    ]
    found.sort(key=lambda each: KINDS[each.kind].goes_on)
    return _fault(launch, found[0]) if found else None


def block_of(launch: Launch, block: Any, view: str) -> int:
    """The block that is asked for, else that of what went wrong, else the first."""
    if block is not None:
        return number_of(block, launch.grid, "block", view)
    fault = fault_of(launch)
    return fault.block if fault else int(launch.trace.block[0])


def _fault(launch: Launch, finding: KernelError) -> Fault:
    assert finding.block is not None
    assert finding.thread is not None
    outside = KINDS[finding.kind].form == "outside"
    missed = _missed(launch, finding) if outside and finding.allocation else {}
    verb = _VERBS.get(finding.access or "", "uses")
    if missed:
        words = f"fails as it {verb} {missed.pop('words')}"
    else:
        words = KINDS[finding.kind].picture.format(
            verb=verb, size=finding.size, cell=_cell_name(launch, finding),
            detail=shortened(finding.finding.detail if finding.finding else "", 80),
        )  # fmt: skip
    name = thread_words(finding.block, finding.thread, launch.grid, launch.block)
    return Fault(
        finding=finding.finding,
        block=number_at(finding.block, launch.grid),
        thread=number_at(finding.thread, launch.block),
        line=finding.line or 0,
        words=words,
        name=f"T{name[1:]}",
        ended=not KINDS[finding.kind].goes_on,
        **missed,
    )


def _cell_name(launch: Launch, finding: KernelError) -> str:
    """A cell within its array: x[5], or "cell 5 of x" where the shape is not known."""
    at = finding.allocation
    if at is None or not at.label or not finding.size:
        return "memory"
    array, name = _named(launch, at.label), shortened(at.label, 20)
    cell = at.offset // finding.size
    if array is None or array.dtype is None:
        return f"cell {cell} of {name}"
    unit = array.dtype.itemsize
    if not is_contiguous(array.shape, array.strides, unit):
        return f"cell {cell} of {name}"
    cell = ((finding.address or 0) - array.pointer) // unit
    return cell_words(name, array.shape, max(cell, 0) % math.prod(array.shape))


def _missed(launch: Launch, finding: KernelError) -> dict[str, Any]:
    """The array that an access missed, the cell that it would be, and the words."""
    at, size = finding.allocation, finding.size or 0
    kind = KINDS[finding.kind].memory
    assert at is not None
    array = _named(launch, at.label) if kind == "global" else None
    given = sorted(finding.indices, key=lambda asked: asked.dimension)
    indices = tuple(asked.index for asked in given)
    if array is not None and len(indices) == len(array.shape) > 1:
        return _missed_index(array, indices)
    if not size or (kind == "global" and (array is None or array.dtype is None)):
        return {}
    cell, count = at.offset // size, at.size // size
    name = at.label or _NAMELESS[kind]
    short = shortened(name, 20)
    if array is not None and array.dtype is not None:
        cell = ((finding.address or 0) - array.pointer) // array.dtype.itemsize
        count = math.prod(array.shape)
        if not is_contiguous(array.shape, array.strides, array.dtype.itemsize):
            cell = indices[0] if len(indices) == 1 else 0
    if 0 <= cell < count:  # an index is outside, and the cell is another one's
        asked = f"{short}[{', '.join(map(str, indices))}], outside of it"
        return {} if array or not indices else {"words": asked}
    flat = array is not None and len(array.shape) == 1
    where = f"{short}[{cell}]" if flat else f"cell {cell} of {short}"
    has = f"has only {number(count)} cell{'s' * (count != 1)}" if count else "is empty"
    if cell < 0:
        has = "begins with cell 0"
    return {
        "words": f"{where}: {short} {has}", "array": name, "cell": cell, "count": count,
    }  # fmt: skip


def _missed_index(array: Argument, indices: tuple[int, ...]) -> dict[str, Any]:
    """Of several dimensions: the index that is outside, and how far the array goes."""
    pairs = list(zip(indices, array.shape, strict=True))
    axis = next((at for at, (index, size) in enumerate(pairs) if index >= size), None)
    if axis is None:
        axis = min(range(len(pairs)), key=lambda at: indices[at])
    name = shortened(array.name, 20)
    spelled_, sizes = ", ".join(map(str, indices)), " × ".join(map(str, array.shape))
    parts = ["{}" if at == axis else str(index) for at, index in enumerate(indices)]
    return {
        "words": f"{name}[{spelled_}]: {name} is {sizes}",
        "array": array.name,
        "cell": indices[axis],
        "count": array.shape[axis],
        "fixed": f"[{', '.join(parts)}]",
    }


def _named(launch: Launch, label: str) -> Argument | None:
    """The argument with a label; the emulator keeps only the start of a long one."""
    for each in launch.arguments:
        if each.name == label or (len(label) > 60 and each.name.startswith(label)):
            return each
    return None
