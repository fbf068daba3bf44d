"""Writes what docs/ops.md tells from the code: elementwise rows, kernels, places.

    python docs/make_ops.py          # writes them into the page
    python docs/make_ops.py --check  # exit status 1 if they are out of date

Owns the layout of those rows. The facts of elementwise ops are those of
cpp/cpu/elementwise.inc; what has no row there, because other ops make it up, is listed
here. Kernels are those of minitorch/op_samples.py, files those that run its samples.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

os.environ["MINITORCH_CUDA"] = "emulator"  # the same page on every computer

import minitorch
from minitorch.op_samples import SAMPLES, sample_of
from minitorch.sources import Pass

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "cpp" / "cpu" / "elementwise.inc"
PAGE = Path(__file__).parent / "ops.md"

DTYPES = {
    "Any": "all",
    "Number": "all but bool",
    "Whole": "all",
    "Real": "all; integers become float64",
    "Integer": "integers and bool",
}

# name: dtypes, gradient
MADE_OF_OTHERS = {
    "clamp": ("all", "yes"),
    "isfinite": ("all", "none"),
    "isinf": ("all", "none"),
    "isnan": ("all", "none"),
    "logical_and": ("all", "none"),
    "logical_not": ("all", "none"),
    "logical_or": ("all", "none"),
    "logical_xor": ("all", "none"),
    "where": ("all", "yes"),
}

# Names of the page for samples of other names.
SAMPLED_AS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "< <= > >= == !=": "lt", "lt le gt ge eq ne": "lt",
    r"& \| ^": "and", "unary -": "neg", "abs()": "abs", "t[...]": "getitem_array",
    "t[...] = v": "setitem_array", "to, cast": "to",
    "contiguous, reshape": "contiguous",
}  # fmt: skip

# What the kernels of a sample do not say.
BESIDE = {
    "nonzero": ", then on the host",
    "t[...]": " (arrays); else a view",
    "t[...] = v": " (arrays); else `copy.cu`",
}

FIRST_PLACE = "## Where each operation is"
PLACES = """
What ran for a small sample of each operation, in float32 and on both devices. Cells are
files, in the order of their first call: Python's in `minitorch/`, those of
`cpp/autograd/`, `cpp/ops/` and `cpp/cpu/` without `.cpp`, kernels in `cpp/kernels/`.
Without a file of Python it is a method of C++; without one of `cpp/cpu/` the loop, if
there is one, stands in `cpp/ops/`. The formulas of elementwise operations are rows of
`cpp/cpu/elementwise.inc`. Lines, grids, and what calls what tells
`minitorch.source("conv2d")`: [its page](source.md).

| op | Python | autograd | ops | loop on `cpu` | kernels on `cuda` | on the way back |
|---|---|---|---|---|---|---|
"""


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
    return f"| `{name}` | {dtypes} | {gradient} | {kernels_of(name)} |"


def kernels_of(name: str) -> str:
    """The kernels of a row's sample on the way forward, and what is told beside."""
    sample = sample_of(SAMPLED_AS.get(name, name))
    assert sample is not None, f"{name} needs a row in minitorch/op_samples.py"
    named = ", ".join(f"`{file}`" for file in sample.kernels) or "a view"
    return named + BESIDE.get(name, "")


def functions() -> list[str]:
    """The rows of minitorch.functional."""
    made = dict(MADE_OF_OTHERS)
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


def with_kernels(page: str) -> str:
    """The page with the last column of every row of an op renewed."""

    def renewed(found: re.Match[str]) -> str:
        kept = found[0][: found.start("kernel") - found.start()]
        return f"{kept} {kernels_of(found['name'])} |"

    form = r"^\| `(?P<name>.+?)` \|.+?(?<!\\)\|.+?(?<!\\)\|(?P<kernel>.+)\|$"
    return re.sub(form, renewed, page, flags=re.MULTILINE)


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


def places() -> str:
    """The section of the page that tells where each op is."""
    made = [place_row(each.name) for each in SAMPLES]
    return FIRST_PLACE + "\n" + PLACES + "\n".join(made) + "\n\n"


def replaced(page: str, first: str, last: str, made: list[str]) -> str:
    """The page with the rows from `first` to `last` renewed."""
    start = page.index(f"| `{first}` |")
    end = page.index("\n", page.index(f"| `{last}` |", start))
    return page[:start] + "\n".join(made) + page[end:]


def main() -> int:
    page = PAGE.read_text()
    start, rest = page.split(FIRST_PLACE, 1)
    end = rest[rest.index("## Making tensors") :]
    text = replaced(start, "+", r"& \| ^", operators())
    heading = text.index("## Elementwise")
    text = text[:heading] + replaced(text[heading:], "abs", "where", functions())
    text = with_kernels(text) + places() + end
    if "--check" in sys.argv[1:]:
        return int(text != page)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
