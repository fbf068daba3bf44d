"""Holds the graded tests of tasks 0.4 and 0.5."""

import numpy as np
import pytest


@pytest.mark.task("0.4-parameters")
def test_parameters(submission, rng):
    for n in (1, 5, 17):
        submission.same("drivers.parameters", rng.normal(size=n))


@pytest.mark.task("0.4-modes")
def test_modes(submission, rng):
    for n in (1, 9, 21):
        submission.same("drivers.modes", rng.normal(size=n), int(rng.integers(1, 20)))


def accuracy(got, labels):
    """The share of points whose probability is on the side of their label."""
    return float(np.mean((np.asarray(got) > 0.5) == labels))


@pytest.mark.task("0.5-simple")
def test_simple(submission, rng):
    points = rng.uniform(size=(300, 2))
    got = submission.call("drivers.simple", points)
    right = accuracy(got, points[:, 0] < 0.5)
    assert right >= 0.95, f"{right:.0%} of the new points are right; need 95%"


@pytest.mark.task("0.5-diag")
def test_diag(submission, rng):
    points = rng.uniform(size=(300, 2))
    got = submission.call("drivers.diag", points)
    right = accuracy(got, points.sum(1) < 0.5)
    assert right >= 0.95, f"{right:.0%} of the new points are right; need 95%"
