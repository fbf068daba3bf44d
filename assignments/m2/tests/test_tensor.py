"""The public tests of tasks 2.3 and 2.4: functions of tensors, both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis.strategies import DataObject, data, lists, permutations

import minitorch
from minitorch import MathTestVariable, Tensor, grad_check, tensor

from .strategies import small_floats
from .tensor_strategies import shaped_tensors, tensors

one_arg, two_arg, red_arg = MathTestVariable._comp_testing()
Named = tuple[str, Callable[..., Any], Callable[..., Any]]
few = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

# Where a function jumps there is no derivative: how far numbers are from a jump.
JUMPS = {
    "gt2": lambda a, b: a + 1.2 - b,
    "lt2": lambda a, b: a + 1.2 - b,
    "eq2": lambda a, b: a - b - 5.5,
    "div2": lambda a, b: b + 5.5,
    "inv": lambda a: a + 3.5,
    "relu": lambda a: a + 5.5,
    "complex": lambda a: min(abs(a * 10 + 7), abs((a * 10 + 7) * 6 + 5)),
}


def far_from_jumps(name: str, *parts: Tensor) -> None:
    """Asks hypothesis for other numbers, if there is a jump near these."""
    if name in JUMPS:
        arrays = np.broadcast_arrays(*[part.to_numpy() for part in parts])
        for numbers in zip(*[array.reshape(-1) for array in arrays], strict=True):
            assume(abs(JUMPS[name](*numbers)) > 0.05)


@given(lists(small_floats, min_size=1))
def test_create(t1: list[float]) -> None:
    """A list becomes a tensor of one dimension."""
    t2 = tensor(t1)
    assert [t2[i] for i in range(len(t1))] == t1


def test_fromlist() -> None:
    """Lists in lists say the shape; rows of two lengths are refused."""
    assert tensor([[2, 3, 4], [4, 5, 7]]).shape == (2, 3)
    assert tensor([[[2, 3, 4], [4, 5, 7]]]).shape == (1, 2, 3)
    with pytest.raises(ValueError, match="different lengths"):
        tensor([[1, 2], [3]])


# Task 2.3


@pytest.mark.task2_3
@pytest.mark.parametrize("fn", one_arg)
@given(tensors())
@few
def test_one_args(fn: Named, t1: Tensor) -> None:
    """Functions of one tensor, beside the same of its numbers."""
    name, base_fn, tensor_fn = fn
    far_from_jumps(name, t1)
    t2 = tensor_fn(t1)
    for index in t2._tensor.indices():
        assert t2[index] == pytest.approx(base_fn(t1[index]), abs=1e-2)


@pytest.mark.task2_3
@pytest.mark.parametrize("fn", two_arg)
@given(shaped_tensors(2))
@few
def test_two_args(fn: Named, ts: list[Tensor]) -> None:
    """Functions of two tensors, beside the same of their numbers."""
    name, base_fn, tensor_fn = fn
    t1, t2 = ts
    far_from_jumps(name, t1, t2)
    t3 = tensor_fn(t1, t2)
    for index in t3._tensor.indices():
        expected = base_fn(t1[index], t2[index])
        assert t3[index] == pytest.approx(expected, abs=1e-2)


@pytest.mark.task2_3
def test_sums() -> None:
    """A dimension that is summed stays with size 1; without one, all is summed."""
    t = tensor([[2, 3], [4, 6], [5, 7]])
    assert t.sum(0).to_numpy().tolist() == [[11, 16]]
    assert t.sum(1).to_numpy().tolist() == [[5], [10], [12]]
    assert t.sum().to_numpy().tolist() == [27]
    assert t.mean(1).to_numpy().tolist() == [[2.5], [5], [6]]


@pytest.mark.task2_3
def test_permute_forward() -> None:
    """Dimension i of the result is dimension order[i] of the tensor."""
    t = tensor([[[1, 2, 3], [4, 5, 6]]])
    assert t.permute(2, 0, 1).shape == (3, 1, 2)
    assert t.permute(2, 0, 1).to_numpy().tolist() == [[[1, 4]], [[2, 5]], [[3, 6]]]


@pytest.mark.task2_3
def test_view() -> None:
    """The same row as another shape, if its rows follow one another."""
    t = tensor([[2, 3, 4], [4, 5, 7]])
    assert t.view(6).view(3, 2).to_numpy().tolist() == [[2, 3], [4, 4], [5, 7]]
    assert t.is_close(t.view(6).view(2, 3)).all().item() == 1.0
    with pytest.raises(AssertionError):
        t.permute(1, 0).view(6)


# Task 2.4


@pytest.mark.task2_4
@pytest.mark.parametrize("fn", one_arg)
@given(tensors())
@few
def test_one_derivative(fn: Named, t1: Tensor) -> None:
    """The gradient of a function, beside a central difference."""
    name, _, tensor_fn = fn
    far_from_jumps(name, t1)
    grad_check(tensor_fn, t1)


@pytest.mark.task2_4
@given(data(), tensors())
@few
def test_permute(data: DataObject, t1: Tensor) -> None:
    """The gradient goes back to where it came from: weights tell cells apart."""
    order = data.draw(permutations(range(t1.dims)))
    weights = tensor([float(i + 1) for i in range(t1.size)])

    def permuted(a: Tensor) -> Tensor:
        return a.permute(*order).contiguous().view(a.size) * weights

    grad_check(permuted, t1)


@pytest.mark.task2_4
@given(tensors())
@few
def test_back_view(t1: Tensor) -> None:
    """The gradient of a view."""
    grad_check(lambda a: a.contiguous().view(a.size), t1)


@pytest.mark.task2_4
def test_grad_size() -> None:
    """A gradient has the shape of its tensor, though that was broadcast."""
    a = tensor([1], requires_grad=True)
    b = tensor([[1, 1]], requires_grad=True)
    c = (a * b).sum()
    c.backward()
    assert c.shape == (1,)
    assert a.grad is not None
    assert a.grad.shape == (1,)
    assert a.grad[0] == 2.0
    assert b.grad is not None
    assert b.grad.shape == (1, 2)


@pytest.mark.task2_4
@pytest.mark.parametrize("fn", red_arg)
@given(tensors())
@few
def test_grad_reduce(fn: Named, t1: Tensor) -> None:
    """The gradient of sums and means."""
    grad_check(fn[2], t1)


@pytest.mark.task2_4
@pytest.mark.parametrize("fn", two_arg)
@given(shaped_tensors(2))
@few
def test_two_grad(fn: Named, ts: list[Tensor]) -> None:
    """By both arguments."""
    name, _, tensor_fn = fn
    far_from_jumps(name, *ts)
    grad_check(tensor_fn, *ts)


@pytest.mark.task2_4
@pytest.mark.parametrize("fn", two_arg)
@given(shaped_tensors(2))
@few
def test_two_grad_broadcast(fn: Named, ts: list[Tensor]) -> None:
    """By both arguments, one of which is smaller."""
    name, _, tensor_fn = fn
    t1, t2 = ts
    for a, b in ((t1.sum(0), t2), (t1, t2.sum(0))):
        far_from_jumps(name, a, b)
        grad_check(tensor_fn, a.detach(), b.detach())


@pytest.mark.task2_4
def test_no_graph_without_need() -> None:
    """Constants make constants: nothing is kept that nobody will ask for."""
    t = tensor([1.0, 2.0])
    assert not (t * t + 1).sum().requires_grad()
    weight = minitorch.Parameter(t)
    assert (weight.value * 2).requires_grad()
