"""Follow the variables of a kernel through a trace: read the debug information of a
build for debuggers, and replay a block's steps on it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..compiling.debug_info import DebugText, debug_text, open_sections
from ..errors import original_line
from ..launching.launch_notes import Launched

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.dwarf.locationlists import LocationParser

LANES = 32
_MOST_LOCAL = 1 << 16  # bytes of a thread's local memory that are followed

Lanes = NDArray[Any]  # (32,)


def lanes_of(mask: Any) -> NDArray[np.bool_]:
    """Unpack masks to booleans per lane: (...,) -> (..., 32)."""
    bits = np.asarray(mask, dtype=np.uint32)[..., np.newaxis]
    return (bits >> np.arange(LANES, dtype=np.uint32) & 1).astype(bool)


class LaneValues:
    """Values of 32 lanes, and which lanes have one."""

    def __init__(self) -> None:
        self.values = np.zeros(LANES, np.uint64)
        self.known = np.zeros(LANES, bool)

    def put(self, values: Lanes, lanes: Lanes) -> Lanes:
        """Store values of some lanes; return the lanes that changed."""
        news: Lanes = lanes & (~self.known | (self.values != values))
        self.values = np.where(news, values, self.values)
        self.known |= lanes
        return news


class LocalMemory:
    """Local memory of a warp's threads, as far as it was written."""

    def __init__(self) -> None:
        self._bytes = np.zeros((LANES, 0), np.uint8)
        self._known = np.zeros((LANES, 0), bool)

    def write(self, address: Lanes, value: Lanes, size: int, lanes: Lanes) -> None:
        """Write `size` bytes of each lane's value at its address."""
        first = address.astype(np.int64)
        lanes = lanes & (first + size <= _MOST_LOCAL)
        if not lanes.any():
            return
        end = int(first[lanes].max()) + size
        if end > self._bytes.shape[1]:
            more = ((0, 0), (0, end - self._bytes.shape[1]))
            self._bytes = np.pad(self._bytes, more)
            self._known = np.pad(self._known, more)
        lane = np.nonzero(lanes)[0]
        for byte in range(size):
            part = value[lane] >> np.uint64(8 * byte)
            self._bytes[lane, first[lane] + byte] = part.astype(np.uint8)
            self._known[lane, first[lane] + byte] = True

    def read(self, offset: int, size: int) -> tuple[Lanes, Lanes]:
        """Return each lane's value at an offset, and which lanes have written it."""
        if offset + size > self._bytes.shape[1]:
            return np.zeros(LANES, np.uint64), np.zeros(LANES, bool)
        wide = np.zeros((LANES, 8), np.uint8)
        wide[:, :size] = self._bytes[:, offset : offset + size]
        known = np.asarray(self._known[:, offset : offset + size].all(axis=1))
        return wide.view(np.uint64)[:, 0], known


