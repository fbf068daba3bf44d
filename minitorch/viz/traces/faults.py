"""What went wrong in a kernel: thread, line and cell, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...cuda import KernelError, Launch
from ...cuda.errors import KINDS
from ...cuda.inspecting.trace import LANES
from ...cuda.launching.arguments import Argument
from ..scene.drawing import number, shortened
from .launches import number_at, number_of, spelled

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
        kind: Of the finding.
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

    kind: str
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
    missed = _missed(launch, finding)
    details = {
        "verb": _VERBS.get(finding.access or "", "uses"),
        "size": finding.size,
        "detail": shortened(finding.finding.detail if finding.finding else "", 80),
        "cell": _cell_name(launch, finding),
    }
    said = missed.pop("words", None) or KINDS[finding.kind].picture
    name = f"Thread {spelled(finding.thread, launch.block)}"
    if math.prod(launch.grid) > 1:
        name += f" of block {spelled(finding.block, launch.grid)}"
    return Fault(
        kind=finding.kind,
        block=number_at(finding.block, launch.grid),
        thread=number_at(finding.thread, launch.block),
        line=finding.line or 0,
        words=said.format(**details),
        name=name,
        ended=not KINDS[finding.kind].goes_on,
        **missed,
    )


def _cell_name(launch: Launch, finding: KernelError) -> str:
    """A cell within its array: x[5], or "cell 5 of x" where the shape is not known."""
    at = finding.allocation
    if at is None or not at.label or not finding.size:
        return "memory"
    array, name = _named(launch, at.label), shortened(at.label, 20)
    number_ = at.offset // finding.size
    if array is not None and array.dtype is not None and _without_gaps(array):
        place: list[int] = []
        rest = ((finding.address or 0) - array.pointer) // array.dtype.itemsize
        for size in reversed(array.shape[1:]):
            rest, index = divmod(rest, size)
            place.append(index)
        return f"{name}[{', '.join(map(str, [rest, *reversed(place)]))}]"
    return f"cell {number_} of {name}"


def _missed(launch: Launch, finding: KernelError) -> dict[str, Any]:
    """The array that an access missed, the cell that it would be, and the words."""
    row = KINDS[finding.kind]
    if row.form != "outside" or finding.allocation is None:
        return {}
    if row.memory != "global":
        return _missed_of_block(finding)
    address = finding.address or 0
    found = _named(launch, finding.allocation.label)
    indices = _indices(finding)
    if found is not None and found.is_array and len(indices) == len(found.shape) > 1:
        return _missed_index(found, indices)
    if found is None or found.dtype is None:
        return {}
    size, count = found.dtype.itemsize, math.prod(found.shape)
    cell = (address - found.pointer) // size
    if not _without_gaps(found):
        cell = indices[0] if len(indices) == 1 else 0
    if 0 <= cell < count or (cell == 0 and not indices and not _without_gaps(found)):
        return {}  # where it is outside is not known
    name = shortened(found.name, 20).replace("{", "{{").replace("}", "}}")
    has = f"has only {number(count)} cell{'s' * (count != 1)}"
    has = has if count else "is empty"
    if len(found.shape) == 1:
        words = f"fails as it {{verb}} {name}[{cell}]: {name} {has}"
    else:
        words = f"fails as it {{verb}} cell {cell} of {name}, which {has}"
    if cell < 0:
        away = "the cell" if cell == -1 else f"{number(-cell)} cells"
        words = f"fails as it {{verb}} {away} before the first of {name}"
    return {"words": words, "array": found.name, "cell": cell, "count": count}


def _indices(finding: KernelError) -> tuple[int, ...]:
    """The indices that a Python kernel asked for; () where nobody tells them."""
    given = sorted(finding.indices, key=lambda each: each.dimension)
    return tuple(each.index for each in given)


def _missed_index(array: Argument, indices: tuple[int, ...]) -> dict[str, Any]:
    """Of several dimensions: the index that is outside, and how far the array goes."""
    pairs = list(zip(indices, array.shape, strict=True))
    axis = next((at for at, (index, size) in enumerate(pairs) if index >= size), None)
    if axis is None:
        axis = min(range(len(pairs)), key=lambda at: indices[at])
    name = shortened(array.name, 20)
    spelled_, sizes = ", ".join(map(str, indices)), " × ".join(map(str, array.shape))
    parts = ["{}" if at == axis else str(index) for at, index in enumerate(indices)]
    plain = name.replace("{", "{{").replace("}", "}}")
    return {
        "words": f"fails as it {{verb}} {plain}[{spelled_}]: {plain} is {sizes}",
        "array": array.name,
        "cell": indices[axis],
        "count": array.shape[axis],
        "fixed": f"[{', '.join(parts)}]",
    }


def _missed_of_block(finding: KernelError) -> dict[str, Any]:
    """A cell outside of shared memory, or of an array of the thread or of constants."""
    at, size = finding.allocation, finding.size or 0
    if at is None or not size or not at.size:
        return {}
    cell, count = at.offset // size, at.size // size
    name = at.label or _NAMELESS[KINDS[finding.kind].memory]
    short = shortened(name, 20).replace("{", "{{").replace("}", "}}")
    if 0 <= cell < count:  # an index is outside, and the cell is another one's
        asked = ", ".join(map(str, _indices(finding)))
        words = f"fails as it {{verb}} outside of {short}"
        if asked:
            words = f"fails as it {{verb}} {short}[{asked}], outside of it"
        return {"words": words}
    words = (
        f"fails as it {{verb}} cell {cell} of {short}, which has only "
        f"{number(count)} cell{'s' * (count != 1)}"
    )
    if cell < 0:
        words = f"fails as it {{verb}} before the first cell of {short}"
    return {"words": words, "array": name, "cell": cell, "count": count}


def _named(launch: Launch, label: str) -> Argument | None:
    """The argument with a label; the emulator keeps only the start of a long one."""
    for each in launch.arguments:
        if each.name == label or (len(label) > 60 and each.name.startswith(label)):
            return each
    return None


def _without_gaps(argument: Argument) -> bool:
    if argument.dtype is None:
        return False
    step = argument.dtype.itemsize
    for size, stride in zip(
        reversed(argument.shape), reversed(argument.strides), strict=True
    ):
        if size > 1 and stride != step:
            return False
        step *= size
    return True
