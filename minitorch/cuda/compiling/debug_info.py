"""Debug builds: bools kept in memory, and the DWARF sections of PTX.

The address of a label is its line in the PTX.
"""

from __future__ import annotations

import inspect
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import CompileError

if TYPE_CHECKING:
    from elftools.dwarf.dwarfinfo import DWARFInfo

_LABEL = re.compile(r"\s*(\$\w+):")
_SECTION = re.compile(r"\s*\.section\s+([.\w]+)")
_DATA = re.compile(r"\s*\.b(8|16|32|64)\s+(.*)")
_FILE = re.compile(rb'\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_OFFSET = re.compile(r"(.+?)([+-]\d+)?$")


@dataclass
class DebugText:
    """Debug sections of PTX.

    Attributes:
        lines: Of the PTX; the first one has number 1.
        files: Names by number.
        labels: The line of each label in code, its offset in a debug section.
        sections: The bytes by name.
    """

    lines: list[str]
    files: dict[int, str] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    sections: dict[str, bytes] = field(default_factory=dict)


def debug_text(ptx: str) -> DebugText:
    """Parse the debug sections of PTX; a normal build has none.

    Example:
        >>> found = debug_text('''
        ... .section .debug_abbrev {
        ... .b8 1, 17
        ... .b16 258
        ... }''')
        >>> found.sections[".debug_abbrev"].hex()
        '01110201'
    """
    text = DebugText(ptx.split("\n"))
    parts: dict[str, list[tuple[int, str]]] = {}
    section: list[tuple[int, str]] | None = None
    for number, line in enumerate(text.lines, start=1):
        if match := _SECTION.match(line):
            section = parts.setdefault(match[1], [])
        elif section is not None and line.strip() == "}":
            section = None
        elif match := _LABEL.match(line):
            position = number if section is None else sum(size for size, _ in section)
            text.labels[match[1]] = position
        elif section is not None and (match := _DATA.match(line)):
            size = int(match[1]) // 8
            section += [
                (size, operand.strip(" ;\t")) for operand in match[2].split(",")
            ]
        elif named := _FILE.match(line.encode()):
            text.files[int(named[1])] = unescaped(named[2])
    for name, values in parts.items():
        text.sections[name] = b"".join(
            _number(word, text.labels, 8 * size).to_bytes(size, "little")
            for size, word in values
        )
    return text


def unescaped(name: bytes) -> str:
    """Decode a file name; PTX writes non-ASCII characters as octal bytes."""

    def meant(escape: re.Match[bytes]) -> bytes:
        word = escape[1]
        return (
            bytes([int(word, 8) & 255]) if word.isdigit() else _LETTERS.get(word, word)
        )

    return _ESCAPE.sub(meant, name).decode(errors="replace")


def _number(word: str, labels: dict[str, int], bits: int) -> int:
    """Return the value of an integer or label; other symbols start at 0."""
    try:
        value = int(word, 0)
    except ValueError:
        match = _OFFSET.match(word)
        assert match is not None
        value = labels.get(match[1], 0) + int(match[2] or 0)
    return value % (1 << bits)


def open_sections(text: DebugText) -> DWARFInfo:
    """Parse the sections as DWARF."""
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

    # Line programs are in PTX as directives: `.debug_line` has no bytes.
    known = list(inspect.signature(DWARFInfo.__init__).parameters)[2:]
    given: dict[str, Any] = dict.fromkeys(known)
    for name, data in text.sections.items():
        parameter = f"{name.removeprefix('.')}_sec"
        if parameter in given and data:
            given[parameter] = DebugSectionDescriptor(
                io.BytesIO(data), name, 0, len(data), 0
            )
    config = DwarfConfig(little_endian=True, default_address_size=8, machine_arch="x64")
    return DWARFInfo(config=config, **given)


_Compiled = TypeVar("_Compiled")

# Statements that declare one; `item0` is a member of what a tuple of Python became.
_DECLARED = re.compile(r"((?:^|[;{}])\s*)bool(\s+(?!item\d+;)\w+\s*[=;])", re.MULTILINE)


def with_bools(code: str, compile_: Callable[[str], _Compiled]) -> _Compiled:
    """Compile code with its bool variables kept in memory.

    Args:
        code: CUDA C++.
        compile_: Compiles a text; called a second time with the code as it is where the
            changed one has no meaning, as for a struct with such a member.

    Example:
        >>> with_bools("void f() { bool odd = i & 1; const bool even = !odd; }", str)
        'void f() { volatile bool odd = i & 1; const bool even = !odd; }'
    """
    changed = _DECLARED.sub(r"\1volatile bool\2", code)
    if changed == code:
        return compile_(code)
    try:
        return compile_(changed)
    except CompileError:
        return compile_(code)
