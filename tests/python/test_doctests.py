"""Running every example of a docstring in the package."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
from unittest import mock

import pytest

import minitorch

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(minitorch.__path__, "minitorch.")
    if not found.name.endswith(("__main__", "._core", ".libminitorch_emulator"))
)


@pytest.mark.cuda
@pytest.mark.parametrize("name", MODULES)
@mock.patch.dict(os.environ)  # minitorch.learn sets MINITORCH_CUDA
def test_examples(name):
    module = importlib.import_module(name)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testmod(module, optionflags=options)
    assert result.failed == 0
