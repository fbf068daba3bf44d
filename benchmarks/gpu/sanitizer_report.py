"""Owns reading what compute-sanitizer prints. Must not know how it was started."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The first line of each report of the four tools.
_HEADS = (
    "Invalid __",
    "Program hit ",
    "Uninitialized ",
    "Barrier error",
    "Race reported",
    "Error: ",
    "Warning: ",
    "Malloc ",
    "Address 0x",
    "Invalid ",
    "Device malloc",
    "Stack overflow",
    "Misaligned ",
    "Fatal UVM",
)
_LINE = re.compile(r"^=========\s?(\s*)(.*)$")
_SOURCE = re.compile(r"([\w.+-]+\.cuh?):(\d+)")
_ERRORS = re.compile(r"ERROR SUMMARY: (\d+) error")
_HAZARDS = re.compile(r"RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) error")


@dataclass(frozen=True)
class Verdict:
    """What a tool found: how many errors, of what kind, at which lines of source.

    `errors` is None when there is no summary: the tool did not come to its end.
    """

    errors: int | None
    kinds: tuple[str, ...]
    lines: tuple[int, ...]

    def __str__(self) -> str:
        if self.errors is None:
            return "no summary"
        if self.errors == 0:
            return "silent"
        at = ", ".join(map(str, self.lines[:3]))
        return "; ".join(self.kinds[:2]) + (f" (line {at})" if at else "")


def _kind(text: str) -> str:
    """A report's first line without addresses, sizes and names of kernels."""
    text = re.sub(r"^(Error|Warning): ", "", text)
    text = re.split(r" access at| on CUDA API| of size| due to", text)[0]
    return text.rstrip(". ")


def read_report(text: str) -> Verdict:
    """Read the output of one run, of any of the four tools."""
    kinds: dict[str, None] = {}
    lines: dict[int, None] = {}
    errors: int | None = None
    for line in text.splitlines():
        found = _LINE.match(line.rstrip())
        if not found:
            continue
        indent, words = found.groups()
        if summary := _HAZARDS.search(words) or _ERRORS.search(words):
            errors = max(errors or 0, int(summary[1]))
            continue
        if "Host Frame" in words:
            continue
        if not indent and words.startswith(_HEADS):
            kinds[_kind(words)] = None
        for _, number in _SOURCE.findall(words):
            lines[int(number)] = None
    return Verdict(errors, tuple(kinds), tuple(lines))
