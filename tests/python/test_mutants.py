"""Tests that exercises and puzzles refuse the nearest wrong versions of right answers.

A version that is accepted stands below, with the reason why it is right as well. Where
there is none, the exercise needs inputs that tell the two apart.
"""

from __future__ import annotations

import os

import pytest

from minitorch import cuda
from minitorch.learn import lessons as course
from minitorch.learn import puzzles

from .course_functions import FUNCTIONS
from .course_solutions import SOLUTIONS as FIRST_SOLUTIONS
from .course_speed import SOLUTIONS as SPEED_SOLUTIONS
from .course_tensors import TENSOR_FUNCTIONS, as_handed_in
from .mutants import mutants
from .puzzle_solutions import SOLUTIONS as PUZZLE_SOLUTIONS

KERNELS = FIRST_SOLUTIONS | SPEED_SOLUTIONS
FEWEST = 10  # of every exercise
# A large kernel has more than a hundred: so many of them are tried, spread over its
# lines, unless MINITORCH_ALL_MUTANTS is set.
MOST = 40

AROUND = "all cells are taken once, as indices below 0 count from the end"
WHOEVER = "threads of a block hold the same number, so any of them may write it"
ONE_COLUMN = "a column and a row of as many cells lie alike in memory"
ONE_CELL = "there is one cell only, so the last is the first"
SAME_SIDE = "both inputs have as many rows, or columns"
SAME_REST = "i is t plus a multiple of the block's size"
EITHER = "the size that is not 1 is taken, whichever it is"
NEVER_USED = "a thread without a cell does not use it"
STARTS_AS_0 = "a variable that some path leaves without a value is 0 there"
TIMES_0 = "the other factor is 0 there"

# Exercise or puzzle -> what is right as well, and why.
RIGHT_AS_WELL = {
    "01.4": {
        "2: i = cuda.blockIdx.x * cuda.blockDim.x - cuda.threadIdx.x": AROUND,
    },
    "04.3": {
        "6: out[i] = tile[t] + tile[(i + 1) % 8]": SAME_REST,
    },
    "05.2": {
        "12: if True:": WHOEVER,
        "4: tile[t - 1] = a[t]": AROUND,
        "4: tile[t] = a[t - 1]": AROUND,
        "12: if t != 0:": WHOEVER,
        "12: if t == 1:": WHOEVER,
        "13: out[-1] = tile[0]": ONE_CELL,
    },
    "05.3": {
        "12: if True:": WHOEVER,
        "4: tile[t - 1] = a[i] if i < a.size else 0": AROUND,
        "12: if t != 0:": WHOEVER,
        "12: if t == 1:": WHOEVER,
    },
    "14.4": {
        "5: for j in range(b.shape[1]):": SAME_SIDE,
    },
    "14.5": {
        "5: for i in range(d.shape[0]):": SAME_SIDE,
    },
    "14.6": {
        "6: total += d[row - 1, column]": AROUND,
    },
    "06.2": {
        "3: if i < a.size and a[i - 1] > 0:": AROUND,
        "4: cuda.atomic.add(out, -1, 1)": ONE_CELL,
    },
    "06.3": {
        "7: following = tile[(i + 1) % 64]": SAME_REST,
    },
    "08.3": {
        "5: tile[row, t] = a[row, t - 1]": AROUND,
    },
    "09.4": {
        "9: row = 2 * (t - 64) - 1": AROUND,
        "6: total += a[2 * t, column - 1]": AROUND,
        "9: row = 2 * (t - 65) + 1": AROUND,
    },
    "13.5": {
        "4: return tuple((b if a == 1 else a for b, a in pairs))": EITHER,
    },
    "18.3": {
        "3: for i in range(y.shape[0]):": SAME_SIDE,
        "6: return total / y.shape[0]": SAME_SIDE,
    },
    "19.4": {
        "4: w.sub_(gradient * (0.5 / y.shape[0]))": SAME_SIDE,
    },
    5: {
        "5: out[i, j] = a[i, -1] + b[0, j]": ONE_CELL,
        "5: out[i, j] = a[i, 0] + b[-1, j]": ONE_CELL,
    },
    7: {
        "2: j, i = cuda.grid(2)": "a square, whose cells are all alike",
    },
    8: {
        "8: without cuda.syncthreads()": "each thread takes back its own cell only",
        "2: tpb = 5": "a cell too many in the tile",
    },
    9: {
        "4: without total = cuda.float32(0)": NEVER_USED,
        "4: total = cuda.float32(1)": NEVER_USED,
        "4: total = cuda.float32(-1)": NEVER_USED,
    },
    10: {
        "7: if True:": WHOEVER,
        "7: if i != 0:": WHOEVER,
        "7: if i == 1:": WHOEVER,
        "11: out[-1] = total": ONE_CELL,
    },
    11: {
        "12: weights[j] = b[j] if j < b_size else 1": NEVER_USED,
        "12: weights[j] = b[j] if j < b_size else -1": NEVER_USED,
    },
    12: {
        "5: without total = cuda.float32(0)": STARTS_AS_0,
    },
    13: {
        "5: without total = cuda.float32(0)": STARTS_AS_0,
        "7: total = a[row, local_i - 1]": AROUND,
        "17: out[row, -1] = total": ONE_CELL,
    },
    14: {
        (
            "11: a_tile[local_i, local_j] = a[i, column] "
            "if i < size and column < size else 1"
        ): TIMES_0,
        (
            "11: a_tile[local_i, local_j] = a[i, column] "
            "if i < size and column < size else -1"
        ): TIMES_0,
        (
            "12: b_tile[local_i, local_j] = b[row, j] if row < size and j < size else 1"
        ): TIMES_0,
        (
            "12: b_tile[local_i, local_j] = b[row, j] "
            "if row < size and j < size else -1"
        ): TIMES_0,
    },
}