def typed_lanes(bits: NDArray[np.uint64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Reinterpret zero-extended 64-bit values as a type that is not wider."""
    if dtype == np.bool_:
        return np.asarray((bits & np.uint64(0xFF)) != 0)
    narrow: NDArray[Any] = np.ascontiguousarray(bits).view(dtype)
    return np.asarray(narrow.reshape(*bits.shape, 8 // dtype.itemsize)[..., 0])


@dataclass(frozen=True)
class VariableChanges:
    """Changes of a block's variables in order of steps, as columns.

    A row is one variable of one warp that got new values in some lanes. A variable of
    Python that takes two types has two entries of one name: its latest row counts.

    Attributes:
        names: Of the variables; elements of arrays are `a[0]`, members `p.x`. A name
            that hides another one has its line or function behind it: `i (line 8)`,
            `i (in square)`.
        dtypes: Of the variables.
        lines: Source line of each one's declaration.
        step: The trace's step after which the values are there, (n,).
        warp: Of the block, (n,).
        name: Number of the variable in `names`, (n,).
        values: Bits of each lane, zero-extended, (n, 32); see `typed`.
        written: The lanes that got a new value, (n, 32).
        scopes: Of each variable the scopes in which it exists, as instructions of the
            launch, (scopes, instructions).
    """

    names: tuple[str, ...]
    dtypes: tuple[np.dtype[Any], ...]
    lines: tuple[int, ...]
    step: NDArray[np.int64]
    warp: NDArray[np.int64]
    name: NDArray[np.int64]
    values: NDArray[np.uint64]
    written: NDArray[np.bool_]
    scopes: tuple[NDArray[np.bool_], ...] = ()

    def __len__(self) -> int:
        return len(self.step)

    def visible(self, instructions: Sequence[int]) -> set[str]:
        """Return the names of variables with one scope around all instructions.

        Args:
            instructions: Numbers of `trace.columns["instruction"]`.
        """
        return {
            name
            for name, scopes in zip(self.names, self.scopes, strict=True)
            if scopes[:, list(instructions)].all(axis=1).any()
        }

    def typed(self, row: int) -> Lanes:
        """Return a row in the variable's type, (32,); 0 in lanes without a value."""
        return typed_lanes(self.values[row], self.dtypes[int(self.name[row])])

    def at(self, step: int, warp: int) -> dict[str, tuple[Lanes, Lanes]]:
        """Return a warp's variables after a step: values, and which lanes have one.

        Args:
            step: Of the trace.
            warp: In the block.

        Returns:
            By name, in the order of `names`; without those that no lane has yet.
        """
        end = int(np.searchsorted(self.step, step, side="right"))
        rows = np.nonzero(self.warp[:end] == warp)[0]
        numbers = self.name[rows]
        latest: dict[str, tuple[int, Lanes, Lanes]] = {}  # with the last row
        for number in np.unique(numbers).tolist():
            matches = rows[numbers == number]
            written = self.written[matches]
            last = len(matches) - 1 - np.argmax(written[::-1], axis=0)
            known = np.asarray(written.any(axis=0))
            bits = np.where(known, self.values[matches[last], np.arange(LANES)], 0)
            values = typed_lanes(bits, self.dtypes[number])
            name, row = self.names[number], int(matches[-1])
            if name not in latest or latest[name][0] < row:
                latest[name] = row, values, known
        names = dict.fromkeys(self.names)
        return {name: latest[name][1:] for name in names if name in latest}


NOTHING = VariableChanges(
    (), (), (),
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64),
    np.zeros((0, LANES), np.uint64), np.zeros((0, LANES), bool),
)  # fmt: skip


class Columns:
    """Builder of the rows of `VariableChanges`."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, Lanes, Lanes]] = []
        self._now: dict[tuple[int, int], LaneValues] = defaultdict(LaneValues)

    def note(
        self, step: int, warp: int, name: int, values: Lanes, lanes: Lanes
    ) -> None:
        """Append a row if a variable of a warp changed in some lanes."""
        now = self._now[warp, name]
        news = now.put(values, lanes)
        if news.any():
            self._rows.append((step, warp, name, now.values.copy(), news))

    def changes(
        self,
        names: Sequence[str],
        dtypes: Sequence[np.dtype[Any]],
        lines: Sequence[int],
        scopes: Sequence[NDArray[np.bool_]],
    ) -> VariableChanges:
        """Return all rows as columns."""
        columns = zip(*self._rows, strict=True) if self._rows else [()] * 5
        step, warp, name, values, news = columns
        return VariableChanges(
            tuple(names),
            tuple(dtypes),
            tuple(lines),
            np.array(step, np.int64),
            np.array(warp, np.int64),
            np.array(name, np.int64),
            np.array(values, np.uint64).reshape(-1, LANES),
            np.array(news, bool).reshape(-1, LANES),
            tuple(scopes),
        )


#: What follows the variable's name, the offset in bytes, and the dtype.
Part = tuple[str, int, "np.dtype[np.generic]"]

#: Larger variables are left out: too many numbers to show for one thread.
_MOST_PARTS = 64
_KINDS = {2: "?", 4: "f", 5: "i", 6: "i", 7: "u", 8: "u"}  # DW_ATE_*
_INSIDE = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")
_HALF = {"__half": "f2"}


def parts_of(type_: DIE, commas: bool) -> list[Part]:
    """Return the numbers that a variable of this type consists of.

    Args:
        type_: A type.
        commas: Whether indices are written `[1, 2]`, as in Python, and not `[1][2]`.

    Returns:
        One part for a number, several for arrays and structs; none for pointers, for
        types that are not known, and for too large ones.
    """
    parts = _parts(type_, commas)
    return parts if len(parts) <= _MOST_PARTS else []


def _parts(type_: DIE, commas: bool) -> list[Part]:
    while type_.tag in _INSIDE:
        type_ = type_.get_DIE_from_attribute("DW_AT_type")
    size = _value(type_, "DW_AT_byte_size")
    name = name_of(type_)
    if name in _HALF:
        return [("", 0, np.dtype(_HALF[name]))]
    if type_.tag == "DW_TAG_base_type":
        kind = _KINDS.get(_value(type_, "DW_AT_encoding"))
        if kind is None or size not in (1, 2, 4, 8):
            return []
        return [("", 0, np.dtype("?" if kind == "?" else f"<{kind}{size}"))]
    if type_.tag == "DW_TAG_enumeration_type":
        return [("", 0, np.dtype(f"<i{size}"))]
    if type_.tag == "DW_TAG_structure_type":
        return [
            (f".{name_of(member)}{suffix}", _member_offset(member) + offset, dtype)
            for member in type_.iter_children()
            if member.tag == "DW_TAG_member"
            for suffix, offset, dtype in _parts(_type(member), commas)
        ]
    if type_.tag == "DW_TAG_array_type":
        return _elements(type_, commas)
    return []


def _elements(type_: DIE, commas: bool) -> list[Part]:
    sizes = [
        _value(bound, "DW_AT_count") or _value(bound, "DW_AT_upper_bound") + 1
        for bound in type_.iter_children()
        if bound.tag == "DW_TAG_subrange_type"
    ]
    inner = _parts(_type(type_), commas)
    if not inner or math.prod(sizes) * len(inner) > _MOST_PARTS:
        return []
    step = max(offset + dtype.itemsize for _, offset, dtype in inner)
    return [
        (_index(index, commas) + suffix, number * step + offset, dtype)
        for number, index in enumerate(product(*map(range, sizes)))
        for suffix, offset, dtype in inner
    ]


def _index(index: tuple[int, ...], commas: bool) -> str:
    return str(list(index)) if commas else "".join(f"[{i}]" for i in index)


def _type(die: DIE) -> DIE:
    return die.get_DIE_from_attribute("DW_AT_type")


def name_of(die: DIE) -> str:
    """Return the name in the source, or ""."""
    attribute = die.attributes.get("DW_AT_name")
    return attribute.value.decode(errors="replace") if attribute else ""


def _value(die: DIE, name: str) -> int:
    attribute = die.attributes.get(name)
    return attribute.value if attribute and isinstance(attribute.value, int) else 0


def _member_offset(member: DIE) -> int:
    """Return a member's offset: a number, or the expression `plus_uconst offset`."""
    attribute = member.attributes.get("DW_AT_data_member_location")
    if attribute is None or isinstance(attribute.value, int):
        return attribute.value if attribute else 0
    return uleb128(attribute.value[1:])


def uleb128(data: list[int]) -> int:
    """Return the first number of ULEB128 data.

    Example:
        >>> uleb128([0xE5, 0x8E, 0x26, 0xFF])
        624485
    """
    value = 0
    for index, byte in enumerate(data):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            break
    return value


_REGX, _ADDR, _PLUS = 0x90, 0x03, 0x23  # DW_OP_*
_LOCAL = 6  # DW_AT_address_class
_VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")
_SCOPES = ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine")

Range = tuple[int, int]


@dataclass(frozen=True)
class Location:
    """Location of a variable while the PTX line is in [begin, end).

    Attributes:
        register: Its name, or "" for local memory.
        offset: In the local memory of the function's frame.
    """

    begin: int
    end: int
    register: str
    offset: int = 0


@dataclass
class Number:
    """Scalar variable, or one number of an array or struct.

    Attributes:
        name: As the learner wrote it; `a[0]`, `p.x`.
        file, line: Of the declaration, as the PTX has them.
        dtype: Its type.
        function: The PTX lines of the function that it is in.
        scope: The PTX lines in which it exists.
        declaration: A number that it shares with its other copies, where a function is
            inlined several times.
        owner: The function that declares it, where that is not the kernel.
        python: Whether it is a variable of Python.
        locations: Where it is; none if the compiler does not say.
    """

    name: str
    file: str
    line: int
    dtype: np.dtype[Any]
    function: Range
    scope: Range
    declaration: int
    owner: str
    python: bool
    locations: list[Location]


#: Python's names by file, and by name in C++.
Renaming = Mapping[str, Mapping[str, str]]


class DebugVariables:
    """Variables of one module, from its debug information.

    Args:
        ptx: Of a build for debuggers.
        line: Of the PTX, within the kernel.
        renamed: For kernels in Python: their names; others are not the learner's. None
            for CUDA C++: the names in the kernel's file are.

    Attributes:
        text: The PTX.
        numbers: The variables, those of the kernel first, by line.
        functions: The PTX lines of each function.
        inlined: Those of each call that was inlined.
        entry: Those of the kernel.
    """

    def __init__(self, ptx: str, line: int, renamed: Renaming | None) -> None:
        self.text: DebugText = debug_text(ptx)
        self.numbers: list[Number] = []
        self.functions: list[Range] = []
        self.inlined: list[Range] = []
        self.entry: Range = (0, 0)
        self._renamed = renamed
        self._own_file = self._own_name = ""
        if ".debug_info" in self.text.sections:
            self._read(line)

    def _read(self, line: int) -> None:
        from elftools.dwarf.locationlists import LocationParser

        info = open_sections(self.text)
        parser = LocationParser(info.location_lists())
        functions = [
            (function, (low, high))
            for unit in info.iter_CUs()
            for function in unit.get_top_DIE().iter_children()
            if function.tag == "DW_TAG_subprogram"
            for low, high in [_range(function, (0, 0))]
            if high
        ]
        self.functions = [lines for _, lines in functions]
        for function, (low, high) in functions:
            if low <= line < high:
                self.entry = low, high
                self._own_file, self._own_name = self._file(function), name_of(function)
        for function, lines in functions:
            self.inlined += _inlined_calls(function)
            for die, scope in _variables(function, lines):
                self._add(die, scope, lines, parser)
        self.numbers.sort(key=lambda variable: (variable.owner, variable.line))

    def _file(self, die: DIE) -> str:
        attribute = die.attributes.get("DW_AT_decl_file")
        return self.text.files.get(attribute.value, "") if attribute else ""

    def _name(self, die: DIE) -> str:
        file, name = self._file(die), name_of(die)
        if self._renamed is None:
            return name if file == self._own_file else ""
        return self._renamed.get(file, {}).get(name, "")

    def _owner(self, die: DIE) -> str:
        while die.tag != "DW_TAG_subprogram":
            parent = die.get_parent()
            assert parent is not None
            die = parent
        name = name_of(die)
        return "" if name == self._own_name else name

    def _add(
        self, die: DIE, scope: Range, function: Range, parser: LocationParser
    ) -> None:
        origin = die
        if "DW_AT_abstract_origin" in die.attributes:  # of an inlined function
            origin = die.get_DIE_from_attribute("DW_AT_abstract_origin")
        name, python = self._name(origin), self._renamed is not None
        if not name or "DW_AT_type" not in origin.attributes:
            return
        type_ = origin.get_DIE_from_attribute("DW_AT_type")
        parts = parts_of(type_, commas=python)
        if python and any(part.startswith(".") for part, *_ in parts):
            return  # what arrays and tuples of Python became
        candidates = list(_locations(die, scope, parser))
        for suffix, offset, dtype in parts:
            locations = [
                replace(location, offset=location.offset + offset)
                for location in candidates
                if not location.register or len(parts) == 1
            ]
            if locations:
                number = Number(
                    name=name + suffix,
                    file=self._file(origin),
                    line=origin.attributes["DW_AT_decl_line"].value,
                    dtype=dtype,
                    function=function,
                    scope=scope,
                    declaration=origin.offset,
                    owner=self._owner(origin),
                    python=python,
                    locations=locations,
                )
                self.numbers.append(number)


def _range(die: DIE, outer: Range) -> Range:
    """Return the first line and the one after the last; the outer range if unknown."""
    low, high = (die.attributes.get(f"DW_AT_{end}_pc") for end in ("low", "high"))
    return (low.value, high.value) if low and high else outer


def _variables(die: DIE, scope: Range) -> Iterator[tuple[DIE, Range]]:
    """Yield nested variables with the lines in which they exist."""
    for child in die.iter_children():
        if child.tag in _VARIABLES:
            yield child, scope
        elif child.tag in _SCOPES:
            yield from _variables(child, _range(child, scope))


def _inlined_calls(die: DIE) -> Iterator[Range]:
    for child in die.iter_children():
        if child.tag in _SCOPES:
            if child.tag == "DW_TAG_inlined_subroutine":
                yield _range(child, (0, 0))
            yield from _inlined_calls(child)


def _locations(die: DIE, scope: Range, parser: LocationParser) -> Iterator[Location]:
    attribute = die.attributes.get("DW_AT_location")
    if attribute is None:
        return
    kind = die.attributes.get("DW_AT_address_class")
    local = kind is not None and kind.value == _LOCAL
    located = parser.parse_from_attribute(attribute, die.cu["version"], die)
    entries: list[Any] = located if isinstance(located, list) else [located]
    for entry in entries:
        low = max(getattr(entry, "begin_offset", scope[0]), scope[0])
        high = min(getattr(entry, "end_offset", scope[1]), scope[1])
        location = _parse_location(list(entry.loc_expr), low, high, local)
        if low < high and location is not None:
            yield location


def _parse_location(
    code: list[int], low: int, high: int, local: bool
) -> Location | None:
    """Parse `regx name` or, in local memory, `addr depot; plus_uconst offset`."""
    if code[:1] == [_REGX]:
        number = uleb128(code[1:])
        name = number.to_bytes((number.bit_length() + 7) // 8, "big").decode("ascii")
        return Location(low, high, name)
    if local and code[:1] == [_ADDR]:
        rest = code[9:]
        return Location(low, high, "", uleb128(rest[1:]) if rest[:1] == [_PLUS] else 0)
    return None


def _same_numbers(
    variables: Sequence[Number], original: Callable[[str, int], int]
) -> tuple[list[int], list[str], list[np.dtype[Any]], list[int]]:
    """Number the variables: one for each, however often the code declares it.

    Returns:
        For each given variable its number; by number the names, dtypes and lines.
    """
    numbers: list[int] = []
    names: list[str] = []
    lines: list[int] = []
    members: list[list[Number]] = []  # by number
    for variable in variables:
        alike = (
            number
            for number, others in enumerate(members)
            if variable.dtype == others[0].dtype
            and all(_is_one(variable, other) for other in others)
        )
        number = next(alike, len(members))
        numbers.append(number)
        if number < len(members):
            members[number].append(variable)
            continue
        hides = any(
            variable.name == other.name and not _is_one(variable, other)
            for others in members
            for other in others
        )
        line = original(variable.file, variable.line)
        owner = variable.owner.removeprefix("py_")
        suffix = f" (in {owner})" if owner else f" (line {line})"
        names.append(variable.name + suffix * hides)
        lines.append(line)
        members.append([variable])
    return numbers, names, [first.dtype for first, *_ in members], lines


def _is_one(one: Number, other: Number) -> bool:
    """Return whether two are one variable in the source, perhaps of two types.

    In Python a function has one of a name. In C++ scopes that are apart may have one
    each, which a reader does not distinguish either.
    """
    if one.name != other.name or one.file != other.file:
        return False
    if one.python:
        return True
    apart = one.scope[1] <= other.scope[0] or other.scope[1] <= one.scope[0]
    return one.owner == other.owner and (apart or one.declaration == other.declaration)


_LOCAL_SPACE, _READ = 3, 1  # of the trace's columns
_LOCAL_BASE = 0x0800_0000  # where the emulator's local memory begins
_FRAME = "%SPL"  # the register with the address of a function's local memory
_NO_CODE = re.compile(r"\s*(//.*|\.loc\b.*|[{}]( *//.*)?|\$L__tmp\d+:.*)?$")
_MARK = re.compile(r"\s*\$L__tmp\d+:")

Tables = Mapping[str, NDArray[Any]]
Found = tuple[int, Location]  # the number of a name, and its location


class _Warp:
    """Known state of one warp."""

    def __init__(self) -> None:
        self.registers: dict[tuple[Range, str], LaneValues] = defaultdict(LaneValues)
        self.frames: dict[Range, int] = {}
        self.memory = LocalMemory()


class Replay:
    """Replay of a launch's trace that follows the kernel's variables.

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
        numbers, *names = _same_numbers(variables.numbers, original)
        # With the dtypes, lines and scopes that go with them.
        self._names: Any = [*names, _scopes(variables, numbers, np.array(lines))]
        self._in_register: dict[tuple[Range, str], list[Found]] = defaultdict(list)
        self._in_memory: dict[Range, list[tuple[int, Location, int]]] = defaultdict(
            list
        )
        for number, variable in zip(numbers, variables.numbers, strict=True):
            for location in variable.locations:
                if location.register:
                    key = variable.function, location.register
                    self._in_register[key].append((number, location))
                else:
                    size = variable.dtype.itemsize
                    self._in_memory[variable.function].append((number, location, size))
        text = variables.text.lines
        self._function = [_within(line, variables.functions) for line in lines]
        self._marks = [_marks_around(text, line) for line in lines]
        self._after = [
            max([line, *(mark for mark in marks if mark > line)])
            for line, marks in zip(lines, self._marks, strict=True)
        ]
        self._begins = [self._locations_from(index) for index in range(len(lines))]

    def _locations_from(self, instruction: int) -> list[tuple[str, Found]]:
        """Return the variables that a register holds from this instruction on."""
        current, marks = self._function[instruction], self._marks[instruction]
        return [
            (register, entry)
            for (function, register), every in self._in_register.items()
            if function == current
            for entry in every
            if entry[1].begin in marks
        ]

    def block(self, block: int) -> VariableChanges:
        """Replay the steps of the block with this number."""
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
            current = self._function[instruction]
            if current is None:
                continue
            warp, after = warps[number], self._after[instruction]
            changed = self._store_results(warp, current, range(*results), lanes)
            for register, entry in self._begins[instruction]:
                changed.append((entry, warp.registers[current, register]))
            for (name, location), held in changed:
                if location.begin <= after < location.end:
                    rows.note(step, number, name, held.values, lanes & held.known)
            for row in range(*accesses):
                for name, values, known in self._store_local(warp, current, after, row):
                    rows.note(step, number, name, values, lanes & known)
        return rows.changes(*self._names)

    def _store_results(
        self, warp: _Warp, current: Range, rows: range, lanes: NDArray[np.bool_]
    ) -> list[tuple[Found, LaneValues]]:
        """Store a step's register results; return the variables in them."""
        changed = []
        for row in rows:
            register = self._registers[self._columns["result_register"][row]]
            values = self._columns["result_value"][row]
            if register == _FRAME and lanes.any():
                warp.frames[current] = int(values[lanes][0]) - _LOCAL_BASE
            key = current, register
            if key in self._in_register:
                held = warp.registers[key]
                held.put(values, lanes)
                changed += [(variable, held) for variable in self._in_register[key]]
        return changed

    def _store_local(
        self, warp: _Warp, current: Range, after: int, row: int
    ) -> Iterator[tuple[int, Lanes, Lanes]]:
        """Store a write to local memory; yield the variables at that address."""
        columns = self._columns
        kind, space = columns["access_kind"][row], columns["access_space"][row]
        if space != _LOCAL_SPACE or kind == _READ:
            return
        lanes, size = lanes_of(columns["access_mask"][row]), columns["access_size"][row]
        address = columns["access_address"][row].astype(np.int64)
        warp.memory.write(address, columns["access_value"][row], int(size), lanes)
        # A function's pointers lead to its own variables or, mostly, to the kernel's.
        for function in dict.fromkeys((current, self._entry)):
            if function not in warp.frames:
                continue
            for name, location, bytes_ in self._in_memory[function]:
                start = warp.frames[function] + location.offset
                hit = lanes & (address < start + bytes_) & (address + size > start)
                exists = function != current or location.begin <= after < location.end
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
    """Read the variables of a debug build that was launched and traced."""
    first = lines[columns["instruction"][0]]
    variables = DebugVariables(launched.ptx(), first, launched.renamed)

    def original(file: str, line: int) -> int:
        return (original_line(owner, (file, line)) or (file, line))[1]

    return Replay(variables, columns, lines, registers, original)


def _scopes(
    variables: DebugVariables, numbers: Sequence[int], lines: NDArray[Any]
) -> list[NDArray[np.bool_]]:
    """Return for each variable its scopes, as instructions: a call that was inlined
    into one is not part of it.
    """
    scopes: dict[int, list[NDArray[np.bool_]]] = defaultdict(list)
    for number, variable in zip(numbers, variables.numbers, strict=True):
        low, high = variable.scope
        inside = (low <= lines) & (lines < high)
        for begin, end in variables.inlined:
            if low <= begin and end <= high and (begin, end) != (low, high):
                inside &= (lines < begin) | (end <= lines)
        scopes[number].append(inside)
    return [np.array(scopes[number]) for number in sorted(scopes)]


def _within(line: int, functions: Sequence[Range]) -> Range | None:
    return next((lines for lines in functions if lines[0] <= line < lines[1]), None)


def _marks_around(text: Sequence[str], line: int) -> set[int]:
    """Return the lines of debug labels between an instruction and its neighbours."""
    marks = set()
    for step in (-1, 1):
        number = line + step
        while 1 <= number <= len(text) and _NO_CODE.match(text[number - 1]):
            if _MARK.match(text[number - 1]):
                marks.add(number)
            number += step
    return marks
