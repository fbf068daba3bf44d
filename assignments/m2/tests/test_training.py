"""The public tests of task 2.5: a network of tensors that learns."""

from __future__ import annotations

import random

import pytest
from project.run_tensor import Linear, Network, train

import minitorch


@pytest.mark.task2_5
def test_linear() -> None:
    """(batch, in) times (in, out), plus a bias for each output."""
    layer = Linear(2, 3)
    layer.weights.update(minitorch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    layer.bias.update(minitorch.tensor([0.5, 0.0, -0.5]))
    x = minitorch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])
    expected = [[1.5, 2, 2.5], [10.5, 20, 29.5], [11.5, 22, 32.5], [-7.5, -16, -24.5]]
    assert layer.forward(x).to_numpy().tolist() == expected


@pytest.mark.task2_5
def test_network() -> None:
    """A probability for each point of a batch; every parameter has a gradient."""
    random.seed(3)
    network = Network(4)
    out = network.forward(minitorch.rand((5, 2)))
    assert out.shape == (5, 1)
    assert ((out.to_numpy() > 0) & (out.to_numpy() < 1)).all()
    out.sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.value.grad is not None, name
        assert parameter.value.grad.shape == parameter.value.shape, name


@pytest.mark.task2_5
def test_new_points() -> None:
    """Trained on 50 points, right for most of 100 others."""
    random.seed(20)
    data, others = minitorch.datasets["Simple"](50), minitorch.datasets["Simple"](100)
    predict = train(data.X, data.y)
    pairs = zip(predict(others.X), others.y, strict=True)
    right = sum((probability > 0.5) == bool(label) for probability, label in pairs)
    assert right >= 88, f"{right} of 100 new points are right"
