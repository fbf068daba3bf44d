"""Writes the messages of docs/errors.md by running its examples, and the tables of
docs/checks.md from the catalogue of findings (cpp/findings/kinds.inc).

    python docs/make_error_catalogue.py          # writes them into the pages
    python docs/make_error_catalogue.py --check  # exit status 1 if one is out of date

Owns the running of examples and the place of their messages; words and programs are
the page's. Each example stands for itself, under a heading that names its kind.
"""

from __future__ import annotations

import difflib
import linecache
import os
import re
import sys
import textwrap
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("errors.md")
DEFINITIONS = Path(__file__).with_name("checks.md")
COLUMNS = 96
BUDGET = 2_000_000

# A table of kinds: those that are looked for always, or those that are asked for.
_TABLE = re.compile(
    r"(?<=\n## )(?P<title>Always on|On for your kernels)(?P<before>.*?\n\n)"
    r"\| kind \| meaning \|\n.*?(?=\n\n)",
    re.DOTALL,
)
_SECTION = re.compile(r"^### `(\w+)`", re.MULTILINE)
# Of the host's memory: another one in each run, but for its end; the wild pointer of an
# example is not one of them.
_ADDRESS = re.compile(r"\b0x(?!123456789)[1-7][0-9a-f]{9}(?=\w\w\b)")
_EXAMPLE = re.compile(r"```python\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A program of the page: the kind it stands for and the message below it."""

    kind: str
    program: str
    message: str


@dataclass(frozen=True)
class Report:
    """What a program was answered with; `kind` is "" where nothing was found."""

    kind: str
    message: str


def examples(page: str) -> list[Example]:
    """The examples of a page, in its order; a kind may have none."""
    heads = list(_SECTION.finditer(page))
    ends = [head.start() for head in heads[1:]] + [len(page)]
    return [
        Example(head[1], *found.groups())
        for head, end in zip(heads, ends, strict=True)
        for found in _EXAMPLE.finditer(page, head.end(), end)
    ]


def report_of(example: Example) -> Report:
    """Run a program as a file of its own, wait, and give the first report.

    An exception comes before a warning, and a warning before a note.
    """
    import numpy as np

    from minitorch import _core, cuda

    file = f"{example.kind}.py"
    lines = example.program.splitlines(keepends=True)
    linecache.cache[file] = (len(example.program), None, lines, file)
    _core.clear_findings()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", cuda.KernelWarning)
        try:
            code = compile(example.program, file, "exec")
            exec(code, {"__name__": "example", "np": np, "cuda": cuda})
            cuda.synchronize()
        except cuda.CudaError as error:
            return Report(_kind(error), _written(type(error).__name__, str(error)))
    for warning in warned:
        text = _written("KernelWarning", str(warning.message))
        return Report("compile_warning", text)
    for note in cuda.last_findings():
        return Report(note.kind, _written(note.severity, note.message))
    return Report("", "nothing was found\n")


def _kind(error: Any) -> str:
    names = {"CompileError": "compile_error", "TranslationError": "compile_error"}
    return getattr(error, "kind", None) or names.get(type(error).__name__, "")


def _written(who: str, message: str) -> str:
    """A message as the page shows it: long lines broken, one more line at the end."""
    lines = _ADDRESS.sub("0x7…", f"{who}: {message}").splitlines()
    broken = [textwrap.wrap(line, COLUMNS, **_WRAPPING) or [""] for line in lines]
    return "".join(f"{each}\n" for line in broken for each in line)


_WRAPPING: dict[str, Any] = {
    "break_long_words": False,
    "break_on_hyphens": False,
    "drop_whitespace": True,
    "subsequent_indent": "  ",
}


def rewritten(page: str) -> str:
    """The page with the messages of today."""
    from minitorch import _core

    _core.set_budget(BUDGET)
    for example in examples(page):
        block = f"```python\n{example.program}```\n\n```text\n"
        before, found, after = page.partition(f"{block}{example.message}```")
        assert found, f"{example.kind}: one empty line, then the message"
        page = f"{before}{block}{report_of(example).message}```{after}"
    return page


def defined(page: str) -> str:
    """The definitions' page with the tables of today."""
    return _TABLE.sub(
        lambda found: f"{found['title']}{found['before']}{_table(found['title'])}", page
    )


def _table(title: str) -> str:
    """The rows of a table; kinds without a meaning of their own share the one above."""
    from minitorch import _core

    rows: list[tuple[list[str], str]] = []
    for kind in _core.finding_kinds():
        if kind.form == "reserved" or kind.always_on != (title == "Always on"):
            continue
        if kind.meaning:
            rows.append(([], kind.meaning))
        rows[-1][0].append(f"`{kind.name}`")
    lines = [f"| {' '.join(names)} | {meaning} |" for names, meaning in rows]
    return "\n".join(["| kind | meaning |", "|---|---|", *lines])


def main() -> int:
    os.environ["MINITORCH_CUDA"] = "emulator"
    os.environ["MINITORCH_EMULATED_GPU"] = "t4"
    # What kernels print goes past Python, and one example prints a lot.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    stale = False
    for path, renewed in ((DEFINITIONS, defined), (PAGE, rewritten)):
        page = path.read_text("utf-8")
        text = renewed(page)
        if "--check" in sys.argv[1:]:
            changed = difflib.unified_diff(page.splitlines(), text.splitlines(), n=0)
            print(*changed, sep="\n", file=sys.stderr)
            stale |= text != page
        else:
            path.write_text(text, "utf-8")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
