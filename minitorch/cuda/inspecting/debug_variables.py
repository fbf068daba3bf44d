"""Owns which variables a build for debuggers has, and where in the PTX each lies.

Must not know traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiling.debug_sections import DebugText, debug_text, opened
from .debug_types import name_of, parts_of, uleb128

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.dwarf.locationlists import LocationParser

_REGX, _ADDR, _PLUS = 0x90, 0x03, 0x23  # DW_OP_*
_LOCAL = 6  # DW_AT_address_class
_VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")
_SCOPES = ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine")

Range = tuple[int, int]


@dataclass(frozen=True)
class Place:
    """Where a variable lies as long as the PTX line is in [begin, end).

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
    """A variable, or one number of an array or struct.

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
        places: Where it lies; none for what the compiler does not tell.
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
    places: list[Place]


#: Python's names by file, and by name in C++.
Renaming = Mapping[str, Mapping[str, str]]


class DebugVariables:
    """The variables of one module.

    Args:
        ptx: Of a build for debuggers.
        line: Of the PTX, within the kernel.
        renamed: For kernels in Python: their names; others are not the learner's. None
            for CUDA C++: the names in the kernel's file are.

    Attributes:
        text: The PTX.
        numbers: The variables, those of the kernel first, by line.
        functions: The PTX lines of each function.
        entry: Those of the kernel.
    """

    def __init__(self, ptx: str, line: int, renamed: Renaming | None) -> None:
        self.text: DebugText = debug_text(ptx)
        self.numbers: list[Number] = []
        self.functions: list[Range] = []
        self.entry: Range = (0, 0)
        self._renamed = renamed
        self._own_file = self._own_name = ""
        if ".debug_info" in self.text.sections:
            self._read(line)

    def _read(self, line: int) -> None:
        info = opened(self.text)  # says so where pyelftools is missing
        from elftools.dwarf.locationlists import LocationParser

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
            for die, scope in _variables(function, lines):
                self._add(die, scope, lines, parser)
        self.numbers.sort(key=lambda each: (each.owner, each.line))

    def _file(self, die: DIE) -> str:
        found = die.attributes.get("DW_AT_decl_file")
        return self.text.files.get(found.value, "") if found else ""

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
        places = list(_places(die, scope, parser))
        for suffix, offset, dtype in parts:
            own = [
                replace(each, offset=each.offset + offset)
                for each in places
                if not each.register or len(parts) == 1
            ]
            if own:
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
                    places=own,
                )
                self.numbers.append(number)


def _range(die: DIE, outer: Range) -> Range:
    """First line and the one after the last; those of what is around where not told."""
    low, high = (die.attributes.get(f"DW_AT_{end}_pc") for end in ("low", "high"))
    return (low.value, high.value) if low and high else outer


def _variables(die: DIE, scope: Range) -> Iterator[tuple[DIE, Range]]:
    """Variables within, with the lines in which they exist."""
    for child in die.iter_children():
        if child.tag in _VARIABLES:
            yield child, scope
        elif child.tag in _SCOPES:
            yield from _variables(child, _range(child, scope))


def _places(die: DIE, scope: Range, parser: LocationParser) -> Iterator[Place]:
    found = die.attributes.get("DW_AT_location")
    if found is None:
        return
    kind = die.attributes.get("DW_AT_address_class")
    local = kind is not None and kind.value == _LOCAL
    located = parser.parse_from_attribute(found, die.cu["version"], die)
    entries: list[Any] = located if isinstance(located, list) else [located]
    for entry in entries:
        low = max(getattr(entry, "begin_offset", scope[0]), scope[0])
        high = min(getattr(entry, "end_offset", scope[1]), scope[1])
        place = _place(list(entry.loc_expr), low, high, local)
        if low < high and place is not None:
            yield place


def _place(code: list[int], low: int, high: int, local: bool) -> Place | None:
    """Read `regx name` or, in local memory, `addr depot; plus_uconst offset`."""
    if code[:1] == [_REGX]:
        number = uleb128(code[1:])
        name = number.to_bytes((number.bit_length() + 7) // 8, "big").decode("ascii")
        return Place(low, high, name)
    if local and code[:1] == [_ADDR]:
        rest = code[9:]
        return Place(low, high, "", uleb128(rest[1:]) if rest[:1] == [_PLUS] else 0)
    return None
