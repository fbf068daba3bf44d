"""The tests of `torch.autograd`: gradients as values, functions, derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import autograd


def leaf(*numbers):
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=True)


def test_an_input_that_was_not_used():
    x, y = leaf(1.0), leaf(2.0, 3.0)
    with pytest.raises(RuntimeError, match="no output depends on input 1"):
        autograd.grad(x.sum(), [x, y])
    assert autograd.grad(x.sum(), [x, y], allow_unused=True)[1] is None
    made = autograd.grad(x.sum(), [x, y], materialize_grads=True)
    assert made[1].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match=r"shape \(2,\); a gradient"):
        autograd.grad(y * 2, y)
    with pytest.raises(RuntimeError, match=r"shape \(2,\); a gradient"):
        autograd.backward(y * 2)
    with pytest.raises(ValueError, match="is_grads_batched"):
        autograd.grad(x.sum(), x, is_grads_batched=True)
    with pytest.raises(TypeError, match=r"need a torch\.Tensor"):
        autograd.grad(minitorch.ones(1), x)


def test_backward_of_several_and_into_some():
    x, y = leaf(3.0), leaf(5.0)
    autograd.backward([x * y, x * 2], [None, None])
    assert (x.grad.item(), y.grad.item()) == (7, 3)
    autograd.backward((x * y).sum(), inputs=[x])
    assert (x.grad.item(), y.grad.item()) == (12, 3)


class Scaled(autograd.Function):
    """x times a number."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ctx.needed = ctx.needs_input_grad
        return x * factor

    @staticmethod
    def backward(ctx, gradient):
        assert ctx.needed == (True, False)
        return gradient * ctx.factor, None


class Both(autograd.Function):
    """Two outputs with gradients, one without."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        places = (x > y).long()
        ctx.mark_non_differentiable(places)
        return x * y, (x + y).reshape(1, -1), places

    @staticmethod
    def backward(ctx, product, total, places):
        x, y = ctx.saved_tensors
        assert places.tolist() == [0] * len(places)
        total = total.reshape(-1)
        return product * y + total, product * x + total


class Apart(autograd.Function):
    """Whose forward knows no ctx."""

    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[0]


def test_functions_of_ones_own():
    x, y = leaf(2.0, -1.0), leaf(3.0, 4.0)
    Scaled.apply(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3, 3]
    x.grad = None
    product, total, places = Both.apply(x, y)
    assert total.shape == (1, 2)
    assert places.tolist() == [0, 0]
    assert not places.requires_grad
    (product.sum() + (total * 10).sum()).backward()
    assert x.grad.tolist() == [13, 14]
    assert y.grad.tolist() == [12, 9]
    assert autograd.gradcheck(Both.apply, (x, y))
    assert autograd.gradcheck(Apart.apply, (x,))


def test_functions_where_nothing_is_recorded():
    x = leaf(2.0)
    with torch.no_grad():
        assert not Apart.apply(x).requires_grad
    assert not Apart.apply(x.detach()).requires_grad


def test_what_forward_saved_may_not_change():
    x = leaf(2.0)
    made = Apart.apply(x)
    y = x * 1
    product, _, _ = Both.apply(y, y)
    with torch.no_grad():
        y.mul_(2.0)
    with pytest.raises(RuntimeError, match="in place"):
        product.sum().backward()
    made.sum().backward()
    assert x.grad.item() == pytest.approx(math.exp(2))


class Wrong(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3


class Nothing(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3

    backward = forward


def test_wrong_functions_are_found():
    with pytest.raises(autograd.GradcheckError, match=r"backward gives 3\.0"):
        autograd.gradcheck(Wrong.apply, leaf(1.0))
    assert not autograd.gradcheck(Wrong.apply, leaf(1.0), raise_exception=False)
    with pytest.raises(ValueError, match="no input that requires a gradient"):
        autograd.gradcheck(Wrong.apply, leaf(1.0).detach())
    with pytest.raises(TypeError, match="forward returned int"):
        Nothing.apply(leaf(1.0))


def test_nan_on_the_way_back():
    x = torch.tensor([0.0], requires_grad=True)
    with autograd.detect_anomaly(), pytest.raises(RuntimeError, match="NaN"):
        (x.sqrt() * 0).sum().backward()
    with autograd.set_detect_anomaly(False):
        (x.sqrt() * 0).sum().backward()
    assert np.isnan(x.grad.item())


def test_what_a_context_cannot_is_said_in_a_sentence():
    class Dirty(Nothing):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)

    with pytest.raises(AttributeError, match="is in PyTorch but not in minitorch"):
        Dirty.apply(leaf(1.0))


def test_one_output_that_is_not_used():
    x, y = leaf(2.0), leaf(3.0)
    _, total, _ = Both.apply(x, y)
    total.sum().backward()
    assert (x.grad.item(), y.grad.item()) == (1, 1)
