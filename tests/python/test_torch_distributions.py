"""Owns the tests of distributions in PyTorch's dialect: what is drawn, and gradients.

Their formulas are compared with PyTorch's in data/torch_cases.txt.
"""

from __future__ import annotations

from typing import Any

import pytest

import minitorch.torch as torch
from minitorch.torch import distributions as kinds

MANY = 20000


@pytest.mark.parametrize(
    "make",
    [
        lambda: kinds.Normal(torch.tensor(2.0), torch.tensor(0.5)),
        lambda: kinds.Laplace(torch.tensor(-1.0), torch.tensor(0.5)),
        lambda: kinds.Uniform(torch.tensor(-1.0), torch.tensor(3.0)),
        lambda: kinds.Exponential(torch.tensor(2.0)),
        lambda: kinds.Bernoulli(torch.tensor(0.3)),
        lambda: kinds.OneHotCategorical(torch.tensor([0.2, 0.8])),
        lambda: kinds.Independent(kinds.Normal(torch.zeros(2), torch.ones(2)), 1),
    ],
)
def test_draws_have_their_mean_and_variance(make: Any):
    torch.manual_seed(1)
    of = make()
    drawn = of.sample((MANY,))
    assert drawn.shape == (MANY, *of.batch_shape, *of.event_shape)
    assert not drawn.requires_grad
    assert (drawn.mean(0) - of.mean).abs().max().item() < 0.05
    assert (drawn.var(0) - of.variance).abs().max().item() < 0.1


def test_classes_are_drawn_as_often_as_they_are_likely():
    torch.manual_seed(2)
    of = kinds.Categorical(torch.tensor([[0.1, 0.9], [0.5, 0.5]]))
    drawn = of.sample((MANY,)).float().mean(0)
    assert (drawn - torch.tensor([0.9, 0.5])).abs().max().item() < 0.02


def test_a_policy_learns_from_log_prob():
    logits = torch.zeros(3, requires_grad=True)
    of = kinds.Categorical(logits=logits)
    (-of.log_prob(torch.tensor(1))).backward()
    wanted = torch.tensor([1 / 3, -2 / 3, 1 / 3])
    assert torch.allclose(logits.grad, wanted)


def test_gradients_go_through_rsample():
    torch.manual_seed(0)
    loc = torch.tensor(1.0, requires_grad=True)
    scale = torch.tensor(2.0, requires_grad=True)
    drawn = kinds.Normal(loc, scale).rsample((5,))
    drawn.sum().backward()
    assert loc.grad.item() == 5
    noise = ((drawn.detach() - 1) / 2).sum().item()
    assert scale.grad.item() == pytest.approx(noise, rel=1e-5)


def test_a_normal_and_its_cdf_undo_each_other():
    of = kinds.Normal(torch.tensor(1.0), torch.tensor(2.0))
    shares = torch.tensor([0.1, 0.5, 0.9])
    assert torch.allclose(of.cdf(of.icdf(shares)), shares, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: kinds.Categorical(), ValueError, "one of them"),
        (lambda: kinds.Categorical(torch.tensor([-1.0, 2.0])), ValueError, "0 or more"),
        (lambda: kinds.Normal(0.0, -1.0), ValueError, "above 0"),
        (lambda: kinds.Bernoulli(1.5), ValueError, "0 to 1"),
        (lambda: kinds.Uniform(2.0, 1.0), ValueError, "below high"),
        (lambda: kinds.Bernoulli(0.5).rsample(), NotImplementedError, "sample"),
        (lambda: kinds.Independent(kinds.Normal(0, 1), 1), ValueError, "0 to 0"),
        (
            lambda: kinds.kl_divergence(kinds.Normal(0, 1), kinds.Bernoulli(0.5)),
            NotImplementedError,
            "Normal and Bernoulli",
        ),
    ],
)
def test_what_is_wrong_is_said(call: Any, error: type[Exception], words: str):
    with pytest.raises(error, match=words):
        call()
