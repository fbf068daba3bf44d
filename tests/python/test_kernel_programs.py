"""Kernels for one thread against plain Python: the same function, called."""

from __future__ import annotations

import linecache
import types

import numpy as np
import pytest

from minitorch import cuda

from . import flow_kernels, value_kernels
from .program_cases import CASES
from .random_programs import random_program

pytestmark = pytest.mark.cuda
assert flow_kernels
assert value_kernels


def copied(arguments):
    return [each.copy() if hasattr(each, "copy") else each for each in arguments]


def both_ways(function, arguments):
    expected, found = copied(arguments), copied(arguments)
    function(*expected)
    cuda.jit(function)[1, 1](*found)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "arguments"),
    CASES,
    ids=lambda x: x.__name__ if isinstance(x, types.FunctionType) else "",
)
def test_python_is_the_judge(function, arguments):
    both_ways(function, arguments)


def test_there_are_enough_programs():
    assert len(CASES) >= 17


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    source = random_program(seed)
    file = f"<random program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {}
    exec(compile(source, file, "exec"), scope)
    kind = np.float64 if seed % 2 else np.int64
    a = np.array([3, -1, 0, 5, -2, 7], kind)
    both_ways(scope["kernel"], (np.arange(6) * 1.5 - 3, a, 2, -3.5))
