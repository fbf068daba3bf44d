"""Run the examples of docs/errors.md for their messages, and lay out the tables of
docs/checks.md from the catalogue of findings (cpp/findings/kinds.inc).

Each example stands for itself, under a heading that names its kind.
"""

from __future__ import annotations

import linecache
import re
import textwrap
import warnings
from dataclasses import dataclass
from typing import Any

COLUMNS = 96
BUDGET = 2_000_000

_SECTION = re.compile(r"^### `(\w+)`", re.MULTILINE)
# Of the host's memory: another one in each run, but for its end; the wild pointer of an
# example is not one of them.
_ADDRESS = re.compile(r"\b0x(?!123456789)[1-7][0-9a-f]{9}(?=\w\w\b)")
_EXAMPLE = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A program of the page, the kind it stands for, and where it ends."""

    kind: str
    program: str
    end: int


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
        Example(head[1], found[1], found.end())
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


def with_messages(page: str) -> str:
    """Return the page with the message of each example below it.

    Raises:
        ValueError: an example does not make the mistake of its section.
    """
    from minitorch import _core

    _core.set_budget(BUDGET)
    reports = [(example, report_of(example)) for example in examples(page)]
    for example, report in reversed(reports):
        if report.kind != example.kind:
            raise ValueError(f"[{example.kind}] got {report.kind}: {report.message}")
        block = f"\n```text\n{report.message}```\n"
        page = page[: example.end] + block + page[example.end :]
    return page


def tables() -> dict[str, str]:
    """Return the rows of kinds that are always looked for, and of those asked for.

    Kinds without a meaning of their own share the one above.
    """
    from minitorch import _core

    rows: dict[str, list[tuple[list[str], str]]] = {"always": [], "asked": []}
    for kind in _core.finding_kinds():
        if kind.form == "reserved":
            continue
        table = rows["always" if kind.always_on else "asked"]
        if kind.meaning:
            table.append(([], kind.meaning))
        table[-1][0].append(f"`{kind.name}`")
    return {
        name: "\n".join(f"| {' '.join(kinds)} | {text} |" for kinds, text in table)
        for name, table in rows.items()
    }
