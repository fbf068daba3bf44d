"""The public tests of task 1.5: a network of Scalars that learns."""

from __future__ import annotations

import random

import pytest
from project.run_scalar import Linear, Network, train

import minitorch


@pytest.mark.task1_5
def test_linear() -> None:
    """y[j] = bias[j] + the sum of x[i] * weight_i_j."""
    layer = Linear(2, 3)
    for name, parameter in layer.named_parameters():
        parameter.update(minitorch.Scalar(len(name) + ord(name[-1]) - ord("0")))
    # weight_i_j holds 10 + j, bias_j holds 6 + j
    y = layer.forward([minitorch.Scalar(1.0), minitorch.Scalar(2.0)])
    assert [each.data for each in y] == [36.0, 40.0, 44.0]


@pytest.mark.task1_5
def test_network() -> None:
    """A probability that every parameter has a say in."""
    random.seed(3)
    network = Network(3)
    assert len(network.parameters()) == (2 * 3 + 3) + (3 * 3 + 3) + (3 + 1)
    out = network.forward([minitorch.Scalar(0.3), minitorch.Scalar(0.8)])
    assert 0.0 < out.data < 1.0


@pytest.mark.task1_5
def test_new_points() -> None:
    """Trained on 50 points, right for most of 100 others."""
    random.seed(20)
    data, others = minitorch.datasets["Simple"](50), minitorch.datasets["Simple"](100)
    predict = train(data.X, data.y)
    pairs = zip(predict(others.X), others.y, strict=True)
    right = sum((probability > 0.5) == bool(label) for probability, label in pairs)
    assert right >= 88, f"{right} of 100 new points are right"
