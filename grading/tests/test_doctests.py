"""Running every example of a docstring in the grader."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import minitorch_grading

MODULES = [
    found.name
    for found in pkgutil.walk_packages(minitorch_grading.__path__, "minitorch_grading.")
]


@pytest.mark.cuda
@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str):
    module = importlib.import_module(name)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(module, optionflags=options).failed == 0
