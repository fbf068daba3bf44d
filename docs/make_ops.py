"""Lay out the tables of docs/ops.md: elementwise operations, and where each one is.

The former are those of cpp/cpu/elementwise.inc; the files are those that run the
samples of minitorch/network/sources/op_samples.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import minitorch
from minitorch.network.sources import Pass
from minitorch.network.sources.op_samples import SAMPLES

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "cpp" / "cpu" / "elementwise.inc"

DTYPES = {
    "Any": "all",
    "Number": "all but bool",
    "Whole": "all",
    "Real": "all; integers become float64",
    "Integer": "integers and bool",
}


def rows(macro: str) -> list[list[str]]:
    """The columns of each row of a table, strings joined and unquoted."""
    text = re.sub(r"(?m)(^|\s)// .*", "", TABLE.read_text())
    found = []
    for start in re.finditer(rf"^{macro}\(", text, re.MULTILINE):
        found.append(columns(text[start.end() :]))
    return found


def columns(text: str) -> list[str]:
    """The arguments up to the parenthesis that closes the list."""
    made, depth, quoted, current = [], 0, False, ""
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "({") - (letter in ")}")
        if depth < 0:
            break
        if letter == "," and not quoted and depth == 0:
            made.append(current)
            current = ""
        else:
            current += letter
    return [unquoted(column) for column in [*made, current]]


def unquoted(column: str) -> str:
    text = column.strip()
    return "".join(re.findall(r'"([^"]*)"', text)) if text[:1] == '"' else text


def row(name: str, dtypes: str, gradient: str) -> str:
    return f"| `{name}` | {dtypes} | {gradient} |"


def functions() -> list[str]:
    """The rows of minitorch.functional."""
    made = {}
    for _, _, name, domain, *_, gradient in rows("MINITORCH_UNARY"):
        made[name] = (DTYPES[domain], gradient)
    for _, _, name, domain, *_, symbol, gradient in rows("MINITORCH_BINARY"):
        if symbol == name:
            made[name] = (DTYPES[domain], gradient)
    return [row(name, *facts) for name, facts in sorted(made.items())]


def operators() -> list[str]:
    """The rows of the operators of two tensors; those on bits share one."""
    made, bits = [], []
    for _, _, name, domain, *_, symbol, gradient in rows("MINITORCH_BINARY"):
        if domain == "Integer":
            bits.append((symbol.replace("|", r"\|"), DTYPES[domain], gradient))
        elif symbol not in ("", name):
            made.append(row(symbol, DTYPES[domain], gradient))
    symbols, dtypes, gradients = zip(*bits, strict=True)
    assert len({*dtypes}) == len({*gradients}) == 1
    names = [name for _, name, _ in rows("MINITORCH_COMPARE")]
    return [
        *made,
        row("@", "all; integers become float64", "yes"),
        row("< <= > >= == !=", "all", "0"),
        row(" ".join(names), "all", "none"),
        row(" ".join(symbols), dtypes[0], gradients[0]),
    ]


def files(passes: Iterable[Pass], *kinds: str) -> list[str]:
    """The files of the steps of these kinds, each once, in order."""
    steps = (s for each in passes for top in each.steps for s in top.walk())
    places = (s.place.rpartition(":")[0] for s in steps if s.kind in kinds)
    return list(dict.fromkeys(filter(None, places)))


def place_row(name: str) -> str:
    """Where one op is: the files that its sample ran through."""
    passes = minitorch.source(name).passes
    ahead = [each for each in passes if each.direction == "forward"]
    back = [each for each in passes if each.direction == "backward"]
    python = [file.removeprefix("minitorch/") for file in files(ahead, "python")]
    rooms = [[Path(f).stem for f in files(ahead, kind)] for kind in ROOMS]
    kernels = [[Path(f).name for f in files(way, "kernel")] for way in (ahead, back)]
    cells = [
        ", ".join(f"`{file}`" for file in each) for each in (python, *rooms, *kernels)
    ]
    return f"| `{name}` | {' | '.join(cells)} |"


ROOMS = ("autograd", "op", "loop")


def tables() -> dict[str, str]:
    """Return the rows that the page leaves open."""
    made = {
        "operators": operators(),
        "functions": functions(),
        "places": [place_row(each.name) for each in SAMPLES],
    }
    return {name: "\n".join(lines) for name, lines in made.items()}
