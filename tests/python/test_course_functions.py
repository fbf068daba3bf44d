"""Tests of the exercises that ask for a plain function: right, wrong and none."""

from __future__ import annotations

import pytest

from minitorch.learn import lessons as course

from .course_functions import FUNCTIONS, WRONG_FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_functions(name):
    answer = course.check(name, FUNCTIONS[name])
    assert answer, answer
    assert str(answer) == f"Exercise {name}: right"


@pytest.mark.parametrize(("name", "function", "said"), WRONG_FUNCTIONS)
def test_wrong_functions_are_told_a_call_that_shows_it(name, function, said):
    answer = course.check(name, function)
    assert answer.state == "wrong"
    assert said in answer.advice, answer


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("empty", [None, lambda *_: None, lambda *_: ...])
def test_no_function_yet(name, empty):
    answer = course.check(name, empty)
    assert answer.state == "not yet"
    assert answer.advice == course.EXERCISES[name].hint


@pytest.mark.parametrize("thing", [3, "f", (1, 2), object()])
def test_what_is_no_function(thing):
    with pytest.raises(TypeError, match=r"for exercise 12\.3; need a Python function"):
        course.check("12.3", thing)
