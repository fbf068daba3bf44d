"""Tests of the lessons' exercises: solutions are accepted, usual mistakes are not."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda
from minitorch.cuda import grid
from minitorch.learn import lessons as course
from minitorch.learn import puzzles

from .course_answers import ANSWERS
from .course_functions import FUNCTIONS
from .course_solutions import MISTAKES as FIRST_MISTAKES
from .course_solutions import SOLUTIONS as FIRST_SOLUTIONS
from .course_speed import MISTAKES as SPEED_MISTAKES
from .course_speed import SOLUTIONS as SPEED_SOLUTIONS
from .course_speed import four_neighbours_each
from .course_tensors import TENSOR_FUNCTIONS

SOLUTIONS = FIRST_SOLUTIONS | SPEED_SOLUTIONS
MISTAKES = [*FIRST_MISTAKES, *SPEED_MISTAKES]

WRONG = [
    ("00.1", 5, "ten times that"),
    ("00.1", 7, "Which thread"),
    ("01.1", 12, "That is one block"),
    ("01.1", 10, "two sides"),
    ("01.2", 3, "Every block has a thread 3"),
    ("01.2", 20, "numbered from 0"),
    ("01.3", 9, "A row is missing as well"),
    ("01.3", 24, "do have a cell"),
    ("02.1", 3, "232 cells"),
    ("02.2", 232, "do have a cell"),
    ("04.1", 2, "the cell it writes"),
    ("04.1", 62, "cells 0 to 63"),
    ("05.1", 255, "happen together"),
    ("05.1", 128, "the first round"),
    ("05.1", 9, "no more rounds"),
    ("06.1", 128, "no thread reads an old number"),
    ("06.1", 4, "They may"),
    ("07.1", 32, "32 bytes or more"),
    ("07.1", 4, "without gaps"),
    ("08.1", 1, "words 0 and 32"),
    ("09.1", 2, "take the same path"),
    ("09.2", 131, "at the same time"),
    ("10.1", 1024, "Which of them"),
    ("10.2", 16, "share a cell that one"),
    ("11.1", 4, "81,920"),
    ("11.2", "compute", "operations for 12 bytes"),
    ("11.2", 3, "need a word"),
    ("12.1", 3, "the x that is added"),
    ("12.2", 4, "one of the two"),
    ("13.1", 6, "row first, then column"),
    ("13.2", 3, "after the last cell"),
    ("14.7", 2368, "two biases are trained"),
    ("14.8", 2, "more than two digits"),
    ("16.1", 5, "two rows of threads"),
    ("16.1", 37, "37 // 16"),
    ("16.2", 32, "The sample is read as well"),
    ("16.2", 1152, "A sector has 32"),
    ("17.1", 3, "does two things"),
    ("17.1", 9, "a product and then a bias"),
    ("17.2", 16384, "half a block"),
    ("17.3", 7, "seen twice"),
    ("18.1", 1, "only their address"),
    ("18.2", 10, "two such places"),
    ("19.1", 5, "Nothing runs"),
    ("19.2", 100, "A replay does not"),
    ("20.1", 3, "the other way round"),
    ("20.2", 9, "The shortcut"),
    ("20.2", 53, "the whole network"),
    ("21.1", 272, "Nobody has to write the sum"),
    ("21.1", 128, "b is read as well"),
    ("21.2", 10, "a read and a write each"),
    ("02.1", 3.9, "need a whole number"),
    ("02.1", "four", "need a whole number"),
    ("02.1", True, "need a whole number"),
]


def test_every_exercise_is_tested_and_named_by_its_lesson():
    every = set(SOLUTIONS) | set(ANSWERS) | set(FUNCTIONS)
    every |= set(TENSOR_FUNCTIONS)
    assert set(course.EXERCISES) == every
    assert list(course.EXERCISES) == sorted(course.EXERCISES)
    assert all(each.name == name for name, each in course.EXERCISES.items())


def _as_given(answer):
    """As a reader may have it: a word, or a number of NumPy."""
    return answer if isinstance(answer, str) else np.int64(answer)


@pytest.mark.parametrize("name", ANSWERS)
def test_right_answers(name):
    answer = course.check(name, _as_given(ANSWERS[name]))
    assert answer
    assert str(answer) == f"Exercise {name}: right"


@pytest.mark.parametrize(("name", "answer", "advice"), WRONG)
def test_wrong_answers_get_advice_and_not_the_answer(name, answer, advice):
    judged = course.check(name, answer)
    assert judged.state == "wrong"
    assert not judged
    assert advice in str(judged)
    assert str(ANSWERS[name]) not in judged.advice.replace(repr(answer), "").split()


@pytest.mark.parametrize("name", course.EXERCISES)
@pytest.mark.parametrize("answer", [None, ...])
def test_no_answer_yet(name, answer):
    judged = course.check(name, answer)
    assert judged.state == "not yet"
    assert not judged
    exercise = course.EXERCISES[name]
    if isinstance(exercise, puzzles.Puzzle):
        assert "There is no kernel yet. Write it, and pass it instead" in str(judged)
        assert exercise.hints[0] in str(judged)


@pytest.mark.cuda
@pytest.mark.parametrize("name", SOLUTIONS)
def test_solutions(name):
    result = course.check(name, cuda.jit(SOLUTIONS[name]))
    assert result.state == "solved", result
    assert result.reaches_aim or not cuda.is_emulated(), result
    assert str(result).startswith(f"Exercise {name}, ")
    if cuda.is_emulated():  # what is shown as a good solution's counts is this one's
        pairs = zip(result.counts.rows(), result.puzzle.aim.rows(), strict=True)
        assert all(aim in (None, count) for count, aim in pairs), result


def square_of_one_read(out, a):
    i = cuda.grid(1)
    x = a[i]
    out[i] = x**2


def relu_of_two_reads(out, a):
    i = cuda.grid(1)
    if i < out.size:
        if a[i] > 0:
            out[i] = a[i]
        else:
            out[i] = 0


def relu_chosen(out, x):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = x[row, column] if x[row, column] > 0 else 0


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("01.4", square_of_one_read),
        ("03.1", relu_of_two_reads),
        ("14.1", relu_chosen),
    ],
)
def test_other_ways_reach_the_aim_as_well(name, kernel):
    result = course.check(name, cuda.jit(kernel))
    assert result.reaches_aim or not cuda.is_emulated(), result


def by_grid(out, a):
    column, row = cuda.grid(2)
    out[row, column] = 10 * row + column


def by_imported_grid(out, a):
    column, row = grid(2)
    out[row, column] = 10 * row + column


def made_by_grid(cuda):
    def call(out, a):
        column, row = cuda.grid(2)
        out[row, column] = 10 * row + column

    return call


@pytest.mark.cuda
@pytest.mark.parametrize(
    "kernel", [by_grid, cuda.jit(by_grid), by_imported_grid, made_by_grid]
)
def test_an_exercise_without_cuda_grid_is_not_solved_with_it(kernel):
    result = course.check("01.5", kernel)
    assert (result.state, bool(result)) == ("not as asked", False)
    assert not result.reaches_aim
    assert str(result).startswith(
        "Exercise 01.5, A thread with two numbers: not as asked\n"
        "  Values are right on all inputs, but the kernel uses cuda.grid, which this "
        "puzzle does not allow. Use cuda.blockIdx, cuda.blockDim and cuda.threadIdx.\n"
    )


@pytest.mark.cuda
def test_a_kernel_in_cuda_does_without():
    code = """__global__ void place(float* out, const float* a) {
      int column = blockIdx.x * blockDim.x + threadIdx.x;
      int row = blockIdx.y * blockDim.y + threadIdx.y;
      out[row * 4 * gridDim.x + column] = 10 * row + column;
    }"""
    assert course.check("01.5", cuda.RawKernel(code, "place")).solved


@pytest.mark.cuda
@pytest.mark.parametrize(("name", "kernel", "said"), MISTAKES)
def test_usual_mistakes(name, kernel, said):
    if not cuda.is_emulated():
        pytest.skip("a mistake may be silent on a GPU")
    result = course.check(name, cuda.jit(kernel))
    assert result.state in ("wrong values", "reported", "too costly")
    assert not result
    assert said in str(result), result


def nothing(out, a):
    i = cuda.grid(1)  # noqa: F841


def nothing_of_two(out, a, b):
    i = cuda.grid(1)  # noqa: F841


@pytest.mark.cuda
@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_kernel_that_writes_nothing_gets_a_hint(name):
    exercise = course.EXERCISES[name]
    empty = nothing if len(exercise.arguments) == 2 else nothing_of_two
    result = course.check(name, cuda.jit(empty))
    assert result.state == "not yet"
    assert exercise.hints[0] in str(result)


@pytest.mark.parametrize("name", ["", "99.1", None, [], "0.1", 0.2])
def test_no_such_exercise(name):
    with pytest.raises(ValueError, match=r"^\[course\] got exercise ") as caught:
        course.check(name, 1)
    last = [*course.EXERCISES][-1]
    needed = f"need a string from '00.1' to '{last}'."
    assert str(caught.value) == f"[course] got exercise {name!r}; {needed}"


@pytest.mark.cuda
def test_what_a_right_kernel_costs_is_told_beside_what_is_enough():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not count")
    name = "07.3"
    good = course.check(name, SPEED_SOLUTIONS[name])
    # Two blocks of 64 threads, four loads each: 4 warps, 4 times, 4 sectors.
    assert [cost.taken for cost in good.costs] == [4 * 4 * 4]
    assert "64 sectors loaded; 64 are enough" in str(good)
    costly = course.check(name, four_neighbours_each)
    assert (costly.state, bool(costly)) == ("too costly", False)
    assert "Values are right on all inputs, but the kernel costs too much" in str(
        costly
    )
    assert "side by side" in str(costly)
    assert not costly.reaches_aim
