"""Owns a launch's trace: columns, and any moment of the run rebuilt from them.

Must not know how it was recorded.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..errors import original_places
from ..launching.launch_data import RecordedLaunch
from ..launching.launch_notes import Note
from ..launching.launch_shape import number_within
from ..tracebacks import learner_methods
from .lane_memory import LANES, lanes_of
from .moment import Moment
from .register_values import ptx_dtype, register_changes
from .variable_changes import NOTHING, VariableChanges, typed_lanes

__all__ = ["LANES", "Moment", "Trace", "lanes_of"]

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
        self.columns: dict[str, NDArray[Any]] = core.trace_columns()
        self.truncated = bool(self.columns.pop("truncated"))
        self.nbytes = int(self.columns.pop("bytes"))
        self._instructions = core.trace_instructions()
        self._places = [
            original_places(facts["owner"], [at, *callers])[0] or ("", 0)
            for _, _, at, callers, _ in self._instructions
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
        """Number of each step's block: x + grid.x * (y + grid.y * z)."""
        return self.columns["block"]

    @property
    def warp(self) -> NDArray[np.uint32]:
        """Each step's warp, counted within its block."""
        return self.columns["warp"]

    @property
    def mask(self) -> NDArray[np.uint32]:
        """The lanes that executed each step: bit i is lane i."""
        return self.columns["mask"]

    def _of_instructions(self, values: list[Any], dtype: Any) -> NDArray[Any]:
        table = np.array(values, dtype=dtype)
        return table[self.columns["instruction"]] if len(table) else table

    @cached_property
    def line(self) -> NDArray[np.int32]:
        """Source line of each step; 0 where the PTX does not say."""
        return self._of_places([line for _, line in self._places], "i4")

    @cached_property
    def file(self) -> NDArray[np.str_]:
        """Source file of each step."""
        return self._of_places([file for file, _ in self._places], "U")

    def _of_places(self, values: list[Any], dtype: Any) -> NDArray[Any]:
        table = np.array(values, dtype=dtype)
        return table[self._placed] if len(table) else table

    @cached_property
    def _placed(self) -> NDArray[Any]:
        """The instruction whose place counts for each step."""
        if self._note is None or not self._note.launched.debug:
            return self.columns["instruction"]
        from .debug_lines import lines_in_force

        python = self._facts["owner"] > 0
        return lines_in_force(self.columns, self._places, python)

    @cached_property
    def opcode(self) -> NDArray[np.str_]:
        """What each step executed, such as "ld.shared.f32"."""
        return self._of_instructions([each[0] for each in self._instructions], "U")

    @cached_property
    def function(self) -> NDArray[np.str_]:
        """In which function of the PTX each step is."""
        return self._of_instructions([each[1] for each in self._instructions], "U")

    @property
    def ptx_lines(self) -> list[int]:
        """The line of the PTX's text, from 1, of each row of `columns["instruction"]`.

        That column counts the instructions of the launch; this list is by its numbers.
        """
        return [each[4] for each in self._instructions]

    @property
    def register_names(self) -> list[str]:
        """Names of registers by the numbers in `columns["result_register"]`."""
        return [name for name, _, _ in self._registers]

    @cached_property
    def addresses(self) -> NDArray[np.uint64]:
        """Where each lane accessed memory, (steps, 32); 0 where it did not.

        Global addresses, or offsets into shared or local memory; of a vector access the
        first element's.
        """
        return self._first_elements("access_address")

    @cached_property
    def values(self) -> NDArray[np.uint64]:
        """What each lane of a step wrote to a register or to memory, (steps, 32).

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
        found = np.zeros((len(self), LANES), np.uint64)
        steps, first = np.unique(columns["access_step"], return_index=True)
        active = lanes_of(columns["access_mask"][first])
        found[steps] = np.where(active, columns[name][first], 0)
        return found

    def variables(self, block: Any = 0) -> VariableChanges:
        """What the variables of a block's threads became, by the learner's names.

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
            ImportError: pyelftools is not installed.

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
        """What the registers of a block's threads became, by their names in the PTX.

        Args:
            block: Its number, or (x, y, z).

        Returns:
            Columns as those of `variables`, of any build.

        Raises:
            IndexError: No such block.
            TypeError: Neither a number nor a tuple of three.
        """
        number = number_within(block, self._facts["grid"], "trace")
        return register_changes(self.columns, self._registers, number)

    @cached_property
    def _replay(self) -> Any:
        """What follows the variables; None for a kernel without their names."""
        if self._note is None or not self._note.launched.debug or not len(self):
            return None
        from .debug_replay import replay_of

        lines = [each[4] for each in self._instructions]
        registers = [name for name, _, _ in self._registers]
        owner = self._facts["owner"]
        return replay_of(self._note.launched, owner, self.columns, lines, registers)

    def at(self, step: int) -> Moment:
        """Rebuild the moment after `step`.

        Raises:
            IndexError: no such step.
        """
        if not -len(self) <= step < len(self):
            raise IndexError(f"[trace] got step {step}; need 0 to {len(self) - 1}.")
        step %= len(self)
        block, warp = int(self.block[step]), int(self.warp[step])
        registers, written = self._registers_at(step, block, warp)
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
            registers=registers,
            written=written,
            **self._shared_at(step, block),
        )

    def _registers_at(
        self, step: int, block: int, warp: int
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[np.bool_]]]:
        columns = self.columns
        steps = columns["result_step"]
        end = int(np.searchsorted(steps, step, side="right"))
        at = steps[:end]
        rows = np.nonzero((self.block[at] == block) & (self.warp[at] == warp))[0]
        names = columns["result_register"][rows]
        registers: dict[str, NDArray[Any]] = {}
        written: dict[str, NDArray[np.bool_]] = {}
        for number in np.unique(names):
            own = rows[names == number]
            active = lanes_of(self.mask[steps[own]])  # (rows, 32)
            last = len(own) - 1 - np.argmax(active[::-1], axis=0)
            has = np.asarray(active.any(axis=0))
            values = columns["result_value"][own[last], np.arange(LANES)]
            name, type_, _ = self._registers[number]
            registers[name] = typed_lanes(np.where(has, values, 0), ptx_dtype(type_))
            written[name] = has
        return registers, written

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
            where = address[inside] + byte
            shared[where] = (value[inside] >> np.uint64(8 * byte)).astype(np.uint8)
            writer_step[where] = steps[row[inside]]
            writer_thread[where] = thread[inside]
        return {
            "shared": shared,
            "writer_step": writer_step,
            "writer_thread": writer_thread,
        }
