"""Writes the elementwise rows of docs/ops.md from the table that the code is made of.

    python docs/make_ops.py          # writes them into the page
    python docs/make_ops.py --check  # exit status 1 if they are out of date

Owns the layout of those rows; the facts are those of cpp/cpu/elementwise.inc. What has
no row there, because other ops make it up, is listed here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

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

# name: dtypes, gradient, kernel
MADE_OF_OTHERS = {
    "clamp": ("all", "yes", "`zip.cu`"),
    "isfinite": ("all", "none", "`zip.cu`"),
    "isinf": ("all", "none", "`zip.cu`"),
    "isnan": ("all", "none", "`zip.cu`"),
    "logical_and": ("all", "none", "`zip.cu`"),
    "logical_not": ("all", "none", "`zip.cu`"),
    "logical_or": ("all", "none", "`zip.cu`"),
    "logical_xor": ("all", "none", "`zip.cu`"),
    "where": ("all", "yes", "`where.cu`"),
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


def row(name: str, dtypes: str, gradient: str, kernel: str) -> str:
    return f"| `{name}` | {dtypes} | {gradient} | {kernel} |"


def functions() -> list[str]:
    """The rows of minitorch.functional."""
    made = dict(MADE_OF_OTHERS)
    for _, _, name, domain, *_, gradient in rows("MINITORCH_UNARY"):
        made[name] = (DTYPES[domain], gradient, "`map.cu`")
    for _, _, name, domain, *_, symbol, gradient in rows("MINITORCH_BINARY"):
        if symbol == name:
            made[name] = (DTYPES[domain], gradient, "`zip.cu`")
    return [row(name, *facts) for name, facts in sorted(made.items())]


def operators() -> list[str]:
    """The rows of the operators of two tensors; those on bits share one."""
    made, bits = [], []
    for _, _, name, domain, *_, symbol, gradient in rows("MINITORCH_BINARY"):
        if domain == "Integer":
            bits.append((symbol.replace("|", r"\|"), DTYPES[domain], gradient))
        elif symbol not in ("", name):
            made.append(row(symbol, DTYPES[domain], gradient, "`zip.cu`"))
    symbols, dtypes, gradients = zip(*bits, strict=True)
    assert len({*dtypes}) == len({*gradients}) == 1
    names = [name for _, name, _ in rows("MINITORCH_COMPARE")]
    return [
        *made,
        row("@", "all; integers become float64", "yes", "`matmul_tiled.cu`"),
        row("< <= > >= == !=", "all", "0", "`zip.cu`"),
        row(" ".join(names), "all", "none", "`zip.cu`"),
        row(" ".join(symbols), dtypes[0], gradients[0], "`zip.cu`"),
    ]


def replaced(page: str, first: str, last: str, made: list[str]) -> str:
    """The page with the rows from `first` to `last` renewed."""
    start = page.index(f"| `{first}` |")
    end = page.index("\n", page.index(f"| `{last}` |", start))
    return page[:start] + "\n".join(made) + page[end:]


def main() -> int:
    page = PAGE.read_text()
    text = replaced(page, "+", r"& \| ^", operators())
    heading = text.index("## Elementwise")
    text = text[:heading] + replaced(text[heading:], "abs", "where", functions())
    if "--check" in sys.argv[1:]:
        return int(text != page)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
