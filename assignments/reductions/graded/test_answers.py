"""The right answers of task 6.1. Nothing is run for them."""

from __future__ import annotations

import pytest

RIGHT = {
    "6.1-warps": ("BUSY_WARPS_OF_THE_TREE", [8, 8, 8, 8, 8, 4, 2, 1]),
    "6.1-lanes": ("BUSY_LANES_OF_THE_TREE", [16, 8, 4, 2, 1, 1, 1, 1]),
    "6.1-sequential": (
        "BUSY_WARPS_OF_SEQUENTIAL_ADDRESSES",
        [4, 2, 1, 1, 1, 1, 1, 1],
    ),
}


@pytest.mark.parametrize(
    ("name", "right"),
    [pytest.param(*RIGHT[item], marks=pytest.mark.task(item)) for item in RIGHT],
)
def test_answer(submission, name, right):
    answer = submission.answers("answers.py").get(name)
    if not isinstance(answer, list | tuple) or len(answer) != len(right):
        submission.partial(0, f"{name} needs eight numbers, one for each round.")
        return
    count = sum(each == number for each, number in zip(answer, right, strict=True))
    if count < len(right):
        submission.partial(0, f"{name} is right in {count} of 8 rounds.")
