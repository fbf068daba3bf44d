"""Backward slices of a trace: the operations that compute a stored value.

A slice follows values only: the last writer of each operand of the PTX, and through
shared and local memory the thread that stored there. It ends at what was read from
global memory, at constants and parameters, and at integers other than sums and bits
moved about, which make and read float16; those are taken as the run had them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from ..cuda.inspecting.accesses import (
    ATOMIC,
    GLOBAL,
    LOCAL,
    SHARED,
    WRITE,
    accesses_of,
)
from ..cuda.inspecting.trace import LANES, Trace
from .exact_arithmetic import result_of
from .ptx_text import Instruction, immediate, instruction_at

# What hands a value on as it is.
MOVES = ("mov", "ld", "st", "shfl", "selp", "cvta", "ldu")
FLOATS = ("f16", "f32", "f64", "bf16")
_ARITHMETIC = """add sub mul fma mad div rcp sqrt rsqrt max min neg abs ex2 lg2 sin cos
tanh copysign cvt"""
_COMPUTES = frozenset(_ARITHMETIC.split())
# Of integers, which hold the bits of a number while it changes its type.
_OF_BITS = frozenset({"and", "or", "xor", "shl", "shr", "add", "sub", "cvt"})

# Writes of a warp to each register, in order: steps, result rows, and lane masks.
_Writes = dict[str, list[tuple[int, int, int]]]
# Space, address, and in local memory the thread whose it is.
_Cell = tuple[int, int, int]


@dataclass
class Value:
    """What one lane of a step wrote.

    Attributes:
        step: the row of the trace; -1 for what stood there before, and constants.
        warp, lane: whose it is; bits: what it is.
        opcode: of the instruction, "" of a constant; line: of the kernel's source.
        address: of a load from global memory; 0 otherwise.
        sources: what it was made of; empty where the slice ends.
    """

    step: int
    warp: int
    lane: int
    bits: int
    opcode: str = ""
    line: int = 0
    address: int = 0
    sources: list[Value] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Instruction without its modifiers."""
        return self.opcode.partition(".")[0]

    @property
    def type(self) -> str:
        """Type of its result, or ""."""
        parts = self.opcode.split(".")
        return parts[-2] if parts[0] == "cvt" and len(parts) > 2 else parts[-1]

    @property
    def source_type(self) -> str:
        """Type of its operands."""
        return self.opcode.rpartition(".")[2]

    @property
    def is_mac(self) -> bool:
        """Whether it is a multiply-add of floating-point numbers."""
        return self.name in ("fma", "mad") and self.type in FLOATS

    @property
    def is_of_floats(self) -> bool:
        """Whether its result is a floating-point number."""
        return self.type in FLOATS

    def origin(self) -> Value:
        """Return the value that was loaded or computed, through all moves."""
        value = self
        while value.name in MOVES and value.sources:
            value = value.sources[0]
        return value


@dataclass(frozen=True)
class Store:
    """A store to global memory: its trace row, thread, address and bits."""

    step: int
    block: int
    thread: int
    address: int
    size: int
    value: int
    element: int

    @property
    def warp(self) -> int:
        """Warp of its block."""
        return self.thread // LANES

    @property
    def lane(self) -> int:
        """Lane of its warp."""
        return self.thread % LANES


def stores_to(trace: Trace, address: int) -> Iterator[Store]:
    """Yield all stores of a trace to an address, latest first."""
    stores = accesses_of(trace, (GLOBAL,), (WRITE, ATOMIC))
    found = stores.where(stores.address == address)
    rows = _rows(*(getattr(found, part.name) for part in fields(Store)))
    for row in reversed(list(rows)):
        yield Store(*row)


