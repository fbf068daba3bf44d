"""Holds the graded tests of 1.1."""

import numpy as np
import pytest


@pytest.mark.task("1.1-clip")
def test_clip(submission):
    values = np.array([-2.0, 0.5, 7.0])
    submission.check("drivers.clip", values, 0.0, 1.0, expected=np.array([0, 0.5, 1]))


@pytest.mark.task("1.1-secret")
def test_secret(submission, rng):
    submission.note_uses("minitorch/operators.py", "clip", "@")
    values = rng.normal(size=(3, 5))
    submission.check("drivers.clip", values, -1.0, 1.0, expected=values.clip(-1, 1))
    submission.same("drivers.clip", values, -0.5, 0.25)
