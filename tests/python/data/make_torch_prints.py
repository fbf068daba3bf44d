"""Records how PyTorch prints tensors, in torch_prints.json; needs no minitorch.

    python tests/python/data/make_torch_prints.py

Owns which tensors are printed; how a case is made is `torch_prints.py`'s.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))

from torch_prints import FILE, printed

FLOATS = ("float32", "float64", "float16", "bfloat16")
ROWS: list[list[float]] = [
    [0.0],
    [1.0],
    [-1.0, 2.0],
    [1.0, 2.0, 3.0],
    [0.5],
    [0.1, 0.25, -3.75],
    [1e-5, 1.0],
    [1e-3, 1.0],
    [9.999e-5],
    [1e-4, 0.05],
    [1e8],
    [1.5e8, 1.0],
    [100000000.0],
    [123456.0, 1.0],
    [1000.0, 1.0],
    [1001.0, 1.0],
    [999.5, 0.5],
    [3.14159265, 2.71828182, 1.41421356],
    [float("nan")],
    [float("inf"), 1.0],
    [float("-inf"), 1.5],
    [float("nan"), 0.0, 2.0],
    [float("nan"), float("inf"), float("-inf")],
    [-0.0, 0.0],
    [12345.678],
    [0.00012, 0.99],
    [-1e-7, 5.0],
    [2.0**60],
    [65504.0, 1.0],
    [1e30, 1e-30],
    [0.3333333, 10.0, 200.0],
]
WHOLE: list[list[int]] = [[0], [1, 2, 3], [-1, 10], [100, -1000, 5], [7], [255, 0]]
OPTIONS: list[dict[str, Any]] = [
    {"precision": 2},
    {"precision": 8},
    {"sci_mode": True},
    {"sci_mode": False},
    {"linewidth": 40},
    {"linewidth": 120},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"edgeitems": 2, "threshold": 10},
    {"profile": "short"},
    {"profile": "full"},
    {"precision": 0},
]
SHAPES = [(2, 3), (3, 1, 2), (1, 1, 1, 2), (20,), (30,), (2, 30), (7, 7), (4, 3, 5)]
LARGE = [(1001,), (2000,), (40, 40), (11, 12, 13), (5, 300), (1100, 1), (8, 8, 8, 8)]


def cases() -> list[dict[str, Any]]:
    """What is printed: values or a rule, dtype, shape, options, gradient."""
    found: list[dict[str, Any]] = []
    for dtype in FLOATS:
        for row in ROWS:
            if dtype in ("float32", "float64") or max(map(abs, row)) < 6e4:
                found.append({"values": row, "dtype": dtype, "shape": [len(row)]})
    for whole in ("int64", "int32", "uint8"):
        for numbers in WHOLE:
            if whole != "uint8" or min(numbers) >= 0:
                shape = [len(numbers)]
                found.append({"values": numbers, "dtype": whole, "shape": shape})
    for dtype in ("float32", "float64", "int64", "bool", "float16"):
        found += [{"values": [1], "dtype": dtype, "shape": []}]
        found += [
            {"values": [], "dtype": dtype, "shape": s} for s in ([0], [0, 3], [2, 0])
        ]
        found += [{"values": [1, 0], "dtype": dtype, "shape": [1, 2]}]
    for value in (3.14159, 1e-7, 1e10, float("nan"), float("inf"), -2.0):
        found += [{"values": [value], "dtype": "float32", "shape": []}]
    for rule in ("tenths", "whole", "powers"):
        for shape in SHAPES + LARGE:
            found.append({"rule": rule, "dtype": "float32", "shape": list(shape)})
        for options in OPTIONS:
            for shape in ((6,), (3, 4), (12, 13)):
                row = {"rule": rule, "dtype": "float32", "shape": list(shape)}
                found.append({**row, "options": options})
    for shape in SHAPES[:4] + LARGE[:3]:
        found.append({"rule": "whole", "dtype": "int64", "shape": list(shape)})
        found.append({"rule": "whole", "dtype": "bool", "shape": list(shape)})
        row = {"rule": "tenths", "dtype": "float64", "shape": list(shape)}
        found.append({**row, "requires_grad": True})
        found.append({**row, "dtype": "float32", "requires_grad": True})
    return found


def main() -> None:
    """Writes a line a tensor."""
    rows = cases()
    for row in rows:
        if "values" in row:
            row["values"] = [v if abs(v) < 1e300 else str(v) for v in row["values"]]
        row["text"] = printed(torch, row)
    lines = ",\n".join(json.dumps(row) for row in rows)
    facts = f'{{"torch": {json.dumps(torch.__version__)}, "prints": [\n{lines}\n]}}\n'
    FILE.write_text(facts)


if __name__ == "__main__":
    main()
