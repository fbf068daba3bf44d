"""Holds the public tests of 1.1."""

import numpy as np
import pytest

from minitorch.operators import clip


@pytest.mark.task1_1
def test_clip():
    assert clip(np.array([-2.0, 0.5, 7.0]), 0.0, 1.0).tolist() == [0.0, 0.5, 1.0]
