"""Parse one instruction of PTX text: guard, opcode and operands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..cuda.inspecting.trace import ptx_dtype

_INSTRUCTION = re.compile(r"^(?:@(!?)(%[\w$]+)\s+)?([a-z][\w.:]*)\s*(.*?);")
_FLOAT = re.compile(r"0[fFdD]([0-9a-fA-F]+)$")


@dataclass(frozen=True)
class Instruction:
    """A PTX instruction: opcode and operands.

    Attributes:
        opcode: with its modifiers, such as "fma.rn.f32".
        operands: in order; each has its parts: one, or those within braces.
    """

    opcode: str
    operands: tuple[tuple[str, ...], ...]

    @property
    def type(self) -> str:
        """Last modifier: "f32" of "fma.rn.f32"."""
        return self.opcode.rpartition(".")[2]


def instruction_at(lines: list[str], number: int) -> Instruction | None:
    """Return the instruction of a line, counted from 1, or None.

    One that goes over several lines is read up to its semicolon.
    """
    if not 1 <= number <= len(lines):
        return None
    text = lines[number - 1].strip()
    following = number
    last = min(len(lines), number + 8) if text else number
    while ";" not in text and following < last:
        text += " " + lines[following].strip()
        following += 1
    opening = re.match(r"(?:\$?[\w$]+:\s*)?[{ \t]*", text)  # a label, a brace
    match = _INSTRUCTION.match(text[opening.end() :] if opening else text)
    if not match:
        return None
    return Instruction(match[3], tuple(_parts(operand) for operand in _split(match[4])))


def _split(text: str) -> list[str]:
    """Split at the commas outside of braces and brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _parts(operand: str) -> tuple[str, ...]:
    if operand.startswith("{"):
        return tuple(part.strip() for part in operand.strip("{}").split(","))
    return tuple(part.strip() for part in operand.split("|"))


def immediate(text: str, type_: str) -> int | None:
    """Return the bits of a number as an operand of `type_`, or None."""
    exact = _FLOAT.match(text)
    if exact:
        return int(exact[1], 16)
    try:
        value = int(text.rstrip("U"), 0)
    except ValueError:
        return None
    return value & ((1 << 8 * ptx_dtype(type_).itemsize) - 1)
