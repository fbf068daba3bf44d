"""Owns the replay of a block's steps: what each made of the learner's variables.

Must not know how debug information is written, nor how a trace was recorded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import original_place
from ..launching.launch_notes import Launched
from .debug_names import Names
from .debug_variables import DebugVariables, Place, Range
from .lane_memory import Lanes, LaneValues, LocalMemory, lanes_of
from .variable_changes import Columns, VariableChanges

_LOCAL, _READ = 3, 1  # of the trace's columns
_LOCAL_BASE = 0x0800_0000  # where the emulator's local memory begins
_FRAME = "%SPL"  # the register with the address of a function's local memory
_NO_CODE = re.compile(r"\s*(//.*|\.loc\b.*|[{}]( *//.*)?|\$L__tmp\d+:.*)?$")
_MARK = re.compile(r"\s*\$L__tmp\d+:")

Tables = Mapping[str, NDArray[Any]]
Found = tuple[int, Place]  # the number of a name, and where it lies


class _Warp:
    """What is known of one warp so far."""

    def __init__(self) -> None:
        self.registers: dict[tuple[Range, str], LaneValues] = defaultdict(LaneValues)
        self.frames: dict[Range, int] = {}
        self.memory = LocalMemory()


class Replay:
    """The variables of one launch's kernel, ready to be followed through its steps.

    Args:
        variables: Of its build for debuggers.
        columns: Of the trace.
        lines: The PTX line of each of the trace's instructions.
        registers: The name of each of the trace's registers.
        original: Gives the learner's file and line of a place in the PTX.
    """

    def __init__(
        self,
        variables: DebugVariables,
        columns: Tables,
        lines: Sequence[int],
        registers: Sequence[str],
        original: Callable[[str, int], int],
    ) -> None:
        self._columns, self._registers = columns, registers
        self._entry = variables.entry
        self._names = Names(variables.numbers, original)
        self._in_register: dict[tuple[Range, str], list[Found]] = defaultdict(list)
        self._in_memory: dict[Range, list[tuple[int, Place, int]]] = defaultdict(list)
        for number, each in zip(self._names.numbers, variables.numbers, strict=True):
            for place in each.places:
                if place.register:
                    key = each.function, place.register
                    self._in_register[key].append((number, place))
                else:
                    size = each.dtype.itemsize
                    self._in_memory[each.function].append((number, place, size))
        text = variables.text.lines
        self._function = [_within(line, variables.functions) for line in lines]
        self._marks = [_marks_around(text, line) for line in lines]
        self._after = [
            max([line, *(mark for mark in marks if mark > line)])
            for line, marks in zip(lines, self._marks, strict=True)
        ]
        self._begins = [self._places_from(at) for at in range(len(lines))]

    def _places_from(self, instruction: int) -> list[tuple[str, Found]]:
        """Variables that come to lie in a register just before or after it."""
        own, marks = self._function[instruction], self._marks[instruction]
        return [
            (register, found)
            for (function, register), every in self._in_register.items()
            if function == own
            for found in every
            if found[1].begin in marks
        ]

    def block(self, block: int) -> VariableChanges:
        """Follow the steps of the block with this number."""
        columns = self._columns
        steps = np.nonzero(columns["block"] == block)[0]
        kinds = "result_step", "access_step"
        first, second = (
            np.searchsorted(columns[kind], [steps, steps + 1]).T.tolist()
            for kind in kinds
        )
        active = lanes_of(columns["mask"][steps])
        warps: dict[int, _Warp] = defaultdict(_Warp)
        rows = Columns()
        numbers = columns["warp"][steps].tolist()
        instructions = columns["instruction"][steps].tolist()
        every = zip(
            steps.tolist(), numbers, instructions, first, second, active, strict=True
        )
        for step, number, instruction, results, accesses, lanes in every:
            own = self._function[instruction]
            if own is None:
                continue
            warp, after = warps[number], self._after[instruction]
            changed = self._results(warp, own, range(*results), lanes)
            for register, found in self._begins[instruction]:
                changed.append((found, warp.registers[own, register]))
            for (name, place), held in changed:
                if place.begin <= after < place.end:
                    rows.note(step, number, name, held.values, lanes & held.known)
            for row in range(*accesses):
                for name, values, known in self._stored(warp, own, after, row):
                    rows.note(step, number, name, values, lanes & known)
        return rows.changes(self._names.names, self._names.dtypes, self._names.lines)

    def _results(
        self, warp: _Warp, own: Range, rows: range, lanes: NDArray[np.bool_]
    ) -> list[tuple[Found, LaneValues]]:
        """Take what a step wrote to registers; give the variables that lie in them."""
        found = []
        for row in rows:
            register = self._registers[self._columns["result_register"][row]]
            values = self._columns["result_value"][row]
            if register == _FRAME and lanes.any():
                warp.frames[own] = int(values[lanes][0]) - _LOCAL_BASE
            key = own, register
            if key in self._in_register:
                held = warp.registers[key]
                held.put(values, lanes)
                found += [(each, held) for each in self._in_register[key]]
        return found

    def _stored(
        self, warp: _Warp, own: Range, after: int, row: int
    ) -> Iterator[tuple[int, Lanes, Lanes]]:
        """Take a write to local memory; give the variables that lie there."""
        columns = self._columns
        kind, space = columns["access_kind"][row], columns["access_space"][row]
        if space != _LOCAL or kind == _READ:
            return
        lanes, size = lanes_of(columns["access_mask"][row]), columns["access_size"][row]
        address = columns["access_address"][row].astype(np.int64)
        warp.memory.write(address, columns["access_value"][row], int(size), lanes)
        # A function's pointers lead to its own variables or, mostly, to the kernel's.
        for function in dict.fromkeys((own, self._entry)):
            if function not in warp.frames:
                continue
            for name, place, bytes_ in self._in_memory[function]:
                start = warp.frames[function] + place.offset
                hit = lanes & (address < start + bytes_) & (address + size > start)
                exists = function != own or place.begin <= after < place.end
                if exists and hit.any():
                    values, known = warp.memory.read(start, bytes_)
                    yield name, values, known & hit


def replay_of(
    launched: Launched,
    owner: int,
    columns: Tables,
    lines: Sequence[int],
    registers: Sequence[str],
) -> Replay:
    """Read the variables of a build for debuggers that was launched and traced."""
    first = lines[columns["instruction"][0]]
    variables = DebugVariables(launched.ptx(), first, launched.renamed)

    def original(file: str, line: int) -> int:
        return (original_place(owner, (file, line)) or (file, line))[1]

    return Replay(variables, columns, lines, registers, original)


def _within(line: int, functions: Sequence[Range]) -> Range | None:
    return next((each for each in functions if each[0] <= line < each[1]), None)


def _marks_around(text: Sequence[str], line: int) -> set[int]:
    """Lines of the debug labels between an instruction and its neighbours."""
    marks = set()
    for step in (-1, 1):
        at = line + step
        while 1 <= at <= len(text) and _NO_CODE.match(text[at - 1]):
            if _MARK.match(text[at - 1]):
                marks.add(at)
            at += step
    return marks
