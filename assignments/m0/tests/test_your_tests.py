"""The public tests of task 0.2: they test your tests.

A test is worth as much as the faults that it notices. Here are five that you may look
at; the grader has five others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minitorch import operators

from . import test_operators_mine as mine

# A test of yours, a function, and what somebody wrote in its place.
FAULTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "test_sigmoid": ("sigmoid", lambda x: x / (1 + abs(x))),
    "test_transitive": ("lt", lambda x, y: 1.0 if int(y - x) % 3 == 1 else 0.0),
    "test_symmetric": ("mul", lambda x, y: x * y + x),
    "test_distribute": ("add", lambda x, y: abs(x + y)),
    "test_sum_distribute": ("sum", lambda ls: 5 * max(ls)),
}


def notices(test: Callable[[], None]) -> bool:
    """Does a test fail for what operators are now?"""
    try:
        test()
    except NotImplementedError:
        raise
    except Exception:
        return True
    return False


@pytest.mark.task0_2
@pytest.mark.parametrize("name", [*FAULTS, "test_other"])
def test_passes_for_right_operators(name: str) -> None:
    """Your tests are right themselves, at every number that hypothesis draws."""
    getattr(mine, name)()


@pytest.mark.task0_2
@pytest.mark.parametrize("name", FAULTS)
def test_notices_a_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Your test of a property fails where the property does not hold."""
    function, wrong = FAULTS[name]
    for module in (operators, mine):  # wherever you take it from
        if hasattr(module, function):
            monkeypatch.setattr(module, function, wrong)
    assert notices(getattr(mine, name)), f"{name} passes for a wrong {function}"
