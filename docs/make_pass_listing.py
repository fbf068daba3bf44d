"""Writes into docs/architecture.md what each pass of the emulator does to one kernel.

    python docs/make_pass_listing.py          # writes the section
    python docs/make_pass_listing.py --check  # exit status 1 if it is out of date

Owns the layout of that section; the listings are those of `minitorch ptx`.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "architecture.md"
KERNEL = ROOT / "tests" / "simt" / "data" / "passes.ptx"
TABLE = ROOT / "cpp" / "simt" / "program" / "passes.cpp"
CHECKS = "race,counters"
BEGIN = "<!-- passes: written by docs/make_pass_listing.py -->\n"
END = "<!-- end of passes -->\n"
WHOLE = ("aliases", "expand", "steps")  # pointless to compare with the one before


def pass_table() -> list[tuple[str, str]]:
    """Name of each pass, and what it makes true."""
    return re.findall(r'\{"(\w+)",\s*"([^"]+)",\s*&\w+\}', TABLE.read_text())


def block(lines: list[str]) -> str:
    return "```text\n" + "".join(line + "\n" for line in lines) + "```\n"


def listing(after: str) -> list[str]:
    from minitorch.tools.ptx_passes import check_bits, program_text

    text = program_text(KERNEL.read_text(), after, checks=check_bits(CHECKS))
    return text.splitlines()[1:]  # without the kernel's name


def changes(before: list[str], now: list[str]) -> list[str]:
    lines = difflib.ndiff(before, now)
    return [line for line in lines if line.startswith(("+ ", "- "))]


def section() -> str:
    """The kernel, and what each pass leaves of it or changes in it."""
    source = KERNEL.read_text().splitlines()
    start = next(i for i, line in enumerate(source) if line.startswith(".visible"))
    parts = [
        "One kernel followed through all passes, on a machine without AVX-512, with"
        f" `--checks {CHECKS}`:\n\n",
        block([f"{i + 1:5}   {source[i]}".rstrip() for i in range(start, len(source))]),
    ]
    before: list[str] = []
    for name, makes_true in pass_table():
        now = listing(name)
        shown = now if name in WHOLE else changes(before, now)
        parts.append(f"\n**{name}**: {makes_true}.")
        parts.append("\n\n" + block(shown) if shown else " Nothing to do here.\n")
        before = now
    return "".join(parts)


def page() -> str:
    text = PAGE.read_text()
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return head + BEGIN + section() + END + tail


def main() -> int:
    os.environ["MINITORCH_ISA"] = "portable"
    made = page()
    if "--check" in sys.argv[1:]:
        return int(made != PAGE.read_text())
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
