"""What students see of task 6.1: answers beside what the emulator has counted."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import answers
import numpy as np
import pytest
import reductions
from launches import launched

ROUNDS = 8


def busy_lanes(kernel: Any) -> dict[int, list[int]]:
    """For each warp, how many of its threads add in each round, by the trace.

    A thread that adds stores into shared memory; barriers part the rounds. What is
    stored before the first barrier is the input.
    """
    a = np.ones(reductions.BLOCK, np.float32)
    _, launch = launched(kernel, 1, reductions.BLOCK, np.zeros(1, "f4"), a, trace=True)
    trace = launch.trace
    barriers: dict[int, int] = defaultdict(int)
    lanes = {warp: [0] * ROUNDS for warp in range(reductions.WARPS)}
    for step in range(len(trace)):
        warp, opcode = int(trace.warp[step]), str(trace.opcode[step])
        if opcode.startswith(("bar", "barrier")):
            barriers[warp] += 1
        elif opcode.startswith("st.shared") and 0 < barriers[warp] <= ROUNDS:
            lanes[warp][barriers[warp] - 1] += int(trace.mask[step]).bit_count()
    return lanes


def busy_warps(kernel: Any) -> list[int]:
    """How many warps have a thread that adds, in each round."""
    lanes = busy_lanes(kernel)
    return [sum(lanes[warp][each] > 0 for warp in lanes) for each in range(ROUNDS)]


def compare(answer: list[int], counted: list[int]) -> None:
    """Says how far an answer is right, without the right one."""
    __tracebackhide__ = True
    count = len(answer)
    assert count == ROUNDS, f"answers.py has {count} numbers here; there are 8 rounds"
    wrong = [n + 1 for n in range(ROUNDS) if answer[n] != counted[n]]
    assert not wrong, f"the launch has done otherwise in round {wrong[0]}"


@pytest.mark.task6_1
def test_busy_warps_of_the_tree() -> None:
    """In which rounds does a whole warp rest?"""
    counted = busy_warps(reductions.sum_divergent)
    compare(answers.BUSY_WARPS_OF_THE_TREE, counted)


@pytest.mark.task6_1
def test_busy_lanes_of_the_tree() -> None:
    """A warp that runs for one of its threads takes as long as for 32."""
    counted = busy_lanes(reductions.sum_divergent)[0]
    compare(answers.BUSY_LANES_OF_THE_TREE, counted)


@pytest.mark.task6_1
def test_busy_warps_of_sequential_addresses() -> None:
    """What you expect of task 6.2 before you write it: rounds halve the threads."""
    halves = [128 >> each for each in range(ROUNDS)]
    expected = [-(-threads // 32) for threads in halves]
    compare(answers.BUSY_WARPS_OF_SEQUENTIAL_ADDRESSES, expected)
