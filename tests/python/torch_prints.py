"""How a recorded print of PyTorch is made again, with any module of its names.

`data/make_torch_prints.py` records them with PyTorch, `test_torch_printing.py`
compares. Must import neither PyTorch nor ours.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

FILE = Path(__file__).parent / "data" / "torch_prints.json"


def values_of(rule, count):
    """The numbers of a rule: in two digits, whole, or over many sizes."""
    if rule == "tenths":
        return [((7 * i) % 23 - 11) / 8 for i in range(count)]
    if rule == "whole":
        return [float((7 * i) % 23 - 11) for i in range(count)]
    return [2.0 ** ((5 * i) % 31 - 15) for i in range(count)]


def printed(torch, case):
    """The text that a module prints for a case."""
    shape = tuple(case["shape"])
    if "values" in case:
        values = [float(each) for each in case["values"]]  # "nan" and "inf" are texts
    else:
        values = values_of(case["rule"], math.prod(shape))
    made = torch.zeros(shape, dtype=torch.float64)
    if values:
        made = torch.tensor(values, dtype=torch.float64).view(shape)
    made = made.to(getattr(torch, case["dtype"])).detach()
    if case.get("requires_grad"):
        made.requires_grad = True
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**case.get("options", {}))
    try:
        return repr(made)
    finally:
        torch.set_printoptions(profile="default")


def recorded():
    """The cases with the text that PyTorch printed."""
    rows = json.loads(FILE.read_text())["prints"]
    return rows
