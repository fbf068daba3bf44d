"""The mutation test of indices: each wrong index is named, no right one is."""

from __future__ import annotations

import ast
import linecache

import numpy as np
import pytest

from minitorch import cuda

from .index_kernels import CASES
from .index_mutants import misses_of, mutants_of, tree_of

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.filterwarnings("ignore::minitorch.cuda.NumbaPerformanceWarning"),
]


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not check indices")


def finding_of(source, case, name):
    """Launch a kernel given as text: what was found, or None."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"cuda": cuda, "np": np, "__name__": "mutants"}
    exec(compile(source, file, "exec"), scope)
    kernel = cuda.jit(scope[ast.parse(source).body[0].name])
    try:
        # Races and values nobody wrote are other findings than those meant here.
        with cuda.checks("memory"):
            kernel[case.grid, case.block](*case.arguments())
            cuda.synchronize()
    except cuda.KernelError as error:
        return error
    return None


def named(error):
    """Array, indices, extents, block and thread of a finding, as `Miss` has them."""
    assert error.finding is not None
    told = sorted(error.finding.indices, key=lambda each: each.dimension)
    array = str(error).partition(", but ")[2].partition(" has ")[0]
    indices = tuple(each.index for each in told)
    return (
        array,
        indices,
        tuple(each.extent for each in told),
        error.block,
        error.thread,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_right_indices_are_silent(case):
    source = ast.unparse(tree_of(case)) + "\n"
    assert misses_of(source, case) == set()
    assert finding_of(source, case, f"right {case.function.__name__}") is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_wrong_indices_are_named(case):
    wrong = []
    for mutant in mutants_of(case):
        problem = _problem(mutant, case)
        if problem:
            wrong.append(f"{mutant.name}: {problem}")
    assert not wrong, "\n".join(wrong)


def _problem(mutant, case):
    """What is wrong about what a mutant was told, or ""."""
    expected = misses_of(mutant.source, case)
    error = finding_of(mutant.source, case, f"{case.function.__name__} {mutant.name}")
    if error is None:
        return f"silent; need one of {sorted(expected)[:3]}" if expected else ""
    if not expected:
        return f"no index is outside, but: {error}"
    if error.kind not in ("oob_global", "oob_shared", "oob_local"):
        return f"another finding: {error}"
    if named(error) not in {tuple(each) for each in expected}:
        return f"{named(error)} is none of {sorted(expected)[:3]}: {error}"
    return ""


def test_there_are_enough():
    assert len(CASES) >= 22
    assert sum(1 for case in CASES for _ in mutants_of(case)) >= 400