class Slicer:
    """Follows values back through one block of a trace.

    Args:
        trace: of the launch.
        ptx: the text whose lines the trace names.
        block: the block's number.
    """

    def __init__(self, trace: Trace, ptx: str, block: int) -> None:
        self._trace, self._lines = trace, ptx.splitlines()
        self._columns = trace.columns
        self._block = block
        self._read: dict[int, Instruction | None] = {}
        self._made: dict[tuple[int, int], Value] = {}
        self._waiting: list[tuple[Value, str]] = []
        self._warps: dict[int, _Writes] = {}

    def slice(self, store: Store) -> Value:
        """Return the value of a store, with all values that it depends on."""
        instruction = self._instruction(store.step)
        root = self._value(store.step, store.warp, store.lane, store.value)
        if instruction is not None and root.name == "st":
            self._use(root, _part(instruction.operands[-1], store.element))
        while self._waiting:
            self._expand(*self._waiting.pop())
        return root

    def _instruction(self, step: int) -> Instruction | None:
        number = int(self._columns["instruction"][step])
        if number not in self._read:
            line = self._trace.ptx_lines[number]
            self._read[number] = instruction_at(self._lines, line)
        return self._read[number]

    def _value(self, step: int, warp: int, lane: int, bits: int) -> Value:
        instruction = self._instruction(step)
        opcode = instruction.opcode if instruction else ""
        return Value(step, warp, lane, bits, opcode, int(self._trace.line[step]))

    def _use(self, user: Value, operand: str, lane: int | None = None) -> None:
        """Append to `user` the source that an operand names."""
        lane = user.lane if lane is None else lane
        bits = immediate(operand, user.source_type)
        if bits is not None:
            user.sources.append(Value(-1, user.warp, lane, bits))
            return
        row = self._writer(user.warp, lane, operand, user.step)
        if row is not None:
            user.sources.append(self._written(row, user.warp, lane, operand))

    def _written(self, row: int, warp: int, lane: int, register: str) -> Value:
        if (row, lane) not in self._made:
            step = int(self._columns["result_step"][row])
            bits = int(self._columns["result_value"][row, lane])
            value = self._value(step, warp, lane, bits)
            self._made[row, lane] = value
            self._waiting.append((value, register))
        return self._made[row, lane]

    def _writer(self, warp: int, lane: int, name: str, step: int) -> int | None:
        """Return the row that last wrote a lane's register before a step."""
        writes = self._writes_of(warp).get(name, [])
        for i in range(bisect_left(writes, (step,)) - 1, -1, -1):
            _, row, mask = writes[i]
            if mask >> lane & 1:
                return row
        return None

    def _writes_of(self, warp: int) -> _Writes:
        """Return the writes of a warp to registers."""
        if warp not in self._warps:
            columns = self._columns
            steps = columns["result_step"]
            of_warp = (columns["block"][steps] == self._block) & (
                columns["warp"][steps] == warp
            )
            writes: _Writes = defaultdict(list)
            names = self._trace.register_names
            rows = np.nonzero(of_warp)[0]
            numbers = columns["result_register"][rows].tolist()
            masks = columns["mask"][steps[rows]].tolist()
            entries = zip(steps[rows].tolist(), rows.tolist(), masks, strict=True)
            for number, entry in zip(numbers, entries, strict=True):
                writes[names[number]].append(entry)
            self._warps[warp] = writes
        return self._warps[warp]

    def _expand(self, value: Value, register: str) -> None:
        """Find the sources of a written register."""
        instruction = self._instruction(value.step)
        if instruction is None:
            return
        operands = instruction.operands
        name = value.name
        if name in ("ld", "ldu"):
            self._expand_load(value, operands[0].index(register))
        elif name == "shfl":
            self._expand_shuffle(value, operands)
        elif name == "selp":
            chosen = self._predicate(value, operands[3][0])
            self._use(value, operands[1 if chosen else 2][0])
        elif name == "mov" and len(operands[0]) == len(operands[1]) == 1:
            self._use(value, operands[1][0])
        elif name in (_COMPUTES if value.is_of_floats else _OF_BITS):
            for operand in operands[1:]:
                self._use(value, operand[0])

    def _predicate(self, value: Value, operand: str) -> bool:
        row = self._writer(value.warp, value.lane, operand.lstrip("!"), value.step)
        if row is None:
            return False
        is_set = bool(self._columns["result_value"][row, value.lane])
        return is_set != operand.startswith("!")

    def _expand_shuffle(
        self, value: Value, operands: tuple[tuple[str, ...], ...]
    ) -> None:
        """Find the other lane's register that a shuffle reads."""
        _, given, by, clamp = (operand[0] for operand in operands[:4])
        by_bits = self._bits(value, by)
        clamp_bits = self._bits(value, clamp)
        other = shuffled_lane(value.opcode, value.lane, by_bits, clamp_bits)
        self._use(value, given, other)

    def _bits(self, value: Value, operand: str) -> int:
        bits = immediate(operand, "b32")
        if bits is not None:
            return bits
        row = self._writer(value.warp, value.lane, operand, value.step)
        return 0 if row is None else int(self._columns["result_value"][row, value.lane])

    def _expand_load(self, value: Value, part: int) -> None:
        columns = self._columns
        first = bisect_left(columns["access_step"], value.step)
        end = bisect_left(columns["access_step"], value.step + 1, first)
        for row in range(first, end):
            if columns["access_element"][row] != part:
                continue
            address = int(columns["access_address"][row, value.lane])
            space = int(columns["access_space"][row])
            if space == GLOBAL:
                value.address = address
            else:
                self._expand_stored(value, space, address)

    def _expand_stored(self, value: Value, space: int, address: int) -> None:
        """Find the last store of the block to an address of shared or local memory."""
        owner = value.warp * LANES + value.lane if space == LOCAL else -1
        stored = self._stored.get((space, address, owner), [])
        index = bisect_left(stored, (value.step,)) - 1
        if index < 0:
            return
        step, thread, bits, element = stored[index]
        instruction = self._instruction(step)
        if instruction is None or not instruction.opcode.startswith("st"):
            return
        store = self._value(step, *divmod(thread, LANES), bits)
        value.sources.append(store)
        self._use(store, _part(instruction.operands[-1], element))

    @cached_property
    def _stored(self) -> dict[_Cell, list[tuple[int, int, int, int]]]:
        """Stores to shared and local memory by cell, in order.

        Of each the step, the thread, the bits, and the number of the operand.
        """
        every = accesses_of(self._trace, (SHARED, LOCAL), (WRITE, ATOMIC))
        own = every.where(every.block == self._block)
        owners = np.where(own.space == LOCAL, own.thread, -1)
        columns = own.space, own.address, owners
        of_store = own.step, own.thread, own.value, own.element
        stores: dict[_Cell, list[tuple[int, int, int, int]]] = defaultdict(list)
        for cell, store in zip(_rows(*columns), _rows(*of_store), strict=True):
            stores[cell].append(store)
        return stores


