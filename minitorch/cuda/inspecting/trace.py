"""Trace of a launch: columns of its steps, and the state after any step."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..errors import Coordinates, SourceLine, original_lines
from ..launching.launch_data import RecordedLaunch
from ..launching.launch_notes import Note
from ..launching.launch_shape import number_within
from ..tracebacks import learner_methods
from .variables import (
    LANES,
    NOTHING,
    VariableChanges,
    lanes_of,
    replay_of,
)

__all__ = ["LANES", "Moment", "Trace", "lanes_of", "trace_filter"]


@dataclass(frozen=True)
class Moment:
    """State of one warp and its block after a step.

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
        """Return shared memory from byte `offset` as an array of `dtype`."""
        rest = self.shared[offset:]
        size = np.dtype(dtype).itemsize
        return rest[: rest.size // size * size].view(dtype)


_TYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "pred": "bool"}
_KINDS = {"s": "i", "u": "u", "b": "u"}


def ptx_dtype(type_: str) -> np.dtype[Any]:
    """Return the dtype of a PTX type; 64 bits for one without NumPy equivalent.

    Example:
        >>> ptx_dtype("s32"), ptx_dtype("b64")
        (dtype('int32'), dtype('uint64'))
    """
    spelled = _TYPES.get(type_)
    if spelled is None and type_[:1] in _KINDS and type_[1:].isdigit():
        size = max(int(type_[1:]) // 8, 1)
        spelled = f"<{_KINDS[type_[0]]}{size}" if size <= 8 else None
    return np.dtype(spelled or "<u8")


def register_changes(
    columns: Mapping[str, NDArray[Any]], registers: Sequence[Any], block: int
) -> VariableChanges:
    """Return the changes of the registers of a block's threads.

    Args:
        columns: Of the trace.
        registers: (name, PTX type, function) of each.
        block: Number of the block.
    """
    steps = columns["result_step"].astype(np.int64)
    rows = np.nonzero(columns["block"][steps] == block)[0]
    if not len(rows):
        return NOTHING
    result_registers, steps = columns["result_register"][rows], steps[rows]
    known, name = np.unique(result_registers, return_inverse=True)
    return VariableChanges(
        names=tuple(registers[number][0] for number in known.tolist()),
        dtypes=tuple(ptx_dtype(registers[number][1]) for number in known.tolist()),
        lines=(0,) * len(known),
        step=steps,
        warp=columns["warp"][steps].astype(np.int64),
        name=name.astype(np.int64),
        values=columns["result_value"][rows],
        written=lanes_of(columns["mask"][steps]),
    )


def lines_in_force(
    columns: Mapping[str, NDArray[Any]], lines: Sequence[SourceLine], python: bool
) -> NDArray[np.int64]:
    """Return, per step, the instruction whose line counts: its own, or its caller's.

    Args:
        columns: Of the trace.
        lines: File and line of each instruction.
        python: Whether the kernel is written in Python, whose functions may be in
            several files. One in CUDA C++ is in the file of its first step.
    """
    instructions = columns["instruction"].astype(np.int64)
    if not len(instructions):
        return instructions
    first, _ = lines[instructions[0]]
    theirs = [
        line > 0 and (not file.startswith("/minitorch/") if python else file == first)
        for file, line in lines
    ]
    # Steps of one warp stand behind each other; a call's are behind the calling one.
    order = np.lexsort((columns["warp"], columns["block"]))
    sorted_ = instructions[order]
    warps = np.stack([columns["block"][order], columns["warp"][order]])
    begins = np.ones(len(order), bool)
    begins[1:] = (np.diff(warps.astype(np.int64)) != 0).any(axis=0)
    kept = np.where(np.array(theirs)[sorted_] | begins, np.arange(len(order)), 0)
    result = np.empty_like(instructions)
    result[order] = sorted_[np.maximum.accumulate(kept)]
    return result


_MOST_BLOCKS = 16  # MtTraceFilter::kMostBlocks
_WARPS = 32  # of a block, at most
_IS_PLACE = 1 << 63  # MtTraceFilter::kIsPlace
_EXTENTS = (1 << 31, 1 << 16, 1 << 16)  # of a grid, at most

Block = SupportsIndex | tuple[int, int, int]
Numbers = SupportsIndex | Iterable[SupportsIndex]
Blocks = SupportsIndex | Iterable[Block]


def _number(name: str, value: Any, end: int, need: str) -> int:
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"[inspect] got {value!r} in {name}; need {need}.")
    number = operator.index(value)
    if not 0 <= number < end:
        raise ValueError(f"[inspect] got {number} in {name}; need {need}.")
    return number


