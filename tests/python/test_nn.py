"""The tests of modules, layers, losses and SGD, and training on both devices."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import minitorch
from minitorch import Module, Parameter

from .tensors import DEVICES, need


class Inner(Module):
    def __init__(self):
        super().__init__()
        self.a = Parameter(minitorch.zeros(2))

    def forward(self, x):
        return x + self.a.value


class Outer(Module):
    def __init__(self):
        super().__init__()
        self.left = Inner()
        self.right = Inner()
        self.b = Parameter(minitorch.ones(1), name="b")
        self.note = "plain"


def test_parameters_are_found_by_dotted_names():
    net = Outer()
    assert [name for name, _ in net.named_parameters()] == ["b", "left.a", "right.a"]
    assert len(net.parameters()) == 3
    assert net.add_parameter("c", minitorch.zeros(1)) is net.c
    assert "c" in dict(net.named_parameters())
    assert net.note == "plain"


def test_missing_pieces_are_named():
    with pytest.raises(NotImplementedError, match="needs a method forward"):
        Module()()
    with pytest.raises(AttributeError, match="has no attribute, parameter, buffer or"):
        Outer().nothing  # noqa: B018

    class Early(Module):
        def __init__(self):
            self.a = Parameter(minitorch.zeros(1))

    with pytest.raises(AttributeError, match=r"Call super\(\).__init__\(\) first"):
        Early()


@pytest.mark.parametrize("device", DEVICES)
def test_cross_entropy_agrees_with_its_definition(device):
    need(device)
    x = np.random.default_rng(1).normal(size=(5, 3))
    labels = np.array([0, 2, 1, 1, 0])
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    expected = -np.log(p[np.arange(5), labels]).mean()
    t = minitorch.tensor(x, device=device)
    y = minitorch.tensor(labels, device=device)
    loss = minitorch.cross_entropy(t, y)
    assert loss.shape == (1,)
    np.testing.assert_allclose(loss.item(), expected, rtol=1e-12)
    np.testing.assert_allclose(
        minitorch.nll_loss(minitorch.logsoftmax(t, 1), y).item(), expected, rtol=1e-12
    )


def test_labels_that_do_not_fit_are_named():
    x = minitorch.zeros(2, 3)
    for label in ("0.5", "nan"):
        y = minitorch.tensor([1.0, float(label)])
        for loss in (minitorch.cross_entropy, minitorch.nll_loss):
            with pytest.raises(ValueError, match=f"got label {label} at index 1; need"):
                loss(minitorch.zeros(2, 3), y)
    with pytest.raises(IndexError, match="got label inf at index 0; need 0 to 2"):
        minitorch.cross_entropy(minitorch.zeros(1, 3), minitorch.tensor([float("inf")]))
    with pytest.raises(IndexError, match="got label 3 at index 1; need 0 to 2"):
        minitorch.cross_entropy(x, minitorch.tensor([0, 3]))
    with pytest.raises(ValueError, match=r"need \(n, classes\) and \(n,\)"):
        minitorch.cross_entropy(x, minitorch.tensor([0, 1, 2]))


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


@pytest.mark.parametrize("apply", OPERATORS)
def test_a_parameter_computes_as_its_value(apply):
    value, other = minitorch.tensor([2.0, 5.0]), minitorch.tensor([3.0, 4.0])
    parameter = Parameter(value)
    for beside in (other, 3.0, np.array([3.0, 4.0])):
        expected = apply(value.numpy(), getattr(beside, "numpy", lambda b=beside: b)())
        np.testing.assert_array_equal(apply(parameter, beside).numpy(), expected)
        expected = apply(getattr(beside, "numpy", lambda b=beside: b)(), value.numpy())
        np.testing.assert_array_equal(apply(beside, parameter).numpy(), expected)
    both = apply(parameter, Parameter(other))
    np.testing.assert_array_equal(both.numpy(), apply(value, other).numpy())


def test_parameters_in_operators_learn():
    scale = Parameter(minitorch.tensor([2.0, 3.0]))
    x = minitorch.tensor([[1.0, 10.0]])
    (x * scale).sum().backward()
    assert scale.grad.numpy().tolist() == [1, 10]
    assert (x @ Parameter(minitorch.ones(2, 3))).shape == (1, 3)
    assert (Parameter(minitorch.ones(2, 3)) @ minitorch.ones(3, 1)).shape == (2, 1)
    assert (-scale)[0] == -2
    assert abs(scale)[1] == scale[1] == 3
    factor = Parameter(minitorch.Scalar(3.0))
    (minitorch.Scalar(2.0) * factor - factor / 2.0).backward()
    assert factor.value.derivative == 1.5


def test_parameters_stay_parameters():
    scale = Parameter(minitorch.ones(2))
    assert scale == scale
    assert scale in {scale}
    assert scale != Parameter(minitorch.ones(2))
    with pytest.raises(
        TypeError, match=r"\[Parameter\] \+= would replace.*Use \.update\("
    ):
        scale += 1


@pytest.mark.cuda
def test_a_parameter_advises_to_move_the_data():
    need("cuda")
    scale = Parameter(minitorch.ones(2).to("cuda"))
    for wrong in (lambda x: x * scale, lambda x: scale + x):
        with pytest.raises(ValueError, match=r'data to the model: x\.to\("cuda"\)'):
            wrong(minitorch.ones(2))
