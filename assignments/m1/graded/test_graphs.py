"""Holds the graded tests of tasks 1.4 and 1.5."""

import numpy as np
import pytest


def graph(rng, leaves, size):
    """Which two nodes each node adds, and the leaves' values."""
    choices = [rng.integers(max(0, n - 6), n, 2) for n in range(leaves, leaves + size)]
    choices[0] = np.array([0, 1])  # the constant has its place in each graph
    return np.array(choices), rng.normal(size=leaves)


@pytest.mark.task("1.4-order")
def test_order(submission, rng):
    for leaves, size in ((2, 1), (3, 5), (4, 18), (5, 60)):
        choices, values = graph(rng, leaves, size)
        expected = np.array([0, 0, 0, 0, 1])
        submission.check("drivers.order", choices, values, expected=expected)


@pytest.mark.task("1.4-backward")
def test_backward(submission, rng):
    for sign in (1, -1, 1, -1):
        a, b = (float(v) for v in rng.uniform(1.1, 4, 2) * [1, sign])
        d = float(rng.uniform(0.5, 3))
        s = 1 / (1 + np.exp(-a * b))
        on = float(-b > 0)
        expected = [
            [b + 1, a],
            [1 / b, -a / b**2 - 1],
            [s * (1 - s) * b, s * (1 - s) * a],
            [on * -b + 1, 1 - on * a],
            [2 * a * b / (a * a + 1 + 1e-6), np.log(a * a + 1 + 1e-6)],
            [0.1 * np.exp(0.1 * a), 4 * b],
            [1 + (a < b), 1.0],
            [-1.0, -3 / b**2],
        ]
        expected = d * np.array(expected)
        submission.check("drivers.derivatives", a, b, d, expected=expected, rtol=1e-6)


@pytest.mark.task("1.4-graphs")
def test_shared(submission, rng):
    for leaves, size, calls in ((3, 4, 1), (4, 12, 2), (5, 25, 3)):
        choices, values = graph(rng, leaves, size)
        # How many roads lead from each node to each leaf: sums of those of its parts.
        roads = [np.eye(leaves)[i] for i in range(leaves)]
        for first, second in choices:
            roads.append(roads[first] + roads[second])
        expected = [np.delete(roads[-1], 1) * calls, np.array([0])]
        submission.check("drivers.shared", choices, values, calls, expected=expected)


@pytest.mark.task("1.4-deep")
def test_deep(submission, rng):
    depth, a = int(rng.integers(4000, 6000)), float(rng.integers(1, 9))
    submission.check("drivers.deep", depth, a, expected=np.array([1.0, a + depth]))
    levels = int(rng.integers(40, 50))
    submission.check("drivers.bushy", levels, expected=np.array([2.0**levels]))


@pytest.mark.task("1.5-training")
@pytest.mark.requires("1.4-backward", "1.4-graphs")
def test_training(submission, rng):
    side = float(rng.uniform(0.42, 0.58))
    turned = rng.integers(2)

    def labels_of(points):
        return (points[:, turned] < side).astype(int)

    points = rng.uniform(size=(50, 2))
    points = points[np.abs(points[:, turned] - side) > 0.03]
    asked = rng.uniform(size=(200, 2))
    got = submission.call("drivers.learned", points, labels_of(points), asked)
    right = np.mean((np.asarray(got) > 0.5) == labels_of(asked))
    assert right >= 0.85, f"{right:.0%} of 200 new points are right; need 85%"
