"""The public tests of task 0.5: a line that you draw by hand."""

from __future__ import annotations

import pytest
from project.run_manual import predict

from minitorch import datasets


@pytest.mark.task0_5
@pytest.mark.parametrize("name", ["Simple", "Diag"])
def test_most_points_are_right(name: str) -> None:
    """The label 1 has a probability over one half, the label 0 one under it."""
    data = datasets[name](200)
    found = [probability > 0.5 for probability in predict(name, data.X)]
    right = sum(got == bool(label) for got, label in zip(found, data.y, strict=True))
    assert right >= 190, f"{right} of 200 points are right"
