"""Holds the graded tests of tasks 0.1, 0.2 and 0.3."""

import numpy as np
import pytest

EPS = 1e-6


@pytest.mark.task("0.1-arithmetic")
def test_arithmetic(submission):
    x = np.array([-4.0, 0.5, 3.0, -0.25, 8.0])
    y = np.array([2.0, 0.5, -7.0, -0.5, 9.5])
    expected = np.stack([x * y, x + y, -x, x, 1 / x, np.maximum(x, y)])
    submission.check("drivers.arithmetic", x, y, expected=expected)


@pytest.mark.task("0.1-comparisons")
def test_comparisons(submission, rng):
    x = rng.uniform(-50, 50, 24)
    apart = np.array([0.0, 0.0, 0.009, -0.009, 0.011, -0.011, 3.0, -3.0] * 3)
    y = x + apart
    expected = np.stack([x < y, x == y, np.abs(x - y) < 1e-2]).astype(float)
    submission.check("drivers.comparisons", x, y, expected=expected)


@pytest.mark.task("0.1-sigmoid")
def test_sigmoid(submission, rng):
    x = np.concatenate([rng.uniform(-8, 8, 12), [0.0, 1000.0, -1000.0, 36.0, -36.0]])
    expected = 0.5 * (1 + np.tanh(x / 2))
    submission.check("drivers.sigmoid", x, expected=expected[None], rtol=1e-9)


@pytest.mark.task("0.1-relu")
def test_relu(submission, rng):
    x = np.concatenate([rng.uniform(-9, 9, 10), [0.0, 1e-9, -1e-9]])
    d = rng.uniform(-5, 5, len(x))
    expected = np.stack([np.clip(x, 0, None), np.where(x > 0, d, 0.0)])
    submission.check("drivers.relu", x, d, expected=expected)


@pytest.mark.task("0.1-derivatives")
def test_derivatives(submission, rng):
    x = np.concatenate([rng.uniform(0.5, 9, 8), [1e-6, 3e-6, 0.01]])
    d = rng.uniform(-5, 5, len(x))
    expected = np.stack([d / (x + EPS), -d / x**2])
    submission.check("drivers.derivatives", x, d, expected=expected, rtol=1e-9)


@pytest.mark.task("0.2-caught")
def test_own_tests(submission):
    submission.student_tests("tests/test_operators_mine.py", on="operators_twins")


@pytest.mark.task("0.3-lists")
def test_lists(submission, rng):
    for n, m in ((5, 5), (7, 4), (3, 9), (0, 2)):
        x, y = rng.normal(size=n), rng.normal(size=m)
        submission.same("drivers.lists", x, y)


@pytest.mark.task("0.3-folds")
def test_folds(submission, rng):
    for n in (0, 1, 6, 11):
        x, start = rng.uniform(-2, 2, n), float(rng.uniform(1, 5))
        fold = start
        for each in x:
            fold = 0.5 * fold + each
        total, product = x.sum(), x.prod()
        expected = [fold, fold, start, total, 0.0, product, product, 1.0]
        submission.check("drivers.folds", x, start, expected=np.array(expected))
