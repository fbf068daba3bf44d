"""The reading of `typing_cases.txt`: small functions for a typing to judge.

Knows no compiler. What the functions capture is made by `environment`.
"""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parent / "data" / "typing_cases.txt"
TABLE = FILE.with_name("numba_typing.json")

#: What functions find around them; `math`, `np`, `numba` and `cuda` are added.
CAPTURED = """
from collections import namedtuple
Point = namedtuple("Point", ["x", "y"])
N, RATE, FLAG, NOTHING, NAME = 4, 0.5, True, None, "four"
SIZES, MIXED, LIST, DICT = (2, 3), (2, 0.5), [1, 2], {1: 2}
ORIGIN, OBJECT = Point(1, 2.0), object()
HALF, SMALL = np.float32(0.5), np.int8(3)
TABLE = np.array([1, 2, 3], np.float32)
IMAGE = np.ones((2, 3), np.int32)
device = cuda.jit(device=True)
@device
def twice(x):
    return x * 2
@device
def add(x, y):
    return x + y
@device
def with_default(x, y=3):
    return x + y
@device
def first_of(x, y):
    if x > y:
        return x
    return y
@device
def total_of(x):
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
    return total
@device
def head_of(x):
    return x[0]
@device
def pair_of(x):
    return x, x * 0.5
@device
def applied(f, x):
    return f(x)
@device
def nothing_of(x):
    x += 1
@device
def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)
def plain(x):
    return x + 1
"""


class Case(NamedTuple):
    """A function, `def f(a, b, ...)`, and the types it is called with."""

    group: str
    arguments: tuple[str, ...]
    body: str

    @property
    def source(self) -> str:
        """The text of the whole function."""
        parameters = ", ".join("abcd"[: len(self.arguments)])
        body = self.body if self.body.endswith("\n") else f"    return {self.body}\n"
        return f"def f({parameters}):\n{body}"


def read_cases(text: str) -> list[Case]:
    """Give the cases of a file, words in braces spread out."""
    group, arguments, cases = "", "", []
    for line in text.partition("\n== ")[2].splitlines():
        if line.startswith("    "):
            cases[-1] = cases[-1]._replace(body=f"{cases[-1].body}{line}\n")
        elif line.startswith("== ") or not group:
            group = line.removeprefix("== ")
        elif line:
            arguments, _, body = (part.strip() for part in line.partition("|"))
            for left in _spread(arguments):
                types = split_types(left)
                cases += [Case(group, types, each) for each in _spread(body)]
    return cases


def _spread(text: str) -> Iterator[str]:
    # "a {+ -} b" -> "a + b", "a - b"
    pieces = re.split(r"\{([^}]*)\}", text)
    words = [
        piece.split(" ") if odd else [piece]
        for piece, odd in zip(pieces, itertools.cycle((False, True)), strict=False)
    ]
    return map("".join, itertools.product(*words))


def split_types(text: str) -> tuple[str, ...]:
    """Split at the commas that are in no brackets: "(int64, bool), int32" gives two."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())


def environment(**modules: Any) -> dict[str, Any]:
    """Make what the functions capture, for these modules `math, np, numba, cuda`."""
    scope: dict[str, Any] = {"__name__": "typing_cases", **modules}
    lines = CAPTURED.splitlines(keepends=True)
    linecache.cache["<captured>"] = (len(CAPTURED), None, lines, "<captured>")
    exec(compile(CAPTURED, "<captured>", "exec"), scope)
    return scope
