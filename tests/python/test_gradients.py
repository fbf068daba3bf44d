"""The check of every gradient: central differences, and device against device."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch

from .gradient_cases import FUNCTIONS
from .tensors import need, numbers


def arguments(name):
    _, all_shapes, low = FUNCTIONS[name]
    return [numbers(s, 11 + i, "float64", low) for i, s in enumerate(all_shapes)]


def weighted(name, values, device):
    """The function's outputs, each with a weight of its own, summed."""
    out = FUNCTIONS[name][0](*values)
    weights = minitorch.tensor(numbers(out.shape, 99, "float64"), device=device)
    return (out * weights).sum()


def gradients(name, device, **options):
    leaves = [
        minitorch.tensor(a, device=device, requires_grad=True) for a in arguments(name)
    ]
    weighted(name, leaves, device).backward(**options)
    return [leaf.grad for leaf in leaves]


def differences(name):
    """Central differences of fourth order, element by element."""
    arrays, step, found = arguments(name), 1e-3, []

    def value():
        with minitorch.no_grad():
            tensors = [minitorch.tensor(a) for a in arrays]
            return float(weighted(name, tensors, "cpu").item())

    for array in arrays:
        out = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            kept, total = array[index], 0.0
            for offset, weight in [(-2, 1), (-1, -8), (1, 8), (2, -1)]:
                array[index] = kept + offset * step
                total += weight * value()
            array[index] = kept
            out[index] = total / (12 * step)
        found.append(out)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_is_the_slope(name):
    for got, expected in zip(gradients(name, "cpu"), differences(name), strict=True):
        assert got.shape == expected.shape
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.cuda
@pytest.mark.parametrize("name", FUNCTIONS)
def test_devices_give_the_same_gradient(name):
    need("cuda")
    for there, here in zip(
        gradients(name, "cuda"), gradients(name, "cpu"), strict=True
    ):
        assert there.device == "cuda"
        np.testing.assert_allclose(there.numpy(), here.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_recording_the_gradient_does_not_change_it(name):
    plain, recorded = gradients(name, "cpu"), gradients(name, "cpu", create_graph=True)
    for a, b in zip(plain, recorded, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "exp", "log", "square", "sqrt"])
def test_second_gradient_is_the_slope_of_the_first(name):
    function, _, low = FUNCTIONS[name]
    x = numbers((5,), 3, "float64", max(low, 0.3))

    def first(values):
        leaf = minitorch.tensor(values, requires_grad=True)
        function(leaf).sum().backward(create_graph=True)
        first.leaf = leaf
        return leaf.grad

    slope = (first(x + 1e-5).numpy() - first(x - 1e-5).numpy()) / 2e-5
    gradient = first(x)
    leaf = first.leaf
    leaf.grad = None
    gradient.sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), slope, rtol=1e-6, atol=1e-8)


def test_closed_forms():
    x = minitorch.tensor([0.5, -1.5], requires_grad=True)
    (x * x * x + 2 * x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * np.array([0.25, 2.25]) + 2)
    w = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (w @ w).sum().backward()  # rows of w @ 1 plus columns of 1 @ w
    np.testing.assert_allclose(w.grad.numpy(), [[7, 11], [9, 13]])


def test_equal_maxima_share_the_gradient():
    x = minitorch.tensor([[1.0, 3.0, 3.0]], requires_grad=True)
    x.amax(1).backward()
    assert x.grad.numpy().tolist() == [[0, 0.5, 0.5]]


def test_comparisons_have_zero_gradients():
    x = minitorch.tensor([1.0, 2.0], requires_grad=True)
    (x < 1.5).sum().backward()
    assert x.grad.numpy().tolist() == [0, 0]
