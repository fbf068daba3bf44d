"""Holds when values are right, and what is said of wrong ones to whom."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch_grading.errors import AssignmentError
from minitorch_grading.judge.values import difference, format_value, poisoned
from minitorch_grading.rubric.secret import (
    checked,
    generator,
    read_secret,
)

NAN, INF = float("nan"), float("inf")
F4, F8 = np.float32, np.float64


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1, 1),
        (3, 3.0),
        (1.0 + 1e-9, 1.0),
        (F4(0.1), F8(0.1)),  # rounding of the narrow width, by the judge's tolerance
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array([1.0, NAN]), np.array([1.0, NAN])),
        (np.array([INF]), np.array([INF])),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.float64(2.0), np.array(2.0)),
        ([1, (2.0, "a")], (1, [2.0, "a"])),
        (None, None),
        (True, True),
    ],
)
def test_right(got, expected):
    rtol = 1e-6 if isinstance(got, F4) else None
    assert difference(got, expected, rtol=rtol) is None


@pytest.mark.parametrize(
    ("got", "expected", "plain", "whole"),
    [
        (1, 2, "all values are wrong", "result is 1, expected 2"),
        (NAN, 1.0, "all values are wrong", "result is nan, expected 1.0"),
        (1.0, NAN, "all values are wrong", "result is 1.0, expected nan"),
        (INF, -INF, "all values are wrong", "result is inf"),
        (True, 1, "of another type", "got bool, expected int64"),
        (1.5, 1, "of another type", "got float64, expected int64"),
        (np.zeros(3), np.zeros((3, 1)), "another shape", "got the shape (3,)"),
        (np.zeros(1), np.zeros(()), "another shape", "got the shape (1,)"),
        (
            np.array([[1.0, 5.0], [3.0, 4.0]]),
            np.array([[1.0, 2.0], [3.0, 4.0]]),
            "some of the values are wrong",
            "result[0, 1] is 5.0, expected 2.0; 1 of 4 cells are wrong",
        ),
        ("a", "b", "the result is wrong", "got 'a', expected 'b'"),
        (None, 1.0, "the result is None; need a number", "got None"),
        ([1.0], np.ones(1), "the result is a list; need an array", "got [1.0]"),
        (1.0, [1.0], "the result is a number; need a list", "got 1.0"),
        ([1], [1, 2], "another length", "got 1 values, expected 2"),
        ([1, 3], [1, 2], "all values are wrong", "value 1: result is 3"),
        ("1", 1, "the result is a text; need a number", "got '1'"),
    ],
)
def test_wrong(got, expected, plain, whole):
    found = difference(got, expected)
    assert plain in found.plain
    assert whole in found.details


def test_what_may_be_said_of_hidden_rows_holds_no_digit():
    rng = np.random.default_rng(3)
    for got, expected in [
        (rng.normal(size=7), rng.normal(size=9)),
        (rng.normal(size=7), rng.normal(size=7)),
        ([1.25], [1.25, 3.5]),
        ("4321", "1234"),
        (7, "7"),
    ]:
        assert not any(each.isdigit() for each in difference(got, expected).plain)


def test_tolerance_follows_the_expected_width():
    third = np.array([1 / 3])
    assert difference(third.astype(F4), third.astype(F4) * F4(1.00005)) is None
    assert difference(third, third * 1.00005) is not None
    assert difference(third, third * 1.00005, rtol=1e-3) is None
    assert difference(third, third + 1e-4, rtol=0, atol=1e-3) is None


def test_poisoned():
    assert poisoned(3).shape == (3,)
    assert poisoned((4, 5), F4).nbytes == 80
    with pytest.raises(TypeError, match="need booleans, integers or floats"):
        poisoned(3, "complex64")
    with pytest.raises(ValueError, match="need sizes of 0 or more"):
        poisoned((3, -1))


def test_long_values_are_shortened():
    assert len(format_value(list(range(1000)))) <= 160
    assert format_value(np.arange(10_000.0)).startswith("array([0.000e+00")


def test_inputs_follow_from_secret_assignment_and_row():
    secret = b"s" * 16
    first = generator(secret, "m3", "3.3-zip").normal(size=4)
    assert np.array_equal(first, generator(secret, "m3", "3.3-zip").normal(size=4))
    others = [
        (secret, "m3", "3.3-map"),
        (secret, "m4", "3.3-zip"),
        (b"t" * 16, "m3", "3.3-zip"),
    ]
    others += [(secret, "m33", ".3-zip")]  # where one word ends is part of the seed
    for each in others:
        assert not np.array_equal(first, generator(*each).normal(size=4))


def test_secrets(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"s" * 64 + b"\n")
    assert len(read_secret(path)) == 64
    with pytest.raises(AssignmentError, match="the secret has 5 bytes"):
        checked(b"short")
    with pytest.raises(AssignmentError, match="need the secret from"):
        read_secret(tmp_path / "none")
