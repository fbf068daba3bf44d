"""Tests of exercises that ask for a function on tensors: values, launches, waits."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda, profiler, tensor
from minitorch.learn import lessons as course

from .course_tensors import (
    TENSOR_FUNCTIONS,
    WRONG_TENSOR_FUNCTIONS,
    as_handed_in,
)

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("name", TENSOR_FUNCTIONS)
def test_right_functions(name):
    answer = course.check(name, as_handed_in(name, TENSOR_FUNCTIONS[name]))
    assert answer, answer
    assert answer.state == "right"


@pytest.mark.parametrize(("name", "function", "state", "said"), WRONG_TENSOR_FUNCTIONS)
def test_wrong_functions_are_told_what_shows_it(name, function, state, said):
    answer = course.check(name, function)
    assert (answer.state, bool(answer)) == (state, False), answer
    assert said in answer.advice, answer


@pytest.mark.parametrize("name", TENSOR_FUNCTIONS)
@pytest.mark.parametrize("empty", [None, lambda *_: None])
def test_no_function_yet(name, empty):
    answer = course.check(name, empty)
    assert answer.state == "not yet"
    assert answer.advice == course.EXERCISES[name].hint


@pytest.mark.parametrize("thing", [3, "f", (1, 2), object()])
def test_what_is_no_function(thing):
    with pytest.raises(TypeError, match=r"for exercise 17\.4; need a Python function"):
        course.check("17.4", thing)


ONES = np.ones(3, np.float32)


def double(most, function, given=ONES):
    case = (given,)
    task = course.TensorTask("own.1", lambda a: 2 * a, (case,), "Double it.", most)
    return task.check(function)


def test_launches_are_counted_by_hand():
    """x + x is one launch; x * 1 + x * 1 is three."""
    one = (course.Most("launches", 1, "One is enough."),)
    assert str(double(one, lambda a: a + a)) == (
        "Exercise own.1: right\n  1 launch; 1 is enough"
    )
    costly = double(one, lambda a: a * 1 + a * 1)
    assert costly.state == "too costly"
    assert "3 launches; 1 is enough" in costly.advice
    assert costly.advice.endswith("One is enough.")


def test_an_explicit_wait_is_one_as_well():
    none = (course.Most("waits", 0, "Do not wait."),)

    def patient(a):
        doubled = a + a
        cuda.synchronize()
        return doubled

    assert str(double(none, lambda a: a + a)).endswith("right\n  0 waits")
    assert double(none, patient).advice.startswith("1 wait; need none (")


def test_an_exercise_may_be_judged_while_a_profile_runs():
    with profiler.profile() as prof:
        assert course.check("18.4", TENSOR_FUNCTIONS["18.4"])
    assert prof.events()


def test_a_capture_that_was_refused_leaves_the_device_as_it_was():
    (wrong,) = (
        function
        for _, function, *_, said in WRONG_TENSOR_FUNCTIONS
        if "GraphCaptureError" in said
    )
    name = "19.4"
    assert not course.check(name, wrong)
    assert not cuda.is_current_stream_capturing()
    two = tensor(np.ones(2, np.float32), device="cuda")
    assert (two + two).numpy().tolist() == [2, 2]
    assert course.check(name, TENSOR_FUNCTIONS[name])


def test_nan_is_only_right_where_it_is_asked_for():
    assert double((), lambda a: a + float("nan")).state == "wrong"
    nan = np.array([np.nan, 1], np.float32)
    assert double((), lambda a: a + a, nan)
    wrong = double((), lambda a: a * 3, nan)
    assert wrong.advice.endswith("gave 3 at [1]; need 2.")


def test_a_result_that_has_a_history_is_read_as_well():
    assert double((), lambda a: a.requires_grad_(True) * 2)
