"""Owns compute-sanitizer's verdicts on the sample cases, beside ours."""

from __future__ import annotations

from pathlib import Path

from ..place import is_hardware
from ..rows import Row, row
from ..sanitizer_report import read_report
from ..tools import find_tool, under
from .cases import all_cases, our_verdict

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")

_SECONDS = 30.0  # for one tool on one case
_NO_LAUNCH = {"compile_error", "entry_not_found", "arg_mismatch", "launch_config"}


def items(quick: bool) -> list[str]:
    """The sample cases."""
    names = [name for name in all_cases() if name.startswith("sample/")]
    return names[:2] if quick else names


def _verdict(program: str, tool: str, name: str) -> str:
    command = [program, "--tool", tool, "--print-limit", "20"]
    text = under(command, "benchmarks.gpu.launch_case", name, seconds=_SECONDS)
    if text is None:
        return f"no end after {_SECONDS:.0f} s"
    return str(read_report(text))


def measure(name: str, folder: Path) -> Row:
    """Run a case under each tool."""
    case = all_cases()[name]
    ours = our_verdict(name, folder)
    if not is_hardware():
        return row(name, "skipped", "compute-sanitizer watches cards", ours=ours)
    program = find_tool("compute-sanitizer")
    if program is None:
        return row(name, "skipped", "compute-sanitizer is not installed", ours=ours)
    if case.expect in _NO_LAUNCH:
        why = "is refused before a launch"
        return row(name, "skipped", why, expect=case.expect, ours=ours)
    made = row(name, "ok", expect=case.expect, ours=ours)
    for tool in TOOLS:
        made[tool] = _verdict(program, tool, name)
    told = [tool for tool in TOOLS if made[tool] != "silent"]
    if case.expect == "ok" and told:
        made.update(outcome="differs", why=f"a right kernel: {', '.join(told)}")
    return made