def _rows(*columns: Any) -> Iterator[Any]:
    """Yield rows of columns as tuples of Python's integers."""
    return zip(*(column.tolist() for column in columns), strict=True)


def _part(operand: tuple[str, ...], element: int) -> str:
    return operand[min(element, len(operand) - 1)]


def shuffled_lane(opcode: str, lane: int, by: int, clamp: int) -> int:
    """Return the lane that `shfl.sync` reads from, its own if out of range.

    Source: PTX ISA, "shfl.sync", whose pseudocode this is.
    """
    segment = clamp >> 8 & 31
    most = lane & segment | clamp & 31 & ~segment
    least = lane & segment
    by &= 31
    mode = opcode.split(".")[2]
    if mode == "up":
        other = lane - by
        return other if other >= most else lane
    other = {
        "down": lane + by,
        "bfly": lane ^ by,
        "idx": least | by & ~segment,
    }[mode]
    return other if other <= most else lane


def in_order(root: Value) -> list[Value]:
    """Return all values of a slice in the order of execution."""
    values, waiting = {id(root): root}, [root]
    while waiting:
        for source in waiting.pop().sources:
            if id(source) not in values:
                values[id(source)] = source
                waiting.append(source)
    return sorted(values.values(), key=lambda value: value.step)


def recompute(root: Value) -> int:
    """Return the bits of a value, recomputed from the ends of its slice.

    What IEEE 754 does not define, such as approximate functions, keeps its bits.
    """
    results: dict[int, int] = {}
    for value in in_order(root):
        bits = value.bits
        sources = [results[id(source)] for source in value.sources]
        if sources and value.name in MOVES:
            bits = sources[0]
        elif sources:
            exact = result_of(value.opcode, sources)
            bits = value.bits if exact is None else exact
        results[id(value)] = bits
    return results[id(root)]
