"""Owns what ended a kernel: which thread, on which line, at which cell, in words.

Must not know pictures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..cuda import KernelError, Launch
from ..cuda.launch_arguments import Argument
from .drawing import number, shortened
from .launches import number_at

_VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}
_WORDS = {
    "null_pointer": "fails as it {verb} through a null pointer",
    "use_after_free": "fails as it {verb} memory that was freed",
    "readonly_write": "fails as it {verb} memory that is only to be read",
    "misaligned": "fails as it {verb} {size} bytes at an address that {size} does not "
    "divide",
    "wild_pointer": "fails as it {verb} where there is no array",
    "oob_global": "fails as it {verb} outside of every array",
    "oob_shared": "fails as it {verb} outside of shared memory",
    "oob_local": "fails as it {verb} outside of a local array",
    "oob_const": "fails as it {verb} outside of a constant array",
    "trap": "fails at a trap",
    "assert": "fails: {detail}",
    "barrier_divergence": "fails at a barrier that not all threads reach",
    "warp_sync": "fails as its warp waits for threads that never come",
    "deadlock": "waits for ever",
    "timeout": "never ends",
    "stack_overflow": "fails as it calls too deeply",
    "div_by_zero": "divides by zero",
}
_WENT_ON = ("div_by_zero",)
GLOBAL_MEMORY = (
    "null_pointer", "use_after_free", "readonly_write", "misaligned", "wild_pointer",
    "oob_global",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What ended a kernel.

    Attributes:
        kind: Of the finding.
        block, thread: Their numbers.
        line: Of the source; 0 where it is not known.
        words: What the thread does, after its name: "fails as it writes y[40]: …".
        array: Name of the array that it missed, or "".
        cell: Which cell of it that would be, flat; 0 where there is none.
        count: Cells of the array.
    """

    kind: str
    block: int
    thread: int
    line: int
    words: str
    array: str = ""
    cell: int = 0
    count: int = 0


def fault_of(launch: Launch) -> Fault | None:
    """What ended the kernel; None for one that ran to its end."""
    for finding in launch.findings:
        words = _WORDS.get(finding.kind)
        if words is None or finding.kind in _WENT_ON or finding.severity != "error":
            continue
        if finding.block is None or finding.thread is None:
            continue
        missed = _missed(launch, finding)
        details = {
            "verb": _VERBS.get(finding.access or "", "uses"),
            "size": finding.size,
            "detail": shortened(finding.finding.detail if finding.finding else "", 80),
        }
        said = missed.pop("words", None) or words
        return Fault(
            kind=finding.kind,
            block=number_at(finding.block, launch.grid),
            thread=number_at(finding.thread, launch.block),
            line=finding.line or 0,
            words=said.format(**details),
            **missed,
        )
    return None


def _missed(launch: Launch, finding: KernelError) -> dict[str, Any]:
    """The array that an access missed, the cell that it would be, and the words."""
    if finding.kind != "oob_global" or finding.allocation is None:
        return {}
    address = finding.address or 0
    found = _named(launch, finding.allocation.label)
    if found is None or not _without_gaps(found):
        return {}
    assert found.dtype is not None
    size, count = found.dtype.itemsize, math.prod(found.shape)
    cell = (address - found.pointer) // size
    name = shortened(found.name, 20).replace("{", "{{").replace("}", "}}")
    has = "is empty" if count == 0 else f"has only {number(count)} cells"
    if len(found.shape) == 1:
        words = f"fails as it {{verb}} {name}[{cell}]: {name} {has}"
    else:
        words = f"fails as it {{verb}} cell {cell} of {name}, which {has}"
    if cell < 0:
        away = "the cell" if cell == -1 else f"{number(-cell)} cells"
        words = f"fails as it {{verb}} {away} before the first of {name}"
    return {"words": words, "array": found.name, "cell": cell, "count": count}


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
