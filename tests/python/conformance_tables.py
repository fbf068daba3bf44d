"""The expected results of each instruction form, as Python reads them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .source_tree import ROOT

MAKER = ROOT / "tests" / "emulator_instructions" / "make_expected.py"
THREADS = ("compare", "convert", "extended", "float", "integer")
WARPS = ("copy", "matrix", "wmma")
ROWS = 32


@dataclass(frozen=True)
class Form:
    """One instruction: what its kernel `(in, out)` reads and what it has to write.

    Of the families in THREADS thread i reads row i at in + 32 i and writes at
    out + 32 i, 64-bit words; those in WARPS read and write 32-bit words together.
    `kind` is the type of results that may be `ulp` values off ("f32", "b16", ...).
    """

    name: str
    kind: str
    ulp: int
    ptx: str
    sources: NDArray[np.unsignedinteger]
    results: NDArray[np.unsignedinteger]


def _words(tokens):
    return [int(token, 16) for token in tokens]


def _thread_form(name, ulp, sizes, rows, ptx):
    sources = np.zeros((ROWS, 4), np.uint64)
    results = np.zeros((ROWS, sizes[1]), np.uint64)
    for row in range(ROWS):
        sources[row, : sizes[0]] = _words(list(islice(rows, sizes[0])))
        assert next(rows) == "="
        results[row] = _words(list(islice(rows, sizes[1])))
    return Form(name, name.rsplit(".", 1)[-1], ulp, ptx, sources, results)


@cache
def _made(family):
    """A folder with the family's table and kernels, removed when this process ends."""
    folder = tempfile.TemporaryDirectory()
    subprocess.run([sys.executable, str(MAKER), folder.name, family], check=True)
    return folder


def read_forms(family, data=None):
    """Return all forms of one family, from a folder that make_expected.py wrote."""
    data = data or Path(_made(family).name)
    forms = []
    tokens = iter((data / f"{family}.txt").read_text().split())
    for word in tokens:
        assert word == "form"
        name, ulp = next(tokens), int(next(tokens))
        kind = next(tokens) if family in WARPS else ""
        sizes = [int(next(tokens)), int(next(tokens))]
        ptx = (data / family / f"{name}.ptx").read_text()
        if family in THREADS:
            forms.append(_thread_form(name, ulp, sizes, tokens, ptx))
            continue
        sources = np.array(_words(list(islice(tokens, sizes[0]))), np.uint32)
        assert next(tokens) == "="
        results = np.array(_words(list(islice(tokens, sizes[1]))), np.uint32)
        forms.append(Form(name, kind, ulp, ptx, sources, results))
    return forms