@pytest.fixture(autouse=True)
def short_lives():
    # Some versions never end. No block of a right one takes 2,000 instructions.
    if cuda.is_emulated():
        cuda.set_launch_limits(instructions=20_000)
        yield
        cuda.set_launch_limits(instructions=2**30)
    else:
        pytest.skip("what a wrong kernel does on a GPU is luck, and may end it")


def refused_all_but(name, function, check):
    """No version is accepted but those that are known to be right."""
    near = mutants(function)
    assert len(near) >= FEWEST
    known = set(RIGHT_AS_WELL.get(name, {}))
    some = known | {each.name for each in _spread(near)}
    tried = [each for each in near if each.name in some]
    accepted = {each.name for each in tried if _is_accepted(check, each.function)}
    assert accepted == known


def _spread(near):
    if "MINITORCH_ALL_MUTANTS" in os.environ or len(near) <= MOST:
        return near
    return [near[i * len(near) // MOST] for i in range(MOST)]


def _is_accepted(check, function):
    try:
        return bool(check(function))
    except (TypeError, ValueError, cuda.CudaError):  # refused as well
        return False


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize("name", KERNELS)
def test_exercises_refuse_what_is_nearly_right(name):
    refused_all_but(name, KERNELS[name], lambda kernel: course.check(name, kernel))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_are_nearly_right(name):
    refused_all_but(name, FUNCTIONS[name], lambda given: course.check(name, given))


@pytest.mark.cuda
@pytest.mark.parametrize("name", TENSOR_FUNCTIONS)
def test_functions_on_tensors_that_are_nearly_right(name):
    refused_all_but(
        name,
        TENSOR_FUNCTIONS[name],
        lambda given: course.check(name, as_handed_in(name, given)),
    )


@pytest.mark.slow
@pytest.mark.cuda
@pytest.mark.parametrize("number", range(1, 15))
def test_puzzles_refuse_what_is_nearly_right(number):
    kernel = PUZZLE_SOLUTIONS[number - 1]
    refused_all_but(number, kernel, lambda given: puzzles.check(number, given))


QUESTIONS = {
    name: each
    for name, each in course.EXERCISES.items()
    if isinstance(each, course.Question) and isinstance(each.right, int)
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_refuse_the_numbers_beside_the_right_one(name):
    right = QUESTIONS[name].right
    near = [right + step for step in range(-5, 6) if step]
    assert not any(course.check(name, number) for number in near)


def test_mutants_differ_from_the_right_one_and_from_each_other():
    near = mutants(FIRST_SOLUTIONS["02.4"])
    names = [each.name for each in near]
    assert len(set(names)) == len(names)
    for one in (
        "3: if row <= out.shape[0] and column < out.shape[1]:",
        "3: if row < out.shape[0] or column < out.shape[1]:",
        "3: if row < out.shape[0]:",
        "3: if column < out.shape[1]:",
        "3: if True:",
        "2: row, column = cuda.grid(2)",
        "4: out[row, column] = a[column, row] / 2",
        "4: out[row, column] = a[row, column + 1] / 2",
        "4: out[row, column] = a[row, column] * 2",
        "4: out[row, column] = a[row, column] / 3",
        "4: pass",
    ):
        assert one in names
    around_barriers = mutants(FIRST_SOLUTIONS["05.2"])
    assert "without cuda.syncthreads()" in str([each.name for each in around_barriers])
