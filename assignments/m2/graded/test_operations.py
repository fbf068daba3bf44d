"""Holds the graded tests of tasks 2.3, 2.4 and 2.5."""

import numpy as np
import pytest

EPS = 1e-6


def order(rng, dims):
    """An order of memory; of two dimensions and more never that of the index."""
    found = rng.permutation(dims)
    return np.roll(np.arange(dims), 1) if (found == np.arange(dims)).all() else found


@pytest.mark.task("2.3-map")
def test_map(submission, rng):
    for shape, small in (((7,), (7,)), ((3, 4), (4,)), ((2, 3, 5), (3, 1))):
        out, a = rng.normal(size=shape), rng.normal(size=small)
        expected = [np.broadcast_to(0.5 * a + 1, shape), a]
        layouts = order(rng, len(shape)), order(rng, len(small))
        submission.check(
            "drivers.mapped", out, layouts[0], a, layouts[1], expected=expected
        )
    a = rng.normal(size=(4, 2, 3))
    orders = np.array([2, 0, 1]), np.array([1, 2, 0])
    expected = [0.5 * a + 1, a]
    submission.check(
        "drivers.mapped", 0 * a, orders[0], a, orders[1], expected=expected
    )


@pytest.mark.task("2.3-zip")
def test_zip(submission, rng):
    for first, second in (
        ((5,), (5,)),
        ((4, 1), (3,)),
        ((2, 3, 4), (3, 1)),
        ((1,), (2, 5)),
    ):
        a, b = rng.normal(size=first), rng.normal(size=second)
        expected = a - 2 * b
        submission.check(
            "drivers.zipped",
            rng.normal(size=expected.shape),
            order(rng, expected.ndim),
            a,
            order(rng, a.ndim),
            b,
            order(rng, b.ndim),
            expected=[expected, a, b],
        )


@pytest.mark.task("2.3-reduce")
def test_reduce(submission, rng):
    for shape in ((6,), (3, 4), (2, 3, 4)):
        for dim in range(len(shape)):
            a = rng.normal(size=shape)
            start = rng.normal(size=a.max(dim, keepdims=True).shape) + 2
            expected = start
            for i in range(shape[dim]):
                expected = 0.5 * expected + a.take([i], dim)
            submission.check(
                "drivers.reduced",
                start,
                order(rng, a.ndim),
                a,
                order(rng, a.ndim),
                dim,
                expected=[expected, a],
            )


@pytest.mark.task("2.3-functions")
def test_functions(submission, rng):
    for shape, other in (((3, 4), (4,)), ((2, 3, 4), (3, 1))):
        a, b = rng.uniform(-3, 3, shape), rng.uniform(-3, 3, other)
        a.flat[0] = np.broadcast_to(b, shape).flat[0]
        layout = np.roll(np.arange(a.ndim), 1)
        expected = [a * b, 1 / (1 + np.exp(-a)), a.clip(0), np.log(a * a + EPS)]
        expected += [np.exp(0.1 * a), a < b, a > b, a == b, a == a]
        expected += [np.abs(a - b) < 0.01, a == a, a.transpose(), a.transpose(layout)]
        expected += [a.sum(0, keepdims=True), a.mean(-1, keepdims=True)]
        expected += [np.array([a.sum()]), np.array([1.0])]
        expected = [np.asarray(each, float) for each in expected]
        submission.check("drivers.functions", a, layout, b, expected=expected)


@pytest.mark.task("2.4-functions")
def test_gradients(submission, rng):
    for shape in ((5,), (3, 4)):
        a, b, w = (rng.uniform(0.5, 3, shape) for _ in range(3))
        a.flat[1] *= -1
        s = 1 / (1 + np.exp(-a))
        expected = [s * (1 - s), (a > 0) * 1.0, 0.1 * np.exp(0.1 * a)]
        expected += [2 * a / (a * a + EPS), -2 * a / (a * a + 1) ** 2]
        one = np.ones(shape)
        expected += [b, a, (a < b) * 1.0, one, one, one]
        expected = [w * each for each in expected]
        layout = np.roll(np.arange(a.ndim), 1)
        submission.check(
            "drivers.gradients", a, layout, b, w, expected=expected, rtol=1e-6
        )


@pytest.mark.task("2.4-shapes")
def test_gradients_of_shapes(submission, rng):
    for first, second in (((3, 1), (4,)), ((1,), (2, 3)), ((2, 1, 3), (4, 1))):
        a, b = rng.normal(size=first), rng.normal(size=second)
        w = rng.normal(size=(a + b).shape)
        expected = []
        for part in (a, b):
            added = tuple(range(w.ndim - part.ndim))
            summed = w.sum(added)
            ones = tuple(i for i, size in enumerate(part.shape) if size == 1)
            expected.append(summed.sum(ones, keepdims=True))
        submission.check("drivers.broadcast_gradients", a, b, w, expected=expected)
    for turn in (np.array([1, 2, 0]), np.array([2, 0, 1]), np.array([0, 2, 1])):
        a = rng.normal(size=(2, 3, 4))
        w = rng.normal(size=a.transpose(turn).shape)
        expected = [np.ones(a.shape), w.transpose(np.argsort(turn))]
        submission.check(
            "drivers.permuted_gradient", a, order(rng, 3), turn, w, expected=expected
        )


@pytest.mark.task("2.5-training")
@pytest.mark.requires("2.3-functions", "2.4-functions", "2.4-shapes")
def test_training(submission, rng):
    a, b = rng.uniform(-1, 1), rng.choice([-1.0, 1.0])

    def heights(points):
        return (points - 0.5) @ np.array([a, b])

    points = rng.uniform(size=(60, 2))
    points = points[np.abs(heights(points)) > 0.04]
    asked = rng.uniform(size=(200, 2))
    labels = (heights(points) > 0).astype(int)
    got = submission.call("drivers.learned", points, labels, asked)
    right = np.mean((np.asarray(got) > 0.5) == (heights(asked) > 0))
    assert right >= 0.85, f"{right:.0%} of 200 new points are right; need 85%"
