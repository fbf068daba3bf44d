"""The reading of kernel cases: manifest, source, arguments, expected values.

The form is described in data/README.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parent / "data"
_FIRST_SEED = 1000
_ANY_INTEGER = 100  # integers are below this unless `hi` says otherwise

Values = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One row of a manifest; `fields` holds what the attributes do not."""

    folder: Path
    name: str
    entry: str
    expect: str
    tier: str
    accept: tuple[str, ...]
    lines: tuple[int, ...]
    fields: dict[str, Any] = field(repr=False)

    @property
    def source(self):
        return (self.folder / self.fields["file"]).read_text()

    @property
    def kinds(self):
        return {self.expect, *self.accept}


def read_cases(folder):
    """All cases of a folder, in the manifest's order."""
    manifest = json.loads((folder / "manifest.json").read_text())
    options = manifest.get("nvrtc_options", [])
    return [_case(folder, row, options) for row in manifest["cases"]]


def _case(folder, row, options):
    lines = row.get("line") or []
    row.setdefault("nvrtc_options", options)
    return Case(
        folder=folder,
        name=row["name"],
        entry=row["entry"],
        expect=row["expect"],
        tier=row["tier"],
        accept=tuple(row.get("accept") or ()),
        lines=(lines,) if isinstance(lines, int) else tuple(lines),
        fields=row,
    )


def initial_value(position, argument):
    """What argument number `position` holds before the launch; None for a null pointer.

    Memory that nobody writes is shown as zeros; `needs_filling` tells it apart.
    """
    dtype = np.dtype(argument["dtype"])
    if argument["kind"] == "scalar":
        return dtype.type(argument["value"])
    if argument.get("null"):
        return None
    count, init = argument["count"], argument["init"]
    if init == "iota":
        return np.arange(count, dtype=dtype)
    if init == "values":
        return np.array(argument["values"], dtype=dtype)
    if init == "random":
        return _random(position, argument, dtype)
    fills = {"none": 0, "zeros": 0, "ones": 1, "fill": argument.get("value", 0)}
    return np.full(count, fills[init], dtype=dtype)


def _random(position, argument, dtype):
    generator = np.random.default_rng(_FIRST_SEED + position)
    if dtype.kind == "f":
        return generator.random(argument["count"]).astype(dtype)
    high = argument.get("hi") or _ANY_INTEGER
    return generator.integers(0, high, argument["count"]).astype(dtype)


def needs_filling(argument):
    """Whether the host writes the buffer before the launch."""
    return argument["init"] != "none"


def initial_values(case):
    """The arguments by name, before the launch."""
    return {
        argument["name"]: initial_value(position, argument)
        for position, argument in enumerate(case.fields["args"])
    }


def expected_value(check, values):
    """What the buffer `check["arg"]` must hold after the launch."""
    names = {"in_" if name == "in" else name: each for name, each in values.items()}
    return np.asarray(eval(check["expr"], {"np": np, **names}))
