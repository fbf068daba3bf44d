"""The names of kernels, and those of docs/kernel_names.md, have a meaning there."""

from __future__ import annotations

import cmath
import math
import re
from pathlib import Path

import numpy as np
import pytest

from minitorch.cuda.language.builtins.calls import handled_paths, handler_of_object
from minitorch.cuda.language.intrinsics import intrinsic_name
from minitorch.cuda.language.names import DEVICE_NAMES, device_name_of
from minitorch.cuda.language.scope import device_value

PAGE = Path(__file__).parents[2] / "docs" / "kernel_names.md"
MODULES = {"math": math, "cmath": cmath, "np": np}
# Typed where calls are, without a table.
ELSEWHERE = {"degrees", "radians", "bool", "float", "int", "max", "min", "pow"}


def listed():
    """Give the names in the first column of tables, and in the lists of functions."""
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    names = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    return {name for name in names if not name.startswith(".")}


@pytest.mark.parametrize("name", sorted(name for name in listed() if "." in name))
def test_what_is_listed_exists(name):
    root, _, rest = name.partition(".")
    if root not in MODULES:
        assert repr(device_name_of(name)).startswith("<minitorch.cuda.")
        return
    function = getattr(MODULES[root], rest)
    known = handler_of_object(function) or intrinsic_name(function)
    assert known or rest in ELSEWHERE


def test_every_device_name_is_a_value_a_group_or_typed():
    groups = {name.rpartition(".")[0] for name in DEVICE_NAMES}
    for path, name in DEVICE_NAMES.items():
        typed = path in handled_paths()
        assert typed or path in groups or device_value(name) is not None, path