def _block(value: Any) -> int:
    """Return a block's number, or its coordinates as the core encodes them."""
    need = "a block number or index (x, y, z)"
    if not isinstance(value, tuple):
        return _number("trace_blocks", value, _IS_PLACE, need)
    if len(value) != len(_EXTENTS):
        raise TypeError(f"[inspect] got {value!r} in trace_blocks; need {need}.")
    x, y, z = (
        _number("trace_blocks", coordinate, end, f"{need} within a grid")
        for coordinate, end in zip(value, _EXTENTS, strict=True)
    )
    return _IS_PLACE | x << 32 | y << 16 | z


def _several(name: str, values: Any) -> list[Any]:
    """Return a number, or each of several, as a list."""
    with contextlib.suppress(TypeError):  # an array has __index__, too
        return [operator.index(values)]
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(
            f"[inspect] got {type(values).__name__} for {name}; need a number or a "
            "list of numbers."
        )
    result = list(values)
    if not result:
        raise ValueError(
            f"[inspect] {name} is empty; need at least one number, or None for all."
        )
    return result


def trace_filter(
    trace: bool, launches: Numbers | None, blocks: Blocks | None, warps: Numbers | None
) -> dict[str, Any]:
    """Return the core's options for `trace_launches`, `trace_blocks`, `trace_warps`.

    Args:
        trace: Whether anything is to be traced.
        launches: Numbers from 0 in the order in which launches are made; None: all.
        blocks: At most 16, each a number or (x, y, z); None: all.
        warps: Numbers of warps in their block, 0 to 31; None: all.

    Returns:
        The options: a set or None, a list of encoded blocks (empty: all), bits.

    Raises:
        TypeError: Something else than numbers, or tuples of three for blocks.
        ValueError: A number that none of them has, an empty list, too many blocks; a
            choice without a trace.

    Example:
        >>> trace_filter(True, 2, [0, 7], (0, 3))
        {'trace_launches': {2}, 'trace_blocks': [0, 7], 'trace_warps': 9}
    """
    if not trace and not launches is blocks is warps is None:
        raise ValueError(
            "[inspect] trace_launches, trace_blocks and trace_warps need trace=True."
        )
    chosen: dict[str, Any] = {
        "trace_launches": None, "trace_blocks": [], "trace_warps": (1 << _WARPS) - 1
    }  # fmt: skip
    if launches is not None:
        name, need = "trace_launches", "a launch number of at least 0"
        numbers = {_number(name, n, 1 << 63, need) for n in _several(name, launches)}
        chosen[name] = numbers
    if blocks is not None:
        name = "trace_blocks"
        chosen[name] = list(dict.fromkeys(map(_block, _several(name, blocks))))
        if len(chosen[name]) > _MOST_BLOCKS:
            raise ValueError(
                f"[inspect] got {len(chosen[name])} blocks in {name}; need at most "
                f"{_MOST_BLOCKS} blocks, or None for all."
            )
    if warps is not None:
        name, need = "trace_warps", "the number of a warp in its block, 0 to 31"
        numbers = {_number(name, n, _WARPS, need) for n in _several(name, warps)}
        chosen[name] = sum(1 << number for number in numbers)
    return chosen


_SHARED = 2  # MtSpace
_READ = 1  # MtAccess


