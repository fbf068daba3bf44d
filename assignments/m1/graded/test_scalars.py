"""Holds the graded tests of tasks 1.1, 1.2 and 1.3."""

import numpy as np
import pytest


@pytest.mark.task("1.1-polynomials")
def test_polynomials(submission, rng):
    for arg in range(3):
        x, y, z = (float(v) for v in rng.uniform(1, 3, 3))
        expected = [3 * x**2 * y + 1, x**3 + 5 * z**2, 10 * y * z][arg]
        # A step of 0.01 to one side alone would be wrong by one percent.
        for epsilon, rtol in ((1e-2, 1e-4), (1e-5, 1e-6)):
            submission.check(
                "drivers.polynomial",
                x,
                y,
                z,
                arg,
                epsilon,
                expected=np.float64(expected),
                rtol=rtol,
            )
    x = float(rng.uniform(-2, 2))
    submission.check("drivers.exponential", x, expected=np.exp(x), rtol=1e-6)


@pytest.mark.task("1.2-operators")
def test_operators(submission):
    for a, b in ((3.0, 4.0), (-2.5, 0.5), (7.0, -7.0)):
        expected = np.array([[a + b, a - b, a * b, a / b, -a]] * 3)
        expected[1, 4], expected[2, 4] = -b, a
        submission.check("drivers.operators", a, b, expected=expected)


@pytest.mark.task("1.2-functions")
def test_functions(submission, rng):
    for _ in range(6):
        a, b = (float(v) for v in rng.uniform(-9, 9, 2))
        relu, exp, log = max(a, 0.0), np.exp(a / 20), np.log(a * a + 1e-6)
        expected = [relu, exp, 0.5 * (1 + np.tanh(a / 2)), log, max(-a, 0.0)]
        submission.check("drivers.functions", a, expected=np.array(expected))
        submission.same("drivers.all_functions", a, b)
        for other in (b, a):
            row = [a < other, a > other, a == other]
            expected = np.array([row] * 3, float)
            submission.check("drivers.comparisons", a, other, expected=expected)


@pytest.mark.task("1.2-graph")
def test_graphs(submission, rng):
    a, b = (float(v) for v in rng.uniform(1, 5, 2))
    submission.check("drivers.graphs", a, b, expected=np.ones((11, 2), bool))


@pytest.mark.task("1.3-chain")
def test_chain(submission, rng):
    for _ in range(3):
        a, b, c, d = (float(v) for v in rng.uniform(1, 4, 4))
        parts = [d * (b * c + 1), d * a * c, d * a * b]
        parts += [d * (a * c + 1), d * a * c, d * a * a]
        expected = [np.array(parts), np.ones(5, bool), np.array([3, 3, 1, 1])]
        submission.check("drivers.chain", a, b, c, d, expected=expected)
