"""Running every kernel case of this repository, one test each, in one process."""

from __future__ import annotations

import pytest

from minitorch import _core, cuda

from .case import DATA, read_cases
from .judge import compile_case, next_launch_is_right, run_case

pytestmark = pytest.mark.cuda

CASES = [case for folder in sorted(DATA.glob("*/")) for case in read_cases(folder)]

_NOT_FOUND = {"bug_local_into_next"}
_ONE_PIECE = pytest.mark.xfail(
    reason="local arrays of one thread are one piece of memory in PTX (docs/checks.md)"
)
PARAMETERS = [
    pytest.param(
        case,
        id=case.name,
        marks=_ONE_PIECE if case.name in _NOT_FOUND else (),
    )
    for case in CASES
]


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not tell kinds and lines")


@pytest.fixture(autouse=True)
def _small_budget():
    """Loops without end take a moment instead of seconds."""
    former = _core.budget()
    _core.set_budget(2**24)
    yield
    _core.set_budget(former)


@pytest.mark.parametrize("case", PARAMETERS)
def test_case(case):
    verdict = run_case(case, compile_case(case))
    assert verdict.passed, verdict.why
    assert not verdict.unnamed
    assert next_launch_is_right()