@learner_methods
class Trace:
    """Every instruction of the warps of one launch, in the order of execution.

    Columns, one row for each step: `step`, `block` (number), `warp` (in its block),
    `line`, `file`, `opcode`, `mask` (bits of the lanes that executed), `addresses` and
    `values` ((steps, 32), see there). `columns` has what was recorded: steps, accesses
    and written registers as three tables.
    """

    def __init__(
        self,
        core: _core.InspectedLaunch | RecordedLaunch,
        facts: dict[str, Any],
        note: Note | None,
    ) -> None:
        self._note = note
        self._variables: dict[int, VariableChanges] = {}
        # Those of the registers of one block, the last that was asked for.
        self._changes: tuple[int, VariableChanges] | None = None
        self.columns: dict[str, NDArray[Any]] = core.trace_columns()
        self.truncated = bool(self.columns.pop("truncated"))
        self.nbytes = int(self.columns.pop("bytes"))
        self._instructions = core.trace_instructions()
        self._places = [
            original_lines(facts["owner"], [place, *callers])[0] or ("", 0)
            for _, _, place, callers, _ in self._instructions
        ]
        self._registers = core.trace_registers()
        self._facts = facts

    def __len__(self) -> int:
        return len(self.columns["block"])

    def __repr__(self) -> str:
        cut = ", cut at its limit" if self.truncated else ""
        return f"Trace({len(self)} steps, {self.nbytes} bytes{cut})"

    @cached_property
    def step(self) -> NDArray[np.int64]:
        """Numbers of the steps, from 0."""
        return np.arange(len(self))

    @property
    def block(self) -> NDArray[np.uint32]:
        """Block number of each step: x + grid.x * (y + grid.y * z)."""
        return self.columns["block"]

    @property
    def warp(self) -> NDArray[np.uint32]:
        """Warp of each step, counted within its block."""
        return self.columns["warp"]

    @property
    def mask(self) -> NDArray[np.uint32]:
        """Lanes that executed each step: bit i is lane i."""
        return self.columns["mask"]

    def _per_step(
        self, values: Iterable[Any], dtype: Any, instructions: NDArray[Any]
    ) -> NDArray[Any]:
        """Return a column of the steps from values of the instructions."""
        table = np.array(list(values), dtype=dtype)
        return table[instructions] if len(table) else table

    @cached_property
    def line(self) -> NDArray[np.int32]:
        """Source line of each step; 0 if the PTX has none."""
        lines = (line for _, line in self._places)
        return self._per_step(lines, "i4", self._line_instructions)

    @cached_property
    def file(self) -> NDArray[np.str_]:
        """Source file of each step."""
        files = (file for file, _ in self._places)
        return self._per_step(files, "U", self._line_instructions)

    @cached_property
    def _line_instructions(self) -> NDArray[Any]:
        """Instruction whose source line counts for each step."""
        if self._note is None or not self._note.launched.debug:
            return self.columns["instruction"]
        python = self._facts["owner"] > 0
        return lines_in_force(self.columns, self._places, python)

    @cached_property
    def opcode(self) -> NDArray[np.str_]:
        """Opcode of each step, such as "ld.shared.f32"."""
        opcodes = (instruction[0] for instruction in self._instructions)
        return self._per_step(opcodes, "U", self.columns["instruction"])

    @cached_property
    def function(self) -> NDArray[np.str_]:
        """PTX function of each step."""
        functions = (instruction[1] for instruction in self._instructions)
        return self._per_step(functions, "U", self.columns["instruction"])

    @property
    def ptx_lines(self) -> list[int]:
        """PTX line, from 1, of each number in `columns["instruction"]`.

        That column counts the instructions of the launch; this list is by its numbers.
        """
        return [instruction[4] for instruction in self._instructions]

    @property
    def register_names(self) -> list[str]:
        """Names of registers, indexed by `columns["result_register"]`."""
        return [name for name, _, _ in self._registers]

    @cached_property
    def addresses(self) -> NDArray[np.uint64]:
        """Address that each lane accessed, (steps, 32); 0 for none.

        Global addresses, or offsets into shared or local memory; of a vector access the
        first element's.
        """
        return self._first_elements("access_address")

    @cached_property
    def values(self) -> NDArray[np.uint64]:
        """Value that each lane of a step wrote to a register or memory, (steps, 32).

        Bits, zero-extended; of several results the first. 0 where nothing was written.
        """
        columns = self.columns
        values = self._first_elements("access_value")
        steps, first = np.unique(columns["result_step"], return_index=True)
        active = lanes_of(self.mask[steps])
        values[steps] = np.where(active, columns["result_value"][first], values[steps])
        return values

    def _first_elements(self, name: str) -> NDArray[np.uint64]:
        columns = self.columns
        result = np.zeros((len(self), LANES), np.uint64)
        steps, first = np.unique(columns["access_step"], return_index=True)
        active = lanes_of(columns["access_mask"][first])
        result[steps] = np.where(active, columns[name][first], 0)
        return result

    def variables(self, block: Any = 0) -> VariableChanges:
        """Return the changes of a block's variables, by their names in the source.

        Variables that the compiler keeps nowhere are missing, and so are pointers and
        arrays of more than 64 elements.

        Args:
            block: Its number, or (x, y, z).

        Returns:
            Columns; without rows where the kernel was not built for debuggers, see
            `cuda.inspect(trace=True, debug=True)`.

        Raises:
            IndexError: No such block.
            TypeError: Neither a number nor a tuple of three.

        Example:
            >>> from minitorch import cuda
            >>> kernel = cuda.RawKernel('''__global__ void k(int* x, int n) {
            ...   int i = threadIdx.x;
            ...   int twice = 2 * i;
            ...   if (i < n) x[i] = twice;
            ... }''', "k")
            >>> with cuda.inspect(trace=True, debug=True) as run:
            ...     kernel[1, 4](cuda.device_array(4, "int32"), 4)
            >>> trace = run.launches[0].trace
            >>> changes = trace.variables()
            >>> changes.names
            ('n', 'i', 'twice')
            >>> values, known = changes.at(len(trace) - 1, warp=0)["twice"]
            >>> values[known].tolist()
            [0, 2, 4, 6]
        """
        number = number_within(block, self._facts["grid"], "trace")
        if self._replay is None:
            return NOTHING
        if number not in self._variables:
            self._variables[number] = self._replay.block(number)
        return self._variables[number]

    def registers(self, block: Any = 0) -> VariableChanges:
        """Return the changes of a block's registers, by their names in the PTX.

        Args:
            block: Its number, or (x, y, z).

        Returns:
            Columns as those of `variables`, of any build.

        Raises:
            IndexError: No such block.
            TypeError: Neither a number nor a tuple of three.
        """
        number = number_within(block, self._facts["grid"], "trace")
        if self._changes is None or self._changes[0] != number:
            changes = register_changes(self.columns, self._registers, number)
            self._changes = number, changes
        return self._changes[1]

    @cached_property
    def _replay(self) -> Any:
        """Replay of the variables; None for a kernel without variable names."""
        if self._note is None or not self._note.launched.debug or not len(self):
            return None
        return replay_of(
            self._note.launched,
            self._facts["owner"],
            self.columns,
            self.ptx_lines,
            self.register_names,
        )

    def at(self, step: int) -> Moment:
        """Reconstruct the state after `step`.

        Raises:
            IndexError: no such step.
        """
        if not -len(self) <= step < len(self):
            raise IndexError(f"[trace] got step {step}; need 0 to {len(self) - 1}.")
        step %= len(self)
        block, warp = int(self.block[step]), int(self.warp[step])
        state = self.registers(block).at(step, warp)
        grid = self._facts["grid"]
        return Moment(
            step=step,
            block=(
                block % grid[0],
                block // grid[0] % grid[1],
                block // (grid[0] * grid[1]),
            ),
            warp=warp,
            line=int(self.line[step]),
            opcode=str(self.opcode[step]),
            active=lanes_of(self.mask[step]),
            registers={name: values for name, (values, _) in state.items()},
            written={name: known for name, (_, known) in state.items()},
            **self._shared_at(step, block),
        )

    def _shared_at(self, step: int, block: int) -> dict[str, NDArray[Any]]:
        columns = self.columns
        size = self._facts["shared_bytes"]
        shared = np.zeros(size, np.uint8)
        writer_step = np.full(size, -1, np.int64)
        writer_thread = np.full(size, -1, np.int32)
        steps = columns["access_step"]
        end = int(np.searchsorted(steps, step, side="right"))
        wanted = (
            (columns["access_space"][:end] == _SHARED)
            & (columns["access_kind"][:end] != _READ)
            & (self.block[steps[:end]] == block)
        )
        rows = np.nonzero(wanted)[0]
        # Pairs (row, lane) in order: of several writers of a byte the last one stays.
        row, lane = np.nonzero(lanes_of(columns["access_mask"][rows]))
        row = rows[row]
        thread = self.warp[steps[row]].astype(np.int64) * LANES + lane
        address = columns["access_address"][row, lane].astype(np.int64)
        value = columns["access_value"][row, lane]
        for byte in range(int(columns["access_size"][rows].max(initial=0))):
            long = columns["access_size"][row] > byte
            inside = long & (address + byte < size)
            cells = address[inside] + byte
            shared[cells] = (value[inside] >> np.uint64(8 * byte)).astype(np.uint8)
            writer_step[cells] = steps[row[inside]]
            writer_thread[cells] = thread[inside]
        return {
            "shared": shared,
            "writer_step": writer_step,
            "writer_thread": writer_thread,
        }
