"""Tests of which steps are recorded."""

from __future__ import annotations

import pytest

from minitorch.profiler import ProfilerAction, schedule

LETTERS = {"-": "NONE", "w": "WARMUP", "r": "RECORD", "s": "RECORD_AND_SAVE"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"wait": 1, "warmup": 1, "active": 2, "repeat": 1}, "-wrs----"),
        ({"wait": 1, "warmup": 1, "active": 1}, "-ws-ws-ws"),
        ({"wait": 0, "warmup": 1, "active": 3, "repeat": 2}, "wrrswrrs---"),
        ({"wait": 2, "warmup": 1, "active": 1, "skip_first": 3}, "-----ws--ws"),
    ],
)
def test_steps(options, expected):
    action = schedule(**options)
    found = [action(step) for step in range(len(expected))]
    assert found == [ProfilerAction[LETTERS[letter]] for letter in expected]


def test_no_warm_up_is_a_warning_at_the_callers_line():
    with pytest.warns(UserWarning, match=r"\[schedule\] with warmup=0") as caught:
        action = schedule(wait=1, warmup=0, active=1)
    assert caught[0].filename == __file__
    assert [action(n).name for n in (0, 1)] == ["NONE", "RECORD_AND_SAVE"]


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [
        ("wait", -1, 0),
        ("warmup", 1.5, 0),
        ("active", 0, 1),
        ("repeat", True, 0),
        ("skip_first", "2", 0),
    ],
)
def test_wrong_numbers(name, value, least):
    options = {"wait": 1, "warmup": 1, "active": 1} | {name: value}
    message = rf"\[schedule\] got {name}={value!r}; need an int of at least {least}"
    with pytest.raises(ValueError, match=message):
        schedule(**options)
